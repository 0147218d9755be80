"""A tree of arrays as one vector, and back."""

from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import dtypes, tree
from jax._src.base import errors, traceback_filter
from jax._src.core import avals as avals_lib
from jax._src.lax.ops import conversion, reshaping
from jax._src.numpy import creation, joining_splitting
from jax._src.runtime.arrays.array import Array


def ravel_pytree(pytree: Any) -> tuple[Array, Callable[[Array], Any]]:
    """Puts the elements of all leaves into one vector.

    Args:
        pytree: a tree of arrays and numbers.

    Returns:
        A vector with the elements of the leaves, in the order of the leaves and of the
        promoted dtype (float32 where there are no leaves), and a function that makes a
        tree like `pytree`, with the leaves' own dtypes, of such a vector.

    Raises:
        TypeError: a leaf is no array; the function returned raises it for a vector of
            another dtype, if the leaves differ in dtype.
        ValueError: the function returned was given a vector of another length.

    Examples:
        >>> ravel_pytree = jax.flatten_util.ravel_pytree
        >>> vector, unravel = ravel_pytree({"a": jnp.ones(2), "b": 3})
        >>> vector
        Array([1., 1., 3.], dtype=float32)
    """
    leaves, structure = tree.tree_flatten(pytree)
    if not leaves:
        return creation.zeros((0,)), _Unravel(structure, (), np.dtype(np.float32))
    arrays = [creation.asarray(leaf) for leaf in leaves]
    avals = tuple(avals_lib.get_aval(x) for x in arrays)
    dtype = dtypes.result_type(*arrays)
    weak = all(aval.weak_type and aval.dtype == dtype for aval in avals)
    parts = [
        reshaping.reshape(conversion.convert(x, dtype, weak), (x.size,)) for x in arrays
    ]
    vector = joining_splitting.concatenate(parts) if len(parts) > 1 else parts[0]
    return vector, _Unravel(structure, avals, np.dtype(dtype))


class _Unravel:
    """From a vector to the tree; equal where structure and types are, so jit remembers it."""

    __slots__ = ("avals", "dtype", "structure")

    def __init__(self, structure, avals, dtype):
        self.structure = structure
        self.avals = avals
        self.dtype = dtype

    def _key(self):
        return self.structure, self.avals, self.dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Unravel) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __call__(self, vector: Any) -> Any:
        given = avals_lib.get_aval(vector)
        if not self.avals:
            return tree.tree_unflatten(self.structure, [])
        self._check(given)
        leaves, start = [], 0
        for aval in self.avals:
            part = vector[start : start + aval.size]
            start += aval.size
            shaped = reshaping.reshape(part, aval.shape)
            leaves.append(
                shaped if self._is_uniform() else conversion.convert(shaped, aval.dtype)
            )
        return tree.tree_unflatten(self.structure, leaves)

    def _is_uniform(self):
        return all(aval.dtype == self.dtype for aval in self.avals)

    def _check(self, given):
        size = sum(aval.size for aval in self.avals)
        if given.shape != (size,):
            raise errors.value_error(
                "ravel_pytree: the vector does not have the length of the tree.",
                [
                    ("vector", given.str_short()),
                    ("elements of the tree", str(size)),
                ],
            )
        if given.dtype != self.dtype and not self._is_uniform():
            raise errors.type_error(
                "ravel_pytree: the vector does not have the dtype of the tree.",
                [("vector", given.str_short()), ("wanted", self.dtype.name)],
                ways="Convert it first: vector.astype(...).",
            )


traceback_filter.hide_frames(globals())
