"""An evaluation of laps as a table for people: the driver on top, what it is compared with below."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hotlap.evaluation.racer.figures import Figures, RacerEvaluation, TrackEvaluation
from hotlap.evaluation.racer.telemetry import telemetry_lines
from hotlap.evaluation.table import NONE, console_for_results, empty_table, print_table
from hotlap.racer.cars import CLASSIC

LAP_HEADINGS = ("starts", "standing", "best", "best\nclean", "mean", "spread", "clean\nlaps", "% over\nref")
COUNT_HEADINGS = ("wall", "off\nroad")
EXPLANATION = (
    "Times in seconds. starts: laps completed, from rest at each gate and on the grid; standing: first lap from the "
    "grid (* not clean); best: fastest flying lap, clean or not; best clean, mean, spread: of the clean flying laps; "
    "% over ref, limit: best clean against the reference lap and the limit of the car; wall, off road: ticks of "
    "1/60 s; return: reward of one lap of the classic car."
)


def print_evaluation(evaluation: RacerEvaluation, console: Console | None = None) -> None:
    """Print one table per track."""
    console = console or console_for_results()
    for track in evaluation.tracks:
        print_table(console, track_table(evaluation.driver, track))
        for line in [] if track.telemetry is None else telemetry_lines(track.telemetry):
            console.print(Text(f"  best flying lap: {line}", style="dim"))
    console.print(Text(EXPLANATION, style="dim"))


def track_table(driver: str, track: TrackEvaluation) -> Table:
    """A driver on one track, without and with delay, above its yardsticks."""
    unit = "u" if track.car == CLASSIC else f"m · {track.car}"
    table = empty_table(f"{track.name} · {track.track} · {track.length_u:,.0f} {unit}", headings(track))
    for figures in track.by_delay:
        name = driver if figures.delay == 0 else f"  {figures.delay} tick late"
        table.add_row(Text(name, style="bold"), *figure_cells(figures))
    for name, cells in yardstick_rows(track):
        table.add_row(name, *cells, style="dim")
    return table


def headings(track: TrackEvaluation) -> tuple[str, ...]:
    """Of the figures of a track; cars with grip have a limit, which says more than the return."""
    if track.limit_lap_s is None:
        return (*LAP_HEADINGS, *COUNT_HEADINGS, "return")
    return (*LAP_HEADINGS, "% over\nlimit", *COUNT_HEADINGS)


def yardstick_rows(track: TrackEvaluation) -> list[tuple[str, list[str]]]:
    """Names and cells of what a driver is compared with."""
    rows = []
    if track.human is not None:
        rows.append(("casual human", figure_cells(track.human)))
    if track.original is not None:
        name = "original driver" if track.original.finishes else "original (parks)"
        rows.append((name, ["", seconds(track.original.standing_lap_s), seconds(track.original.flying_best_s)]))
    if track.limit_lap_s is not None:
        rows.append(("limit (not driven)", ["", "", "", seconds(track.limit_lap_s)]))
    if track.reference is not None:
        standing_s = "" if track.reference.standing_lap_s is None else seconds(track.reference.standing_lap_s)
        rows.append(("reference lap", ["", standing_s, "", seconds(track.reference.lap_s)]))
    return rows


def figure_cells(figures: Figures) -> list[str]:
    """One row of figures, in the order of the headings."""
    cut = "*" if figures.standing_lap_clean is False else ""
    counts = [f"{figures.wall_ticks:,}", f"{figures.off_road_ticks:,}"]
    with_limit = [percent(figures.percent_over_limit), *counts]
    last = [*counts, f"{figures.lap_return:.3f}"] if figures.limit_lap_s is None else with_limit
    return [
        f"{figures.gates_completed + figures.grid_completed}/{figures.gates + 1}",
        seconds(figures.standing_lap_s) + cut,
        seconds(figures.flying_best_s),
        seconds(figures.flying_best_clean_s),
        seconds(figures.flying_mean_clean_s),
        seconds(figures.flying_spread_clean_s),
        f"{figures.flying_clean_laps}/{figures.flying_laps}",
        percent(figures.percent_over_reference),
        *last,
    ]


def seconds(value: float | None) -> str:
    """A time to the millisecond."""
    return NONE if value is None else f"{value:.3f}"


def percent(value: float | None) -> str:
    """A difference in percent, with its sign."""
    return NONE if value is None else f"{value:+.2f}"
