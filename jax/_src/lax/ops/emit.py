"""StableHLO operations, as the lowering rules of this layer build them.

Each function takes and returns `ir.Value`s. Result types are computed here, so that
rules only name the operation and what makes it special.
"""

import functools as ft
from collections.abc import Callable, Sequence

import numpy as np

from jax._src.core.jaxpr import ClosedJaxpr
from jax._src.interpreters import mlir
from jax._src.interpreters.mlir import types as ir_types
from jax._src.lax.ops.accuracy import AccuracyMode, Tolerance
from jax._src.lax.ops.checks import (
    BOOL,
    COMPLEX,
    FLOATING,
    SIGNED,
    is_complex,
    kind_of,
)
from jax._src.lax.ops.precision import algorithm_of

ir = mlir.ir


def build(name: str, results: Sequence, operands: Sequence, attributes=None, regions=0):
    """An operation by its full name; the caller gives the types of its results."""
    return ir.Operation.create(
        name,
        results=list(results),
        operands=list(operands),
        attributes=attributes or {},
        regions=regions,
    )


def attribute(text: str):
    """An attribute from its textual form."""
    return ir.Attribute.parse(text)


def int_array(values: Sequence[int]):
    """A dense array of 64-bit integers."""
    return ir.DenseI64ArrayAttr.get([int(value) for value in values])


def int_matrix(rows: Sequence[Sequence[int]], columns: int):
    """A dense tensor of 64-bit integers of shape ``(len(rows), columns)``."""
    if not rows:
        return attribute(f"dense<> : tensor<0x{columns}xi64>")
    text = ", ".join("[" + ", ".join(map(str, map(int, row))) + "]" for row in rows)
    return attribute(f"dense<[{text}]> : tensor<{len(rows)}x{columns}xi64>")


def int_attribute(value: int):
    """A 64-bit integer."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), int(value))


def int32_attribute(value: int):
    """A 32-bit integer."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), int(value))


def bool_attribute(value: bool):
    """A truth value."""
    return ir.BoolAttr.get(bool(value))


def program(ctx, jaxpr, consts: Sequence, *operands) -> list:
    """What a program computes, at the insertion point."""
    closed = ClosedJaxpr(jaxpr, consts)
    return mlir.inline_closed(ctx.module_context, closed, operands, ctx.name_stack)


def tensor_type(shape: Sequence[int], like):
    """The type of tensors of `shape` with the elements of the value `like`."""
    return ir.RankedTensorType.get(list(shape), element_type(like))


def element_type(value):
    return ir.RankedTensorType(value.type).element_type


def shape_of(value) -> tuple[int, ...]:
    return tuple(ir.RankedTensorType(value.type).shape)


def _hlo(name, results, operands, attributes=None, regions=0):
    return build(f"stablehlo.{name}", results, operands, attributes, regions)


def unary(name: str, x, accuracy=None):
    """An operation on each element whose result type follows from the operand's."""
    attributes = {}
    if accuracy is not None:
        attributes["result_accuracy"] = _accuracy(accuracy)
    return _hlo(name, [_unary_type(name, x)], [x], attributes).result


def _unary_type(name, x):
    if name == "is_finite":
        return ir.RankedTensorType.get(
            list(shape_of(x)), ir.IntegerType.get_signless(1)
        )
    if name in ("abs", "real", "imag") and ir.ComplexType.isinstance(element_type(x)):
        part = ir.ComplexType(element_type(x)).element_type
        return ir.RankedTensorType.get(list(shape_of(x)), part)
    return x.type


def _accuracy(accuracy):
    if isinstance(accuracy, Tolerance):
        atol, rtol, ulps, mode = *accuracy._key(), "TOLERANCE"
    elif accuracy is AccuracyMode.HIGHEST:
        atol, rtol, ulps, mode = 0.0, 0.0, 0, "HIGHEST"
    else:
        atol, rtol, ulps, mode = 0.0, 0.0, 0, "DEFAULT"
    return attribute(
        f"#stablehlo.result_accuracy<atol = {float(atol):e}, rtol = {float(rtol):e}, "
        f"ulps = {int(ulps)}, mode = #stablehlo.result_accuracy_mode<{mode}>>"
    )


