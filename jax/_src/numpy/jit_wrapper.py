"""The decorator under which functions of `jax.numpy` become one native call each.

Called eagerly they are looked up and run by the native cache; inside another trace
their operations appear one by one, as if there were no decorator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from jax._src import tree
from jax._src.base import util
from jax._src.base.traceback_filter import api_boundary
from jax._src.core import avals, wide_values
from jax._src.jit import jit as jit_module
from jax._src.numpy import operands as operands_lib
from jax._src.transforms import calls


def jit(
    fun: Callable,
    *,
    static_argnums: Sequence[int] = (),
    static_argnames: Sequence[str] = (),
    promotes: operands_lib.Promotion | None = None,
) -> Callable:
    """Compiles `fun`; names of static arguments that it lacks are left out.

    Args:
        fun: the function.
        static_argnums, static_argnames: as for `jax.jit`.
        promotes: what is made of all positional arguments, which are operands then:
            `fun` gets arrays of one dtype and one number of axes, all checked.
    """
    names = _names_among(fun, static_argnames)
    return jit_module.jit_outermost(
        keeping_64_bits(fun, promotes),
        static_argnums=tuple(static_argnums),
        static_argnames=names,
    )


def jit_of_floats(fun: Callable, *, static_argnames: Sequence[str] = ()) -> Callable:
    """Compiles a function that converts all its numbers to floats, large integers too."""
    run = jit(fun, static_argnames=static_argnames)

    @util.wraps(fun)
    @api_boundary
    def of_floats(*args, **kwargs):
        if any(operands_lib.is_large(x) for x in args) or any(
            map(operands_lib.is_large, kwargs.values())
        ):
            args = tuple(operands_lib.as_float(x) for x in args)
            kwargs = {name: operands_lib.as_float(x) for name, x in kwargs.items()}
        return run(*args, **kwargs)

    return of_floats


def jit_as_call(
    fun: Callable,
    *,
    static_argnums: Sequence[int] = (),
    static_argnames: Sequence[str] = (),
) -> Callable:
    """Compiles a longer function, which is one call inside other traces too."""
    names = _names_among(fun, static_argnames)
    return jit_module.jit(
        keeping_64_bits(fun),
        static_argnums=tuple(static_argnums),
        static_argnames=names,
    )


def keeping_64_bits(
    fun: Callable, promotes: operands_lib.Promotion | None = None
) -> Callable:
    """`fun`, which computes with 64 bits where all its arrays have them.

    What it writes in the default dtype fits them then, whether `jax_enable_x64` is on or
    not. Its operands are prepared as the argument `promotes` of `jit` says.
    """
    name = fun.__name__

    def run(*args, **kwargs):
        if wide_values.begun:
            values = tree.tree_leaves((args, kwargs))
            if wide_values.are_among(values) and wide_values.agree(values):
                with wide_values.allowed():
                    if promotes is not None and args:
                        args = operands_lib.prepare(name, promotes, args)
                    leaves, structure = tree.tree_flatten(fun(*args, **kwargs))
                    leaves = _results(values, wide_values.kept(leaves))
                    return tree.tree_unflatten(structure, leaves)
        if promotes is not None and args:
            args = operands_lib.prepare(name, promotes, args)
        return fun(*args, **kwargs)

    return util.wraps(fun)(run)


def _results(operands, results):
    """The results; indices and counts of operands that are no integers as the setting says."""
    if any(operands_lib.kind_of(x) in "iu" for x in operands if avals.is_value(x)):
        return results
    return [
        operands_lib.convert(x, _NARROW_INTEGERS[operands_lib.kind_of(x)])
        if operands_lib.kind_of(x) in _NARROW_INTEGERS
        and operands_lib.dtype_of(x).itemsize == 8
        else x
        for x in results
    ]


_NARROW_INTEGERS = {"i": np.dtype(np.int32), "u": np.dtype(np.uint32)}


def _names_among(fun, names):
    parameters = calls.parameters_of(fun)
    assert parameters is not None
    return tuple(name for name in names if name in parameters.named)
