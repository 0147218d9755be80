"""`pmap`: one call per entry of an axis, as many as there are devices."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, util
from jax._src.base.traceback_filter import api_boundary
from jax._src.runtime import backends
from jax._src.transforms import calls, jit, vectorize


def pmap(
    fun: Callable,
    axis_name: Hashable | None = None,
    *,
    in_axes: Any = 0,
    out_axes: Any = 0,
    static_broadcasted_argnums: int | Sequence[int] = (),
    devices: Sequence[Any] | None = None,
    backend: str | None = None,
    axis_size: int | None = None,
    donate_argnums: int | Sequence[int] = (),
) -> Callable:
    """Maps a function over an axis whose size is at most the number of devices.

    New code uses `jax.jit` with shardings, or `jax.shard_map`. All entries are computed
    on the default device: results are those of several devices, the time is not.

    Args:
        fun: the function of trees of arrays.
        axis_name: the axis, for collectives such as `lax.psum`.
        in_axes: the mapped axis of each argument; None: not mapped.
        out_axes: where the axis goes in the results.
        static_broadcasted_argnums: positions of arguments that are not traced.
        devices: the devices to count; None: all of the backend.
        backend: the platform of these devices.
        axis_size: the size of the axis, where no argument shows it.
        donate_argnums: positions of arguments whose memory may be used again.

    Raises:
        ValueError: the axis has more entries than there are devices.
    """
    static = calls.argnums_tuple(
        static_broadcasted_argnums, "static_broadcasted_argnums"
    )

    @api_boundary
    @util.wraps(fun)
    def mapped(*args, **kwargs):
        traced = [i for i in range(len(args)) if i not in static]
        axes = _axes_of(in_axes, len(args), traced)

        def of_traced(*dynamic):
            full = list(args)
            for index, value in zip(traced, dynamic, strict=True):
                full[index] = value
            return fun(*full, **kwargs)

        dynamic = [args[i] for i in traced]
        available = (
            len(devices) if devices is not None else backends.device_count(backend)
        )
        _check_size(dynamic, axes, axis_size, available)
        inner = vectorize.vmap(
            of_traced, axes, out_axes, axis_name=axis_name, axis_size=axis_size
        )
        return jit.jit(inner)(*dynamic)

    return mapped


def _axes_of(in_axes, count, traced):
    if isinstance(in_axes, tuple | list) and len(in_axes) == count:
        return tuple(in_axes[i] for i in traced)
    return in_axes


def _check_size(args, axes, axis_size, available):
    per_arg = axes if isinstance(axes, tuple | list) else (axes,) * len(args)
    sizes = {axis_size} if axis_size is not None else set()
    for arg, axis in zip(args, per_arg, strict=True):
        if isinstance(axis, int):
            sizes |= {
                x.shape[axis] for x in tree.tree_leaves(arg) if getattr(x, "ndim", 0)
            }
    size = max(sizes, default=1)
    if size > available:
        raise ValueError(
            errors.explain(
                f"pmap: the mapped axis has {size} entries for {available} devices.",
                [("axis size", str(size)), ("devices", str(available))],
                "Each entry needs a device.",
                "Use jax.vmap, or more devices: on the CPU, jax_num_cpu_devices.",
            )
        )