@ft.cache
def operation(name: str) -> Callable:
    """An elementwise operation on operands of one type, as a function of values."""

    def apply(*operands):
        if name == "complex":
            part = ir.ComplexType.get(element_type(operands[0]))
            result = ir.RankedTensorType.get(list(shape_of(operands[0])), part)
        else:
            result = operands[0].type
        return _hlo(name, [result], operands).result

    return apply


def chlo(name: str, *operands):
    """An operation of the dialect of client operations, on operands of one type."""
    return build(f"chlo.{name}", [operands[0].type], operands).result


def compare(x, y, direction: str, total_order: bool = False):
    """Compares elements; the kind of comparison follows from their type."""
    element = element_type(x)
    if ir.IntegerType.isinstance(element):
        integer = ir.IntegerType(element)
        is_signed = integer.is_signless and integer.width > 1
        kind = "SIGNED" if is_signed else "UNSIGNED"
    else:
        kind = "TOTALORDER" if total_order else "FLOAT"
    result = ir.RankedTensorType.get(list(shape_of(x)), ir.IntegerType.get_signless(1))
    return _hlo(
        "compare",
        [result],
        [x, y],
        {
            "comparison_direction": attribute(
                f"#stablehlo<comparison_direction {direction}>"
            ),
            "compare_type": attribute(f"#stablehlo<comparison_type {kind}>"),
        },
    ).result


def constant(value, dtype):
    """A scalar or array constant."""
    return ir_types.constant_of(np.asarray(value).astype(dtype))


def full(value, aval):
    """A constant scalar repeated to the type `aval`."""
    scalar = constant(value, aval.dtype)
    return broadcast_in_dim(scalar, aval.shape, ())


def zeros(aval):
    """Zeros of the type `aval`."""
    return full(0, aval)


def broadcast_in_dim(x, shape: Sequence[int], dimensions: Sequence[int]):
    """Repeats `x`, whose axes go to `dimensions`, to `shape`."""
    if shape_of(x) == tuple(shape) and tuple(dimensions) == tuple(range(len(shape))):
        return x
    return _hlo(
        "broadcast_in_dim",
        [tensor_type(shape, x)],
        [x],
        {"broadcast_dimensions": int_array(dimensions)},
    ).result


def broadcast_to(value, aval, shape: Sequence[int]):
    """A scalar, or an operand of the same rank, repeated to `shape`."""
    return broadcast_in_dim(value, shape, range(aval.ndim) if aval.ndim else ())


def transpose(x, permutation: Sequence[int]):
    """Axis `i` of the result is axis `permutation[i]`."""
    shape = shape_of(x)
    return _hlo(
        "transpose",
        [tensor_type([shape[axis] for axis in permutation], x)],
        [x],
        {"permutation": int_array(permutation)},
    ).result


def reshape(x, shape: Sequence[int]):
    """The same elements in another shape."""
    if shape_of(x) == tuple(shape):
        return x
    return _hlo("reshape", [tensor_type(shape, x)], [x]).result


def reverse(x, dimensions: Sequence[int]):
    """Flips axes."""
    return _hlo("reverse", [x.type], [x], {"dimensions": int_array(dimensions)}).result


def iota(aval, dimension: int):
    """Counts along one axis."""
    return _hlo(
        "iota",
        [mlir.aval_to_ir_type(aval)],
        [],
        {"iota_dimension": int_attribute(dimension)},
    ).result


def convert(x, aval_in, aval_out):
    """Converts values; complex numbers become real by dropping the imaginary part."""
    if is_complex(aval_in.dtype) and not is_complex(aval_out.dtype):
        x = unary("real", x)
        if (
            element_type(x)
            == ir.RankedTensorType(mlir.aval_to_ir_type(aval_out)).element_type
        ):
            return x
    if kind_of(aval_out.dtype) is BOOL and kind_of(aval_in.dtype) is not BOOL:
        part = np.zeros((), aval_in.dtype).real.dtype
        return compare(x, full(0, aval_in.update(dtype=part)), "NE")
    return _hlo("convert", [mlir.aval_to_ir_type(aval_out)], [x]).result


