"""A tree taken apart: its leaves and its structure."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jax._src.base import records
from jax._src.tree import operations


@records.record
class FlatTree:
    """The leaves of a tree, and the structure in which they stood."""

    vals: tuple
    tree: Any

    @staticmethod
    def flatten(tree: Any) -> "FlatTree":
        """Takes a tree apart."""
        leaves, structure = operations.tree_flatten(tree)
        return FlatTree(tuple(leaves), structure)

    def unflatten(self) -> Any:
        """The tree."""
        return operations.tree_unflatten(self.tree, self.vals)

    def update(self, vals: Sequence[Any]) -> "FlatTree":
        """Other leaves in the same structure."""
        return FlatTree(tuple(vals), self.tree)

    def map(self, fun: Callable[[Any], Any]) -> "FlatTree":
        """Returns a tree of the same structure whose leaves are `fun` of these."""
        return self.update([fun(x) for x in self.vals])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.vals)

    def __len__(self) -> int:
        return len(self.vals)
