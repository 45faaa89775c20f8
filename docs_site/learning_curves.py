"""Learning curves of five seeds, drawn from the curve files of runs that are kept in docs/curves/PRESET/seed-N/."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from docs_site.field_docs import table
from hotlap.checkpoints.curve import CurvePoint, read_curve
from hotlap.evaluation.svg import Frame, picture

KEPT = Path(__file__).parent.parent / "docs" / "curves"
WIDTH, HEIGHT = 720.0, 260.0
PLACES = 200
"""Steps at which the seeds are compared."""
STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #808894; }
.grid { stroke: #80889455; }
.seed { fill: none; stroke: #4d86ff; stroke-opacity: 0.45; }
.median { fill: none; stroke: #4d86ff; stroke-width: 2.5; }
.reference { stroke: #e0832f; stroke-dasharray: 5 4; }
.note { fill: #e0832f; }
</style>"""


class Figure(NamedTuple):
    """A number that the curve files know at some of their points."""

    names: tuple[str, ...]
    """Its names there; the mean of them is meant, where all are known."""
    unit: str
    digits: int
    least_is_best: bool = False

    def of(self, point: CurvePoint) -> float | None:
        """Its value at a point of a curve."""
        values = [value for name in self.names if (value := point.value(name)) is not None]
        return sum(values) / len(values) if len(values) == len(self.names) else None


class CurveNotes(NamedTuple):
    """What is drawn of the runs of a preset."""

    world: str
    figure: Figure
    """What the curves show."""
    what: str
    """The same as a sentence."""
    y_range: tuple[float, float]
    machine: str
    """Where the runs were made, as the end of a sentence."""
    reference: tuple[float, str] | None = None
    """Something to hold the curves against: where it is, and what it is."""
    result: tuple[Figure, str] | None = None
    """What the table shows and its sentence, where that is something else."""
    options: str = ""
    """What to add to the command where the preset has changed since."""


XEON = "one core of an Intel Xeon each, with Python 3.12 and torch 2.11"
MISSIONS = ("hold", "cruise", "lane_change", "overtake", "stop")
DONE_PERCENT = Figure(tuple(f"eval/{mission}_done_percent" for mission in MISSIONS), "%", 1)

CURVES = {
    "racer-ppo": CurveNotes(
        world="racer",
        figure=Figure(("eval/track-01/clean_lap_sec",), "s", 3, least_is_best=True),
        what="The best clean flying lap on `track-01` in the evaluations of each run",
        y_range=(6.0, 9.0),
        machine="two cores each",
        reference=(6.417, "reference lap"),
    ),
    "racer-generalist": CurveNotes(
        world="racer",
        figure=Figure(("reward",), "reward", 2),
        what="The reward of an episode of twenty seconds while it learns, with noise on the actions",
        y_range=(-2.0, 4.0),
        machine=XEON,
        result=(
            Figure(("eval/track-01/percent_over_reference",), "%", 2, least_is_best=True),
            "how much the best clean flying lap of `track-01`, which no training sees, is over the reference",
        ),
        options=" --teacher.steps 2000000 --teacher.clip-range 0.001 --ppo.learning-rate-end 1e-4",
    ),
    "gt-ppo": CurveNotes(
        world="racer",
        figure=Figure(("reward",), "reward", 2),
        what="The reward of an episode of twenty seconds on `quarry` while it learns, with noise on the actions",
        y_range=(-1.5, 7.5),
        machine=XEON,
        result=(
            Figure(("eval/quarry/clean_lap_sec",), "s", 2, least_is_best=True),
            "the best clean flying lap of an evaluation; the reference lap is 62.87 s",
        ),
    ),
    "race-ppo": CurveNotes(
        world="race",
        figure=Figure(("eval/faults_per_100km",), "faults in 100 km", 1, least_is_best=True),
        what="Contacts by its own fault in the evaluations: eight races on each of three tracks, from the last slot",
        y_range=(0.0, 45.0),
        machine=XEON + "; seeds 2 to 4 were stopped before their end",
        options=(
            " --steps 9000000 --cars 256 --teacher.steps 2000000 --teacher.epochs 8 --teacher.clip-range 1e-3"
            " --network.hidden 64 64 --network.log-std-end --ppo.batch-size 8192 --ppo.n-epochs 8"
            " --ppo.learning-rate-end 1e-4 --evaluation.every-steps 1000000"
        ),
        result=(Figure(("eval/mean_place",), "place", 2, least_is_best=True), "the mean place of the same races"),
    ),
    "highway-ppo": CurveNotes(
        world="highway",
        figure=Figure(("success",), "share", 2),
        what="The share of missions done while it learns, with the supervisor and with noise on the actions",
        y_range=(0.0, 1.0),
        machine=XEON,
        result=(DONE_PERCENT, "missions of the evaluation done, in the mean of the five kinds, without either"),
    ),
}


