"""Types and constants of programs as MLIR has them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from jax._src.base import errors, scalars
from jax._src.core import avals, wide_values
from jax._src.interpreters.mlir import sizes
from jax._src.lib.mlir import ir


def _integer(bits: int, unsigned: bool = False) -> Callable[[], Any]:
    if unsigned:
        return lambda: ir.IntegerType.get_unsigned(bits)
    return lambda: ir.IntegerType.get_signless(bits)


def _small_float(name: str) -> Callable[[], Any]:
    text = "f" + name.removeprefix("float").replace("_", "").upper()
    return lambda: ir.Type.parse(text)


_MAKE_TYPE: dict[np.dtype, Callable[[], Any]] = {
    np.dtype(bool): _integer(1),
    np.dtype(ml_dtypes.bfloat16): lambda: ir.BF16Type.get(),
    np.dtype(np.float16): lambda: ir.F16Type.get(),
    np.dtype(np.float32): lambda: ir.F32Type.get(),
    np.dtype(np.float64): lambda: ir.F64Type.get(),
    np.dtype(np.complex64): lambda: ir.ComplexType.get(ir.F32Type.get()),
    np.dtype(np.complex128): lambda: ir.ComplexType.get(ir.F64Type.get()),
    scalars.float0: _integer(1),
}
for _bits in (8, 16, 32, 64):
    _MAKE_TYPE[np.dtype(f"int{_bits}")] = _integer(_bits)
    _MAKE_TYPE[np.dtype(f"uint{_bits}")] = _integer(_bits, unsigned=True)
for _bits in (2, 4):
    if hasattr(ml_dtypes, f"int{_bits}"):
        _MAKE_TYPE[np.dtype(getattr(ml_dtypes, f"int{_bits}"))] = _integer(_bits)
        _MAKE_TYPE[np.dtype(getattr(ml_dtypes, f"uint{_bits}"))] = _integer(_bits, True)
for _name in dir(ml_dtypes):
    if _name.startswith(("float8_", "float6_", "float4_")):
        _MAKE_TYPE[np.dtype(getattr(ml_dtypes, _name))] = _small_float(_name)


def dtype_to_ir_type(dtype: Any) -> Any:
    """The element type for a dtype.

    Raises:
        TypeError: there is none.
    """
    make = _MAKE_TYPE.get(np.dtype(dtype))
    if make is None:
        name = np.dtype(dtype).name
        if np.dtype(dtype).kind == "T":
            raise errors.type_error(
                f"Argument of dtype {name} is not a valid JAX type.",
                rule="Programs compute with numbers and truth values; strings can only be "
                "moved.",
                ways="Compute with integers that stand for the strings.",
            )
        raise errors.type_error(
            f"{name} is no dtype of arrays on a device: there is no StableHLO type for it.",
            [("dtype", name)],
            "Types and shapes may have it; programs compute with booleans, integers of 2 "
            "to 64 bits, floating-point and complex numbers.",
            "Use a dtype of more bits: jnp.int2, jnp.int8 or bool.",
        )
    return make()


def physical_aval(aval: Any) -> Any:
    """The type of the array behind a value in a program: itself, except for random keys and such."""
    plain = avals.physical_aval(aval)
    if getattr(plain, "dtype", None) == scalars.float0:
        # A tangent of an integer holds nothing; false stands for it.
        return avals.ShapedArray(plain.shape, np.dtype(np.bool_))
    return plain


# Class of aval -> function to its type, for kinds of values that libraries add.
ir_type_handlers: dict[type, Callable[[Any], Any]] = {}


def aval_to_ir_type(aval: Any) -> Any:
    """The MLIR type of values of type `aval`."""
    aval = physical_aval(aval)
    if type(aval) is avals.ShapedArray:
        shape = sizes.shape_in_type(aval.shape)
        return ir.RankedTensorType.get(shape, dtype_to_ir_type(aval.dtype))
    if isinstance(aval, avals.AbstractToken):
        return ir.Type.parse("!stablehlo.token")
    handler = ir_type_handlers.get(type(aval))
    if handler is None:
        raise TypeError(f"No MLIR type for values of type {aval}.")
    found = handler(aval)
    return found[0] if isinstance(found, tuple | list) else found


def aval_to_ir_types(aval: Any) -> tuple[Any, ...]:
    """Returns the MLIR type of an abstract value, as a tuple of one."""
    return (aval_to_ir_type(aval),)


def i32_attr(i: int) -> Any:
    """A 32-bit integer attribute."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), int(i))


