"""Names of axes as collectives take them: checks, effects, groups, and who varies."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from jax._src import tree as trees
from jax._src.core import avals, effects, state, vma
from jax._src.lax.ops.checks import canonical_axis
from jax._src.lax.ops.messages import not_implemented, value_error


def names_of(axis_name: Any) -> tuple[Hashable, ...]:
    """One name or several, as a tuple."""
    return tuple(axis_name) if isinstance(axis_name, tuple | list) else (axis_name,)


def size_of(names: Any) -> int:
    """The number of devices or batch elements along axes; NameError where one is not bound."""
    return state.axis_size(names)


def named_effects(axes: Any) -> frozenset:
    """What a program depends on that speaks along these axes."""
    return frozenset(
        effects.NamedAxisEffect(name)
        for name in names_of(axes)
        if not isinstance(name, int)
    )


def leaves_of(name: str, x: Any) -> Any:
    """A tree of arrays, its leaves checked.

    Raises:
        TypeError: a leaf is no array.
    """

    def check(leaf):
        if not avals.is_value(leaf):
            raise avals.not_a_value(leaf, f"lax.{name}")
        return leaf

    return trees.tree_map(check, x)


def tracked(names: Sequence[Hashable]) -> list[Hashable]:
    """Returns the axes among `names` along which types record what varies."""
    axes = state.tracked_axes()
    return [name for name in names if name in axes] if axes else []


def make_varying(name: str, x: Any, names: Sequence[Hashable]) -> Any:
    """The operand of a collective, made to vary along all of its axes.

    Raises:
        ValueError: a sum over one of the axes is still due.
    """
    axes = frozenset(tracked(names))
    if not axes:
        return x
    manual = vma.of(x)
    if axes & (manual.unreduced | manual.reduced):
        raise value_error(
            f"lax.{name}: the operand is unreduced or reduced over the axes.",
            [("operand", avals.get_aval(x).str_short()), ("axes", tuple(names))],
            "It must vary along them, or not depend on them.",
            "jax.lax.psum(x, axes) takes a sum that is due.",
        )
    return vma.vary_along(x, axes | manual.varying)


def changed(
    aval: Any,
    names: Sequence[Hashable],
    *,
    take: str | None = None,
    give: str | None = None,
) -> vma.ManualAxisType:
    """How a result varies: the operand's state along `names` changed.

    Args:
        aval: the type of the operand.
        names: the axes.
        take: the state that ends: "varying", "unreduced" or "reduced".
        give: the state that begins.
    """
    manual = aval.manual_axis_type
    axes = frozenset(tracked(names))
    sets = {kind: getattr(manual, kind) for kind in ("varying", "unreduced", "reduced")}
    if take is not None:
        sets[take] = sets[take] - axes
    if give is not None:
        sets[give] = sets[give] | axes
    return vma.ManualAxisType(**sets)


def check_groups(
    name: str, groups: Any, names: Sequence[Hashable], *, even: bool = True
) -> tuple[tuple[int, ...], ...] | None:
    """Groups of positions as tuples.

    Raises:
        ValueError: a position is in no group or in several, or groups differ in size.
    """
    if groups is None:
        return None
    found = tuple(tuple(int(i) for i in group) for group in groups)
    size = size_of(names)
    listed = sorted(i for group in found for i in group)
    facts = [("axis_index_groups", found), ("size of the axis", size)]
    if listed != list(range(size)):
        raise value_error(
            f"lax.{name}: the groups do not cover the axis.",
            facts,
            "Each position along the axis is in exactly one group.",
        )
    if even and len(set(map(len, found))) > 1:
        raise value_error(
            f"lax.{name}: the groups differ in size.",
            facts,
            "All groups get results of one shape.",
            "lax.psum takes groups of different sizes.",
        )
    return found


def group_size(names: Sequence[Hashable], groups: Any) -> int:
    """How many speak with each other."""
    return size_of(names) if groups is None else len(groups[0])


def refuse_groups(name: str, groups: Any) -> None:
    """Refuses groups along an axis of `vmap`."""
    if groups is not None:
        raise NotImplementedError(
            f"lax.{name}: axis_index_groups are not supported for axes of jax.vmap."
        )


def refuse_mixture(name: str, names: Sequence[Hashable], mapped: Hashable) -> None:
    """Refuses an axis of `vmap` among others."""
    raise not_implemented(
        f"lax.{name}: an axis of jax.vmap among several axes.",
        [("axes", tuple(names)), ("of jax.vmap", mapped)],
        "This operation goes along axes of one kind.",
        "Apply it to one axis after the other.",
    )


def placed(name: str, x: Any, axes: Sequence[Any]) -> tuple[Any, ...]:
    """The axes of a reduction of `x`, those by position counted from the front."""
    rank = np.ndim(x)
    return tuple(
        canonical_axis(axis, rank, name) if isinstance(axis, int) else axis
        for axis in axes
    )


def region_of(ctx: Any, name: str, axes: Sequence[Hashable]) -> Any:
    """The part of the mesh that is being lowered.

    Raises:
        NotImplementedError: an axis is not one of a mesh.
    """
    region = ctx.module_context.manual
    left = [a for a in axes if region is None or a not in region.axes]
    if left:
        raise not_implemented(
            f"lax.{name}: a named axis is left over when compiling.",
            [("axis", ", ".join(map(repr, left)))],
            "Named axes are those of jax.vmap, and of a mesh in jax.shard_map.",
            "Call the function where the axis is mapped.",
        )
    return region
