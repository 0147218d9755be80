"""Who decides about mesh axes: moving values, and functions in which it is another."""

import functools as ft
from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors, traceback_filter
from jax._src.core import (
    avals,
    mesh as mesh_lib,
    mesh_context,
    mesh_usage,
    partition_spec,
    shardings as shardings_lib,
    trace,
)
from jax._src.core.partition_spec import PartitionSpec
from jax._src.lax.ops import resharding, splitting
from jax._src.runtime.transfers import device_put_get


def reshard(xs: Any, out_shardings: Any) -> Any:
    """Reshards arrays over the Explicit axes of a mesh as `out_shardings` says.

    Cotangents are sharded as the operand's type says.

    Args:
        xs: a tree of arrays of any dtype.
        out_shardings: a `PartitionSpec` over the current mesh or a `NamedSharding`, or a
            tree prefix of such.

    Raises:
        TypeError: a leaf of `out_shardings` is no sharding.
        ValueError: a spec names an axis that is not Explicit, has too many entries, does
            not divide a size, or there is no mesh.
    """
    if out_shardings is None:
        raise errors.value_error(
            "reshard: out_shardings is None, which is no sharding.",
            [],
            "Each array needs a PartitionSpec over the current mesh, or a sharding.",
            "Write jax.reshard(x, P()) for arrays that are replicated.",
        )
    return _reshard_tree("reshard", xs, out_shardings)


def _reshard_tree(name, xs, shardings):
    is_leaf = lambda s: s is None or isinstance(s, partition_spec.PartitionSpec)  # noqa: E731
    leaves, structure = tree.tree_flatten(xs)
    spread = tree.spread_over(f"{name} shardings", shardings, structure, is_leaf)
    pairs = zip(leaves, spread, strict=True)
    return tree.tree_unflatten(
        structure, [_reshard_leaf(name, leaf, where) for leaf, where in pairs]
    )


def _reshard_leaf(name, x, where):
    if where is None:
        return x
    aval = avals.get_aval(x)
    target = splitting.given_sharding(name, where, aval.ndim)
    aval.update(sharding=target)
    concrete = isinstance(where, shardings_lib.NamedSharding) and isinstance(
        where.mesh, mesh_lib.Mesh
    )
    if concrete and trace.is_evaluating() and not (target.spec.unreduced):
        return device_put_get.device_put(x, where.update(spec=target.spec))
    return resharding.moved(x, target)


def on_current_mesh(x: Any) -> Any:
    """An array just made: whole on every device of the current mesh, if one is set."""
    mesh = mesh_context.concrete_mesh() if mesh_usage.is_used else None
    if mesh is None:
        return x
    axes = mesh_context.get_abstract_mesh()
    if axes.shape_tuple == mesh.shape_tuple and not axes.manual_axes:
        mesh = mesh.update(axis_types=axes.axis_types)
    return device_put_get.device_put(
        x, shardings_lib.NamedSharding(mesh, partition_spec.PartitionSpec())
    )


def auto_axes(
    f: Callable | None = None, /, *, axes: Any = None, out_sharding: Any = None
) -> Callable:
    """A function in which the compiler decides about mesh axes that types decide about.

    Args:
        f: the function of trees of arrays; None: a decorator is returned.
        axes: the name of the axes, or several; None: all of the current mesh.
        out_sharding: how the results are sharded over these axes: a `PartitionSpec` or
            `NamedSharding`, or a tree prefix. It may be given to each call instead.

    Returns:
        A function with the further keyword argument `out_sharding`. Where there is no
        mesh at all, it is `f`.

    Raises:
        TypeError: on a call, `out_sharding` is not given at all.
    """
    if f is None:
        return ft.partial(auto_axes, axes=axes, out_sharding=out_sharding)
    return _with_auto_axes(f, axes, out_sharding, has_choice=True)


def placed_by_compiler(f: Callable, out_sharding: Any) -> Callable:
    """`auto_axes` of a function of ours, whose `out_sharding` must be of Explicit axes."""
    if not isinstance(out_sharding, shardings_lib.NamedSharding | PartitionSpec):
        raise errors.type_error(
            f"{f.__name__}: `out_sharding` is neither a NamedSharding nor a "
            "PartitionSpec.",
            [("got", f"{out_sharding!r} of type {type(out_sharding).__name__}")],
            ways="Give one, such as PartitionSpec('x') under jax.set_mesh(mesh).",
        )
    return _with_auto_axes(f, None, out_sharding, has_choice=False)


def _with_auto_axes(f, axes, default, *, has_choice):

    @ft.wraps(f)
    def run(*args, out_sharding=None, **kwargs):
        wanted = default if out_sharding is None else out_sharding
        if wanted is None:
            raise TypeError(
                "auto_axes: Missing required keyword argument: 'out_sharding'. It says "
                "how the results are sharded: give it to auto_axes or to the call."
            )
        outer = _mesh_of(args, wanted)
        if outer.empty:
            return f(*args, **kwargs)  # Nobody but the compiler decides about no axes.
        # Of Manual axes, a function of ours knows what each device computes.
        chosen = axes if has_choice else _not_manual(outer)
        inner = _with_types("auto_axes", outer, chosen, mesh_lib.AxisType.Auto)
        leaves, structure = tree.tree_flatten((args, kwargs))
        moved = [_in_mode(_on_current(leaf), inner) for leaf in leaves]
        args, kwargs = tree.tree_unflatten(structure, moved)
        with mesh_context.use_axis_types(inner):
            out = f(*args, **kwargs)
        if has_choice and not outer.explicit_axes:
            return out  # The compiler decides about all axes anyway.
        with mesh_context.use_abstract_mesh(outer):
            return _reshard_tree("auto_axes", out, wanted)

    return run


