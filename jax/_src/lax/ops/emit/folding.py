"""Reductions, windows and sorts: operations with a body."""

from collections.abc import Callable, Sequence

from jax._src.interpreters import mlir
from jax._src.interpreters.mlir import sizes
from jax._src.lax.ops.checks import COMPLEX, FLOATING, kind_of
from jax._src.lax.ops.emit.elementwise import compare, operation, select, unary
from jax._src.lax.ops.emit.moving import iota, pad, slice
from jax._src.lax.ops.emit.values import (
    bool_attribute,
    constant,
    fill_region,
    float_constant,
    hlo,
    int32_attribute,
    int_array,
    int_attribute,
    int_matrix,
    scalar_type,
    shape_of,
    size_matrix,
    tensor_type,
)

ir = mlir.ir


def reduce(operands: Sequence, inits: Sequence, axes: Sequence[int], body: Callable):
    """Folds operands along axes; `body` takes accumulators, then elements."""
    shape = [n for i, n in enumerate(shape_of(operands[0])) if i not in axes]
    op = hlo(
        "reduce",
        [tensor_type(shape, x) for x in operands],
        [*operands, *inits],
        {"dimensions": int_array(axes)},
        regions=1,
    )
    scalars = [scalar_type(x) for x in operands]
    fill_region(op.regions[0], [*scalars, *scalars], body)
    return list(op.results)


def reduce_with(name: str, x, init, axes: Sequence[int], dtype):
    """Folds one operand with a binary operation from the number `init`."""
    apply = operation(name)
    return reduce([x], [constant(init, dtype)], axes, lambda a, b: [apply(a, b)])[0]


def find_extreme(ctx, x, axis: int, direction: str, identity: Callable):
    """The first index of the extreme element along an axis; NaN is extreme."""
    aval, out = ctx.avals_in[0], ctx.avals_out[0]
    indices = iota(out.update(shape=aval.shape), axis)
    is_floating = kind_of(aval.dtype) is FLOATING

    def body(best, best_index, value, index):
        wins = compare(best, value, direction)
        if is_floating:
            wins = operation("or")(wins, compare(best, best, "NE"))
        ties = operation("and")(
            compare(best, value, "EQ"), compare(best_index, index, "LT")
        )
        earlier = operation("or")(wins, ties)
        return [select(wins, best, value), select(earlier, best_index, index)]

    inits = [constant(identity(aval.dtype), aval.dtype), constant(0, out.dtype)]
    return reduce([x, indices], inits, [axis], body)[1]


def _sort_keys(x, kind) -> list:
    """Keys that are ordered by their total order; -0 is 0, every NaN the same."""
    if kind is COMPLEX:
        parts = unary("real", x), unary("imag", x)
        return [key for part in parts for key in _sort_keys(part, FLOATING)]
    if kind is not FLOATING:
        return [x]
    zero, nan = float_constant(x, 0.0), float_constant(x, float("nan"))
    x = select(compare(x, zero, "EQ"), zero, x)
    return [select(compare(x, x, "NE"), nan, x)]


def _sort(arrays: Sequence, dimension: int, is_stable: bool, comparator: Callable):
    op = hlo(
        "sort",
        [x.type for x in arrays],
        arrays,
        {
            "dimension": int_attribute(dimension),
            "is_stable": bool_attribute(is_stable),
        },
        regions=1,
    )
    types = [scalar_type(x) for x in arrays for _ in range(2)]
    fill_region(op.regions[0], types, lambda *args: [comparator(*args)])
    return list(op.results)


def sort(arrays: Sequence, dimension: int, is_stable: bool, key_kinds: Sequence):
    """Sorts arrays together by the first ones, in lexicographic order."""

    def comparator(*args):
        pairs = []
        for i, kind in enumerate(key_kinds):
            left, right = (
                _sort_keys(args[2 * i], kind),
                _sort_keys(args[2 * i + 1], kind),
            )
            pairs += zip(left, right, strict=True)
        result = None
        for left, right in reversed(pairs):
            before = compare(left, right, "LT", total_order=True)
            if result is not None:
                tie = compare(left, right, "EQ", total_order=True)
                before = operation("or")(before, operation("and")(tie, result))
            result = before
        return result

    return _sort(arrays, dimension, is_stable, comparator)


def top_k(ctx, x, k: int, axis: int):
    """The largest elements along an axis and their indices, by a stable sort."""
    values, indices = ctx.avals_out
    shape = ctx.avals_in[0].shape
    counts = iota(indices.update(shape=shape), axis)
    ordered = _sort(
        [x, counts],
        axis,
        True,
        lambda left, right, *_: compare(left, right, "GT", total_order=True),
    )
    return [slice(part, [0] * len(shape), values.shape, None) for part in ordered]