def curve_section(world: str) -> list[str]:
    """What the page of a world says of the learning curves that are kept for it."""
    return [_section(preset, notes) for preset, notes in CURVES.items() if notes.world == world]


def curve_pictures() -> dict[str, str]:
    """The picture of every preset, by its path in the documentation."""
    return {_picture_path(preset): curves_picture(preset, notes) for preset, notes in CURVES.items()}


def seeds_of(preset: str) -> list[Path]:
    """The folders of its runs, by their seeds."""
    return sorted((KEPT / preset).glob("seed-*"))


def known_points(seed: Path, figure: Figure) -> list[tuple[CurvePoint, float]]:
    """The points of a run that say something of the figure."""
    return [(point, value) for point in read_curve(seed) if (value := figure.of(point)) is not None]


def curves_picture(preset: str, notes: CurveNotes) -> str:
    """A thin line for each seed and a strong one for their median, over millions of steps."""
    seeds = [known_points(seed, notes.figure) for seed in seeds_of(preset)]
    steps = [np.array([point.step for point, _ in known]) / 1e6 for known in seeds]
    values = [np.array([value for _, value in known]) for known in seeds]
    frame = Frame(WIDTH, HEIGHT, (0.0, max(each[-1] for each in steps)), notes.y_range)
    content = STYLE + frame.axes("million steps", notes.figure.unit)
    if notes.reference is not None:
        content += frame.level(notes.reference[0], "reference", notes.reference[1])
    low, high = notes.y_range
    for xs, ys in zip(steps, values, strict=True):
        content += frame.line(xs, np.clip(ys, low, high), "seed")
    common = np.linspace(max(each[0] for each in steps), min(each[-1] for each in steps), PLACES)
    middle = np.median([np.interp(common, xs, ys) for xs, ys in zip(steps, values, strict=True)], axis=0)
    content += frame.line(common, np.clip(middle, low, high), "median")
    return picture(WIDTH, HEIGHT, f"{preset}: {notes.what}", content)


def _picture_path(preset: str) -> str:
    return f"images/curves-{preset}.svg"


def _section(preset: str, notes: CurveNotes) -> str:
    seeds = seeds_of(preset)
    figure, meaning = notes.result or (notes.figure, "")
    rows = [_row(preset, number, seed, figure) for number, seed in enumerate(seeds)]
    numbers = " ".join(str(number) for number in range(len(seeds)))
    line = f"$ for seed in {numbers}; do hotlap train {preset} --seed $seed{notes.options}; done"
    headings = ("seed", "steps", f"at the end, {figure.unit}", f"best, {figure.unit}", "driver")
    return (
        f"\n## Learning curves of {preset}\n\n{notes.what}; the strong line is the median of {len(seeds)} seeds.\n\n"
        f"![Learning curves of {preset}](../{_picture_path(preset)})\n\n```console\n{line}\n```\n\n"
        f"Made on {notes.machine}."
        + (" The preset has changed since; the options give its settings of then." if notes.options else "")
        + (f" The table shows {meaning}." if meaning else "")
        + "\n\n"
        + table(headings, rows)
        + "\nEach driver is a `policy.onnx` to download and evaluate: `hotlap evaluate policy.onnx`.\n"
    )


def _row(preset: str, number: int, seed: Path, figure: Figure) -> tuple[str, ...]:
    known = known_points(seed, figure)
    values = [value for _, value in known]
    best = (min if figure.least_is_best else max)(values)
    link = f"[policy.onnx](../curves/{preset}/{seed.name}/policy.onnx)"
    ends = [f"{value:.{figure.digits}f}" for value in (values[-1], best)]
    return (str(number), f"{known[-1][0].step:,.0f}", *ends, link)
