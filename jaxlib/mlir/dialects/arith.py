"""The arith dialect: arithmetic of scalars, vectors and tensors."""

from typing import Any

from jaxlib.mlir import ir

# The names are generated from the dialect's definition, so they cannot be listed.
from jaxlib.mlir.dialects import _arith_ops_gen as generated
from jaxlib.mlir.dialects._arith_enum_gen import *  # noqa: F403
from jaxlib.mlir.dialects._arith_ops_gen import *  # noqa: F403
from jaxlib.mlir.dialects._ods_common import _cext


def _value_attribute(type: ir.Type, value: Any) -> ir.Attribute:
    """A Python number as the attribute of a type; an attribute stays as it is."""
    if isinstance(value, ir.Attribute):
        return value
    if isinstance(type, (ir.IntegerType, ir.IndexType)):
        return ir.IntegerAttr.get(type, value)
    if isinstance(type, ir.FloatType):
        return ir.FloatAttr.get(type, value)
    raise NotImplementedError(
        f"arith.constant: a constant of type {type} needs its value as an attribute"
    )


@_cext.register_operation(generated._Dialect, replace=True)
class ConstantOp(generated.ConstantOp):
    """A constant.

    Args:
        result: its type.
        value: a Python number where the type is that of an integer, index or
            floating-point number; an attribute of that type otherwise.
        loc: the location.
        ip: where to insert it.

    Raises:
        NotImplementedError: the type is another one, and the value no attribute.
    """

    def __init__(
        self,
        result: ir.Type,
        value: Any,
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ):
        super().__init__(_value_attribute(result, value), loc=loc, ip=ip)


def constant(
    result: ir.Type,
    value: Any,
    *,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """The result of a `ConstantOp` with these arguments."""
    return ConstantOp(result, value, loc=loc, ip=ip).result
