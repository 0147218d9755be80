"""Symbolic dimensions as values of a program."""

import operator

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, traceback_filter
from jax._src.core import primitive, slots, trace as trace_lib
from jax._src.core.avals import ShapedArray
from jax._src.interpreters import mlir
from jax._src.interpreters.mlir import sizes
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_in_dim
from jax._src.lax.ops.messages import type_error


class UnexpectedDimVar(Exception):
    """A size was needed that only calls of an exported program have."""


def _not_traced(dim):
    return UnexpectedDimVar(
        errors.explain(
            f"The symbolic dimension {dim} has no value here.",
            [],
            "It gets one when an exported program is called.",
            "Use it in a function that jax.export.export traces.",
        )
    )


@primitive.declare("dim_as_value", traits=primitive.Trait.NOT_DIFFERENTIABLE)
class dim_as_value_p:
    """The value of a symbolic dimension: a weakly typed whole number."""

    def types(*, dim):
        return ShapedArray((), dtypes.canonicalize_dtype(int), weak_type=True)

    sharding = primitive.BY_TYPES

    def lower(ctx, *, dim):
        found = sizes.scalar(dim)
        wanted = mlir.aval_to_ir_type(ctx.avals_out[0])
        if found.type == wanted:
            return found
        made = mlir.ir.Operation.create(
            "stablehlo.convert", results=[wanted], operands=[found]
        )
        return made.result

    def reference(*, dim):
        raise _not_traced(dim)

    exempt = {"samples": "outside of exported programs no dimension has a value"}


@slots.dimension_as_value.fill
def dimension_as_value(dim):
    """A dimension as a scalar of the program that is being traced."""
    if trace_lib.trace_state_clean():
        raise _not_traced(dim)
    return dim_as_value_p.bind(dim=dim)


@slots.stage_dimension.fill
def _stage(trace, dim):
    return trace.add_equation(dim_as_value_p, [], {"dim": dim})


def shape_as_value(shape):
    """A shape as a vector of dtype int32.

    Args:
        shape: a sequence of whole numbers, not traced.

    Raises:
        TypeError: `shape` is no sequence, or a size no whole number.
    """
    try:
        sizes = [operator.index(size) for size in shape]
    except TypeError as error:
        raise type_error(
            "lax.shape_as_value: this is not a shape.",
            [("shape", shape)],
            "A shape is a sequence of concrete integers.",
        ) from error
    return broadcast_in_dim(np.array(sizes, np.int32), (len(sizes),), (0,))


traceback_filter.hide_frames(globals())
