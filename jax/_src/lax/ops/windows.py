"""Reductions over sliding windows."""

from collections.abc import Sequence

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core import evaluate
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.jaxpr import ClosedJaxpr
from jax._src.core.primitive import Sample, Trait, declare, declare_table
from jax._src.core.symbols.expressions import max_dim
from jax._src.interpreters import ad, partial_eval as pe
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.broadcast_and_reduce_sum import batch_in_front
from jax._src.lax.ops.checks import (
    ANY,
    NUMBER,
    ceil_div,
    check_kind,
    int_tuple,
)
from jax._src.lax.ops.creation import scalar_like
from jax._src.lax.ops.messages import explain, type_error, value_error
from jax._src.lax.ops.reductions import greatest, least
from jax._src.lax.ops.reference_programs import run_by_reference
from jax._src.lax.ops.reshaping import counting
from jax._src.lax.ops.slicing_padding import pad


def dilated_size(size: int, dilation: int) -> int:
    """The size of an axis with gaps between its elements."""
    return max_dim((size - 1) * dilation + 1, 0) if dilation > 1 else size


def window_count(size: int, window: int, stride: int) -> int:
    """How many windows fit along an axis."""
    return max_dim((size - window) // stride + 1, 0)


def reduce_window_shape(
    shape, window_dimensions, window_strides, padding, base_dilation, window_dilation
) -> tuple[int, ...]:
    """The shape of the result of a reduction over windows."""
    return tuple(
        window_count(
            low + dilated_size(size, gap) + high, dilated_size(window, reach), stride
        )
        for size, window, stride, (low, high), gap, reach in zip(
            shape,
            window_dimensions,
            window_strides,
            padding,
            base_dilation,
            window_dilation,
            strict=True,
        )
    )


def padding_of(kind, shape, window_shape, window_strides) -> list[tuple[int, int]]:
    """The padding that the name of a kind of padding stands for."""
    name = kind.upper() if isinstance(kind, str) else kind
    if name == "VALID":
        return [(0, 0)] * len(shape)
    if name not in ("SAME", "SAME_LOWER"):
        raise (RuntimeError if isinstance(kind, str) else TypeError)(
            explain(
                "Unrecognized padding type: expected 'VALID', 'SAME', or 'SAME_LOWER', got "
                f"{kind}.",
                [("padding", repr(kind))],
                "Padding is 'VALID', 'SAME', 'SAME_LOWER' or a pair for each axis.",
            )
        )
    if not len(shape) == len(window_shape) == len(window_strides):
        raise type_error(
            "A window does not fit its operand.",
            [
                ("shape", tuple(shape)),
                ("window", tuple(window_shape)),
                ("window_strides", tuple(window_strides)),
            ],
            "All three have one number for each axis.",
        )
    if any(stride < 1 for stride in window_strides):
        raise value_error(
            "A window does not move.",
            [("padding", repr(kind)), ("window_strides", tuple(window_strides))],
            "Its steps are at least 1.",
        )
    pads = []
    for size, window, stride in zip(shape, window_shape, window_strides, strict=True):
        count = ceil_div(size, stride)
        total = max_dim((count - 1) * stride + window - size, 0)
        half = total // 2
        pads.append((half, total - half) if name == "SAME" else (total - half, half))
    return pads


def padtype_to_pads(in_shape, window_shape, window_strides, padding):
    """The padding on each axis that ``"VALID"``, ``"SAME"`` or ``"SAME_LOWER"`` means.

    Args:
        in_shape: the shape over which a window moves; one number stands for all axes,
            here and below.
        window_shape: its shape.
        window_strides: its steps.
        padding: the name.

    Returns:
        For each axis a pair of integers: before and after.

    Raises:
        RuntimeError: the name is unknown. ValueError: a step is not positive.
        TypeError: the numbers of axes differ.
    """
    shapes = [
        int_tuple(shape if np.iterable(shape) else (shape,))
        for shape in (in_shape, window_shape, window_strides)
    ]
    ndim = max(map(len, shapes))
    # One number stands for all axes.
    shapes = [shape * ndim if len(shape) == 1 else shape for shape in shapes]
    return padding_of(padding, *shapes)


def _window_params(
    name,
    shape,
    window_dimensions,
    window_strides,
    padding,
    base_dilation,
    window_dilation,
):
    ones = (1,) * len(shape)
    window = int_tuple(window_dimensions)
    strides = ones if window_strides is None else int_tuple(window_strides)
    base = ones if base_dilation is None else int_tuple(base_dilation)
    reach = ones if window_dilation is None else int_tuple(window_dilation)
    facts = [
        ("operand", f"shape {shape}"),
        ("window_dimensions", window),
        ("window_strides", strides),
        ("padding", padding),
        ("base_dilation", base),
        ("window_dilation", reach),
    ]
    for what, values in (
        ("window_dimensions", window),
        ("window_strides", strides),
        ("base_dilation", base),
        ("window_dilation", reach),
    ):
        if len(values) != len(shape):
            against = "operand" if values is window else "window_dimensions"
            raise type_error(
                f"lax.{name}: {name} got the wrong number of {what} for {against}."
                if values is window
                else f"lax.{name}: {name} got inconsistent {what} and {against}: got {what} "
                f"{values} and {against} {window}.",
                facts,
                f"There is one number for each of the {len(shape)} axes.",
            )
        if any(value < 1 for value in values):
            raise type_error(
                f"lax.{name}: {name} {what} must have every element be strictly positive, got "
                f"{values}.",
                facts,
                "Sizes, strides and dilations are at least 1.",
            )
    if isinstance(padding, str):
        wide_shape = [dilated_size(n, d) for n, d in zip(shape, base, strict=True)]
        wide_window = [dilated_size(n, d) for n, d in zip(window, reach, strict=True)]
        padding = padding_of(padding, wide_shape, wide_window, strides)
    if len(padding) != len(shape):
        raise value_error(
            f"lax.{name}: the padding does not fit the operand.",
            facts,
            f"There is one pair for each of the {len(shape)} axes.",
        )
    return {
        "window_dimensions": window,
        "window_strides": strides,
        "padding": tuple(int_tuple(pair) for pair in padding),
        "base_dilation": base,
        "window_dilation": reach,
    }


def batched_window(params: dict, dim: int) -> dict:
    """Returns window parameters with one more dimension, along which the window has size 1."""
    return {
        name: (*values[:dim], (0, 0) if name == "padding" else 1, *values[dim:])
        for name, values in params.items()
    }


def walk(shape, params):
    """Yields the index of each window, and the indices of the elements in it."""
    window, strides = params["window_dimensions"], params["window_strides"]
    base = params.get("base_dilation", (1,) * len(shape))
    reach = params.get("window_dilation", (1,) * len(shape))
    padding = params["padding"]
    for index in np.ndindex(
        *reduce_window_shape(shape, window, strides, padding, base, reach)
    ):
        inside = []
        for offset in np.ndindex(*window):
            position = [
                p * s + o * r - low
                for p, s, o, r, (low, _) in zip(
                    index, strides, offset, reach, padding, strict=True
                )
            ]
            if all(
                x % b == 0 and 0 <= x // b < n
                for x, b, n in zip(position, base, shape, strict=True)
            ):
                inside.append(
                    tuple(x // b for x, b in zip(position, base, strict=True))
                )
        yield index, inside


def _windows(window, strides=None, padding=None, base=None, reach=None):
    ones = (1,) * len(window)
    return {
        "window_dimensions": window,
        "window_strides": strides or ones,
        "padding": padding or ((0, 0),) * len(window),
        "base_dilation": base or ones,
        "window_dilation": reach or ones,
    }


_SAMPLES = [
    (counting(6), _windows((3,))),
    (counting(6), _windows((2,), (2,), ((1, 0),))),
    (counting(3, 4), _windows((2, 2), (1, 2), ((0, 1), (1, 1)))),
    (counting(4), _windows((2,), (2,), ((1, 2),), (2,), (2,))),
    (counting(2), _windows((3,))),
]


def _window_reducer(name, accepts, lower, identity, join, doc, **rules):
    def types(x, **params):
        check_kind(name, x, accepts)
        return x.update(shape=reduce_window_shape(x.shape, **params))

    def batch(axis, args, dims, **params):
        (x,), (dim,) = args, dims
        return primitive.bind(x, **batched_window(params, dim)), dim

    def lower_rule(ctx, x, **params):
        dtype = ctx.avals_in[0].dtype
        init = emit.constant(identity(dtype), dtype)
        apply = emit.operation(lower)
        return emit.reduce_window(
            [x], [init], ctx.avals_out, lambda a, b: [apply(a, b)], **params
        )[0]

    def reference(x, **params):
        shape = reduce_window_shape(x.shape, **params)
        out = np.full(shape, identity(x.dtype), x.dtype)
        for index, inside in walk(x.shape, params):
            for i in inside:
                out[index] = join(out[index], x[i])
        return out

    def sharding(x, *, out, **params):
        return splitting.resized(name, x, out.shape)

    table = {
        "types": types,
        "sharding": sharding,
        "batch": batch,
        "lower": lower_rule,
        "reference": reference,
        "samples": [
            Sample((np.sin(x) * 5,), params)
            # A window without elements has an infinite extreme.
            for x, params in (_SAMPLES if lower == "add" else _SAMPLES[:3])
        ],
        "ulp": 8,
        **rules,
    }
    traits = Trait.LINEAR if "transpose" in rules else Trait.NONE
    primitive = declare_table(name, table, traits=traits, doc=doc)
    return primitive


def transposed_padding(
    in_shape, window, strides, out_shape, padding, base_dilation, window_dilation
) -> list[tuple[int, int]]:
    """Padding of the spread-out result such that windows over it give the input back."""
    pads = []
    for size, n, stride, count, (low, _), gap, reach in zip(
        in_shape,
        window,
        strides,
        out_shape,
        padding,
        base_dilation,
        window_dilation,
        strict=True,
    ):
        wide_window = dilated_size(n, reach)
        before = wide_window - low - 1
        spread = dilated_size(count, stride)
        after = dilated_size(size, gap) + wide_window - 1 - spread - before
        pads.append((before, after))
    return pads


def _sum_transpose(ct, x, **params):
    window, strides = params["window_dimensions"], params["window_strides"]
    pads = transposed_padding(
        x.aval.shape,
        window,
        strides,
        np.shape(ct),
        params["padding"],
        params["base_dilation"],
        params["window_dilation"],
    )
    config = [
        (low, high, stride - 1)
        for (low, high), stride in zip(pads, strides, strict=True)
    ]
    spread = pad(ct, scalar_like(ct, 0), config)
    ones = (1,) * len(window)
    result = reduce_window_sum_p.bind(
        spread,
        window_dimensions=window,
        window_strides=params["base_dilation"],
        padding=((0, 0),) * len(window),
        base_dilation=ones,
        window_dilation=params["window_dilation"],
    )
    return [result]


reduce_window_sum_p = _window_reducer(
    "reduce_window_sum",
    NUMBER,
    "add",
    lambda dtype: np.array(0, dtype),
    np.add,
    "Sums over windows.",
    transpose=_sum_transpose,
)


def _extreme_jvp(bind, prefers):
    def jvp_all(primals, tangents, **params):
        out = bind(*primals, **params)
        if type(tangents[0]) is ad.Zero:
            return out, ad.Zero(get_aval(out).to_tangent_aval())
        moved = select_and_gather_add_p.bind(
            tangents[0], primals[0], select_prim=prefers, **params
        )
        return out, moved

    return jvp_all


reduce_window_max_p = _window_reducer(
    "reduce_window_max",
    ANY,
    "maximum",
    least,
    np.maximum,
    "The largest elements of windows.",
    jvp_all=_extreme_jvp(
        lambda *args, **params: reduce_window_max_p.bind(*args, **params), "ge"
    ),
)
reduce_window_min_p = _window_reducer(
    "reduce_window_min",
    ANY,
    "minimum",
    greatest,
    np.minimum,
    "The smallest elements of windows.",
    jvp_all=_extreme_jvp(
        lambda *args, **params: reduce_window_min_p.bind(*args, **params), "le"
    ),
)


def _chosen(x, inside, select_prim):
    """Returns the index of the extreme element of a window."""
    best = inside[0]
    for index in inside[1:]:
        stays = x[best] >= x[index] if select_prim == "ge" else x[best] <= x[index]
        best = best if stays else index
    return best


def _picking_jvp(bind):
    """Makes the jvp rule of an operation that is linear in its first operand and selects by its second."""
    return (
        lambda t, given, operand, **params: bind(t, operand, **params),
        lambda t, given, operand, *, out, **params: no_tangent(out),
    )


def _picking_batch(bind):
    def batch(axis, args, dims, *, select_prim, **params):
        moved = [
            batch_in_front(x, dim, axis.size) for x, dim in zip(args, dims, strict=True)
        ]
        params = batched_window(params, 0)
        return bind(*moved, select_prim=select_prim, **params), 0

    return batch


@declare("select_and_gather_add")
class select_and_gather_add_p:
    """Takes, from each window, the tangent at the index of the extreme element."""

    def types(tangents, operand, *, select_prim, **params):
        return tangents.update(shape=reduce_window_shape(operand.shape, **params))

    def sharding(tangents, operand, *, out, **params):
        return splitting.resized("select_and_gather_add", operand, out.shape)

    def lower(ctx, tangents, operand, *, select_prim, **params):
        dtype = ctx.avals_in[1].dtype
        worst = (least if select_prim == "ge" else greatest)(dtype)
        inits = [emit.constant(worst, dtype), emit.constant(0, dtype)]
        direction = select_prim.upper()

        def body(best, best_tangent, value, tangent):
            stays = emit.compare(best, value, direction)
            return [
                emit.select(stays, best, value),
                emit.select(stays, best_tangent, tangent),
            ]

        out = ctx.avals_out[0]
        return emit.reduce_window(
            [operand, tangents], inits, [out, out], body, **params
        )[1]

    jvp = _picking_jvp(
        lambda *args, **params: select_and_gather_add_p.bind(*args, **params)
    )

    def transpose(ct, tangents, operand, *, select_prim, **params):
        ones = (1,) * len(params["window_dimensions"])
        if params["base_dilation"] != ones or params["window_dilation"] != ones:
            raise NotImplementedError(
                "lax.reduce_window: reverse-mode derivatives of the extremes of dilated "
                "windows are not supported."
            )
        kept = ("window_dimensions", "window_strides", "padding")
        result = select_and_scatter_add_p.bind(
            ct,
            operand,
            select_prim=select_prim,
            **{name: params[name] for name in kept},
        )
        return [result, None]

    batch = _picking_batch(
        lambda *args, **params: select_and_gather_add_p.bind(*args, **params)
    )

    def reference(tangents, operand, *, select_prim, **params):
        shape = reduce_window_shape(operand.shape, **params)
        out = np.zeros(shape, tangents.dtype)
        for index, inside in walk(operand.shape, params):
            if inside:
                out[index] = tangents[_chosen(operand, inside, select_prim)]
        return out

    samples = [
        Sample((x, np.sin(x)), {"select_prim": "ge", **params})
        for x, params in _SAMPLES[:3]
    ]


def no_tangent(out):
    """A tangent of zeros: where an extreme sits does not move with small changes."""
    return ad.instantiate_zeros(ad.Zero(get_aval(out).to_tangent_aval()))


@declare("select_and_scatter_add")
class select_and_scatter_add_p:
    """Adds, for each window, a value at the index of the extreme element."""

    def types(source, operand, **params):
        return operand

    def sharding(source, operand, **params):
        return splitting.entries(operand)

    def lower(ctx, source, operand, *, select_prim, **params):
        dtype = ctx.avals_in[1].dtype
        worst = (least if select_prim == "ge" else greatest)(dtype)
        return emit.select_and_scatter_add(
            operand, source, worst, dtype, select_prim.upper(), **params
        )

    jvp = _picking_jvp(
        lambda *args, **params: select_and_scatter_add_p.bind(*args, **params)
    )

    def transpose(ct, source, operand, *, select_prim, **params):
        ones = (1,) * len(params["window_dimensions"])
        result = select_and_gather_add_p.bind(
            ct,
            operand,
            select_prim=select_prim,
            base_dilation=ones,
            window_dilation=ones,
            **params,
        )
        return [result, None]

    batch = _picking_batch(
        lambda *args, **params: select_and_scatter_add_p.bind(*args, **params)
    )

    def reference(source, operand, *, select_prim, **params):
        out = np.zeros_like(operand)
        for index, inside in walk(operand.shape, params):
            if inside:
                out[_chosen(operand, inside, select_prim)] += source[index]
        return out

    def samples():
        found = []
        for x, params in _SAMPLES[:3]:
            shape = reduce_window_shape(x.shape, **params)
            kept = ("window_dimensions", "window_strides", "padding")
            params = {name: params[name] for name in kept}
            found.append(
                Sample((counting(*shape), np.sin(x)), {"select_prim": "ge", **params})
            )
        return found


@declare("reduce_window", multiple_results=True)
class reduce_window_p:
    """Folds windows with a program of scalars."""

    def types(*operands, jaxpr, consts, **params):
        arrays = operands[: len(operands) // 2]
        for x in arrays:
            check_kind("reduce_window", x, ANY)
        shape = reduce_window_shape(arrays[0].shape, **params)
        return [ShapedArray(shape, x.dtype) for x in arrays]

    def sharding(*operands, out, **params):
        arrays = operands[: len(operands) // 2]
        splitting.all_alike("reduce_window", arrays)
        return [
            splitting.resized("reduce_window", x, one.shape)
            for x, one in zip(arrays, out, strict=True)
        ]

    def lower(ctx, *operands, jaxpr, consts, **params):
        half = len(operands) // 2
        return emit.reduce_window(
            operands[:half],
            operands[half:],
            ctx.avals_out,
            lambda *args: emit.program(ctx, jaxpr, consts, *args),
            **params,
        )

    def jvp_all(primals, tangents, *, jaxpr, consts, **params):
        half = len(primals) // 2
        filled = [ad.instantiate_zeros(t) for t in tangents]
        outs = reduce_window_p.bind(
            *primals[:half],
            *filled[:half],
            *primals[half:],
            *filled[half:],
            jaxpr=dual_program(jaxpr, consts, half),
            consts=(),
            **params,
        )
        return outs[:half], outs[half:]

    def batch(axis, args, dims, *, jaxpr, consts, **params):
        half = len(args) // 2
        if any(dim is not None for dim in dims[half:]):
            raise NotImplementedError(
                "lax.reduce_window: batched initial values are not supported."
            )
        moved = [
            batch_in_front(x, dim, axis.size)
            for x, dim in zip(args[:half], dims[:half], strict=True)
        ]
        params = batched_window(params, 0)
        outs = reduce_window_p.bind(
            *moved, *args[half:], jaxpr=jaxpr, consts=consts, **params
        )
        return outs, [0] * half

    def reference(*operands, jaxpr, consts, **params):
        half = len(operands) // 2
        arrays, inits = operands[:half], operands[half:]
        shape = reduce_window_shape(arrays[0].shape, **params)
        outs = [np.full(shape, i, x.dtype) for x, i in zip(arrays, inits, strict=True)]
        for index, inside in walk(arrays[0].shape, params):
            for i in inside:
                joined = run_by_reference(
                    jaxpr,
                    consts,
                    *(out[index] for out in outs),
                    *(x[i] for x in arrays),
                )
                for out, value in zip(outs, joined, strict=True):
                    out[index] = value
        return outs


def dual_program(jaxpr, consts, count: int):
    """The program of values and tangents that joins as `jaxpr` joins values.

    Args:
        jaxpr: a program of twice `count` scalars with `count` results.
        consts: the values of its constants.
        count: how many values are joined.
    """
    closed = ClosedJaxpr(jaxpr, consts)

    def dual(*args):
        groups = [args[i * count : (i + 1) * count] for i in range(4)]
        outs, moved = ad.jvp(
            lambda *xs: evaluate.eval_closed(closed, *xs),
            (*groups[0], *groups[2]),
            (*groups[1], *groups[3]),
        )
        return [*outs, *(ad.instantiate_zeros(t) for t in moved)]

    avals = [v.aval.strip_weak_type() for v in jaxpr.invars]
    in_avals = [*avals[:count], *avals[:count], *avals[count:], *avals[count:]]
    made, found = pe.trace_to_jaxpr(dual, in_avals)
    if found:
        raise NotImplementedError(
            "A reduction whose derivative depends on captured arrays is not supported."
        )
    return made


def reduce_window_shape_tuple(
    operand_shape,
    window_dimensions,
    window_strides,
    padding,
    base_dilation=None,
    window_dilation=None,
):
    """The shape of the result of `reduce_window`.

    Args:
        operand_shape: the shape of the operand.
        window_dimensions: the shape of the window.
        window_strides: its steps.
        padding: a name or a pair for each axis.
        base_dilation: gaps between the elements of the operand.
        window_dilation: gaps between the elements of the window.

    Returns:
        A tuple of integers.

    Raises:
        RuntimeError: the padding is unknown. TypeError: the window does not fit the
            operand.
    """
    shape = tuple(operand_shape)
    params = _window_params(
        "reduce_window_shape_tuple",
        shape,
        window_dimensions,
        window_strides,
        padding,
        base_dilation,
        window_dilation,
    )
    return reduce_window_shape(shape, **params)


def window_params(name: str, shape: Sequence[int], *args) -> dict:
    """The parameters of a reduction over windows, checked."""
    return _window_params(name, tuple(shape), *args)


traceback_filter.hide_frames(globals())
