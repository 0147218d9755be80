"""Values, types, attributes and constants of StableHLO."""

from collections.abc import Callable, Sequence

import numpy as np

from jax._src.base import scalars
from jax._src.core.jaxpr import ClosedJaxpr
from jax._src.interpreters import mlir
from jax._src.interpreters.mlir import sizes, types as ir_types

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


def size_matrix(rows: Sequence[Sequence[int]]):
    """Rows of sizes, symbolic ones among them, as a matrix that a program computes."""
    flat = sizes.vector([size for row in rows for size in row])
    element = ir.RankedTensorType(flat.type).element_type
    shaped = ir.RankedTensorType.get([len(rows), len(rows[0])], element)
    return hlo("reshape", [shaped], [flat]).result


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
    return ir.RankedTensorType.get(sizes.shape_in_type(shape), element_type(like))


def scalar_type(like):
    """The type of scalars with the elements of `like`."""
    return tensor_type((), like)


def element_type(value):
    return ir.RankedTensorType(value.type).element_type


def shape_of(value) -> tuple[int, ...]:
    return sizes.shape_of_type(ir.RankedTensorType(value.type).shape)


def hlo(name, results, operands, attributes=None, regions=0):
    return build(f"stablehlo.{name}", results, operands, attributes, regions)


def constant(value, dtype):
    """A scalar or array constant."""
    return ir_types.constant_of(scalars.converted(np.asarray(value), np.dtype(dtype)))


def float_constant(x, value: float):
    """A scalar constant of the floating-point type of `x`."""
    element = element_type(x)
    value = ir.DenseElementsAttr.get_splat(
        ir.RankedTensorType.get([], element), ir.FloatAttr.get(element, value)
    )
    return hlo("constant", [value.type], [], {"value": value}).result


def fill_region(region, types: Sequence, body: Callable) -> None:
    """Gives a region its one block, with arguments of `types` and the results of `body`."""
    block = region.blocks.append(*types)
    with ir.InsertionPoint(block):
        build("stablehlo.return", [], list(body(*block.arguments)))


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
    if sizes.has_symbols(shape):
        return hlo(
            "dynamic_broadcast_in_dim",
            [tensor_type(shape, x)],
            [x, sizes.vector(shape)],
            {"broadcast_dimensions": int_array(dimensions)},
        ).result
    return hlo(
        "broadcast_in_dim",
        [tensor_type(shape, x)],
        [x],
        {"broadcast_dimensions": int_array(dimensions)},
    ).result


def broadcast_to(value, aval, shape: Sequence[int]):
    """A scalar, or an operand of the same rank, repeated to `shape`."""
    return broadcast_in_dim(value, shape, range(aval.ndim) if aval.ndim else ())
