"""Operations that move elements: reshapes, slices, pads, transposes."""

from collections.abc import Sequence

from jax._src.core.symbols import expressions
from jax._src.interpreters import mlir
from jax._src.interpreters.mlir import sizes
from jax._src.lax.ops.emit.values import (
    hlo,
    int_array,
    int_attribute,
    shape_of,
    tensor_type,
)

ir = mlir.ir


def transpose(x, permutation: Sequence[int]):
    """Axis `i` of the result is axis `permutation[i]`."""
    shape = shape_of(x)
    return hlo(
        "transpose",
        [tensor_type([shape[axis] for axis in permutation], x)],
        [x],
        {"permutation": int_array(permutation)},
    ).result


def reshape(x, shape: Sequence[int]):
    """Emits a reshape to static sizes."""
    if shape_of(x) == tuple(shape):
        return x
    if sizes.has_symbols((*shape, *shape_of(x))):
        result = tensor_type(shape, x)
        return hlo("dynamic_reshape", [result], [x, sizes.vector(shape)]).result
    return hlo("reshape", [tensor_type(shape, x)], [x]).result


def reverse(x, dimensions: Sequence[int]):
    """Flips axes."""
    return hlo("reverse", [x.type], [x], {"dimensions": int_array(dimensions)}).result


def iota(aval, dimension: int):
    """Counts along one axis."""
    if sizes.has_symbols(aval.shape):
        return hlo(
            "dynamic_iota",
            [mlir.aval_to_ir_type(aval)],
            [sizes.vector(aval.shape)],
            {"iota_dimension": int_attribute(dimension)},
        ).result
    return hlo(
        "iota",
        [mlir.aval_to_ir_type(aval)],
        [],
        {"iota_dimension": int_attribute(dimension)},
    ).result


def slice(x, starts: Sequence[int], limits: Sequence[int], strides):
    """Takes a regular part."""
    strides = strides or [1] * len(starts)
    shape = [
        expressions.stepped(limit - start, stride)
        for start, limit, stride in zip(starts, limits, strides, strict=True)
    ]
    parts = (starts, limits, strides)
    if sizes.has_symbols((*starts, *limits, *strides)):
        operands = [x, *map(sizes.vector, parts)]
        return hlo("real_dynamic_slice", [tensor_type(shape, x)], operands).result
    return hlo(
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
    if sizes.has_symbols([size for triple in config for size in triple]):
        vectors = [sizes.vector([triple[i] for triple in config]) for i in range(3)]
        result = tensor_type(shape, x)
        return hlo("dynamic_pad", [result], [x, value, *vectors]).result
    attributes = {
        name: int_array([triple[i] for triple in config])
        for i, name in enumerate(names)
    }
    return hlo("pad", [tensor_type(shape, x)], [x, value], attributes).result


def concatenate(arrays: Sequence, dimension: int, shape: Sequence[int]):
    """Joins arrays along an axis."""
    return hlo(
        "concatenate",
        [tensor_type(shape, arrays[0])],
        arrays,
        {"dimension": int_attribute(dimension)},
    ).result


def dynamic_slice(x, starts: Sequence, shape: Sequence[int]):
    """Takes a slice of fixed size; it is moved inside."""
    if sizes.has_symbols(shape):
        return _slice_from(x, starts, shape)
    return hlo(
        "dynamic_slice",
        [tensor_type(shape, x)],
        [x, *starts],
        {"slice_sizes": int_array(shape)},
    ).result


def _slice_from(x, starts, shape):
    """Emits a slice whose starts and ends are vectors: for sizes that are symbolic."""
    wanted = sizes.vector(shape)
    kind = ir.RankedTensorType(wanted.type)
    scalar, one = (ir.RankedTensorType.get(s, kind.element_type) for s in ([], [1]))
    parts = [hlo("convert", [scalar], [start]).result for start in starts]
    parts = [hlo("reshape", [one], [start]).result for start in parts]
    whole = hlo("concatenate", [kind], parts, {"dimension": int_attribute(0)}).result
    none = sizes.vector([0] * len(shape))
    latest = hlo("subtract", [kind], [sizes.vector(shape_of(x)), wanted]).result
    whole = hlo("maximum", [kind], [whole, none]).result
    whole = hlo("minimum", [kind], [whole, latest]).result
    limits = hlo("add", [kind], [whole, wanted]).result
    operands = [x, whole, limits, sizes.vector([1] * len(shape))]
    return hlo("real_dynamic_slice", [tensor_type(shape, x)], operands).result


def dynamic_update_slice(x, update, starts: Sequence):
    """Replaces a slice."""
    return hlo("dynamic_update_slice", [x.type], [x, update, *starts]).result


def optimization_barrier(values: Sequence):
    """Emits a barrier, across which the compiler moves no computation."""
    op = hlo("optimization_barrier", [x.type for x in values], values)
    return list(op.results)


def after_all(tokens: Sequence):
    """The token that comes after all of `tokens`."""
    kind = mlir.ir.Type.parse("!stablehlo.token")
    return hlo("after_all", [kind], list(tokens)).results[0]
