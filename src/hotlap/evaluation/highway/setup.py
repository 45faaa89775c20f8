"""What an evaluation of the highway drives: how many episodes, in which traffic, and from which seeds."""

from dataclasses import asdict, dataclass
from typing import Any

from hotlap.errors import ConfigError
from hotlap.evaluation.request import EvaluationOptions
from hotlap.highway.options import checked_missions
from hotlap.highway.physics import MOST_VEHICLES

HELD_OUT_SEED = 2**40
"""Episode n of an evaluation has the seed HELD_OUT_SEED + n. Training takes its seeds from below: no driver has seen
an episode that it is evaluated in."""
MOST_EPISODES = 100_000
MOST_ORDERS = 10_000


def held_out_seeds(first: int, count: int) -> range:
    """The seeds of episodes that no training sees."""
    return range(HELD_OUT_SEED + first, HELD_OUT_SEED + first + count)


@dataclass(frozen=True)
class HighwaySetup:
    """The episodes of an evaluation."""

    vehicles: tuple[int, ...] = EvaluationOptions.vehicles
    """Densities: vehicles around the ego, 0 to 40; each is driven by itself."""
    episodes: int = EvaluationOptions.episodes
    """Episodes at each density, 1 to 100,000, of three minutes each."""
    first_episode: int = EvaluationOptions.first_episode
    """Number of the first of them, among those held out from training."""
    missions: str = EvaluationOptions.missions
    """Missions: "mixed", or only one mode: hold, cruise, lane_change, overtake, stop."""
    orders: int = 0
    """Orders of every kind that are spoken to the driver at each density, 0 to 10,000: the order evaluation."""

    def __post_init__(self) -> None:
        """There is something to drive."""
        checked_missions(self.missions)
        if not self.vehicles or len(set(self.vehicles)) < len(self.vehicles):
            raise ConfigError(f"vehicles must name at least one density, and each once, not {self.vehicles!r}.")
        for number in self.vehicles:
            if not 0 <= number <= MOST_VEHICLES:
                raise ConfigError(f"vehicles must be from 0 to {MOST_VEHICLES}, not {number!r}.")
        if not 0 <= self.orders <= MOST_ORDERS:
            raise ConfigError(f"orders must be from 0 to {MOST_ORDERS}, not {self.orders!r}.")
        if not 1 <= self.episodes <= MOST_EPISODES or not 0 <= self.first_episode <= 2**40:
            raise ConfigError(
                f"episodes must be from 1 to {MOST_EPISODES} and first_episode from 0 to 2**40, "
                f"not {self.episodes!r} and {self.first_episode!r}."
            )

    def seeds(self) -> range:
        """The seeds of its episodes."""
        return held_out_seeds(self.first_episode, self.episodes)

    def plain(self) -> dict[str, Any]:
        """As an object for JSON."""
        return {**asdict(self), "vehicles": list(self.vehicles)}
