"""Operations whose sizes are operands, as those in which they are attributes."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.export.refining import results
from jax._src.interpreters import mlir

ir = mlir.ir

# What an operation becomes: its name, number of operands, attributes, shape.
Fixed = tuple[str, int, dict[str, Any], list[int]]


def _array(numbers):
    return mlir.dense_int_array(numbers)


def _reshape(op, shapes, target):
    return "reshape", 1, {}, target


def _broadcast(op, shapes, target):
    attributes = {"broadcast_dimensions": op.attributes["broadcast_dimensions"]}
    return "broadcast_in_dim", 1, attributes, target


def _iota(op, shapes, target):
    return "iota", 0, {"iota_dimension": op.attributes["iota_dimension"]}, target


def _rng(op, shapes, target):
    return "rng", 3, {"rng_distribution": op.attributes["rng_distribution"]}, target


def _pad(op, shapes, low, high, interior):
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    parts = (low, high, interior)
    attributes = dict(zip(names, map(_array, parts), strict=True))
    return "pad", 2, attributes, results.padded(shapes[0], *parts)


def _slice(op, shapes, starts, limits, strides):
    names = ("start_indices", "limit_indices", "strides")
    parts = (starts, limits, strides)
    attributes = dict(zip(names, map(_array, parts), strict=True))
    rows = zip(*parts, strict=True)
    return "slice", 1, attributes, [max(-(-(b - a) // s), 0) for a, b, s in rows]


def _gather(op, shapes, sizes):
    attributes = dict(op.attributes.items())
    attributes["slice_sizes"] = _array(sizes)
    return "gather", 2, attributes, results.gathered(op, shapes[1], sizes)


def _conv(op, shapes, padding):
    attributes = dict(op.attributes.items())
    rows = [padding[2 * i : 2 * i + 2] for i in range(len(padding) // 2)]
    text = ", ".join(f"[{low}, {high}]" for low, high in rows)
    attributes["padding"] = ir.Attribute.parse(
        f"dense<[{text}]> : tensor<{len(rows)}x2xi64>"
    )
    return "convolution", 2, attributes, results.convolved(op, *shapes[:2], rows)


# Name -> (the index of the first operand that is sizes, what it becomes).
_FIXED: dict[str, tuple[int, Callable[..., Fixed]]] = {
    "stablehlo.dynamic_reshape": (1, _reshape),
    "stablehlo.dynamic_broadcast_in_dim": (1, _broadcast),
    "stablehlo.dynamic_iota": (0, _iota),
    "stablehlo.dynamic_pad": (2, _pad),
    "stablehlo.real_dynamic_slice": (1, _slice),
    "stablehlo.dynamic_gather": (2, _gather),
    "stablehlo.dynamic_conv": (2, _conv),
    # Its sizes are always an operand.
    "stablehlo.rng": (2, _rng),
}


def takes_sizes(op: Any) -> bool:
    """Whether an operation takes sizes for operands."""
    return op.name in _FIXED


def fixed(op: Any, shapes: Sequence[Any], known: Sequence[Any]) -> Fixed | None:
    """What an operation is with known sizes; None where they are not known.

    Args:
        op: the operation.
        shapes: the shapes of its operands.
        known: the numbers of its operands, where they are known.
    """
    first, make = _FIXED[op.name]
    if any(numbers is None for numbers in known[first:]):
        return None
    parts = [[int(n) for n in numbers.reshape(-1)] for numbers in known[first:]]
    return make(op, shapes, *parts)


def operation(name: str, kind: Any, operands: Sequence[Any], attributes: dict) -> Any:
    """The result of an operation that is written here."""
    made = ir.Operation.create(
        f"stablehlo.{name}",
        results=[kind],
        operands=list(operands),
        attributes=attributes,
    )
    return made.result


def slice_of(vector: Any, kind: Any, index: int) -> Any:
    """One element of a vector, as a vector."""
    numbers = ([index], [index + 1], [1])
    names = ("start_indices", "limit_indices", "strides")
    attributes = dict(zip(names, map(_array, numbers), strict=True))
    return operation("slice", kind, [vector], attributes)
