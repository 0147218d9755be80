"""Shapes with symbols, from texts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes, tree
from jax._src.base import errors, traceback_filter
from jax._src.core.symbols import expressions, parsing, scopes
from jax._src.transforms import shape_dtype_struct

SymbolicScope = scopes.SymbolicScope


def is_symbolic_dim(p: Any) -> bool:
    """Whether a size of a shape has symbols, so that it is known in calls only.

    Args:
        p: a size.
    """
    return expressions.is_dimension(p)


def _scope_of(constraints, scope):
    if scope is None:
        return SymbolicScope(constraints)
    if constraints:
        raise errors.value_error(
            "Constraints are given together with a scope.",
            [("constraints", str(constraints))],
            "A scope has its constraints from the beginning.",
            "Pass them to SymbolicScope(constraints).",
        )
    return scope


def symbolic_dim_bounds(dimension: Any) -> tuple[Any, Any]:
    """The least and the greatest that a size can be, as far as it can be proved.

    Args:
        dimension: a symbolic dimension, or an integer.

    Returns:
        Two integers, or infinities.

    Raises:
        TypeError: it is neither.

    Examples:
        >>> (n,) = jax.export.symbolic_shape("n")
        >>> jax.export.symbolic_dim_bounds(2 * n)
        (2, inf)
    """
    if is_symbolic_dim(dimension):
        low, high = expressions.bounds_of(dimension)
        return low, high
    if isinstance(dimension, bool) or not isinstance(dimension, int | np.integer):
        raise errors.type_error(
            "symbolic_dim_bounds: the argument is no size.",
            [("dimension", repr(dimension)), ("type", type(dimension).__name__)],
            "A size is an integer or a symbolic dimension.",
        )
    return int(dimension), int(dimension)


def symbolic_shape(
    shape_spec: str | None,
    *,
    constraints: Sequence[str] = (),
    scope: SymbolicScope | None = None,
    like: Sequence[int | None] | None = None,
) -> Sequence[Any]:
    """The shape that a text such as ``"batch, 2*n"`` means.

    Sizes are sums of products of symbols, ``^`` for powers, and ``floordiv``, ``mod``,
    ``max`` and ``min`` of two of them. Symbols are at least 1.

    Args:
        shape_spec: the sizes, separated by commas; ``_`` is the size of `like` at its
            dimension, ``...`` at the end all others of `like`. None: all those of `like`.
        constraints: what is known of the symbols, such as ``"n >= 2"``.
        scope: where the symbols belong; by default a new one.
        like: sizes for the dimensions that the text leaves open.

    Returns:
        A tuple of numbers and symbolic dimensions.

    Raises:
        ValueError: the text is no shape, or `like` lacks a size.

    Examples:
        >>> from jax import export
        >>> batch, width = export.symbolic_shape("batch, 2*n + 2")
        >>> batch * width, width // 2
        (2*batch*n + 2*batch, n + 1)
    """
    scope = _scope_of(constraints, scope)
    if shape_spec is None:
        shape_spec = "..."
    if not isinstance(shape_spec, str):
        raise errors.value_error(
            "polymorphic shape spec should be None or a string.",
            [("got", repr(shape_spec))],
            ways='Write symbolic_shape("a, 3").',
        )
    return parsing.shape(shape_spec, like, scope)


def symbolic_args_specs(
    args: Any,
    shapes_specs: Any,
    constraints: Sequence[str] = (),
    scope: SymbolicScope | None = None,
) -> Any:
    """Types with symbolic shapes for a tree of arrays.

    Args:
        args: a tree of arrays, or of what has a shape and a dtype.
        shapes_specs: one text for all, as for `symbolic_shape`, or None for known
            shapes; or a tree of such that begins like `args`.
        constraints: what is known of the symbols.
        scope: where the symbols belong; by default a new one.

    Returns:
        A tree like `args`, of `jax.ShapeDtypeStruct`.

    Raises:
        ValueError: a text is no shape, or `shapes_specs` does not fit `args`.
    """
    scope = _scope_of(constraints, scope)
    leaves, structure = tree.tree_flatten(args)
    if isinstance(shapes_specs, list) and isinstance(args, tuple):
        shapes_specs = tuple(shapes_specs)
    specs = _broadcast(shapes_specs, args)
    types = [
        shape_dtype_struct.ShapeDtypeStruct(
            symbolic_shape(spec, scope=scope, like=_shape_of(leaf)), _dtype_of(leaf)
        )
        for spec, leaf in zip(specs, leaves, strict=True)
    ]
    return tree.tree_unflatten(structure, types)


def _shape_of(leaf):
    return tuple(getattr(leaf, "shape", ()))


def _dtype_of(leaf):
    found = getattr(leaf, "dtype", None)
    if found is None:
        return dtypes.dtype(leaf)
    return dtypes.canonicalize_dtype(found, allow_extended_dtype=True)


def _broadcast(specs, args):
    is_leaf = lambda x: x is None  # noqa: E731
    try:
        return tree.broadcast_prefix(specs, args, is_leaf=is_leaf)
    except ValueError as error:
        raise errors.value_error(
            "symbolic_args_specs: shapes_specs does not fit args.",
            [("shapes_specs", repr(specs)), ("reason", str(error).split("\n")[0])],
            "It is one text, or a tree that begins like that of args.",
        ) from None


traceback_filter.hide_frames(globals())
