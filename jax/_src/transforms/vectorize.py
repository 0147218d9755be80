"""`vmap`: a function of all batch elements from a function of one."""

import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from jax._src import tree
from jax._src.base import errors, options, util
from jax._src.base.traceback_filter import api_boundary, hides_frames
from jax._src.core import (
    avals as avals_lib,
    mesh_usage,
    reference_links,
    slots,
    state,
    trace as trace_lib,
)
from jax._src.interpreters import batching
from jax._src.interpreters.batching import containers
from jax._src.runtime.transfers import device_put_get
from jax._src.transforms import calls

Result = TypeVar("Result")


def _is_none(x):
    return x is None


def _flatten_axes(what, full_tree, axes):
    """The entry of `axes`, a prefix, for each leaf of a tree."""
    try:
        flat = tree.spread_over(what, axes, full_tree, _is_none)
    except ValueError as error:
        raise errors.value_error(
            f"{what} specification must be a tree prefix of the corresponding value.",
            rule=str(error),
            ways="An integer, or None, stands for a whole subtree.",
        ) from None
    for axis in flat:
        if not containers.is_entry(axis):
            raise TypeError(
                f"{what} must be an int, None, or a tree of them, but got {axis!r} of "
                f"type {type(axis).__name__}."
            )
    return flat


def _check_in_axes(in_axes):
    if isinstance(in_axes, list):
        return tuple(in_axes)
    is_axis = containers.is_entry(in_axes) and not isinstance(in_axes, bool)
    if not isinstance(in_axes, tuple) and not is_axis:
        raise errors.type_error(
            "vmap in_axes must be an int, None, or a tuple of entries corresponding "
            f"to the positional arguments passed to the function, but got {in_axes!r}."
        )
    return in_axes


def _axis_size(avals, dims, names, given):
    sizes: dict[int, list[str]] = {}
    for aval, dim, name in zip(avals, dims, names, strict=True):
        if aval is None:
            continue
        if isinstance(dim, avals_lib.MappingSpec):
            _check_high(aval, dim, name)
            continue
        shape = () if aval.is_high else getattr(aval, "shape", ())
        if not -len(shape) <= dim < len(shape):
            raise errors.value_error(
                f"vmap was requested to map its argument along axis {dim}, which "
                f"implies that its rank should be at least {max(dim, -dim - 1) + 1}, "
                f"but is only {len(shape)} (its shape is {shape}).",
                [("argument", f"{name}: {aval.str_short()}")],
                ways=_ways_to_map(aval),
            )
        is_named = not name.startswith(("args[", "kwargs["))
        sizes.setdefault(shape[dim], []).append(
            f"axis {dim % len(shape)} of {'argument ' if is_named else ''}{name} "
            f"of type {aval.str_short()}"
        )
    if given is not None:
        if any(s != given for s in sizes):
            raise _inconsistent(sizes, [f"  * the `axis_size` argument was {given}"])
        return given
    if not sizes:
        raise errors.value_error(
            "vmap must have at least one non-None value in in_axes or axis_size must "
            "be specified."
            if avals
            else "vmap wrapped function must be passed at least one argument containing "
            "an array or axis_size must be specified.",
            ways="To map over nothing, or over values above arrays alone, give axis_size.",
        )
    if len(sizes) > 1:
        raise _inconsistent(sizes, [])
    return next(iter(sizes))


def _inconsistent(sizes, lines):
    """The error of mapped axes that differ in size; `lines` say of which size they are."""
    by_count = sorted(sizes.items(), key=lambda item: -len(item[1]))
    for rank, (size, axes) in enumerate(by_count):
        if len(axes) == 1:
            lines.append(f"  * one axis had size {size}: {axes[0]}")
        else:
            which = "some axes" if rank else "most axes"
            lines.append(
                f"  * {which} ({len(axes)} of them) had size {size}, e.g. {axes[0]}"
            )
    return ValueError(
        "vmap got inconsistent sizes for array axes to be mapped:\n"
        + ";\n".join(lines)
        + "\nMapped axes have one size. For an argument that is the same for all: "
        "None in in_axes."
    )


def _check_high(aval, spec, name):
    if not aval.is_high:
        raise errors.type_error(
            f"vmap in_axes is {spec!r} for an array.",
            [("argument", f"{name}: {aval.str_short()}")],
            "Types above arrays alone know their rows by a MappingSpec.",
            "Give the axis as an integer.",
        )


def _ways_to_map(aval):
    if aval.is_high:
        return (
            "For the rows of a value above arrays: a MappingSpec of its type in in_axes, "
            "and axis_size. For one that is the same for all: None."
        )
    return "For an argument that is the same for all: None in in_axes."


_DOC = "Vectorized version of {fun}, whose arrays have a further axis each.{doc}"


