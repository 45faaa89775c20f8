"""`hotlap benchmark gpu`: all worlds on an NVIDIA GPU, beside the same kernels on this machine's cores."""

import json as json_text
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.benchmark.driving import MEMORY, PUSHING_ON
from hotlap.benchmark.report import describe_machine
from hotlap.devices.driver import Gpu, Work, lanes_per_car
from hotlap.errors import ConfigError
from hotlap.evaluation.table import console_for_results, empty_table, print_table
from hotlap.export.ptx import libdevice, ptx
from hotlap.export.world_browser import browser_of
from hotlap.highway.world import HighwayWorld
from hotlap.progress import say as tell
from hotlap.progress import waiting
from hotlap.race.world import RaceWorld
from hotlap.racer.world import RacerWorld

Array = NDArray[Any]
Say = Callable[[str], Any]
LIMITS = {"cars": (1024, 1_000_000), "ticks": (1, 100_000), "repeats": (1, 1000)}
COMPARED, COMPARED_TICKS = 1024, 600
TAPE_TICKS = 32
DRIVE = 1
CARS_OF_GRID = 8
CLOSE_ENOUGH = 1e-9
"""A GPU rounds sines and cosines differently in the last digit, and so may everything that follows from them."""


@dataclass(frozen=True, eq=False)
class Contest:
    """A world to be driven on both: how it is made, and where its random drivers lean."""

    name: str
    make: Callable[[int], Any]
    leaning: Array
    cars_for_one: int
    """It takes as long as so many cars of the racer."""
    function: str = "update"
    """Which of the world's functions advances it."""
    together: int = 1
    """So many are on one road."""

    @property
    def world(self) -> str:
        """The world it is a kind of."""
        return self.name.split(" ")[0]


def _races(name: str, track: str, car: str, function: str) -> Contest:
    """Grids of eight cars, all of which are driven from outside."""
    options: dict[str, Any] = {
        "track": track,
        "car": car,
        "cars": CARS_OF_GRID,
        "learners": CARS_OF_GRID,
        "start": "spread",
    }
    return Contest(name, lambda count: RaceWorld(count, **options), PUSHING_ON, 1, function, CARS_OF_GRID)


CONTESTS = (
    Contest("racer", lambda count: RacerWorld(count, "track-01", start="random"), PUSHING_ON, 1),
    Contest(
        "racer with grip",
        lambda count: RacerWorld(count, "quarry", car="gt", start="random"),
        PUSHING_ON,
        1,
        "update_grip",
    ),
    _races("race", "track-01", "classic", "update_race"),
    _races("race with grip", "quarry", "gt", "update_grip_race"),
    Contest("highway", lambda count: HighwayWorld(count, vehicles=20), np.array([0.3, -0.3, 0.0]), 8),
)


@dataclass(frozen=True)
class Outcome:
    """What driving one world on both came to."""

    world: str
    count: int
    gpu_per_s: float
    cores_per_s: float
    compared_ticks: int
    largest_difference: float
    """Of any number of the state or of what was put out, in any compared tick."""
    differing_counts: int
    """Flags, counters, lanes and the like that were not the same."""

    @property
    def agrees(self) -> bool:
        """Whether both drove the same drive."""
        return self.differing_counts == 0 and self.largest_difference <= CLOSE_ENOUGH


class GpuCopy:
    """A batch's arrays in the memory of a GPU, advanced there by the batch's own kernels."""

    def __init__(self, gpu: Gpu, batch: Any, kernel: Any) -> None:
        self._gpu, self._batch, self._kernel = gpu, batch, kernel
        self._places = [[gpu.put(array) for array in group] for group in batch.groups]
        flat = [place for group in self._places for place in group]
        self._addresses = gpu.put(np.array(flat, np.int64))
        taken = next(number for number, group in enumerate(batch.groups) if group is batch.actions)
        self._actions = self._places[taken]

    def step(self, actions: list[int]) -> None:
        """Advance everything by a tick with the three columns of actions at these addresses."""
        for place, column, source in zip(self._actions, self._batch.actions, actions, strict=True):
            self._gpu.copy(place, source, column.nbytes)
        count = self._batch.kernel_count
        self._gpu.launch(self._kernel, self._addresses, Work(count, DRIVE, lanes_per_car(count)))

    def differences(self) -> tuple[float, int]:
        """The largest difference to the batch's own arrays, and how many whole numbers are not the same."""
        largest, differing = 0.0, 0
        for places, group in zip(self._places, self._batch.groups, strict=True):
            for place, ours in zip(places, group, strict=True):
                theirs = self._gpu.read(place, ours)
                if ours.dtype.kind == "f":
                    largest = max(largest, float(np.abs(theirs - ours).max(initial=0.0)))
                else:
                    differing += int(np.count_nonzero(theirs != ours))
        return largest, differing


def random_tape(leaning: Array, ticks: int, count: int) -> Array:
    """Smooth random actions, (ticks, 3, count)."""
    rng, mood = np.random.default_rng(0), np.zeros((3, count))
    tape = np.empty((ticks, 3, count))
    for tick in tape:
        mood = MEMORY * mood + (1.0 - MEMORY) * rng.uniform(-3.0, 3.0, mood.shape)
        tick[:] = mood + leaning[:, None]
    return tape.clip(-1.0, 1.0)


