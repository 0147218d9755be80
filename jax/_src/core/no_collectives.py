"""Mesh axes along which a block of code must not communicate."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

from jax._src.base import config, errors
from jax._src.base.errors import ForbiddenCollectiveError
from jax._src.base.traceback_filter import hides_frames
from jax._src.core import avals as avals_lib, jaxpr, primitive as primitive_lib

forbidden = config.anything(
    "jax_no_collectives",
    frozenset(),
    "mesh axes along which no operation may communicate",
    traced=True,
)

# Operations along named axes that exchange nothing.
_SILENT = frozenset({"axis_index", "pvary", "preduced"})


@hides_frames
def no_collectives(new_val: Set) -> config.Setting:
    """Returns a block in which operations that communicate along some mesh axes are refused.

    Over Explicit axes these are the operations whose result is no longer split over an axis
    over which an operand is, and is no part of a sum along it. Inside `jax.shard_map` they
    are the collectives along the axis.

    Args:
        new_val: the set of the names of axes; that of the innermost block counts.

    Returns:
        A context manager, which is a decorator too. In it tracing raises
        `ForbiddenCollectiveError` at the first such operation.

    Raises:
        TypeError: `new_val` is no set.
    """
    if not isinstance(new_val, Set):
        raise errors.type_error(
            f"Expected axis name(s) as set or frozenset, got {new_val!r} of type {type(new_val)}",
            ways="Write a single name as {'x'}.",
        )
    return forbidden(frozenset(new_val))


def check(
    primitive: primitive_lib.Primitive,
    avals: Sequence[Any],
    params: Mapping[str, Any],
    outs: Sequence[Any],
) -> None:
    """Refuses an operation that communicates along an axis of the current block.

    Raises:
        ForbiddenCollectiveError: it does.
    """
    axes = forbidden.value
    if primitive.traits & primitive_lib.Trait.COLLECTIVE:
        if primitive.name in _SILENT:
            return
        names = params.get("axes", params.get("axis_name", ()))
        acting = [name for name in _listed(names) if name in axes]
        if acting:
            raise _refused(acting[0], primitive, "acts on axis {!r}", avals, outs)
    if any(jaxpr.jaxprs_in_params(dict(params))):
        return  # The operations of its program were checked when it was traced.
    for name in _split_over(avals):
        if name in axes and any(name not in _named(out) for out in outs):
            what = (
                "contracts over axis {!r} without marking it unreduced in the output"
                if primitive.name == "dot_general"
                else "loses sharding axis {!r} in the output without marking it unreduced"
            )
            raise _refused(name, primitive, what, avals, outs)


def _listed(names):
    return names if isinstance(names, tuple | list) else (names,)


def _split_over(avals):
    """The Explicit axes over which operands are split, each once."""
    return dict.fromkeys(
        name
        for aval in avals
        if isinstance(aval, avals_lib.ShapedArray) and aval.is_placed
        for name in aval.sharding.spec.names
    )


def _named(aval):
    """The axes over which a result is split or of whose sums it is a part."""
    if not isinstance(aval, avals_lib.ShapedArray) or not aval.is_placed:
        return frozenset()
    return frozenset(aval.sharding.spec.names) | aval.sharding.spec.unreduced


def _refused(name, primitive, what, avals, outs):
    return ForbiddenCollectiveError(
        errors.explain(
            f"Collective across axis {name!r} is forbidden by `no_collectives`, but "
            f"`{primitive.name.removesuffix('_invariant')}` {what.format(name)}.",
            [(f"operand {i}", a.str_short()) for i, a in enumerate(avals)]
            + [(f"result {i}", a.str_short()) for i, a in enumerate(outs)],
            ways="Compute without the axis, or outside of the block.",
        )
    )
