"""The batching rule of `shard_map`: the body, batched."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors, options
from jax._src.core import avals as avals_lib, evaluate
from jax._src.interpreters import batching
from jax._src.shard_map import specs as specs_lib, tracing


def batch(
    bind: Callable, axis: Any, args: Sequence[Any], dims: Sequence[Any], params: dict
) -> tuple[list[Any], list[Any]]:
    """Results and their batch dimensions; these are split over `axis.spmd_name`, if any."""
    jaxpr = params["jaxpr"]
    # Along axes that are not Manual here, the body's own constraints spread batch elements.
    names = _names(axis.spmd_name)
    _check_known(names, params["mesh"])
    spread = names if params["newly_manual_axes"].intersection(names) else ()
    _check_spread(spread, params)
    _check_split(spread, params["in_specs"], dims)
    local = axis
    if spread:
        count = specs_lib.part_count(params["mesh"], spread)
        _check_size(spread, axis.size, count)
        local = batching.Axis(axis.size // count, axis.name, axis.spmd_name)
    setting = tracing.setting_of(params)

    def make():
        body = _varied(jaxpr, dims, spread, setting)
        with specs_lib.inside(setting.mesh, setting.axes, setting.check_vma):
            return batching.batch_jaxpr(body, local, dims)

    key = ("shard_map batch", local, tuple(dims))
    program, out_dims = tracing.derived(jaxpr, key, params, make)
    _check_split(spread, params["out_specs"], out_dims)
    entry = spread if spread else None
    in_specs = tuple(
        spec if d is None else specs_lib.with_entry(spec, d, entry, a.ndim)
        for spec, d, a in zip(params["in_specs"], dims, jaxpr.in_avals, strict=True)
    )
    out_specs = tuple(
        spec if d is None else specs_lib.with_entry(spec, d, entry, a.ndim)
        for spec, d, a in zip(
            params["out_specs"], out_dims, jaxpr.out_avals, strict=True
        )
    )
    changed = {"jaxpr": program, "in_specs": in_specs, "out_specs": out_specs}
    return bind(*args, **{**params, **changed}), list(out_dims)


def _names(spmd_name):
    if spmd_name is None:
        return ()
    return tuple(spmd_name) if isinstance(spmd_name, tuple | list) else (spmd_name,)


def _varied(closed, dims, spread, setting):
    """The body whose mapped arguments vary along the axes that batch elements are spread over."""
    axes = frozenset(spread)
    if not axes or not setting.check_vma:
        return closed
    avals = [
        a
        if d is None or not isinstance(a, avals_lib.ShapedArray)
        else _varying_more(a, axes)
        for a, d in zip(closed.in_avals, dims, strict=True)
    ]
    return setting.trace(
        lambda *xs: evaluate.eval_closed(closed, *xs), avals, closed.debug_info
    )


def _varying_more(aval, axes):
    manual = aval.manual_axis_type
    more = type(manual)(
        varying=manual.varying | axes,
        unreduced=manual.unreduced,
        reduced=manual.reduced,
    )
    return aval.update(manual_axis_type=more)


def _check_known(names, mesh):
    unknown = set(names) - set(mesh.axis_names)
    if unknown:
        raise ValueError(
            errors.explain(
                "vmap: spmd_axis_name is no axis of the mesh of a shard_map inside.",
                [("spmd_axis_name", repr(names)), ("mesh", repr(mesh))],
                "Rows are spread over axes of the mesh.",
                "Name one of these, or leave spmd_axis_name out.",
            )
        )


def _check_spread(spread, params):
    left = set(spread) - params["newly_manual_axes"]
    if left:
        raise ValueError(
            errors.explain(
                "vmap: spmd_axis_name has axes that a shard_map inside makes Manual, and "
                "others.",
                [
                    ("spmd_axis_name", repr(spread)),
                    ("others", repr(left)),
                    ("axis_names", repr(set(params["newly_manual_axes"]))),
                ],
                "Rows are spread by the shard_map, or by constraints in its body.",
                "Name axes of the one kind: a vmap in a vmap has both.",
            )
        )


def _check_split(spread, specs, dims):
    """No mesh axis over which batch elements are spread splits an array in another way too.

    The user may ask that arrays that are not mapped are left alone.
    """
    is_lax = options.disable_vmap_shmap_error.value
    for spec, dim in zip(specs, dims, strict=True):
        if is_lax and dim is None or not specs_lib.names_of(spec) & frozenset(spread):
            continue
        raise ValueError(
            errors.explain(
                "vmap: spmd_axis_name is an axis that a shard_map inside uses itself.",
                [
                    ("spmd_axis_name", repr(spread)),
                    ("specs", repr(specs)),
                ],
                "A mesh axis splits an array along one of its axes.",
                "Leave the axis to the one or to the other.\n"
                "To split arrays without rows over it: "
                "jax.config.update('jax_disable_vmap_shmap_error', True).",
            )
        )


def _check_size(spread, size, count):
    if size % count:
        raise ValueError(
            errors.explain(
                "vmap: spmd_axis_name splits the rows into parts of different sizes.",
                [
                    ("spmd_axis_name", repr(spread)),
                    ("rows", str(size)),
                    ("parts", str(count)),
                ],
                "Each device has as many rows as the others.",
                "Leave spmd_axis_name out, or map over a multiple of the parts.",
            )
        )
