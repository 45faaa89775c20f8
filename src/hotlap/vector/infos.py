"""Info dictionaries for many cars at the price of a few columns: light views, whole dictionaries where they matter."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, SupportsIndex, overload

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


class StepInfos(Sequence[Any]):
    """The infos of one step, one per car, made when asked for, and the columns they are read from."""

    def __init__(self, columns: dict[str, Array], count: int) -> None:
        self.columns = columns
        self._count = count
        self._given: dict[int, Any] = {}

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        given, columns = self._given, self.columns
        return (given[car] if car in given else CarInfo(columns, car) for car in range(self._count))

    @overload
    def __getitem__(self, index: SupportsIndex) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        if isinstance(index, slice):
            return [self[car] for car in range(*index.indices(self._count))]
        car = self._car(index)
        return self._given[car] if car in self._given else CarInfo(self.columns, car)

    def __setitem__(self, index: SupportsIndex, value: Any) -> None:
        self._given[self._car(index)] = value

    def _car(self, index: SupportsIndex) -> int:
        """The car of an index, which may count from the end."""
        car = index.__index__()
        if not -self._count <= car < self._count:
            raise IndexError(f"no car {car} among {self._count}")
        return car % self._count