def bitcast(x, aval_out):
    """Reads the bits as another type."""
    return _hlo("bitcast_convert", [mlir.aval_to_ir_type(aval_out)], [x]).result


def reduce_precision(x, exponent_bits: int, mantissa_bits: int):
    """Rounds to a smaller format."""
    return _hlo(
        "reduce_precision",
        [x.type],
        [x],
        {
            "exponent_bits": int32_attribute(exponent_bits),
            "mantissa_bits": int32_attribute(mantissa_bits),
        },
    ).result


def select(pred, on_true, on_false):
    """Chooses by a truth value per element, or one for all."""
    return _hlo("select", [on_true.type], [pred, on_true, on_false]).result


def select_n(which_aval, which, cases: Sequence, case_aval):
    """Chooses among several cases by number."""
    if kind_of(which_aval.dtype) is BOOL:
        return cases[0] if len(cases) == 1 else select(which, cases[1], cases[0])
    result = cases[-1]
    for i in reversed(range(len(cases) - 1)):
        is_before = compare(which, full(i + 1, which_aval), "LT")
        result = select(is_before, cases[i], result)
    return result


def clamp(low, x, high):
    """Limits elements to an interval."""
    return _hlo("clamp", [x.type], [low, x, high]).result


def sign(x, aval):
    """-1, 0 or 1; unsigned integers have no sign operation of their own."""
    if kind_of(aval.dtype) & (SIGNED | FLOATING | COMPLEX):
        return unary("sign", x)
    zero = full(0, aval)
    return select(compare(x, zero, "EQ"), zero, full(1, aval))


def integer_pow(x, exponent: int, aval):
    """Repeated multiplication; the reciprocal of it for negative exponents."""
    multiply = operation("multiply")
    result, power, rest = None, x, abs(exponent)
    while rest:
        if rest & 1:
            result = power if result is None else multiply(result, power)
        rest >>= 1
        if rest:
            power = multiply(power, power)
    if result is None:
        return full(1, aval)
    if exponent > 0:
        return result
    return operation("divide")(full(1, aval), result)


def high_product(x, y):
    """The upper half of the full product of integers."""
    return chlo("mulhi", x, y)


def fill_region(region, types: Sequence, body: Callable) -> None:
    """Gives a region its one block, with arguments of `types` and the results of `body`."""
    block = region.blocks.append(*types)
    with ir.InsertionPoint(block):
        build("stablehlo.return", [], list(body(*block.arguments)))


def scalar_type(like):
    """The type of scalars with the elements of `like`."""
    return tensor_type((), like)