@hides_frames
def vmap(
    fun: Callable[..., Result],
    in_axes: int | None | Sequence[Any] = 0,
    out_axes: Any = 0,
    axis_name: Any = None,
    axis_size: int | None = None,
    spmd_axis_name: Any = None,
    sum_match: bool = False,
) -> Callable[..., Result]:
    """Makes a function of one batch element into a function of all.

    Args:
        fun: the function of trees of arrays, for one batch element.
        in_axes: for each positional argument, the batch dimension; None:
            the argument is the same for all batch elements. An integer stands for all arguments;
            an entry may be a tree prefix of its argument. Keyword arguments are mapped
            along axis 0. For values above arrays it is a `MappingSpec` of their type.
        out_axes: the batch dimensions of the results, a tree prefix of the result.
        axis_name: a name by which collectives such as `jax.lax.psum` refer to the axis.
        axis_size: the number of batch elements; needed only where no array is mapped.
        spmd_axis_name: mesh axes over which the batch elements are spread.
        sum_match: accepted for compatibility.

    Returns:
        A function with the arguments of `fun`, with a further axis each.

    Raises:
        ValueError: axes are out of range, or differ in size.

    Examples:
        >>> jax.vmap(jnp.dot, in_axes=(0, None))(jnp.ones((4, 3)), jnp.ones(3))
        Array([3., 3., 3., 3.], dtype=float32)
    """
    calls.check_callable(fun, "vmap")
    in_axes = _check_in_axes(in_axes)

    @util.wraps(fun, doc=_DOC)
    @api_boundary
    def vmap_of(*args, **kwargs):
        if isinstance(in_axes, tuple) and len(in_axes) != len(args):
            raise errors.value_error(
                "vmap in_axes must be an int, None, or a tuple of entries "
                "corresponding to the positional arguments passed to the function, "
                f"but got {len(in_axes)=}, {len(args)=}.",
                [("in_axes", str(in_axes)), ("function", calls.describe(fun))],
            )
        is_leaf = containers.leaf_test()
        leaves, in_tree = tree.tree_flatten((args, kwargs), is_leaf)
        names = calls.arg_names(fun, args, {})
        if kwargs:
            names = (*names, *calls.leaf_names("kwargs", kwargs))
        if len(names) != len(leaves):
            names = tuple(f"leaf {number}" for number in range(len(leaves)))
        by_position, by_name = in_tree.children()
        dims = _flatten_axes("vmap in_axes", by_position, in_axes)
        dims += [0] * by_name.num_leaves
        specs = [None] * len(leaves)
        if is_leaf is not None:
            pairs = zip(leaves, dims, strict=True)
            specs = [d if containers.takes(x, d) else None for x, d in pairs]
        along = dims
        dims = [None if s is not None else d for d, s in zip(dims, specs, strict=True)]
        # What has no axis may be anything: the function gets it as it is.
        mapped = [0 if d is None else x for x, d in zip(leaves, dims, strict=True)]
        calls.check_values(mapped, "vmap", names)
        types = [
            avals_lib.get_aval(x) if d is not None else containers.aval(x, spec)
            for x, d, spec in zip(leaves, dims, specs, strict=True)
        ]
        size = _axis_size(types, along, names, axis_size)
        dims = [
            d if not isinstance(d, int) else util.canonical_axis(d, len(t.shape))
            for d, t in zip(dims, types, strict=True)
        ]
        mesh_axis = _mesh_axis(leaves, dims, names) if mesh_usage.is_used else None
        axis = batching.Axis(size, axis_name, spmd_axis_name, mesh_axis)
        flat = _BatchedFunction(fun, in_tree, specs, is_leaf)
        outs, out_dims = _batch(flat, axis, leaves, dims)
        targets = _flatten_axes("vmap out_axes", flat.out_tree, out_axes)
        move_out = state.within(state.mapped(axis.size), _move_out)
        moved = [
            containers.container(flat.trace, out, target)
            if containers.takes(out, target)
            else _move_all_out(flat.trace, out, axis, (flat.out_tree, number))
            if containers.is_container(out)
            else move_out(out, dim, target, axis, (flat.out_tree, number))
            for number, (out, dim, target) in enumerate(
                zip(outs, out_dims, targets, strict=True)
            )
        ]
        moved = device_put_get.owned(moved)
        if options.check_tracer_leaks.value:
            watched, flat.trace = weakref.ref(flat.trace), None
            trace_lib.check_leaks(watched, f"vmap of `{util.function_name(fun)}`")
        return tree.tree_unflatten(flat.out_tree, moved)

    return vmap_of


class _BatchedFunction(calls.FlatFunction):
    """A mapped function, whose arguments and results may be containers of libraries."""

    __slots__ = ("specs", "trace")

    def __init__(self, fun, in_tree, specs, is_leaf):
        super().__init__(fun, in_tree, "vmap")
        self.is_leaf = is_leaf
        # For each leaf the batch dimension spec, if it is in a container.
        self.specs = specs
        self.trace: Any = None

    def __call__(self, *leaves: Any) -> list[Any]:
        self.trace = state.current()
        return super().__call__(
            *[
                x if spec is None else containers.element(x, spec)
                for x, spec in zip(leaves, self.specs, strict=True)
            ]
        )

    def value_of(self, out: Any, path: str) -> Any:
        return out if containers.is_container(out) else super().value_of(out, path)


