"""Along which mesh axes values vary, inside of `shard_map`.

The type of a value there records the axes along which it differs from device to device
(varying), those over which its parts have still to be summed (unreduced), and those
over which its cotangents have (reduced). Operands of an operation are made to vary
along the same axes where it is applied: `join`. The type of its results follows:
`typed`, from the rule ``manual`` of the primitive, or as that of the operands.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from jax._src.base import errors, options
from jax._src.core import (
    avals as avals_lib,
    manual_axes,
    slots,
    state,
    unreduced,
    wide_values,
)

ManualAxisType = manual_axes.ManualAxisType
NONE = manual_axes.none

# A rule `manual`: the rule `types` gives the axes, as for primitives that hold programs.
AS_TYPES = "as types"


def of(x: Any) -> ManualAxisType:
    """How a value varies."""
    return of_type(avals_lib.get_aval(x))


def of_type(aval: Any) -> ManualAxisType:
    """How values of a type vary."""
    return getattr(aval, "manual_axis_type", NONE)


def forget(aval: Any) -> Any:
    """Returns the type without the mesh axes along which values vary."""
    if of_type(aval) is NONE:
        return aval
    return aval.update(manual_axis_type=NONE)


def _of_operand(x):
    """Returns the manual axis type of an operand; None for a scalar that becomes a literal."""
    aval = avals_lib.get_aval(x)
    manual = getattr(aval, "manual_axis_type", None)
    if manual is None or (aval.ndim == 0 and not hasattr(x, "_trace")):
        return None
    return manual


def join(primitive: Any, args: tuple) -> tuple:
    """Returns the operands, made to vary along all mesh axes along which one of them does.

    Raises:
        ValueError: `jax_auto_pcast` is off, and they do not.
    """
    if len(args) < 2 or "manual" in primitive.rules:
        return args
    found = [_of_operand(x) for x in args]
    axes = frozenset().union(*[m.varying for m in found if m is not None])
    if all(m is None or m.varying >= axes for m in found):
        return args
    if not options.auto_pcast.value:
        raise ValueError(_differ(primitive, args))
    return tuple(
        x if m is None or m.varying >= axes else vary_along(x, axes)
        for x, m in zip(args, found, strict=True)
    )


def vary_along(x: Any, axes: frozenset) -> Any:
    """The value, made to vary along these axes besides its own."""
    manual = of(x)
    if manual.varying >= axes:
        return x
    # Values that were reduced over exactly the missing axes may vary along them.
    missing = axes - manual.varying
    left = manual.reduced - missing if manual.reduced == missing else manual.reduced
    if axes & (manual.unreduced | left):
        raise errors.value_error(
            "A value meets others that vary along a mesh axis over which it is "
            "unreduced or reduced.",
            [
                ("value", avals_lib.get_aval(x).str_short()),
                ("axes", str(set(axes))),
            ],
            "Operands of one operation vary along the same axes.",
            "jax.lax.psum(x, axes) takes a sum that is due.",
        )
    return slots.vary_as(x, manual.update(varying=axes | manual.varying, reduced=left))


def like(x: Any, aval: Any) -> Any:
    """Converts a value that all devices share to vary as values of type `aval` do."""
    manual = of_type(aval)
    if manual is NONE:
        return x
    if wide_values.begun:
        (x,) = wide_values.as_typed((x,), (aval,))
    return slots.vary_as(x, manual)


def as_declared(x: Any, struct: Any) -> Any:
    """A result, made to vary along the axes that its description names as well.

    Raises:
        ValueError: a name is not that of an axis of `shard_map`.
    """
    manual = getattr(struct, "manual_axis_type", None)
    tracked = state.tracked_axes()
    if manual is None or not tracked:
        return x
    if not manual.varying <= tracked:
        raise errors.value_error(
            "The type of a result names an axis that is no Manual mesh axis here.",
            [("type", repr(struct)), ("Manual axes", str(tuple(tracked)))],
            ways="Leave the axis out of its manual_axis_type.",
        )
    return vary_along(x, manual.varying)


def _differ(primitive, args):
    return errors.explain(
        f"Primitive {primitive.name} requires varying manual axes to match.",
        [
            (f"operand {i}", avals_lib.get_aval(x).str_short())
            for i, x in enumerate(args)
        ],
        "Operands vary along the same mesh axes; jax_auto_pcast is off.",
        'jax.lax.pcast(x, axes, to="varying") makes a value vary.',
    )


def typed(primitive: Any, avals: Sequence[Any], params: dict, outs: Any) -> Any:
    """The types of results, with how they vary."""
    rule = primitive.rules.get("manual")
    if rule is AS_TYPES:
        return outs
    if rule is None:
        if all(of_type(a) is NONE for a in avals):
            return outs
        manual = joined(primitive, avals, params)
    else:
        manual = rule(*avals, **params)
    if not primitive.multiple_results:
        return _with(outs, manual)
    if isinstance(manual, ManualAxisType):
        return [_with(out, manual) for out in outs]
    return [_with(out, m) for out, m in zip(outs, manual, strict=True)]


def _with(aval, manual):
    if getattr(aval, "manual_axis_type", manual) == manual:
        return aval
    return aval.update(manual_axis_type=manual)


def joined(
    primitive: Any, avals: Sequence[Any], params: Mapping[str, Any]
) -> ManualAxisType:
    """How a result varies that is made of all operands alike.

    Raises:
        ShardingTypeError: operands are unreduced or reduced over different axes.
        NotImplementedError: the operation is not linear in what is unreduced.
    """
    manual = [of_type(aval) for aval in avals]
    if len(set(manual)) == 1 and not manual[0].unreduced:
        return manual[0]
    axes = frozenset().union(*[m.varying for m in manual])
    if not any(m.unreduced or m.reduced for m in manual):
        return ManualAxisType(varying=axes)
    operands = [
        unreduced.Operand(
            aval, unreduced.along(m.unreduced, m.reduced), m.varying, True
        )
        for aval, m in zip(avals, manual, strict=True)
    ]
    found = unreduced.result_of(primitive, operands, params)
    return ManualAxisType(
        varying=axes, unreduced=found.unreduced, reduced=found.reduced
    )
