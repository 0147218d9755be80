"""Python values as attributes of operations."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from jax._src.interpreters.mlir import types
from jax._src.lib.mlir import ir


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
        return types.dense_attribute(array)
    kind = types.dtype_to_ir_type(array.dtype)
    if array.dtype.kind == "f":
        return ir.FloatAttr.get(kind, float(array))
    return ir.IntegerAttr.get(kind, int(array))
