"""An evaluation of the highway as tables for people: one per density, the driver next to simple ones."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hotlap.evaluation.highway.evaluate import DensityEvaluation, HighwayEvaluation
from hotlap.evaluation.highway.figures import QUANTITIES, SUCCESS, HighwayFigures
from hotlap.evaluation.highway.order_figures import ORDER_QUANTITIES, OrderFigures, order_figures
from hotlap.evaluation.measures import Measure, Quantity, shown
from hotlap.evaluation.table import NONE, console_for_results, empty_table, print_table

EXPLANATION = (
    "In parentheses 95 % intervals. Held-out episodes of three minutes. Own fault: crashes in which it hit from behind "
    "or moved into someone; interventions: decisions that the supervisor changed; done: of the missions that were "
    "possible, the share carried out in time; speed error: where nothing but the mission decides the speed; gap kept: "
    "behind a vehicle within three seconds; jerk: change of acceleration from decision to decision."
)
SHOWN = tuple(quantity for quantity in QUANTITIES if quantity is not SUCCESS["hold"])


def print_highway(evaluation: HighwayEvaluation, console: Console | None = None) -> None:
    """Print one table per density."""
    console = console or console_for_results()
    for density in evaluation.densities:
        print_table(console, density_table(evaluation.driver, density))
        console.print(density.guarded.interventions_in_words() + "\n")
    if evaluation.orders:
        print_table(console, orders_table(evaluation))
    console.print(Text(EXPLANATION, style="dim"))


def orders_table(evaluation: HighwayEvaluation) -> Table:
    """The order evaluation: one row for each kind of order."""
    title = f"orders spoken to {evaluation.driver}, supervised"
    table = empty_table(title, ("possible", "refused", *(quantity.label for quantity in ORDER_QUANTITIES)))
    for each in order_figures(evaluation.orders):
        table.add_row(each.kind.replace("_", " "), *order_cells(each))
    return table


def order_cells(figures: OrderFigures) -> list[str]:
    """A row of the order evaluation: how many, and every figure with its interval."""
    return [f"{figures.tried}", f"{figures.refused}", *(shown(measure) for measure in figures.measures())]


def density_table(driver: str, density: DensityEvaluation) -> Table:
    """A driver without and with the supervisor, and the simple drivers beside it."""
    title = f"{density.vehicles} vehicles · {density.alone.episodes} episodes"
    table = empty_table(title, columns(driver, density))
    table.add_row("kilometres", *(f"{figures.km:,.0f}" for figures in drives(density)))
    for quantity in SHOWN:
        table.add_row(quantity.label, *cells(quantity, density))
    return table


def columns(driver: str, density: DensityEvaluation) -> tuple[str, ...]:
    """Who is in the table."""
    return (driver, "supervised", *(name.replace(", ", "\n") for name in density.baselines))


def drives(density: DensityEvaluation) -> list[HighwayFigures]:
    """Their figures, in the same order."""
    return [density.alone, density.guarded, *density.baselines.values()]


def cells(quantity: Quantity, density: DensityEvaluation) -> list[str]:
    """A row: with intervals for the driver, without for those it is compared with."""
    own = [shown(Measure("", quantity, each.estimates[quantity.name])) for each in drives(density)[:2]]
    return own + [_plain(quantity, figures) for figures in density.baselines.values()]


def _plain(quantity: Quantity, figures: HighwayFigures) -> str:
    estimate = figures.estimates[quantity.name]
    return NONE if estimate is None else format(estimate.value, quantity.form)
