"""Info dictionaries for many cars at the price of a few columns: light views, whole dictionaries where they matter."""

from collections.abc import Iterator, Mapping
from typing import Any

from hotlap.worlds import Array


class CarInfo(Mapping[str, Any]):
    """One car's info, read from the step's columns when asked; it keeps its step's values for ever."""

    __slots__ = ("_car", "_columns")

    def __init__(self, columns: dict[str, Array], car: int) -> None:
        self._columns = columns
        self._car = car

    def __getitem__(self, key: str) -> Any:
        return self._columns[key][self._car].item()

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, key: object) -> bool:
        return key in self._columns

    def get(self, key: str, default: Any = None) -> Any:
        """The value, or the default where the step has no such key."""
        column = self._columns.get(key)
        return default if column is None else column[self._car].item()

    def copy(self) -> dict[str, Any]:
        """A dictionary of one's own."""
        return dict(self)


class StepInfos(list[Any]):
    """The infos of one step, one per car, and the columns they are read from."""

    def __init__(self, columns: dict[str, Array], count: int) -> None:
        super().__init__([CarInfo(columns, car) for car in range(count)])
        self.columns = columns
