"""Rules of our primitives by kind, from which libraries build primitives like them."""

import functools as ft
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.compat import evaluation
from jax._src.core import avals as avals_lib, primitive as primitive_lib
from jax._src.interpreters import ad
from jax._src.lax.ops import conversion


def standard_primitive(
    shape_rule: Callable,
    dtype_rule: Callable,
    name: str,
    weak_type_rule: Callable | None = None,
    sharding_rule: Callable | None = None,
    vma_rule: Callable | None = None,
    ur_rule: Callable | None = None,
    memory_space_rule: Callable | None = None,
) -> primitive_lib.Primitive:
    """A primitive of one result, whose type follows from rules.

    Args:
        shape_rule: from the types of the operands and the parameters to the shape.
        dtype_rule: from the same to the dtype.
        name: the name of the primitive.
        weak_type_rule: from the same to whether the type is weak; None: if all are.
        sharding_rule: accepted: over Explicit mesh axes it is the compiler's choice.
        vma_rule: accepted: the result varies as the operands do.
        ur_rule: accepted: the result is no sum of parts.
        memory_space_rule: accepted: the result is in the memory of the operands.
    """
    primitive = primitive_lib.Primitive(name)
    evaluation.simple_impl(primitive)

    def types(*avals, **params):
        weak = (
            all(aval.weak_type for aval in avals)
            if weak_type_rule is None
            else weak_type_rule(*avals, **params)
        )
        shape, dtype = shape_rule(*avals, **params), dtype_rule(*avals, **params)
        return avals_lib.ShapedArray(tuple(shape), dtype, weak)

    primitive.def_abstract_eval(types)
    return primitive


# Parameters that say how a rule of another compiler works.
_IGNORED = ("platform", "expand_complex_convolutions", "name")


def _rule(name, kind):
    return primitive_lib.declared_primitives()[name].rules[kind]


def _of_rule(params):
    kept = {k: v for k, v in params.items() if k not in _IGNORED}
    return {"preferred_element_type": None, **kept}


def _shape(name: str, lhs: Any, rhs: Any, **params: Any) -> tuple[int, ...]:
    """The shape of the result, from the types of the operands and the parameters."""
    return _rule(name, "types")(lhs, rhs, **_of_rule(params)).shape


def _dtype(name: str, lhs: Any, rhs: Any, **params: Any) -> np.dtype:
    """The dtype of the result, from the types of the operands and the parameters."""
    return _rule(name, "types")(lhs, rhs, **_of_rule(params)).dtype


def _undefined(x):
    return x if ad.is_undefined_primal(x) else ad.UndefinedPrimal(avals_lib.get_aval(x))


def _transpose_lhs(name: str, ct: Any, lhs: Any, rhs: Any, **params: Any) -> Any:
    """The cotangent of the left operand, of which only the type is used."""
    return _rule(name, "transpose")(ct, _undefined(lhs), rhs, **_of_rule(params))[0]


def _transpose_rhs(name: str, ct: Any, lhs: Any, rhs: Any, **params: Any) -> Any:
    """The cotangent of the right operand, of which only the type is used."""
    return _rule(name, "transpose")(ct, lhs, _undefined(rhs), **_of_rule(params))[1]


def _batch(
    name: str, axis: Any, args: Sequence[Any], dims: Sequence[Any], **params: Any
) -> tuple[Any, Any]:
    """The result for mapped operands, and its batch dimension."""
    return _rule(name, "batch")(axis, args, dims, **_of_rule(params))


def _lower(name: str, ctx: Any, lhs: Any, rhs: Any, **params: Any) -> Any:
    """The IR value of the result."""
    return _rule(name, "lower")(ctx, lhs, rhs, **_of_rule(params))


conv_shape_rule = ft.partial(_shape, "conv_general_dilated")
conv_dtype_rule = ft.partial(_dtype, "conv_general_dilated")
conv_transpose_lhs = ft.partial(_transpose_lhs, "conv_general_dilated")
conv_transpose_rhs = ft.partial(_transpose_rhs, "conv_general_dilated")
conv_batch_rule = ft.partial(_batch, "conv_general_dilated")
conv_lower = ft.partial(_lower, "conv_general_dilated")
dot_shape_rule = ft.partial(_shape, "dot_general")
dot_dtype_rule = ft.partial(_dtype, "dot_general")
dot_transpose_lhs = ft.partial(_transpose_lhs, "dot_general")
dot_transpose_rhs = ft.partial(_transpose_rhs, "dot_general")
dot_batch_rule = ft.partial(_batch, "dot_general")
dot_lower = ft.partial(_lower, "dot_general")


def remaining(original: Sequence[Any], *removed_lists: Sequence[Any]) -> list[Any]:
    """The entries of a sequence that are in no other sequence, in order."""
    removed = {x for entries in removed_lists for x in entries}
    return [x for x in original if x not in removed]


def complex_basetype(dtype: Any, **_: Any) -> np.dtype:
    """The dtype of the parts of complex numbers; other dtypes as they are."""
    return np.dtype(dtypes.finfo(dtype).dtype) if np.dtype(dtype).kind == "c" else dtype


def const(example: Any, val: Any) -> Any:
    """A number as an array of the dtype of `example`."""
    aval = avals_lib.get_aval(example)
    if dtypes.is_extended(aval.dtype):
        return aval.dtype.constant(val)
    return conversion.convert(val, aval.dtype, aval.weak_type)
