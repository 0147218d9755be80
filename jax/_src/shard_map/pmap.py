"""`pmap`: one call per entry of an axis, each on a device of its own."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import numpy as np

from jax._src import dtypes, tree
from jax._src.base import errors, util
from jax._src.base.traceback_filter import api_boundary, hides_frames
from jax._src.core import (
    avals,
    mesh as mesh_lib,
    partition_spec,
    shardings,
    trace,
)
from jax._src.jit import jit
from jax._src.lax.ops import reshaping
from jax._src.numpy import reshaping as reshaping_lib
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import device_put_get, transfer_guard
from jax._src.shard_map import api, checks
from jax._src.transforms import calls

P = partition_spec.PartitionSpec
Result = TypeVar("Result")
# The mesh axis of functions that do not name it.
_UNNAMED = "_internal_pmap_axis_name"
# What handles calls in traces with positional arguments alone; None: they are programs of `shard_map`. Libraries for
# releases in which `pmap` was a primitive have it set: `(function, values, axes, out_axes, size, options) -> results`.
as_primitive: Callable[..., Any] | None = None


@hides_frames
def pmap(
    fun: Callable[..., Result],
    axis_name: Hashable | None = None,
    *,
    in_axes: Any = 0,
    out_axes: Any = 0,
    static_broadcasted_argnums: int | Sequence[int] = (),
    devices: Sequence[Any] | None = None,
    backend: str | None = None,
    axis_size: int | None = None,
    donate_argnums: int | Sequence[int] = (),
) -> Callable[..., Result]:
    """Maps a function over an axis, each entry on a device of its own.

    New code uses `jax.shard_map`, or `jax.jit` with shardings; this is `shard_map` over
    a mesh of one axis.

    Args:
        fun: the function of trees of arrays, for one entry.
        axis_name: the axis, for collectives such as `lax.psum`.
        in_axes: the mapped axis of each positional argument, a tree prefix; None: not
            mapped. Keyword arguments are mapped along axis 0.
        out_axes: where the axis goes in the results; None: they are the same for all
            entries, which is not checked.
        static_broadcasted_argnums: positions of arguments that are not traced.
        devices: the devices, as many as there are entries; None: the first ones.
        backend: the platform of these devices.
        axis_size: the size of the axis, which the arguments must have.
        donate_argnums: positions of arguments whose memory may be used again.

    Raises:
        ValueError: nothing is mapped, axes differ in size, or there are fewer devices
            than entries.
        TypeError: `in_axes` or `out_axes` holds no integer.
    """
    calls.check_callable(fun, "pmap")
    static = calls.argnums_tuple(
        static_broadcasted_argnums, "static_broadcasted_argnums"
    )
    donated = calls.argnums_tuple(donate_argnums, "donate_argnums")
    _check_axes("in_axes", in_axes)
    _check_axes("out_axes", out_axes)
    if devices is not None:
        found = tuple(devices)
    elif backend is not None:
        found = tuple(backends.local_devices(backend=backend))
    else:
        found = None
    options = Options(
        fun, axis_name, in_axes, out_axes, static, found, devices is not None, axis_size
    )

    def on_one(*args, **kwargs):
        return run_traced(options, args, kwargs)

    run = jit.jit(
        util.wraps(fun)(on_one), static_argnums=static, donate_argnums=donated
    )

    @util.wraps(fun)
    @api_boundary
    def mapped(*args, **kwargs):
        if as_primitive is not None and not trace.is_evaluating() and not kwargs:
            return _by_primitive(options, args)
        return _named(options, run(*_placed(options, args, kwargs), **kwargs))

    def lower(*args, **kwargs):
        return run.lower(*_placed(options, args, kwargs), **kwargs)

    mapped.lower = lower  # type: ignore[attr-defined]
    return mapped


class Options:
    """The arguments of `pmap`."""

    __slots__ = (
        "axis_name",
        "axis_size",
        "devices",
        "fun",
        "in_axes",
        "is_chosen",
        "out_axes",
        "static",
    )

    def __init__(
        self, fun, axis_name, in_axes, out_axes, static, devices, is_chosen, axis_size
    ):
        self.fun = fun
        self.axis_name = _UNNAMED if axis_name is None else axis_name
        self.in_axes = in_axes
        self.out_axes = out_axes
        self.static = static
        self.devices = devices
        # Whether the user listed the devices.
        self.is_chosen = is_chosen
        self.axis_size = axis_size

    def positions(self, count: int) -> list[int]:
        """The positions of arguments that are traced, of a call with so many.

        Raises:
            ValueError: a static argument is not there.
        """
        for number in self.static:
            if not -count <= number < count:
                raise errors.value_error(
                    "pmap: static_broadcasted_argnums names an argument that is not "
                    "there.",
                    [
                        ("static_broadcasted_argnums", repr(self.static)),
                        ("arguments", str(count)),
                        ("function", calls.describe(self.fun)),
                    ],
                )
        fixed = {number % count for number in self.static}
        return [i for i in range(count) if i not in fixed]

    def mesh(self, size: int) -> mesh_lib.Mesh:
        """The mesh of that many devices.

        Raises:
            IndivisibleError: there are fewer.
        """
        devices = self.devices
        if devices is None:
            devices = tuple(backends.local_devices())
        if size > len(devices):
            raise errors.IndivisibleError(
                errors.explain(
                    f"pmap: the mapped axis has {size} entries for {len(devices)} "
                    "devices.",
                    [("function", calls.describe(self.fun))],
                    "Each entry needs a device.",
                    "Use jax.vmap, or more devices: on the CPU, jax_num_cpu_devices.",
                )
            )
        return mesh_lib.Mesh(np.array(devices[:size], object), (self.axis_name,))


def _check_axes(name, axes):
    for axis in tree.tree_leaves(axes):
        if isinstance(axis, bool) or not isinstance(axis, int):
            raise TypeError(
                f"pmap {name} must be an int, None, or a tree of them, but got {axis!r} "
                f"of type {type(axis).__name__}."
            )


def _spread(name, axes, full, note=""):
    """The entry of `axes`, a prefix, for each leaf of a tree."""
    structure = tree.tree_structure(full)
    try:
        return tree.spread_over(f"pmap {name}", axes, structure, lambda x: x is None)
    except ValueError as error:
        raise errors.value_error(
            f"pmap {name} must be a tree prefix of the corresponding value.",
            rule=str(error),
            ways=note + "An integer, or None, stands for a whole subtree.",
        ) from None


# What the arguments are with which `in_axes` is compared.
_BY_KEYWORD = (
    "It speaks of the arguments passed positionally; each argument passed by keyword is "
    "mapped over its leading axis.\n"
)


def _mapped_axes(options, args, positions, has_keywords):
    """For each leaf of the traced positional arguments, its mapped axis or None."""
    axes = options.in_axes
    if isinstance(axes, tuple | list):
        if len(axes) == len(args):
            axes = tuple(axes[i] for i in positions)
        axes = tuple(axes)
    note = _BY_KEYWORD if has_keywords else ""
    return _spread("in_axes", axes, tuple(args[i] for i in positions), note)


def _size_of_axis(options, leaves, axes):
    """The size of the mapped axis, and the axes counted from the front."""
    sizes, placed = [], []
    for leaf, axis in zip(leaves, axes, strict=True):
        aval = avals.get_aval(leaf)
        if axis is None:
            placed.append(None)
            continue
        rank = len(aval.shape)
        if not -rank <= axis < rank:
            kind = ValueError if rank == 0 else IndexError
            raise kind(
                errors.explain(
                    "pmap requires at least one argument with a mapped axis."
                    if rank == 0
                    else "pmap: an argument has no axis to map.",
                    [("argument", aval.str_short()), ("axis", str(axis))],
                    "The mapped axis is one of the array's.",
                    "For an argument that is the same for all: None in in_axes.",
                )
            )
        placed.append(axis % rank)
        sizes.append(aval.shape[axis])
    if not sizes:
        raise errors.value_error(
            "pmap requires at least one argument with a mapped axis.",
            [("in_axes", repr(options.in_axes))]
            + [("function", calls.describe(options.fun))],
            ways="For one call on all devices: jax.jit.",
        )
    size = sizes[0]
    if any(other != size for other in sizes):
        raise errors.IndivisibleError(
            errors.explain(
                "pmap: the mapped axes differ in size.",
                [("sizes", ", ".join(map(str, sizes)))]
                + [("function", calls.describe(options.fun))],
                "Each device gets one entry of every mapped argument.",
            )
        )
    if options.axis_size not in (None, size):
        raise ValueError(
            f"pmap: axis_size is {options.axis_size}, but the mapped axis has size {size}."
        )
    return size, placed


def _placed(options, args, kwargs):
    """The arguments, those of a call outside of every trace where they will be needed."""
    leaves = tree.tree_leaves(args)
    if not trace.is_evaluating() or trace.find_tracer(leaves) is not None:
        return args
    positions = options.positions(len(args))
    dynamic = tuple(args[i] for i in positions)
    values, structure = tree.tree_flatten(dynamic)
    calls.check_values(values, "pmap")
    axes = _mapped_axes(options, args, positions, bool(kwargs))
    if not any(axis is not None for axis in axes):
        return args
    size, placed = _size_of_axis(options, values, axes)
    mesh = options.mesh(size)
    moved = []
    for x, axis in zip(values, placed, strict=True):
        sharding = shardings.NamedSharding(mesh, _spec(axis, options.axis_name))
        if not _is_float0(x):
            transfer_guard.check_operands([x], sharding)
        moved.append(_put(x, sharding))
    rest = iter(tree.tree_unflatten(structure, moved))
    return tuple(next(rest) if i in positions else a for i, a in enumerate(args))


def _named(options, results):
    """The results of a call, which name the mapped axis on one device too."""
    leaves, structure = tree.tree_flatten(results)
    if trace.find_tracer(leaves) is not None or any(
        x.sharding.num_devices > 1 for x in leaves if not _is_float0(x)
    ):
        return results
    mesh = options.mesh(1)
    axes = [
        None if axis is None else axis % x.ndim
        for x, axis in zip(
            leaves, _spread("out_axes", options.out_axes, results), strict=True
        )
    ]
    named = [
        _put(x, shardings.NamedSharding(mesh, _spec(axis, options.axis_name)))
        for x, axis in zip(leaves, axes, strict=True)
    ]
    return tree.tree_unflatten(structure, named)


def _is_float0(x) -> bool:
    """Whether it has no numbers, as tangents of integers, and so no devices."""
    return avals.get_aval(x).dtype == dtypes.float0


def _put(x, sharding):
    return x if _is_float0(x) else device_put_get.device_put(x, sharding)


def _spec(axis, name):
    return P() if axis is None else P(*(None,) * axis, name)


def _by_primitive(options, args):
    """The call as what `as_primitive` makes of it."""
    static = {number % len(args) for number in options.static}
    positions = options.positions(len(args))
    leaves, structure = tree.tree_flatten(tuple(args[i] for i in positions))
    calls.check_values(leaves, "pmap")
    axes = _mapped_axes(options, args, positions, False)
    size, placed = _size_of_axis(options, leaves, axes)

    def flat(*values):
        given = iter(tree.tree_unflatten(structure, values))
        full = [a if i in static else next(given) for i, a in enumerate(args)]
        results, out_tree = tree.tree_flatten(options.fun(*full))
        spread = _spread("out_axes", options.out_axes, out_tree.unflatten(results))
        made.append((out_tree, tuple(spread)))
        return results

    made: list[tuple[Any, tuple[int | None, ...]]] = []
    outs = as_primitive(  # type: ignore[misc]
        flat, leaves, tuple(placed), lambda: made[-1][1], size, options
    )
    return tree.tree_unflatten(made[-1][0], outs)


def run_traced(options, args, kwargs):
    """A call as a `shard_map`, while it is traced.

    Args:
        options: the arguments of `pmap`.
        args: those of the function by position.
        kwargs: and by name.
    """
    positions = options.positions(len(args))
    dynamic = tuple(args[i] for i in positions)
    axes = _mapped_axes(options, args, positions, bool(kwargs))
    axes += [0] * len(tree.tree_leaves(kwargs))
    leaves, structure = tree.tree_flatten((dynamic, kwargs))
    calls.check_values(leaves, "pmap")
    size, placed = _size_of_axis(options, leaves, axes)
    mesh = checks.mesh_of("pmap", options.mesh(size))
    name = options.axis_name
    axes_of_mesh = checks.axes_of("pmap", mesh, {name})
    out_specs: list[P] = []
    trees: list[Any] = []

    def body(*parts):
        values = [
            x if axis is None else reshaping.squeeze(x, (axis,))
            for x, axis in zip(parts, placed, strict=True)
        ]
        given, named = tree.tree_unflatten(structure, values)
        rest = iter(given)
        full = [next(rest) if i in positions else a for i, a in enumerate(args)]
        out = options.fun(*full, **named)
        results, out_tree = tree.tree_flatten(out)
        trees.append(out_tree)
        where = _spread("out_axes", options.out_axes, out)
        made = [
            _expanded(x, axis, name) for x, axis in zip(results, where, strict=True)
        ]
        out_specs.extend(spec for _, spec in made)
        return [x for x, _ in made]

    outs = api.apply(
        body,
        tuple(leaves),
        mesh,
        axes_of_mesh,
        tuple(_spec(axis, name) for axis in placed),
        lambda: list(out_specs),
        False,
        what="pmap",
    )
    return tree.tree_unflatten(trees[0], outs)


def _expanded(x, axis, name):
    """A result of one entry with the mapped axis, and its spec."""
    if not avals.is_value(x):
        raise avals.not_a_value(x, "a result of pmap")
    if axis is None:
        return x, P()
    rank = len(avals.get_aval(x).shape) + 1
    if not -rank <= axis < rank:
        raise errors.value_error(
            f"pmap out_axes is {axis}: axis {axis} is out of bounds for array of "
            f"dimension {rank}.",
            [("result", avals.get_aval(x).str_short())],
        )
    position = axis % rank
    return reshaping_lib.expand_dims(x, position), _spec(position, name)