def reduce(operands: Sequence, inits: Sequence, axes: Sequence[int], body: Callable):
    """Folds operands along axes; `body` takes accumulators, then elements."""
    shape = [n for i, n in enumerate(shape_of(operands[0])) if i not in axes]
    op = _hlo(
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


def slice(x, starts: Sequence[int], limits: Sequence[int], strides):
    """Takes a regular part."""
    strides = strides or [1] * len(starts)
    shape = [
        -(-(limit - start) // stride)
        for start, limit, stride in zip(starts, limits, strides, strict=True)
    ]
    return _hlo(
        "slice",
        [tensor_type(shape, x)],
        [x],
        {
            "start_indices": int_array(starts),
            "limit_indices": int_array(limits),
            "strides": int_array(strides),
        },
    ).result


def pad(x, value, config: Sequence[Sequence[int]], shape: Sequence[int]):
    """Surrounds and spaces out elements with a scalar."""
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    attributes = {
        name: int_array([triple[i] for triple in config])
        for i, name in enumerate(names)
    }
    return _hlo("pad", [tensor_type(shape, x)], [x, value], attributes).result


def concatenate(arrays: Sequence, dimension: int, shape: Sequence[int]):
    """Joins arrays along an axis."""
    return _hlo(
        "concatenate",
        [tensor_type(shape, arrays[0])],
        arrays,
        {"dimension": int_attribute(dimension)},
    ).result


def precision_config(precision):
    """The attribute for a pair of precisions."""
    names = [p.name for p in precision] if isinstance(precision, tuple) else []
    names = names or ["DEFAULT", "DEFAULT"]
    return attribute(
        "[" + ", ".join(f"#stablehlo<precision {name}>" for name in names) + "]"
    )


def dot_general(ctx, lhs, rhs, dimension_numbers, precision):
    """Sums products over contracted axes."""
    (lhs_sum, rhs_sum), (lhs_batch, rhs_batch) = dimension_numbers
    left, right = ctx.avals_in
    out = ctx.avals_out[0]
    if kind_of(out.dtype) & (FLOATING | COMPLEX):
        # Mixed operands: let the compiler see one element type where it must be so.
        if kind_of(left.dtype) & ~(FLOATING | COMPLEX):
            lhs = convert(lhs, left, left.update(dtype=right.dtype))
        if kind_of(right.dtype) & ~(FLOATING | COMPLEX):
            rhs = convert(rhs, right, right.update(dtype=left.dtype))
    fields = {
        "lhs_batching_dimensions": lhs_batch,
        "rhs_batching_dimensions": rhs_batch,
        "lhs_contracting_dimensions": lhs_sum,
        "rhs_contracting_dimensions": rhs_sum,
    }
    text = ", ".join(
        f"{name} = [{', '.join(map(str, axes))}]" for name, axes in fields.items()
    )
    attributes = {"dot_dimension_numbers": attribute(f"#stablehlo.dot<{text}>")}
    algorithm = algorithm_of(precision)
    if algorithm is not None:
        attributes["algorithm"] = attribute(algorithm)
    else:
        attributes["precision_config"] = precision_config(precision)
    result = mlir.aval_to_ir_type(out)
    return _hlo("dot_general", [result], [lhs, rhs], attributes).result


def find_extreme(ctx, x, axis: int, direction: str, identity: Callable):
    """The first place of the extreme element along an axis; NaN is extreme."""
    aval, out = ctx.avals_in[0], ctx.avals_out[0]
    places = iota(out.update(shape=aval.shape), axis)
    is_floating = kind_of(aval.dtype) is FLOATING

    def body(best, best_place, value, place):
        wins = compare(best, value, direction)
        if is_floating:
            wins = operation("or")(wins, compare(best, best, "NE"))
        ties = operation("and")(
            compare(best, value, "EQ"), compare(best_place, place, "LT")
        )
        earlier = operation("or")(wins, ties)
        return [select(wins, best, value), select(earlier, best_place, place)]

    inits = [constant(identity(aval.dtype), aval.dtype), constant(0, out.dtype)]
    return reduce([x, places], inits, [axis], body)[1]


def dynamic_slice(x, starts: Sequence, sizes: Sequence[int]):
    """Takes a slice of fixed size."""
    return _hlo(
        "dynamic_slice",
        [tensor_type(sizes, x)],
        [x, *starts],
        {"slice_sizes": int_array(sizes)},
    ).result


def dynamic_update_slice(x, update, starts: Sequence):
    """Replaces a slice."""
    return _hlo("dynamic_update_slice", [x.type], [x, update, *starts]).result


def _fields(fields: dict, index_vector_dim: int) -> str:
    text = [
        f"{name} = [{', '.join(map(str, axes))}]"
        for name, axes in fields.items()
        if axes
    ]
    return ", ".join([*text, f"index_vector_dim = {index_vector_dim}"])


def gather(
    ctx,
    operand,
    indices,
    *,
    dimension_numbers,
    slice_sizes,
    unique_indices,
    indices_are_sorted,
    is_filled,
    fill_value,
):
    """Takes slices; those outside are moved inside, or filled in."""
    operand_aval, indices_aval = ctx.avals_in
    out = ctx.avals_out[0]
    fields = {
        "offset_dims": dimension_numbers.offset_dims,
        "collapsed_slice_dims": dimension_numbers.collapsed_slice_dims,
        "operand_batching_dims": dimension_numbers.operand_batching_dims,
        "start_indices_batching_dims": dimension_numbers.start_indices_batching_dims,
        "start_index_map": dimension_numbers.start_index_map,
    }
    text = _fields(fields, indices_aval.ndim - 1)
    result = _hlo(
        "gather",
        [mlir.aval_to_ir_type(out)],
        [operand, indices],
        {
            "dimension_numbers": attribute(f"#stablehlo.gather<{text}>"),
            "slice_sizes": int_array(slice_sizes),
            "indices_are_sorted": bool_attribute(indices_are_sorted),
        },
    ).result
    if not is_filled:
        return result
    highest = [
        operand_aval.shape[axis] - slice_sizes[axis]
        for axis in dimension_numbers.start_index_map
    ]
    inside = _indices_inside(indices, indices_aval, highest)
    offset = dimension_numbers.offset_dims
    places = [axis for axis in range(out.ndim) if axis not in offset]
    mask = broadcast_in_dim(inside, out.shape, places)
    return select(mask, result, full(fill_value, out))


def _bounds(values, aval):
    """Bounds of indices as a constant, at most what their dtype can hold."""
    largest = np.iinfo(aval.dtype).max
    bounds = np.minimum(np.array(values, np.int64), largest).astype(aval.dtype)
    return broadcast_in_dim(constant(bounds, aval.dtype), aval.shape, (aval.ndim - 1,))


def _indices_inside(indices, aval, highest):
    """Whether each index vector lies between 0 and `highest`."""
    low = compare(indices, full(0, aval), "GE")
    high = compare(indices, _bounds(highest, aval), "LE")
    both = operation("and")(low, high)
    return reduce_with("and", both, True, [aval.ndim - 1], np.bool_)


def scatter(
    ctx,
    operand,
    indices,
    updates,
    window_sizes,
    update_jaxpr,
    update_consts,
    *,
    is_clipped,
    dimension_numbers,
    indices_are_sorted,
    unique_indices,
):
    """Changes slices; those outside are moved inside, or left out."""
    operand_aval, indices_aval, _ = ctx.avals_in
    if is_clipped:
        highest = [
            operand_aval.shape[axis] - window_sizes[axis]
            for axis in dimension_numbers.scatter_dims_to_operand_dims
        ]
        low, high = full(0, indices_aval), _bounds(highest, indices_aval)
        indices = clamp(low, indices, high)
    fields = {
        "update_window_dims": dimension_numbers.update_window_dims,
        "inserted_window_dims": dimension_numbers.inserted_window_dims,
        "input_batching_dims": dimension_numbers.operand_batching_dims,
        "scatter_indices_batching_dims": (
            dimension_numbers.scatter_indices_batching_dims
        ),
        "scatter_dims_to_operand_dims": dimension_numbers.scatter_dims_to_operand_dims,
    }
    text = _fields(fields, indices_aval.ndim - 1)
    op = _hlo(
        "scatter",
        [operand.type],
        [operand, indices, updates],
        {
            "scatter_dimension_numbers": attribute(f"#stablehlo.scatter<{text}>"),
            "indices_are_sorted": bool_attribute(indices_are_sorted),
            "unique_indices": bool_attribute(unique_indices),
        },
        regions=1,
    )

    def body(old, new):
        if update_jaxpr is None:
            return [new]
        return program(ctx, update_jaxpr, update_consts, old, new)

    scalar = scalar_type(operand)
    fill_region(op.regions[0], [scalar, scalar], body)
    return op.result


def _float_constant(x, value: float):
    """A scalar constant of the floating-point type of `x`."""
    element = element_type(x)
    value = ir.DenseElementsAttr.get_splat(
        ir.RankedTensorType.get([], element), ir.FloatAttr.get(element, value)
    )
    return _hlo("constant", [value.type], [], {"value": value}).result


def _sort_keys(x, kind) -> list:
    """Keys that are ordered by their total order; -0 is 0, every NaN the same."""
    if kind is COMPLEX:
        parts = unary("real", x), unary("imag", x)
        return [key for part in parts for key in _sort_keys(part, FLOATING)]
    if kind is not FLOATING:
        return [x]
    zero, nan = _float_constant(x, 0.0), _float_constant(x, float("nan"))
    x = select(compare(x, zero, "EQ"), zero, x)
    return [select(compare(x, x, "NE"), nan, x)]


def _sort(arrays: Sequence, dimension: int, is_stable: bool, comparator: Callable):
    op = _hlo(
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
    """The largest elements along an axis and their places, by a stable sort."""
    values, places = ctx.avals_out
    shape = ctx.avals_in[0].shape
    counts = iota(places.update(shape=shape), axis)
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
    op = _hlo(
        "reduce_window",
        [mlir.aval_to_ir_type(aval) for aval in avals_out],
        [*operands, *inits],
        _window_attributes(**params),
        regions=1,
    )
    scalars = [scalar_type(x) for x in operands]
    fill_region(op.regions[0], [*scalars, *scalars], body)
    return list(op.results)


def select_and_scatter_add(operand, source, dtype, direction: str, **params):
    """Adds sources at the places of the extremes of windows."""
    op = _hlo(
        "select_and_scatter",
        [operand.type],
        [operand, source, constant(0, dtype)],
        _window_attributes(**params),
        regions=2,
    )
    scalar = scalar_type(operand)
    fill_region(
        op.regions[0], [scalar, scalar], lambda a, b: [compare(a, b, direction)]
    )
    fill_region(op.regions[1], [scalar, scalar], lambda a, b: [operation("add")(a, b)])
    return op.result


def optimization_barrier(values: Sequence):
    """The same values, across which the compiler moves nothing."""
    op = _hlo("optimization_barrier", [x.type for x in values], values)
    return list(op.results)


def rng_bit_generator(ctx, key, algorithm: str):
    """Random bits; keys of 32-bit words are read as 64-bit ones."""
    key_aval, bits = ctx.avals_in[0], ctx.avals_out[1]
    name = {"RNG_DEFAULT": "DEFAULT", "RNG_THREE_FRY": "THREE_FRY"}.get(
        algorithm, "PHILOX"
    )
    is_narrow = key_aval.dtype == np.uint32
    state = key
    if is_narrow:
        half = key_aval.shape[0] // 2
        state = reshape(key, (half, 2))
        wide = ir.RankedTensorType.get([half], ir.IntegerType.get_unsigned(64))
        state = _hlo("bitcast_convert", [wide], [state]).result
    op = _hlo(
        "rng_bit_generator",
        [state.type, mlir.aval_to_ir_type(bits)],
        [state],
        {"rng_algorithm": attribute(f"#stablehlo<rng_algorithm {name}>")},
    )
    new, found = list(op.results)
    if is_narrow:
        pairs = ir.RankedTensorType.get([half, 2], ir.IntegerType.get_unsigned(32))
        new = reshape(_hlo("bitcast_convert", [pairs], [new]).result, key_aval.shape)
    return [new, found]


def rng_uniform(ctx, low, high, shape: Sequence[int]):
    """Uniform random numbers of an unknown seed."""
    sizes = constant(np.array(shape, np.int64), np.int64)
    return _hlo(
        "rng",
        [mlir.aval_to_ir_type(ctx.avals_out[0])],
        [low, high, sizes],
        {"rng_distribution": attribute("#stablehlo<rng_distribution UNIFORM>")},
    ).result


def while_loop(operands: Sequence, cond: Callable, body: Callable):
    """Repeats `body` while `cond`; both take the list of what is carried."""
    types = [x.type for x in operands]
    op = _hlo("while", types, operands, regions=2)
    fill_region(op.regions[0], types, lambda *args: cond(list(args)))
    fill_region(op.regions[1], types, lambda *args: body(list(args)))
    return list(op.results)


def case(index, bodies: Sequence[Callable], avals_out):
    """Runs one of several bodies, which take no arguments."""
    types = [mlir.aval_to_ir_type(aval) for aval in avals_out]
    op = _hlo("case", types, [index], regions=len(bodies))
    for region, body in zip(op.regions, bodies, strict=True):
        fill_region(region, [], body)
    return list(op.results)