def begun(contest: Contest, count: int) -> Any:
    """A world in which every episode has begun."""
    world = contest.make(count)
    for car in range(count):
        world.begin(car, np.random.default_rng(car))
    return world


def on_tape(gpu: Gpu, tape: Array) -> list[list[int]]:
    """A tape in the memory of the GPU: the addresses of each tick's three columns."""
    return [[gpu.put(column) for column in tick] for tick in tape]


def compare(gpu: Gpu, kernel: Any, contest: Contest, ticks: int = COMPARED_TICKS) -> tuple[float, int]:
    """Drive the same actions on both and look at everything after every tick; nobody begins anew meanwhile."""
    batch = begun(contest, COMPARED).batch
    copy, tape = GpuCopy(gpu, batch, kernel), random_tape(contest.leaning, ticks, COMPARED)
    largest, differing = 0.0, 0
    for actions, addresses in zip(tape, on_tape(gpu, tape), strict=True):
        batch.set_actions(actions.T)
        batch.step()
        copy.step(addresses)
        difference, counts = copy.differences()
        largest, differing = max(largest, difference), differing + counts
    return largest, differing


def rates(gpu: Gpu, kernel: Any, contest: Contest, count: int, ticks: int, repeats: int) -> tuple[float, float]:
    """Ticks a second on the GPU and on all cores, new actions in every tick."""
    batch = begun(contest, count).batch
    copy, tape = GpuCopy(gpu, batch, kernel), random_tape(contest.leaning, TAPE_TICKS, count)
    addresses = on_tape(gpu, tape)

    def on_gpu() -> None:
        for tick in range(ticks):
            copy.step(addresses[tick % TAPE_TICKS])
        gpu.wait()

    def on_cores() -> None:
        for tick in range(max(ticks // 10, 1)):
            batch.set_actions(tape[tick % TAPE_TICKS].T)
            batch.step()

    best_gpu = min(_seconds(on_gpu) for _ in range(repeats + 1))
    best_cores = min(_seconds(on_cores) for _ in range(repeats))
    return count * ticks / best_gpu, count * max(ticks // 10, 1) / best_cores


def _seconds(drive: Callable[[], None]) -> float:
    began = time.perf_counter()
    drive()
    return time.perf_counter() - began


def contest_outcome(gpu: Gpu, contest: Contest, settings: dict[str, int], say: Say) -> Outcome:
    """Compile a world for the GPU, compare it, measure it."""
    say(f"compiling the {contest.name} for the GPU …")
    entry = browser_of(contest.world).entries[contest.function]
    kernel = gpu.kernel(ptx(contest.world, entry, libdevice()), contest.world)
    say(f"driving the {contest.name} on both …")
    count = settings["cars"] // contest.cars_for_one // contest.together * contest.together
    with waiting(f"driving the {contest.name}"):
        largest, differing = compare(gpu, kernel, contest)
        on_gpu, on_cores = rates(gpu, kernel, contest, count, settings["ticks"], settings["repeats"])
    return Outcome(contest.name, count, on_gpu, on_cores, COMPARED_TICKS, largest, differing)


def run_gpu_benchmark(*, cars: int, ticks: int, repeats: int, json: bool) -> int:
    """Measure all worlds and print it; 1 when the two machines did not agree."""
    settings = {"cars": cars, "ticks": ticks, "repeats": repeats}
    for name, value in settings.items():
        low, high = LIMITS[name]
        if not low <= value <= high:
            raise ConfigError(f"--{name} must be a whole number from {low} to {high}, not {value}.")
    gpu = Gpu()
    try:
        say = tell
        outcomes = [contest_outcome(gpu, contest, settings, say) for contest in CONTESTS]
    finally:
        gpu.close()
    if json:
        found = {"machine": {**describe_machine(), "gpu": gpu.name}, "outcomes": [asdict(each) for each in outcomes]}
        sys.stdout.write(json_text.dumps(found, indent=2) + "\n")
    else:
        print_outcomes(gpu.name, outcomes)
    return 0 if all(each.agrees for each in outcomes) else 1


def print_outcomes(name: str, outcomes: Sequence[Outcome]) -> None:
    """The rates as a table, and how far the two drives agree."""
    title = f"{name} and the {describe_machine()['cores']} cores of this machine, a second"
    table = empty_table(title, ("at once", "GPU", "cores", "gain"), "world")
    for each in outcomes:
        rates = (f"{rate / 1e6:,.1f} million" for rate in (each.gpu_per_s, each.cores_per_s))
        table.add_row(each.world, f"{each.count:,}", *rates, f"{each.gpu_per_s / each.cores_per_s:.1f} x")
    console = console_for_results()
    print_table(console, table)
    for each in outcomes:
        console.print(
            f"{each.world}: {COMPARED:,} driven for {each.compared_ticks} ticks on both; numbers differ by "
            f"{each.largest_difference:.1e} at most, flags and counters {each.differing_counts} times."
        )