def _batch(flat, axis, leaves, dims):
    """Applies a function to batch elements, some of which may be those of references."""
    pairs = zip(leaves, dims, strict=True)
    types = [None if d is None else avals_lib.get_aval(x) for x, d in pairs]
    if not any(isinstance(a, reference_links.AbstractRef) for a in types):
        return batching.batch(
            state.within(state.mapped(axis.size), flat), axis, leaves, dims
        )
    rows = [
        a.update(inner_aval=batching.unbatched_aval(a.inner_aval, d))
        if isinstance(a, reference_links.AbstractRef)
        else a
        for a, d in zip(types, dims, strict=True)
    ]
    reference_links.refuse_twice(
        [x for x in leaves if type(x) is reference_links.Ref], "a mapped function"
    )
    values = [
        x.read() if isinstance(a, reference_links.AbstractRef) else x
        for x, a in zip(leaves, rows, strict=True)
    ]
    of_arrays, written = reference_links.with_arguments(flat, rows)
    of_arrays = state.within(state.mapped(axis.size), of_arrays)
    outs, out_dims = batching.batch(of_arrays, axis, values, dims)
    count = len(outs) - len(written[0])
    for position, value, dim in zip(
        written[0], outs[count:], out_dims[count:], strict=True
    ):
        target = dims[position]
        leaves[position].write(batching.move_to(value, dim, target, axis.size))
    return outs[:count], out_dims[:count]


def _move_all_out(trace, container, axis, position):
    """A container that is the same for all batch elements."""

    def same(x):
        value, dim = trace.split(x)
        return _move_out(value, dim, None, axis, position)

    return tree.tree_map(same, container)


def _move_out(out, dim, target, axis, position):
    """Moves a result's batch dimension to `target`; `position` is its tree and its number."""
    if target is None:
        if dim is not None:
            raise _of_one_row(out, dim, axis, position)
        return out
    aval = avals_lib.get_aval(out)
    if aval.is_high or isinstance(target, avals_lib.MappingSpec):
        return _check_out(out, aval, dim, target, axis)
    rank = len(aval.shape) + (dim is None)
    if not -rank <= target < rank:
        raise errors.value_error(
            f"vmap out_axes is {target}: axis {target} is out of bounds for array of "
            f"dimension {rank}.",
            [("output", aval.str_short())],
        )
    moved = batching.move_to(out, dim, target % rank, axis.size)
    if axis.mesh_axis is None or dim is not None:
        return moved
    # Replicated batch elements are sharded as the others are.
    whole = aval.with_axis(target % rank, axis.size, axis.mesh_axis)
    return slots.to_type(moved, whole)


def _of_one_row(out, dim, axis, position):
    """The error of a result that differs by row, where None is its axis."""
    structure, number = position
    where = tree.keystr(tree.treedef_paths(structure)[number])
    facts = [
        ("output", avals_lib.get_aval(out).str_short()),
        ("rows along", str(dim)),
    ]
    summary = (
        f"at vmap out_axes{where}, got axis spec None but output was batched on axis {dim}."
        if axis.name is None
        else f"vmap has mapped output (axis_name={axis.name}) but out_axes is None."
    )
    if axis.name is not None and where:
        facts.insert(0, ("argument", f"out_axes{where}"))
    return errors.value_error(
        summary,
        facts,
        "None is for results that are the same for all rows.",
        "Give an axis: out_axes is the batch dimension of results.",
    )


def _check_out(out, aval, dim, target, axis):
    """A value whose type has the batch dimension; it stays as it is."""
    if not aval.is_high:
        raise errors.value_error(
            f"vmap out_axes: got axis spec {target!r} but output was batched on axis "
            f"{dim}.",
            [("output", aval.str_short())],
            "Types above arrays alone know their rows by a MappingSpec.",
            "Give the axis as an integer.",
        )
    if isinstance(target, int):
        raise errors.value_error(
            f"vmap out_axes: got axis spec {target} but output was batched on axis "
            f"{dim!r}.",
            [("output", aval.str_short())],
            "Values above arrays have no numbered axes.",
            "State the batch dimension by a MappingSpec of the type, or None where all "
            "rows are the same value.",
        )
    return batching.move_to(out, dim, target, axis.size)


def _mesh_axis(leaves, dims, names):
    """The Explicit mesh axes over which the batch dimensions of the arguments are sharded."""
    found: dict[Any, str] = {}
    for x, dim, name in zip(leaves, dims, names, strict=True):
        if dim is None or containers.is_container(x):
            continue
        aval = avals_lib.get_aval(x)
        if isinstance(aval, avals_lib.ShapedArray) and aval.is_placed:
            found.setdefault(aval.sharding.spec.partitions[dim], name)
    if len(found) > 1:
        raise errors.value_error(
            "vmap: mapped axes are sharded over different mesh axes: Mapped away dimension "
            "of inputs passed to vmap should be sharded the same.",
            [(name, repr(entry)) for entry, name in found.items()],
            "The batch dimensions of all arguments are sharded alike.",
            "Move one of them first: jax.reshard(x, P(…)).",
        )
    return next(iter(found), None)
