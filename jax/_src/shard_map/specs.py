"""Types and specs on both sides of a `shard_map`, and the context of its body."""

import contextlib
import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from jax._src.core import (
    avals as avals_lib,
    mesh as mesh_lib,
    mesh_context,
    partition_spec,
    shardings,
    slots,
    state,
    vma,
)
from jax._src.interpreters import hijax

P = partition_spec.PartitionSpec


def names_of(spec: P) -> frozenset[Hashable]:
    """All mesh axes that a spec names among its entries."""
    return frozenset(spec.names)


def in_mesh_order(mesh: Any, axes: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Some axes of a mesh in its order."""
    wanted = frozenset(axes)
    return tuple(name for name in mesh.axis_names if name in wanted)


def part_count(mesh: Any, names: Iterable[Hashable]) -> int:
    """Into how many parts these axes split."""
    sizes = mesh.shape
    return math.prod(sizes[name] for name in names)


def local_shape(mesh: Any, spec: P, shape: Sequence[Any]) -> tuple[Any, ...]:
    """The shape of a part."""
    counts = [part_count(mesh, spec.names_of(axis)) for axis in range(len(shape))]
    return tuple(size // n for size, n in zip(shape, counts, strict=True))


def global_shape(mesh: Any, spec: P, shape: Sequence[Any]) -> tuple[Any, ...]:
    """The shape of the whole."""
    counts = [part_count(mesh, spec.names_of(axis)) for axis in range(len(shape))]
    return tuple(size * n for size, n in zip(shape, counts, strict=True))


def inner_mesh(mesh: Any, axes: frozenset) -> mesh_lib.AbstractMesh:
    """The mesh as types in the body have it, where `axes` become manual."""
    manual = axes | frozenset(mesh_context.get_abstract_mesh().manual_axes)
    kinds = {
        name: mesh_lib.AxisType.Manual for name in mesh.axis_names if name in manual
    }
    return mesh.abstract_mesh.update_axis_types(kinds)


def _explicit_part(spec: P, mesh: mesh_lib.AbstractMesh) -> P:
    """What a spec says of the Explicit axes of a mesh."""
    explicit = frozenset(mesh.explicit_axes)
    return P(
        *(
            tuple(name for name in spec.names_of(axis) if name in explicit)
            for axis in range(len(spec))
        ),
        unreduced=spec.unreduced & explicit,
        reduced=spec.reduced & explicit,
    )


def low_specs(avals: Sequence[Any], specs: Sequence[Any]) -> tuple[P, ...]:
    """The specs of the arrays of which values of these types are made."""
    found: list[P] = []
    for aval, spec in zip(avals, specs, strict=True):
        is_one = isinstance(spec, P)
        found += [spec] * len(hijax.lo_avals([aval])) if is_one else spec.to_lo()
    return tuple(found)


def local_aval(aval: Any, spec: P, mesh: Any, axes: frozenset, check_vma: bool) -> Any:
    """The type, in the body, of an argument of the type `aval`."""
    if not isinstance(aval, avals_lib.ShapedArray):
        return aval.shard(mesh, axes, check_vma, spec) if aval.is_high else aval
    here = inner_mesh(mesh, axes)
    kept = _explicit_part(aval.sharding.spec, here)
    outer = aval.manual_axis_type
    manual = vma.NONE
    if check_vma:
        manual = vma.ManualAxisType(
            varying=outer.varying | (names_of(spec) & axes),
            unreduced=outer.unreduced | spec.unreduced,
            reduced=outer.reduced | spec.reduced,
        )
    return aval.update(
        shape=local_shape(mesh, spec, aval.shape),
        sharding=shardings.NamedSharding(here, kept),
        manual_axis_type=manual,
    )


def global_aval(
    aval: Any, spec: P, mesh: Any, axes: frozenset, outer: frozenset
) -> Any:
    """The type of a result of the body's type `aval`.

    Args:
        aval: its type in the body.
        spec: how the result is split.
        mesh: the mesh.
        axes: the axes that are manual in the body only.
        outer: axes along which it varies besides what its type says.
    """
    if not isinstance(aval, avals_lib.ShapedArray):
        return aval.unshard(mesh, not outer, spec) if aval.is_high else aval
    manual = aval.manual_axis_type
    kept = vma.ManualAxisType(
        varying=(manual.varying - axes) | outer,
        unreduced=manual.unreduced - axes,
        reduced=manual.reduced - axes,
    )
    shape = global_shape(mesh, spec, aval.shape)
    context = mesh_context.get_abstract_mesh()
    outside = mesh.abstract_mesh if context.empty else context
    return aval.update(
        shape=shape,
        sharding=shardings.NamedSharding(outside, _whole_spec(aval, spec, outside)),
        manual_axis_type=kept,
    )


def _whole_spec(aval, spec, mesh):
    """How a result is sharded over Explicit axes: as the specs say, then as in the body."""
    own = aval.sharding.spec
    joined = P(
        *((*spec.names_of(axis), *own.names_of(axis)) for axis in range(aval.ndim)),
        unreduced=spec.unreduced | own.unreduced,
        reduced=spec.reduced | own.reduced,
    )
    return _explicit_part(joined, mesh)


@contextlib.contextmanager
def inside(mesh: Any, axes: frozenset, check_vma: bool) -> Iterator[None]:
    """The context in which the body of a `shard_map` is traced.

    Args:
        mesh: its mesh.
        axes: the axes that become manual.
        check_vma: whether types say which values vary along them.
    """
    here = inner_mesh(mesh, axes)
    sizes = {name: mesh.shape[name] for name in in_mesh_order(mesh, axes)}
    tracked = state.tracked_axes() | axes if check_vma else frozenset()
    with (
        state.binding_axes(sizes),
        state.tracking_axes(tracked),
        mesh_context.use_abstract_mesh(here),
    ):
        yield


def with_entry(spec: P, axis: int, entry: Any, ndim: int) -> P:
    """The spec of an array with one more axis, put in at `axis`."""
    entries = [*spec.padded(ndim).partitions]
    entries.insert(axis, entry)
    return spec.update(partitions=tuple(entries))


def residual_spec(aval: Any, mesh: Any, axes: frozenset, check_vma: bool) -> P:
    """How a value of the body's type `aval` leaves it whole: joined along its first axis.

    Where types say nothing, each device has its own value.
    """
    if aval.is_high:
        return aval.nospec(mesh, check_vma, tuple(mesh.axis_names))
    manual = aval.manual_axis_type
    if manual.unreduced & axes:
        raise NotImplementedError(
            f"shard_map: a part of a sum that is due, {aval.str_short()}, is needed where "
            "the body is split in two. Take the sum before: jax.lax.psum(x, axes)."
        )
    own = manual.varying & axes if check_vma else axes
    names = in_mesh_order(mesh, own)
    return P(names) if names else P()


def own_spec(aval: Any, mesh: Any, axes: frozenset, check_vma: bool) -> P:
    """How what each device has of a value leaves the body: joined along its first axis.

    Of a sum that is due, these are the summands.
    """
    due = frozenset() if aval.is_high else aval.manual_axis_type.unreduced & axes
    if not (check_vma and due):
        return residual_spec(aval, mesh, axes, check_vma)
    return P(in_mesh_order(mesh, due | (aval.manual_axis_type.varying & axes)))


def _whole_type(aval, spec, mesh, check_vma):
    """The type of a whole by that of its parts, which says which axes are manual."""
    axes = frozenset(aval.sharding.mesh.manual_axes)
    axes -= frozenset(mesh_context.get_abstract_mesh().manual_axes)
    return global_aval(aval, spec, mesh, axes, frozenset())


def _open_spec(aval, mesh, check_vma, names):
    """How values of a type leave the body whole, along some axes."""
    return residual_spec(aval, mesh, frozenset(names), check_vma)


slots.part_type.fill(local_aval)
slots.whole_type.fill(_whole_type)
slots.open_spec.fill(_open_spec)


class InferFromArgs:
    """Stands for the specs in the types of arguments; there is one instance, `Infer`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Infer"

    def __reduce__(self) -> str:
        return "Infer"


Infer = InferFromArgs()
