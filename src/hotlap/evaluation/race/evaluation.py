"""What races bring to an evaluation: wins, places, overtakes, faults in 100 km."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hotlap.errors import ConfigError
from hotlap.evaluation.measures import Measure, Quantity, document
from hotlap.evaluation.page import Row, page
from hotlap.evaluation.page import table as html_table
from hotlap.evaluation.race.evaluate import HELD_OUT, RaceFigures, RaceLimits, race_on
from hotlap.evaluation.request import EvaluationConfig, Outputs
from hotlap.evaluation.sources import DriverSource
from hotlap.evaluation.statistics import exact, rate, share
from hotlap.evaluation.steps import Recording
from hotlap.evaluation.table import console_for_results, empty_table, print_table
from hotlap.evaluation.world_evaluation import Say
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.racer.cars import CLASSIC

WINS = Quantity("wins", "races won", ".0%", 1)
PLACE = Quantity("mean_place", "mean place", ".2f", -1)
FAULTS = Quantity("faults_per_100km", "faults in 100 km", ".2f", -1)
OVERTAKES = Quantity("overtakes", "overtakes per race", ".2f", 1)
PASSED = Quantity("slower_passed", "slower opponents passed", ".0%", 1)
HEADINGS = ("won", "mean place", "overtakes", "slower passed", "contacts", "faults in 100 km")
DEFAULT_TRACKS = ("track-01", "track-02", "track-03")
DEFAULT_CIRCUITS = ("quarry",)


@dataclass(frozen=True)
class RaceEvaluation:
    """A driver's races on some tracks."""

    driver: str
    laps: int
    opponents: tuple[str, ...]
    tracks: tuple[RaceFigures, ...]
    about: Mapping[str, Any]
    world: str = "race"

    def setup(self) -> dict[str, Any]:
        """What was driven."""
        return {"laps": self.laps, "opponents": list(self.opponents), "tracks": [each.track for each in self.tracks]}

    def measures(self) -> list[Measure]:
        """Every figure of every track."""
        found = []
        for each in self.tracks:
            found += [
                Measure(each.track, WINS, share(each.wins, each.races)),
                Measure(each.track, PLACE, exact(float(np.mean(each.places)))),
                Measure(each.track, FAULTS, rate(each.faults, each.km / 100.0)),
                Measure(each.track, OVERTAKES, exact(each.overtakes / each.races)),
                Measure(each.track, PASSED, share(each.passed, each.slower)),
            ]
        return found

    def plain(self) -> dict[str, Any]:
        """As an object for JSON."""
        return document(self, tracks=[asdict(each) for each in self.tracks])


def evaluate_races(
    policy: OnnxPolicy, name: str, tracks: Sequence[Any], cars: Any, limits: RaceLimits
) -> RaceEvaluation:
    """Race a driver on every track."""
    return RaceEvaluation(name, limits.laps, HELD_OUT, race_on(policy, tracks, cars, limits), policy.metadata)


def _cells(figures: RaceFigures) -> list[str]:
    """The figures of a track as the tables show them."""
    return [
        f"{figures.wins}/{figures.races}",
        f"{np.mean(figures.places):.2f}",
        f"{figures.overtakes / figures.races:.1f}",
        f"{figures.passed}/{figures.slower}",
        str(figures.contacts),
        f"{100.0 * figures.faults / max(figures.km, 1e-9):.1f}",
    ]


class RaceWorldEvaluation:
    """How drivers of races are evaluated."""

    options = ("track", "laps", "steps")
    scripted: Mapping[str, Any] = {}
    has_levels = True

    def tracks(self, metadata: Mapping[str, Any]) -> tuple[str, ...]:
        """The built-in tracks; a circuit at true scale for drivers of cars with grip."""
        return DEFAULT_TRACKS if CLASSIC in metadata.get("cars", (CLASSIC,)) else DEFAULT_CIRCUITS

    def evaluate(self, source: DriverSource, config: EvaluationConfig, say: Say, *, with_others: bool) -> Any:  # noqa: ARG002
        """Race against line drivers, which are the others."""
        tracks = config.track or source.tracks
        say(f"racing {source.name} from the last slot on {', '.join(tracks)}")
        policy: Any = source.make(None)
        limits = RaceLimits(config.laps, config.steps or 0, source.about.get("level", 0))
        return evaluate_races(policy, source.name, tracks, tuple(source.about.get("cars", (CLASSIC,))), limits)

    def show(self, result: RaceEvaluation) -> None:
        """Print the table."""
        against = f"{len(result.opponents)} line drivers, {result.laps} laps, from the last slot"
        table = empty_table(f"{result.driver} against {against}", HEADINGS, "track")
        for each in result.tracks:
            table.add_row(each.track, *_cells(each))
        print_table(console_for_results(), table)

    def draw(self, result: RaceEvaluation, run: Path | None) -> str:  # noqa: ARG002 - one page for all
        """The same table as a page."""
        rows = [Row(each.track, _cells(each), "") for each in result.tracks]
        foot = f"From the last slot against {', '.join(result.opponents)}, {result.laps} laps."
        return page(result, [f"<section><h2>Races</h2>{html_table(HEADINGS, rows)}</section>"], foot)

    def check_outputs(self, outputs: Outputs) -> None:
        """Episode files, traces and percentages of a reference are not for races."""
        for name in ("episodes_file", "require_percent", "traces"):
            if getattr(outputs, name) is not None:
                raise ConfigError(f"--{name.replace('_', '-')} is not for races: leave it out.")

    def write_episodes(self, result: RaceEvaluation, path: Path) -> str:  # noqa: ARG002 - refused before it is driven
        """Nothing is written."""
        raise ConfigError("races have no file of episodes: leave out --episodes-file.")

    def record(self, source: DriverSource, config: EvaluationConfig) -> Recording:  # noqa: ARG002 - refused before
        """Nothing is recorded."""
        raise ConfigError("races have no traces: leave out --traces.")

    def shortfalls(self, result: RaceEvaluation, outputs: Outputs) -> list[str]:  # noqa: ARG002 - there is none
        """Nothing beyond thresholds."""
        return []

    def split(self, config: EvaluationConfig, source: DriverSource) -> list[EvaluationConfig]:  # noqa: ARG002
        """All in one."""
        return [config]

    def joined(self, results: Sequence[RaceEvaluation], config: EvaluationConfig) -> RaceEvaluation:  # noqa: ARG002
        """The one there is."""
        return results[0]


EVALUATION = RaceWorldEvaluation()
