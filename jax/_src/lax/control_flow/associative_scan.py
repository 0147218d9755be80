"""Scans by an associative function, in logarithmic depth."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from jax._src import tree as trees
from jax._src.base import traceback_filter
from jax._src.core.avals import get_aval
from jax._src.lax.control_flow import programs
from jax._src.lax.ops.checks import ANY, canonical_axis, check_kind
from jax._src.lax.ops.cumulative import scan_in_pairs
from jax._src.lax.ops.messages import type_error, value_error
from jax._src.lax.ops.reshaping import rev

T = TypeVar("T")


def associative_scan(
    fn: Callable[[T, T], T], elems: T, reverse: bool = False, axis: int = 0
) -> T:
    """Running results of an associative function, computed in parallel.

    Args:
        fn: from two trees of arrays to one; associative, and for each index along
            `axis` by itself.
        elems: a tree of arrays of any dtype with the same size along `axis`.
        reverse: whether to run from the end.
        axis: the axis; negative ones count from the end.

    Returns:
        A tree of arrays whose index `i` holds the result for the indices 0 to `i`.

    Raises:
        TypeError: `fn` is not a function. ValueError: the sizes differ.

    Reference: G. E. Blelloch, Prefix sums and their applications, 1990.

    Examples:
        >>> jax.lax.associative_scan(jnp.multiply, jnp.arange(1, 5))
        Array([ 1,  2,  6, 24], dtype=int32)
    """
    programs.require_callable(
        "lax.associative_scan", "fn", fn, "It joins two trees of arrays to one."
    )
    leaves, structure = trees.tree_flatten(elems)
    if not leaves:
        return elems
    for x in leaves:
        check_kind("associative_scan", get_aval(x), ANY)
    # Scalars have no axis to scan along; the attribute says so in its own words.
    ndims = [x.ndim for x in leaves]
    axis = canonical_axis(axis, ndims[0], "associative_scan")
    sizes = [np.shape(x)[axis] for x in leaves]
    if len(set(sizes)) > 1:
        raise value_error(
            "lax.associative_scan: Array inputs to associative_scan must have the same first dimension, or "
            f"here the same size along axis {axis}.",
            [(f"array {i}", f"shape {np.shape(x)}") for i, x in enumerate(leaves)],
            "The elements along it are joined in pairs.",
            "Slice or pad the arrays, or scan each by itself.",
        )
    if reverse:
        leaves = [rev(x, (axis,)) for x in leaves]

    def join(left, right):
        left, right = (trees.tree_unflatten(structure, x) for x in (left, right))
        outs, found = trees.tree_flatten(fn(left, right))
        if len(outs) != len(leaves):
            raise type_error(
                "lax.associative_scan: the function returns another structure.",
                [("elems", structure), ("result", found)],
                "It joins two trees to one of as many arrays, in the same order.",
            )
        return outs

    outs = scan_in_pairs(join, leaves, axis)
    if reverse:
        outs = [rev(x, (axis,)) for x in outs]
    return trees.tree_unflatten(structure, outs)


traceback_filter.hide_frames(globals())
