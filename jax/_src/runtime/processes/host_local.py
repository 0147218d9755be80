"""Arrays over the devices of all processes, made of what each has, and back.

Outside of traces the parts are only taken for what they are. Traced, the two are linear operations,
each the other's transpose; a program that is compiled is one for all processes, and cannot contain them.
"""

from typing import Any

from jax._src import tree
from jax._src.base import errors, traceback_filter
from jax._src.core import (
    avals,
    partition_spec,
    primitive as primitive_lib,
    shardings,
    trace,
)
from jax._src.lib import client
from jax._src.runtime.arrays import extended
from jax._src.runtime.processes import process_local_data
from jax._src.runtime.transfers import device_put_get


def is_spanning(leaf: Any) -> bool:
    """Whether it is an array over the devices of several processes."""
    if isinstance(leaf, client.Array):
        return not leaf.sharding.is_fully_addressable
    return _is_key(leaf) and is_spanning(extended.physical_value(leaf))


def _is_key(leaf):
    return not isinstance(leaf, trace.Tracer) and extended.is_extended(leaf)


@primitive_lib.declare(
    "host_local_array_to_global_array", traits=primitive_lib.Trait.LINEAR
)
class host_local_array_to_global_array_p:
    """An array over all devices of a mesh, of the parts that each process has."""

    sharding = primitive_lib.BY_TYPES

    def types(x, **params):
        return ltg_abstract_eval(x, **params)

    def impl(x, **params):
        return host_local_array_to_global_array_impl(x, **params)

    def transpose(ct, x, *, global_mesh, pspec):
        return [_bind(global_array_to_host_local_array_p, ct, global_mesh, pspec)]

    def batch(axis, args, dims, *, global_mesh, pspec):
        return ltg_batcher(False, axis, args, dims, global_mesh, pspec)

    def lower(ctx, x, *, global_mesh, pspec):
        raise _no_program("host_local_array_to_global_array")


@primitive_lib.declare(
    "global_array_to_host_local_array", traits=primitive_lib.Trait.LINEAR
)
class global_array_to_host_local_array_p:
    """What this process has of an array over all devices of a mesh."""

    sharding = primitive_lib.BY_TYPES

    def types(x, **params):
        return gtl_abstract_eval(x, **params)

    def impl(x, **params):
        return global_array_to_host_local_array_impl(x, **params)

    def transpose(ct, x, *, global_mesh, pspec):
        return [_bind(host_local_array_to_global_array_p, ct, global_mesh, pspec)]

    def batch(axis, args, dims, *, global_mesh, pspec):
        (x,), (d,) = args, dims
        spec = _of_rows(pspec, d, x.ndim)
        return _bind(global_array_to_host_local_array_p, x, global_mesh, spec), d

    def lower(ctx, x, *, global_mesh, pspec):
        raise _no_program("global_array_to_host_local_array")


def ltg_abstract_eval(arr: Any, *, global_mesh: Any, pspec: Any) -> Any:
    """The type of the array over all devices, by that of a process's part."""
    return arr.update(shape=_global_shape(arr.shape, global_mesh, pspec))


def gtl_abstract_eval(arr: Any, *, global_mesh: Any, pspec: Any) -> Any:
    """The type of a process's part, by that of the array over all devices."""
    return arr.update(shape=_local_shape(arr.shape, global_mesh, pspec))


def ltg_batcher(
    insert_axis: bool,
    axis_data: Any,
    vals_in: Any,
    dims_in: Any,
    global_mesh: Any,
    pspec: Any,
) -> tuple[Any, int]:
    """Rows of parts become rows of arrays; no mesh axis splits the rows.

    Args:
        insert_axis: accepted.
        axis_data: the axis of the rows.
        vals_in: the stacked parts, alone.
        dims_in: along which axis they are stacked.
        global_mesh: the mesh.
        pspec: how one array is split.
    """
    (x,), (d,) = vals_in, dims_in
    spec = _of_rows(pspec, d, x.ndim)
    return _bind(host_local_array_to_global_array_p, x, global_mesh, spec), d


def host_local_array_to_global_array_impl(
    arr: Any, *, global_mesh: Any, pspec: Any
) -> Any:
    """The array over all devices, of what each process has."""
    return _to_global(arr, global_mesh, pspec)


def global_array_to_host_local_array_impl(
    arr: Any, *, global_mesh: Any, pspec: Any
) -> Any:
    """What this process has of an array over all devices."""
    return _to_local(arr, global_mesh, pspec)


def _bind(primitive, x, mesh, spec):
    return primitive.bind(x, global_mesh=mesh, pspec=spec)


def _no_program(name):
    return errors.type_error(
        f"{name} in a function that is compiled.",
        [],
        "A program is one for all processes; what one process has of an array is no value of it.",
        "Convert outside of jax.jit; grad, vmap and jvp go through.",
    )


