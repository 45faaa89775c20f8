"""What worlds that drive a batch of cars share: resets, state in and out, info columns, and copies of themselves."""

from collections.abc import Mapping
from typing import Any

from hotlap.episodes import write_streams
from hotlap.state import write_columns
from hotlap.worlds import Array


class BatchWorld:
    """A world whose cars are in `batch`; a subclass says how episodes start, what the state is and what may be in it.

    It pickles and deep-copies as the options it was made with and the state of its cars: the copy drives on bit for
    bit. What a step just put out (rewards, flags, facts) is not state and is zero in a copy until its next step.
    """

    count: int
    batch: Any
    step_views: dict[str, Array]
    reset_views: dict[str, Array]
    reason_against_gpu: str = ""
    """Why this one needs the cores, where it does."""

    def options(self) -> dict[str, Any]:
        """What makes the same world again, files that were read included."""
        raise NotImplementedError

    def state_columns(self) -> dict[str, Array]:
        """The live arrays of all that cars carry from step to step, by name."""
        raise NotImplementedError

    def check_state(self, columns: Mapping[str, Array]) -> None:
        """Refuse columns that cannot be a state of this world."""
        raise NotImplementedError

    def write_starts(self, cars: slice, given: Mapping[str, Any]) -> None:
        """How the next episodes of some cars begin; what is not given is drawn."""
        raise NotImplementedError

    def reset(self, seed: int, first_car: int = 0) -> None:
        """Begin the first episode of every car; starts from here on are a function of seed, car and episode."""
        write_streams(self.batch.episodes, seed, first_car)
        self.write_starts(slice(None), {})
        self.batch.reset()

    def put_state(self, columns: Mapping[str, Array]) -> None:
        """Write the columns of a state back, if every one of them can be."""
        self.check_state(columns)
        write_columns(self.state_columns(), columns)
        self.look()

    def copied_state(self) -> dict[str, Array]:
        """The state as it is now, in arrays of its own."""
        return {name: column.copy() for name, column in self.state_columns().items()}

    def look(self) -> None:
        """Write again what every driver sees, after the state was changed."""
        self.batch.observe(0, self.count)

    def step_columns(self) -> dict[str, Array]:
        """The keys of a step's info, in `step_views`."""
        return {key: column.copy() for key, column in self.step_views.items()}

    def reset_columns(self) -> dict[str, Array]:
        """The keys of a reset's info, in `reset_views`."""
        return {key: column.copy() for key, column in self.reset_views.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (type(self), self.count, self.options(), self.copied_state())


def _made_again(kind: Any, count: int, options: Mapping[str, Any], state: Mapping[str, Array]) -> BatchWorld:
    """A world as another one was."""
    world: BatchWorld = kind(count, **options)
    world.write_starts(slice(None), {})
    world.put_state(state)
    return world
