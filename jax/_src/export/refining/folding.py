"""Whole numbers that a program computes from sizes, computed here."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.interpreters import mlir

ir = mlir.ir

# Vectors up to this size are followed.
_GREATEST = 256


def _divide(x, y):
    """Division that rounds to zero."""
    quotient = np.abs(x.astype(np.int64)) // np.abs(y.astype(np.int64))
    return (np.sign(x) * np.sign(y) * quotient).astype(x.dtype)


def _remainder(x, y):
    return (x - _divide(x, y) * y).astype(x.dtype)


_COMPARE: dict[str, Callable] = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "GE": np.greater_equal,
    "GT": np.greater,
    "LE": np.less_equal,
    "LT": np.less,
}


def _compare(op, x, y):
    text = str(op.attributes["comparison_direction"])
    return _COMPARE[text.rstrip(">").split()[-1]](x, y)


def _concatenate(op, *parts):
    return np.concatenate(parts, op.attributes["dimension"].value)


def _slice(op, x):
    names = ("start_indices", "limit_indices", "strides")
    parts = zip(*(list(op.attributes[name]) for name in names), strict=True)
    return x[tuple(slice(*part) for part in parts)]


def _reshape(op, x, *_):
    return x.reshape(ir.RankedTensorType(op.results[0].type).shape)


def _broadcast(op, x, *_):
    shape = ir.RankedTensorType(op.results[0].type).shape
    sizes = [1] * len(shape)
    for size, axis in zip(x.shape, op.attributes["broadcast_dimensions"], strict=True):
        sizes[axis] = size
    return np.broadcast_to(x.reshape(sizes), shape)


def _iota(op):
    shape = ir.RankedTensorType(op.results[0].type).shape
    axis = op.attributes["iota_dimension"].value
    sizes = [1] * len(shape)
    sizes[axis] = shape[axis]
    return np.broadcast_to(np.arange(shape[axis]).reshape(sizes), shape)


_OF_ELEMENTS: dict[str, Callable] = {
    "abs": np.abs,
    "add": np.add,
    "and": np.bitwise_and,
    "clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high),
    "convert": lambda x: x,
    "divide": _divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "multiply": np.multiply,
    "negate": np.negative,
    "not": np.invert,
    "or": np.bitwise_or,
    "remainder": _remainder,
    "select": np.where,
    "sign": np.sign,
    "subtract": np.subtract,
    "xor": np.bitwise_xor,
}
_OTHERS: dict[str, Callable] = {
    "broadcast_in_dim": _broadcast,
    "compare": _compare,
    "concatenate": _concatenate,
    "iota": _iota,
    "reshape": _reshape,
    "slice": _slice,
}

_DTYPES = {
    str(mlir_name): np.dtype(name)
    for mlir_name, name in [
        ("i1", "bool"),
        *((f"i{bits}", f"int{bits}") for bits in (8, 16, 32, 64)),
        *((f"ui{bits}", f"uint{bits}") for bits in (8, 16, 32, 64)),
    ]
}


def known_constant(op: Any) -> np.ndarray | None:
    """The numbers of a constant, if they are whole and few."""
    kind = ir.RankedTensorType(op.results[0].type)
    dtype = _DTYPES.get(str(kind.element_type))
    if dtype is None or np.prod(kind.shape, dtype=np.int64) > _GREATEST:
        return None
    return np.array(op.attributes["value"]).astype(dtype)


def fold(op: Any, operands: Sequence[Any]) -> np.ndarray | None:
    """What an operation gives for known operands; None where it is not followed."""
    name = op.name.removeprefix("stablehlo.")
    compute = _OF_ELEMENTS.get(name)
    whole = _OTHERS.get(name)
    if compute is None and whole is None:
        return None
    kind = ir.RankedTensorType(op.results[0].type)
    dtype = _DTYPES.get(str(kind.element_type))
    if dtype is None or any(x is None for x in operands):
        return None
    if kind.has_static_shape and np.prod(kind.shape, dtype=np.int64) > _GREATEST:
        return None
    if not kind.has_static_shape and name in ("iota", "reshape", "broadcast_in_dim"):
        return None
    if name in ("divide", "remainder") and not np.all(operands[1]):
        return None
    with np.errstate(all="ignore"):
        found = compute(*operands) if compute else whole(op, *operands)
    return np.asarray(found).astype(dtype)


def moved(name: str, numbers: np.ndarray, shape: list[int], attributes: dict) -> Any:
    """Known numbers in another shape; None where they are too many."""
    if np.prod(shape, dtype=np.int64) > _GREATEST:
        return None
    if name == "reshape":
        return numbers.reshape(shape)
    sizes = [1] * len(shape)
    axes = list(attributes["broadcast_dimensions"])
    for size, axis in zip(numbers.shape, axes, strict=True):
        sizes[axis] = size
    return np.broadcast_to(numbers.reshape(sizes), shape)


def dtype_of(kind: Any) -> Any:
    """The dtype of whole numbers of a type."""
    return _DTYPES[str(ir.RankedTensorType(kind).element_type)]


def type_of(numbers: np.ndarray) -> Any:
    """The type of known numbers."""
    element = mlir.dtype_to_ir_type(numbers.dtype)
    return ir.RankedTensorType.get(list(numbers.shape), element)


def constant(numbers: np.ndarray) -> Any:
    """An operation that gives known numbers."""
    attribute = mlir.dense_attribute(np.asarray(numbers))
    made = ir.Operation.create(
        "stablehlo.constant", results=[attribute.type], attributes={"value": attribute}
    )
    return made.result
