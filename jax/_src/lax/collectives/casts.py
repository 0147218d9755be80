"""Changes of how a value varies along mesh axes, and the sums that are their transposes.

No data moves in a cast: every device keeps what it has, and the type says something
else of it. The transpose of a cast may well move data: where a value that all devices
share starts to vary, the cotangents of all of them are summed.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from jax._src import tree as trees
from jax._src.base import traceback_filter
from jax._src.core import avals, slots, state, vma
from jax._src.core.primitive import Trait, declare_table
from jax._src.lax.collectives import axes as axes_lib, emit as collective
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.broadcast_and_reduce_sum import batch_in_front, reduce_sum
from jax._src.lax.ops.checks import NUMBER, check_kind
from jax._src.lax.ops.messages import value_error


def ordered(axes: frozenset) -> tuple[Hashable, ...]:
    """Axes in the order in which they are bound: that of the mesh."""
    return tuple(name for name in state.axes() if name in axes)


def _cast(name: str, take: str | None, give: str, transpose: Callable, doc: str):
    """A primitive that changes the state of a value along axes, and no data."""

    def types(x, *, axes):
        for axis in axes:
            axes_lib.size_of(axis)
        return x

    def batch(axis, args, dims, *, axes):
        return primitive.bind(args[0], axes=axes), dims[0]

    table = {
        "types": types,
        "sharding": splitting.like_first,
        "manual": lambda x, *, axes: axes_lib.changed(x, axes, take=take, give=give),
        "jvp": (lambda t, x, *, axes: primitive.bind(t, axes=axes),),
        "transpose": lambda ct, x, *, axes: [transpose(ct, axes)],
        "batch": batch,
        "lower": lambda ctx, x, *, axes: x,
    }
    primitive = declare_table(name, table, doc=doc)
    return primitive


def _sum(name: str, take: str, transpose: Callable, doc: str):
    """A primitive that sums over mesh axes; every device has the sum."""

    def batch(axis, args, dims, *, axes):
        (x,), (dim,) = args, dims
        if axis.name not in axes:
            return primitive.bind(x, axes=axes), dim
        rest = tuple(a for a in axes if a != axis.name)
        total = reduce_sum(batch_in_front(x, dim, axis.size), (0,))
        return (primitive.bind(total, axes=rest) if rest else total), None

    def lower(ctx, x, *, axes):
        region = axes_lib.region_of(ctx, "psum", axes)
        groups = region.groups(axes, None)
        return collective.all_reduce(x, groups, emit.operation("add"))

    def types(x, *, axes):
        check_kind("psum", x, NUMBER)
        return x

    table = {
        "types": types,
        "sharding": splitting.like_first,
        "effects": lambda x, *, axes: axes_lib.named_effects(axes),
        "manual": lambda x, *, axes: axes_lib.changed(x, axes, take=take),
        "jvp": (lambda t, x, *, axes: primitive.bind(t, axes=axes),),
        "transpose": lambda ct, x, *, axes: [transpose(ct, axes)],
        "batch": batch,
        "lower": lower,
    }
    primitive = declare_table(name, table, traits=Trait.COLLECTIVE, doc=doc)
    return primitive


pvary_p = _cast(
    "pvary",
    None,
    "varying",
    lambda ct, axes: psum_invariant_p.bind(ct, axes=axes),
    "A value that devices share, from here on each one's own.",
)
psum_invariant_p = _sum(
    "psum_invariant",
    "varying",
    lambda ct, axes: pvary_p.bind(ct, axes=axes),
    "The sum over mesh axes of values that vary along them.",
)
preduced_p = _cast(
    "preduced",
    None,
    "reduced",
    lambda ct, axes: unreduced_psum_p.bind(ct, axes=axes),
    "A value that devices share, whose cotangents are parts of a sum.",
)
unreduced_psum_p = _sum(
    "unreduced_psum",
    "unreduced",
    lambda ct, axes: preduced_p.bind(ct, axes=axes),
    "The sum over mesh axes that was due.",
)
vary_unreduced_cast_p = _cast(
    "vary_unreduced_cast",
    "varying",
    "unreduced",
    lambda ct, axes: reduced_vary_cast_p.bind(ct, axes=axes),
    "Values of the devices, from here on parts of a sum.",
)
reduced_vary_cast_p = _cast(
    "reduced_vary_cast",
    "reduced",
    "varying",
    lambda ct, axes: vary_unreduced_cast_p.bind(ct, axes=axes),
    "The transpose of `vary_unreduced_cast`.",
)

_CASTS = {
    ("invarying", "varying"): pvary_p,
    ("invarying", "reduced"): preduced_p,
    ("varying", "unreduced"): vary_unreduced_cast_p,
    ("reduced", "varying"): reduced_vary_cast_p,
}


@slots.vary_as.fill
def vary_as(x: Any, manual: vma.ManualAxisType) -> Any:
    """The value in a state along mesh axes that casts lead to."""
    here = vma.of(x)
    if here is manual or not state.tracked_axes():
        return x
    freed = here.reduced & manual.varying
    if freed:
        x = reduced_vary_cast_p.bind(x, axes=ordered(freed))
    parts = manual.unreduced - here.unreduced
    own = (manual.varying | parts) - here.varying - freed
    if own:
        x = pvary_p.bind(x, axes=ordered(own))
    if parts:
        x = vary_unreduced_cast_p.bind(x, axes=ordered(parts))
    if manual.reduced - here.reduced:
        x = preduced_p.bind(x, axes=ordered(manual.reduced - here.reduced))
    return x


def state_along(
    name: str, x: Any, names: Sequence[Hashable], *, several: bool = False
) -> str:
    """The state of a value along mesh axes.

    Raises:
        ValueError: it is not the same along all of them.
    """
    manual = vma.of(x)
    found = {
        next(
            (
                kind
                for kind in ("varying", "unreduced", "reduced")
                if axis in getattr(manual, kind)
            ),
            "invarying",
        )
        for axis in names
    }
    if len(found) > 1:
        raise value_error(
            f"lax.{name}: the operand is not in one state along the axes.",
            [
                ("operand", avals.get_aval(x).str_short()),
                ("axes", tuple(names)),
                ("states", ", ".join(sorted(found))),
            ],
            "Along all axes it is varying, or unreduced, or reduced, or invarying.",
            'jax.lax.pcast(x, axis, to="varying") changes it along one of them.',
            "Or use the operation for each axis alone.",
        )
    return found.pop() if found else "invarying"


def pcast(x: Any, axis_name: Any, *, to: str) -> Any:
    """Changes how the type of a value says that it varies along mesh axes.

    Inside `jax.shard_map`, a value that devices share may become each one's own
    (``to="varying"``): its cotangents are summed then. No data moves.

    Args:
        x: a tree of arrays, all of them in the same state along all the axes.
        axis_name: a mesh axis, or a tuple of such.
        to: "varying", from what does not vary, or is reduced; "reduced", from what
            does not vary; "unreduced", from what varies.

    Raises:
        ValueError: no such axis is bound here, or there is no such change.
        TypeError: `axis_name` is a set.
    """
    if isinstance(axis_name, set | frozenset):
        raise TypeError(
            "lax.pcast: axis_name is a name or a tuple of names, not a set."
        )
    names = axes_lib.names_of(axis_name)
    unbound = [name for name in names if name not in state.axes()]
    kinds = sorted({kind for _, kind in _CASTS})
    if unbound or to not in kinds:
        raise value_error(
            f"lax.pcast: {'no such axis' if unbound else 'no such state'}.",
            [
                ("axis_name", names),
                ("bound here", tuple(state.axes()) or "none"),
                ("to", repr(to)),
            ],
            f"Axes are those of jax.shard_map around; states are {', '.join(kinds)}.",
            "jax.lax.psum makes a value that does not vary of one that does.",
        )
    return trees.tree_map(lambda leaf: _cast_leaf(leaf, names, to), x)


def _cast_leaf(x, names, to):
    if not names or not axes_lib.tracked(names):
        return x
    start = state_along("pcast", x, names)
    primitive = _CASTS.get((start, to))
    if primitive is None:
        raise value_error(
            f"Unsupported pcast from {start} to {to}.",
            [("operand", avals.get_aval(x).str_short()), ("axes", names)],
            "It goes from invarying to varying or reduced, from varying to "
            "unreduced, from reduced to varying.",
            "Leave it out where the value is in that state already.",
        )
    return primitive.bind(x, axes=names)


traceback_filter.hide_frames(globals())
