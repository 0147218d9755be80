"""Where intermediate values shall lie."""

from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors, traceback_filter
from jax._src.core import (
    mesh as me,
    mesh_context,
    partition_spec as ps,
    shardings as sh,
    trace as tr,
)
from jax._src.runtime import placement
from jax._src.transforms import jit_call


def _as_sharding(where, mesh):
    if not isinstance(where, ps.PartitionSpec):
        return where
    if mesh is None or mesh.empty:
        raise RuntimeError(
            errors.explain(
                "A PartitionSpec needs a mesh.",
                [("spec", repr(where)), ("mesh", "none is set here")],
                ways="Set one with jax.set_mesh(mesh), or pass a NamedSharding.",
            )
        )
    return sh.NamedSharding(mesh, where)


def _current_mesh():
    blocks = me.entered.get()
    return blocks[-1] if blocks else mesh_context.concrete_mesh()


def with_sharding_constraint(x: Any, shardings: Any) -> Any:
    """Says where an intermediate value shall lie.

    Args:
        x: a tree of arrays of any dtype.
        shardings: a `Sharding` or `PartitionSpec`, or a tree prefix of such.

    Returns:
        The same values. Outside of a trace they are moved; in one, a single device
        leaves no choice.

    Raises:
        TypeError: a leaf of `shardings` says no place.
        ValueError: an axis cannot be split evenly, or a spec has too many entries.
        RuntimeError: a `PartitionSpec` is given where no mesh is set.
        NotImplementedError: several devices are asked for inside of a trace.
    """
    mesh = _current_mesh()
    is_leaf = lambda s: s is None or isinstance(s, ps.PartitionSpec)  # noqa: E731
    jit_call.check_shardings("with_sharding_constraint: shardings", shardings)

    def constrain(where, part):
        where = _as_sharding(where, mesh)
        return tree.tree_map(lambda leaf: _constrain(leaf, where), part)

    return tree.tree_map(constrain, shardings, x, is_leaf=is_leaf)


def _constrain(leaf, where):
    if where is None:
        return leaf
    where.shard_shape(leaf.shape)
    if not isinstance(leaf, tr.Tracer):
        return placement.device_put(leaf, where)
    if where.num_devices > 1:
        raise NotImplementedError(
            errors.explain(
                "Programs are compiled for one device; several were asked for.",
                [("sharding", repr(where)), ("array", leaf.aval.str_short())],
                ways="Leave the constraint out, or use a mesh of one device.",
            )
        )
    return leaf


def reshard(xs: Any, out_shardings: Any) -> Any:
    """The same arrays, lying as `out_shardings` says.

    Args:
        xs: a tree of arrays of any dtype.
        out_shardings: as the second argument of `jax.lax.with_sharding_constraint`; so
            are errors.

    Raises:
        TypeError: a leaf of `out_shardings` says no place.
    """
    return with_sharding_constraint(xs, out_shardings)


def auto_axes(
    f: Callable | None = None, /, *, axes: Any = None, out_sharding: Any = None
) -> Callable:
    """Decorates a function in which the compiler decides about mesh axes.

    Args:
        f: the function; None: the decorator is returned.
        axes: the axes; None: all.
        out_sharding: how the results lie.
    """
    return _between_modes(f, out_sharding)


def explicit_axes(
    f: Callable | None = None, /, *, axes: Any = None, in_sharding: Any = None
) -> Callable:
    """Decorates a function in which the types decide about mesh axes.

    Args:
        f: the function; None: the decorator is returned.
        axes: the axes; None: all.
        in_sharding: how the arguments lie.
    """
    return _between_modes(f, None)


def _between_modes(f, out_sharding):
    def decorate(fun):
        def run(*args, out_sharding=out_sharding, **kwargs):
            out = fun(*args, **kwargs)
            if out_sharding is None:
                return out
            return with_sharding_constraint(out, out_sharding)

        return run

    return decorate if f is None else decorate(f)


traceback_filter.hide_frames(globals())
