"""`hotlap.evaluate`: any driver, by its name or as an object, evaluated in its world."""

from pathlib import Path
from typing import Any

from hotlap.evaluation.measures import Evaluation
from hotlap.evaluation.request import DEFAULT
from hotlap.evaluation.sources import DriverSource, find_driver
from hotlap.evaluation.world_evaluation import evaluate_driver, evaluation_of
from hotlap.policies import Policy
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.progress import say
from hotlap.settings import merged


def evaluate(
    driver: str | Path | Policy, *, world: str = "racer", root: str | Path = "runs", **options: Any
) -> Evaluation:
    """Evaluate a driver from Python, as `hotlap evaluate` does from the command line.

    ```text
    evaluation = hotlap.evaluate("racer-ppo-1", laps=3)
    for measure in evaluation.measures():
        print(measure.place, measure.quantity.name, measure.estimate)
    ```

    Args:
        driver: A run by its name or folder, a .onnx file, a driver that comes with Hotlap, or any object with `name`,
            `layout`, `reset(cars)` and `act(observation, world)`.
        world: The world of a driver that is an object of your own; files and runs name theirs.
        root: Folder that holds the runs.
        **options: What to drive. They have the names of the options of `hotlap evaluate`: `track`, `laps`, `episodes`
            and so on.

    Returns:
        The evaluation of that world. `measures()` has every figure with its interval, `plain()` the same for JSON.

    Raises:
        PolicyError: There is no such driver, or its file cannot be driven here.
        ConfigError: An option is unknown, or belongs to another world.
    """
    source = _source(driver, world, Path(root))
    config = merged(DEFAULT, options, "evaluate")
    evaluation: Evaluation = evaluate_driver(source, config, say, with_others=False)
    return evaluation


def _source(driver: str | Path | Policy, world: str, root: Path) -> DriverSource:
    """The driver with its world."""
    if isinstance(driver, str | Path):
        return find_driver(str(driver), root)
    about = dict(driver.metadata) if isinstance(driver, OnnxPolicy) else {"layout": driver.layout}
    world = about.get("world", world)
    return DriverSource(driver.name, world, lambda _where: driver, about, evaluation_of(world).tracks(about))