def _window_attributes(window_dimensions, window_strides, padding, **dilations):
    attributes = {
        "window_dimensions": int_array(window_dimensions),
        "window_strides": int_array(window_strides),
        "padding": int_matrix(padding, 2),
    }
    if dilations:
        attributes["base_dilations"] = int_array(dilations["base_dilation"])
        attributes["window_dilations"] = int_array(dilations["window_dilation"])
    return attributes


def reduce_window(operands, inits, avals_out, body: Callable, **params):
    """Folds windows; `body` takes accumulators, then elements."""
    if sizes.has_symbols(
        [*params["window_dimensions"], *(n for pair in params["padding"] for n in pair)]
    ):
        return _window_call(operands, inits, avals_out, body, **params)
    op = hlo(
        "reduce_window",
        [mlir.aval_to_ir_type(aval) for aval in avals_out],
        [*operands, *inits],
        _window_attributes(**params),
        regions=1,
    )
    scalars = [scalar_type(x) for x in operands]
    fill_region(op.regions[0], [*scalars, *scalars], body)
    return list(op.results)


def _window_call(operands, inits, avals_out, body, **params):
    """Emits a call for windows whose sizes are symbolic; loading the module replaces it."""
    count = len(params["window_dimensions"])
    ones = (1,) * count
    vectors = [
        params["window_dimensions"],
        params["window_strides"],
        params.get("base_dilation", ones),
        params.get("window_dilation", ones),
    ]
    padding = size_matrix(params["padding"])
    scalars = [scalar_type(x) for x in operands]
    name = function_of_scalars("reduce_window_body", [*scalars, *scalars], body)
    op = hlo(
        "custom_call",
        [mlir.aval_to_ir_type(aval) for aval in avals_out],
        [*operands, *inits, *map(sizes.vector, vectors), padding],
        {
            "call_target_name": ir.StringAttr.get("stablehlo.dynamic_reduce_window"),
            "called_computations": ir.ArrayAttr.get([ir.FlatSymbolRefAttr.get(name)]),
            "api_version": int32_attribute(1),
        },
    )
    return list(op.results)


def function_of_scalars(preferred: str, types: Sequence, body: Callable) -> str:
    """Adds a function to the module around the insertion point; returns its name."""
    module = ir.InsertionPoint.current.block.owner.operation
    while module.name != "builtin.module":
        module = module.parent.operation
    table, name, number = ir.SymbolTable(module), preferred, 0
    while name in table:
        name, number = f"{preferred}_{number}", number + 1
    with ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0]):
        made = ir.Operation.create(
            "func.func",
            attributes={
                "sym_name": ir.StringAttr.get(name),
                "sym_visibility": ir.StringAttr.get("private"),
                "function_type": ir.TypeAttr.get(
                    ir.FunctionType.get(types, types[len(types) // 2 :])
                ),
            },
            regions=1,
        )
    block = made.regions[0].blocks.append(*types)
    with ir.InsertionPoint(block):
        ir.Operation.create("func.return", operands=list(body(*block.arguments)))
    return name


def select_and_scatter(
    operand, source, init, choose: Callable, join: Callable, **params
):
    """Joins sources into `init` at the indices that are chosen in windows."""
    op = hlo(
        "select_and_scatter",
        [operand.type],
        [operand, source, init],
        _window_attributes(**params),
        regions=2,
    )
    types = [scalar_type(operand)] * 2
    fill_region(op.regions[0], types, choose)
    fill_region(op.regions[1], types, join)
    return op.result


def select_and_scatter_add(operand, source, worst, dtype, direction: str, **params):
    """Adds sources at the indices of the extremes of windows; `worst` is what is never one."""
    padding = params["padding"]
    if sizes.has_symbols([n for pair in padding for n in pair]):
        # The operation has its padding in an attribute: here the array is surrounded by elements that are never chosen.
        shape = sizes.shape_of(operand.type)
        lows, highs = zip(*padding, strict=True)
        ends = [low + n for low, n in zip(lows, shape, strict=True)]
        wide = [end + high for end, high in zip(ends, highs, strict=True)]
        config = [(low, high, 0) for low, high in padding]
        operand = pad(operand, constant(worst, dtype), config, wide)
        params["padding"] = [(0, 0)] * len(padding)
        whole = select_and_scatter_add(
            operand, source, worst, dtype, direction, **params
        )
        return slice(whole, lows, ends, None)
    return select_and_scatter(
        operand,
        source,
        constant(0, dtype),
        lambda a, b: [compare(a, b, direction)],
        lambda a, b: [operation("add")(a, b)],
        **params,
    )
