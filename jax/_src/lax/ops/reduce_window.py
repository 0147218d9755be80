"""Reduction of windows by any function."""

from collections.abc import Callable

import numpy as np

from jax._src import tree as trees
from jax._src.base import traceback_filter
from jax._src.core.avals import get_aval
from jax._src.lax.ops import arithmetic, reductions, windows
from jax._src.lax.ops.reduce import _initial_values, _is_known_equal, _trace_join

_WINDOW_MONOIDS = {
    arithmetic.add: (windows.reduce_window_sum_p, lambda dtype: np.zeros((), dtype)),
    arithmetic.max: (windows.reduce_window_max_p, reductions.least),
    arithmetic.min: (windows.reduce_window_min_p, reductions.greatest),
}


def reduce_window(
    operand,
    init_value,
    computation: Callable,
    window_dimensions,
    window_strides=None,
    padding="VALID",
    base_dilation=None,
    window_dilation=None,
):
    """Folds the elements in a sliding window with a function.

    Args:
        operand: a tree of arrays of one shape and any dtype.
        init_value: a tree of scalars of the same dtypes from which to start.
        computation: joins two trees of scalars to one; associative.
        window_dimensions: the shape of the window.
        window_strides: its steps; default: 1.
        padding: ``"VALID"``, ``"SAME"``, ``"SAME_LOWER"`` or a pair for each axis.
        base_dilation: gaps between the elements of the operand; default: 1, none.
        window_dilation: gaps between the elements of the window; default: 1, none.

    Raises:
        TypeError: the window does not fit the operand, or an initial value is no scalar.
            RuntimeError: the padding is unknown. ValueError: the trees differ.
    """
    arrays, structure = trees.tree_flatten(operand)
    inits = _initial_values("reduce_window", arrays, structure, init_value)
    params = windows.window_params(
        "reduce_window",
        np.shape(arrays[0]),
        window_dimensions,
        window_strides,
        padding,
        base_dilation,
        window_dilation,
    )
    monoid = _WINDOW_MONOIDS.get(computation) if len(arrays) == 1 else None
    if monoid is not None:
        primitive, identity = monoid
        if _is_known_equal(inits[0], identity(get_aval(arrays[0]).dtype)):
            out = primitive.bind(arrays[0], **params)
            return trees.tree_unflatten(structure, [out])
    program = _trace_join("reduce_window", computation, arrays, inits, structure)
    outs = windows.reduce_window_p.bind(
        *arrays,
        *inits,
        jaxpr=program.jaxpr,
        consts=tuple(program.consts),
        **params,
    )
    return trees.tree_unflatten(structure, outs)


traceback_filter.hide_frames(globals())