def explicit_axes(
    f: Callable | None = None, /, *, axes: Any = None, in_sharding: Any = None
) -> Callable:
    """A function in which types decide about mesh axes that the compiler decides about.

    Args:
        f: the function of trees of arrays; None: a decorator is returned.
        axes: the name of the axes, or several; None: all of the current mesh.
        in_sharding: how the arguments are sharded over these axes: a `PartitionSpec`, or a tree
            prefix of the tuple of arguments. It may be given to each call instead.

    Returns:
        A function with the further keyword argument `in_sharding`.

    Raises:
        TypeError: on a call, `in_sharding` is not given at all.
        ValueError: on a call, there is no mesh.
    """
    if f is None:
        return ft.partial(explicit_axes, axes=axes, in_sharding=in_sharding)
    default = in_sharding

    @ft.wraps(f)
    def run(*args, in_sharding=None, **kwargs):
        wanted = default if in_sharding is None else in_sharding
        if wanted is None:
            raise TypeError(
                "explicit_axes: Missing required keyword argument: 'in_sharding'. It "
                "says how the arguments are sharded: give it to explicit_axes or to the call."
            )
        outer = mesh_context.get_abstract_mesh()
        if outer.empty:
            raise errors.value_error(
                "explicit_axes: no mesh is set.",
                [("mesh", "none is set here")],
                "The types of its axes change in the function.",
                "Set one with jax.set_mesh(mesh).",
            )
        inner = _with_types("explicit_axes", outer, axes, mesh_lib.AxisType.Explicit)
        args = tree.tree_map(_on_current, args)
        with mesh_context.use_axis_types(inner):
            args = _reshard_tree("explicit_axes", args, wanted)
            out = f(*args, **kwargs)
        return tree.tree_map(lambda leaf: _in_mode(leaf, outer), out)

    return run


def _mesh_of(args, wanted):
    """The current mesh, or that of the arguments or the wanted sharding; else an empty one."""
    context = mesh_context.get_abstract_mesh()
    if not context.empty:
        return context
    for leaf in tree.tree_leaves((args, wanted)):
        if isinstance(leaf, shardings_lib.NamedSharding):
            return leaf.mesh.abstract_mesh
        if avals.is_value(leaf) and not avals.get_aval(leaf).sharding.mesh.empty:
            return avals.get_aval(leaf).sharding.mesh
    return context


def _not_manual(mesh):
    types = zip(mesh.axis_names, mesh.axis_types, strict=True)
    return tuple(name for name, kind in types if kind is not mesh_lib.AxisType.Manual)


def _with_types(name, mesh, axes, kind):
    """The mesh in which `axes` have the type `kind`."""
    names = mesh.axis_names if axes is None else axes
    names = names if isinstance(names, tuple | list | set | frozenset) else (names,)
    types = dict(zip(mesh.axis_names, mesh.axis_types, strict=True))
    for axis in names:
        if axis not in types:
            raise errors.value_error(
                f"{name}: the mesh has no axis {axis!r}.",
                [("axes", repr(tuple(names))), ("mesh", repr(mesh))],
            )
        if types[axis] is mesh_lib.AxisType.Manual:
            raise errors.not_implemented(
                f"{name}: the axis {axis!r} is Manual here.",
                [("mesh", repr(mesh))],
                "Inside of shard_map the program decides about such axes.",
            )
    return mesh.update_axis_types(dict.fromkeys(names, kind))


def _on_current(x):
    """A traced value, on the current mesh at least: its cotangent comes back to that mesh."""
    mesh = mesh_context.get_abstract_mesh()
    aval = avals.get_aval(x) if isinstance(x, trace.Tracer) else None
    is_nowhere = isinstance(aval, avals.ShapedArray) and aval.sharding.mesh.empty
    if mesh.empty or not is_nowhere:
        return x
    whole = partition_spec.PartitionSpec(*[None] * aval.ndim)
    return resharding.moved(x, shardings_lib.NamedSharding(mesh, whole))


def _in_mode(x, mesh):
    """`x` on its own devices, with a type over `mesh`: entries of other axes are left out."""
    aval = avals.get_aval(x) if avals.is_value(x) else None
    if not isinstance(aval, avals.ShapedArray) or not aval.is_placed:
        return x
    known = aval.sharding
    spec = known.spec if not known.mesh.empty else partition_spec.PartitionSpec()
    explicit = set(mesh.explicit_axes)
    kept = partition_spec.PartitionSpec(
        *(
            tuple(n for n in spec.names_of(axis) if n in explicit)
            for axis in range(len(spec))
        ),
        unreduced=spec.unreduced & explicit,
        reduced=spec.reduced & explicit,
    )
    return resharding.moved(
        x, shardings_lib.NamedSharding(mesh, kept.padded(aval.ndim))
    )


traceback_filter.hide_frames(globals())
