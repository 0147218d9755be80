"""A mapping that has a hash, which libraries use as a key."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class FrozenDict(Mapping[K, V]):
    """A mapping that nobody changes; it has a hash if its values have."""

    def __init__(self, d: Mapping[K, V]):
        self._items = dict(d.items())

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, FrozenDict) and self._items == other._items

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"FrozenDict({self._items})"
