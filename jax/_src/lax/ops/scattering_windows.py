"""Scatters to indices that are chosen in windows, by programs of scalars."""

import numpy as np

from jax._src.core.avals import ShapedArray
from jax._src.core.primitive import Sample, Unsupported, declare
from jax._src.interpreters import partial_eval as pe
from jax._src.lax.ops import arithmetic, comparison, emit, joining_splitting, splitting
from jax._src.lax.ops.broadcast_and_reduce_sum import batch_in_front
from jax._src.lax.ops.reference_programs import run_by_reference
from jax._src.lax.ops.reshaping import counting
from jax._src.lax.ops.windows import batched_window, walk

_WINDOW = ("window_dimensions", "window_strides", "padding")
_NO_DERIVATIVE = Unsupported(
    "the indices are chosen, and values joined, by any programs"
)


def _program(fun, x):
    """A program of two scalars like the elements of `x`."""
    scalar = ShapedArray((), x.dtype)
    made, _ = pe.trace_to_jaxpr(lambda a, b: [fun(a, b)], [scalar, scalar])
    return made


def _sample(
    x, shape, window, strides, padding, choose=comparison.ge, join=arithmetic.add
):
    params = {
        "select_jaxpr": _program(choose, x),
        "select_consts": (),
        "scatter_jaxpr": _program(join, x),
        "scatter_consts": (),
        "window_dimensions": window,
        "window_strides": strides,
        "padding": padding,
    }
    args = np.sin(x), counting(*shape), np.float32(0.5)
    return Sample(args, params, _NO_DERIVATIVE)


@declare("select_and_scatter")
class select_and_scatter_p:
    """Joins, for each window, a value into the result at the index that `select_jaxpr` chooses.

    Every element of the result begins as `init_value`; `scatter_jaxpr` joins it with a value.
    """

    def types(operand, source, init_value, **params):
        return operand

    def sharding(operand, source, init_value, **params):
        return splitting.entries(operand)

    def lower(
        ctx,
        operand,
        source,
        init_value,
        *,
        select_jaxpr,
        select_consts,
        scatter_jaxpr,
        scatter_consts,
        **params,
    ):
        return emit.select_and_scatter(
            operand,
            source,
            init_value,
            lambda *args: emit.program(ctx, select_jaxpr, select_consts, *args),
            lambda *args: emit.program(ctx, scatter_jaxpr, scatter_consts, *args),
            **params,
        )

    jvp = _NO_DERIVATIVE

    def batch(axis, args, dims, **params):
        pairs = zip(args[:2], dims[:2], strict=True)
        operand, source = (batch_in_front(x, dim, axis.size) for x, dim in pairs)
        if dims[2] is None:
            windows = {name: params.pop(name) for name in _WINDOW}
            windows = batched_window(windows, 0)
            out = select_and_scatter_p.bind(
                operand, source, args[2], **params, **windows
            )
            return out, 0
        # There is one initial value to an operation.
        inits = joining_splitting.unstack(args[2], dims[2])
        rows = zip(
            joining_splitting.unstack(operand),
            joining_splitting.unstack(source),
            inits,
            strict=True,
        )
        return joining_splitting.stack(
            [select_and_scatter_p.bind(*row, **params) for row in rows]
        ), 0

    def reference(
        operand,
        source,
        init_value,
        *,
        select_jaxpr,
        select_consts,
        scatter_jaxpr,
        scatter_consts,
        **params,
    ):
        out = np.full_like(operand, init_value)
        for index, inside in walk(operand.shape, params):
            if not inside:
                continue
            best = inside[0]
            for other in inside[1:]:
                (stays,) = run_by_reference(
                    select_jaxpr, select_consts, operand[best], operand[other]
                )
                best = best if stays else other
            (out[best],) = run_by_reference(
                scatter_jaxpr, scatter_consts, out[best], source[index]
            )
        return out

    def samples():
        return [
            _sample(counting(6), (3,), (2,), (2,), ((0, 0),)),
            _sample(counting(6), (5,), (3,), (1,), ((0, 1),), comparison.le),
            _sample(counting(6), (3,), (2,), (2,), ((0, 0),), join=arithmetic.max),
            _sample(counting(3, 4), (3, 3), (2, 2), (1, 2), ((0, 1), (1, 1))),
        ]