def i64_attr(i: int) -> Any:
    """A 64-bit integer attribute."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), int(i))


def dense_int_array(values: Sequence[int]) -> Any:
    """A dense array attribute of 64-bit integers."""
    return ir.DenseI64ArrayAttr.get([int(v) for v in values])


def dense_int_elements(xs: Any) -> Any:
    """A dense tensor attribute of 64-bit integers."""
    return ir.DenseIntElementsAttr.get(np.asarray(xs, np.int64))


def dense_bool_array(values: Sequence[bool]) -> Any:
    """A dense array attribute of truth values."""
    return ir.DenseBoolArrayAttr.get([bool(v) for v in values])


def dense_attribute(array: np.ndarray) -> Any:
    """A dense tensor attribute with the elements of an array."""
    element = dtype_to_ir_type(array.dtype)
    if array.dtype.kind == "V":
        array = array.view(np.dtype(f"uint{8 * array.dtype.itemsize}"))
    return ir.DenseElementsAttr.get(
        np.ascontiguousarray(array), type=element, shape=list(array.shape)
    )


def physical_constant(val: Any) -> Any:
    """The array behind a constant: itself, except for random keys and such."""
    dtype = getattr(val, "dtype", None)
    if isinstance(dtype, scalars.ExtendedDType):
        return dtype.unwrap(val)
    return np.zeros(val.shape, np.bool_) if dtype == scalars.float0 else val


def ir_constant(val: Any, *, const_lowering: Any = None, aval: Any = None) -> Any:
    """A constant operation with the elements of an array or scalar."""
    handler = _constant_handlers.get(type(val))
    if handler is not None:
        return handler(val, aval)
    val = physical_constant(val)
    if isinstance(val, scalars.PYTHON_SCALARS):
        val = np.asarray(val, scalars.python_scalar_dtype(type(val)))
    array = np.asarray(val)
    # An array keeps its 64 bits; numbers of NumPy's are as narrow as their type says, which
    # may come from another setting than the one that an operation is lowered under.
    if array.dtype in scalars.WIDE and not wide_values.is_wide(aval):
        narrow = scalars.NARROW[array.dtype]
        is_narrow = getattr(aval, "dtype", None) == narrow
        dtype = narrow if is_narrow else scalars.narrow(array.dtype)
        array = array.astype(dtype, copy=False)
    return constant_of(array)


def constant_of(array: np.ndarray) -> Any:
    """A constant operation with exactly this dtype; repeated elements are kept once."""
    if array.size > 1 and 0 in array.strides and np.all(np.asarray(array.strides) == 0):
        scalar = constant_of(np.ascontiguousarray(array.ravel()[:1]).reshape(()))
        shaped = ir.RankedTensorType.get(
            list(array.shape), dtype_to_ir_type(array.dtype)
        )
        return ir.Operation.create(
            "stablehlo.broadcast_in_dim",
            results=[shaped],
            operands=[scalar],
            attributes={"broadcast_dimensions": dense_int_array(())},
        ).result
    attribute = dense_attribute(array)
    return ir.Operation.create(
        "stablehlo.constant", results=[attribute.type], attributes={"value": attribute}
    ).result


# Class of value -> function (value, aval) -> ir.Value, for classes that libraries add.
_constant_handlers: dict[type, Callable[[Any, Any], Any]] = {}


def register_constant_handler(
    type_: type, handler_fun: Callable[[Any, Any], Any]
) -> None:
    """Says how values of the class `type_` become constants: ``f(value, aval)``."""
    _constant_handlers[type_] = handler_fun


def ir_attribute(val: Any) -> Any:
    """A Python or NumPy value as an attribute; a Python int has 64 bits.

    Raises:
        TypeError: values of its class cannot be attributes.
    """
    if isinstance(val, ir.Attribute):
        return val
    if isinstance(val, bool | np.bool_):
        return ir.BoolAttr.get(bool(val))
    if isinstance(val, str):
        return ir.StringAttr.get(val)
    if isinstance(val, Mapping):
        return ir.DictAttr.get({str(k): ir_attribute(v) for k, v in val.items()})
    if isinstance(val, list | tuple):
        return ir.ArrayAttr.get([ir_attribute(v) for v in val])
    array = np.asarray(val)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{val!r} cannot be an attribute of an operation.")
    if array.ndim:
        return dense_attribute(array)
    kind = dtype_to_ir_type(array.dtype)
    if array.dtype.kind == "f":
        return ir.FloatAttr.get(kind, float(array))
    return ir.IntegerAttr.get(kind, int(array))