def _of_rows(spec, position, ndim):
    entries = list(spec.padded(ndim - 1).partitions)
    entries.insert(position, None)
    return spec.update(partitions=entries)


def _global_shape(shape, mesh, spec):
    return process_local_data.whole_shape(shardings.NamedSharding(mesh, spec), shape)


def _local_shape(shape, mesh, spec):
    sharding = shardings.NamedSharding(mesh, spec)
    return process_local_data.local_shape(sharding, shape)


def _to_global(leaf, mesh, spec):
    sharding = shardings.NamedSharding(mesh, spec)
    if not _is_key(leaf):
        return process_local_data.of_parts(sharding, leaf)
    whole = process_local_data.of_parts(sharding, extended.physical_value(leaf))
    aval = avals.get_aval(leaf)
    shape = whole.shape[: aval.ndim]
    return extended.logical_value(whole, aval.update(shape=shape))


def _to_local(leaf, mesh, spec):
    if not mesh.is_multi_process:
        return _to_global(leaf, mesh, spec)
    if _is_key(leaf):
        aval = avals.get_aval(leaf)
        part = _to_local(extended.physical_value(leaf), mesh, spec)
        return extended.logical_value(part, aval.update(shape=part.shape[: aval.ndim]))
    placed = device_put_get.put(leaf, shardings.NamedSharding(mesh, spec))
    shape, parts = process_local_data.local_part(placed)
    return client.array_from_shards(
        shape=shape,
        dtype=placed.dtype,
        weak_type=placed.weak_type,
        sharding=shardings.NamedSharding(mesh.local_mesh, spec),
        committed=True,
        shards=parts,
    )


@traceback_filter.hides_frames
def host_local_array_to_global_array(
    local_inputs: Any, global_mesh: Any, pspecs: Any
) -> Any:
    """Arrays over all devices of a mesh, made of the parts that each process has.

    Linear, so it may be differentiated and mapped; not in functions that are compiled.

    Args:
        local_inputs: a tree of arrays, the parts of this process. Those that span
            processes are returned as they are.
        global_mesh: the `jax.sharding.Mesh` of all devices.
        pspecs: a `jax.sharding.PartitionSpec` for each, or a prefix of that tree.

    Returns:
        A tree of `jax.Array`.

    Raises:
        ValueError: a spec is None, or the parts do not make up an array.
    """

    def convert(leaf, spec):
        if isinstance(leaf, trace.Tracer):
            return _bind(host_local_array_to_global_array_p, leaf, global_mesh, spec)
        return leaf if is_spanning(leaf) else _to_global(leaf, global_mesh, spec)

    return _map_with_specs(convert, local_inputs, pspecs)


@traceback_filter.hides_frames
def global_array_to_host_local_array(
    global_inputs: Any, global_mesh: Any, pspecs: Any
) -> Any:
    """The parts of this process of arrays over all devices of a mesh.

    Linear, so it may be differentiated and mapped; not in functions that are compiled.

    Args:
        global_inputs: a tree of arrays over the mesh. Those of this process alone are
            returned as they are.
        global_mesh: the `jax.sharding.Mesh` of all devices.
        pspecs: a `jax.sharding.PartitionSpec` for each, or a prefix of that tree.

    Returns:
        A tree of `jax.Array` over this process's devices.

    Raises:
        ValueError: a spec is None, or the devices of this process hold no block.
    """

    def convert(leaf, spec):
        if isinstance(leaf, trace.Tracer):
            return _bind(global_array_to_host_local_array_p, leaf, global_mesh, spec)
        is_array = isinstance(leaf, client.Array) or _is_key(leaf)
        if global_mesh.is_multi_process and is_array and not is_spanning(leaf):
            return leaf
        return _to_local(leaf, global_mesh, spec)

    return _map_with_specs(convert, global_inputs, pspecs)


def _map_with_specs(convert, inputs, pspecs):
    """`convert(leaf, spec)` of each leaf."""
    leaves, structure = tree.tree_flatten(inputs)
    specs = tree.broadcast_prefix(pspecs, inputs, is_leaf=_is_spec)
    for leaf, spec in zip(leaves, specs, strict=True):
        if spec is None:
            raise errors.value_error(
                "A spec is None.",
                [("of", getattr(leaf, "shape", leaf).__repr__())],
                "None could mean replicated, or not stated.",
                "Write PartitionSpec() for what each device has whole.",
            )
    return tree.tree_unflatten(
        structure, [convert(x, spec) for x, spec in zip(leaves, specs, strict=True)]
    )


def _is_spec(x):
    return x is None or isinstance(x, partition_spec.PartitionSpec)


traceback_filter.hide_frames(globals())
