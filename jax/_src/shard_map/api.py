"""`shard_map` and `smap`, as users call them."""

import functools as ft
from collections.abc import Callable, Hashable
from typing import Any

from jax._src import tree
from jax._src.base import errors, util
from jax._src.base.traceback_filter import api_boundary, hides_frames
from jax._src.core import (
    avals as avals_lib,
    jaxpr as jaxpr_lib,
    mesh as mesh_lib,
    partition_spec,
    reference_links,
    references as references_lib,
    trace,
    wide_values,
)
from jax._src.interpreters import partial_eval as pe
from jax._src.shard_map import checks, primitive, specs as specs_lib, stepwise, tracing
from jax._src.shard_map.specs import Infer
from jax._src.transforms import calls

P = partition_spec.PartitionSpec
_NO_KEYWORDS = tree.tree_structure({})


@hides_frames
def shard_map(
    f: Callable | None = None,
    /,
    *,
    out_specs: Any,
    in_specs: Any = Infer,
    mesh: Any = None,
    axis_names: Any = frozenset(),
    check_vma: bool = True,
) -> Callable:
    """Runs a function on every device of a mesh, on its parts of the arguments.

    The function is written for one device. Its arguments are split as `in_specs` say,
    its results are put together as `out_specs` say, and devices speak with each other
    through collectives such as `jax.lax.psum`.

    Args:
        f: a function of positional arguments, trees of arrays; left out: the result is
            a decorator.
        out_specs: for each result, a `PartitionSpec` or a tree prefix of such. Parts are
            joined along the axes of the mesh that it names; along others, all devices
            have the same.
        in_specs: likewise for the arguments, a tuple with one entry each. None as an
            entry: the argument is given as it is. Left out: as the types of the
            arguments say, if all axes are Explicit.
        mesh: a `Mesh` or `AbstractMesh`; None: that of the context.
        axis_names: a set of those axes over which the function speaks itself; empty: all.
            The others stay with the compiler.
        check_vma: whether types say which values vary from device to device: then
            results that should not vary are checked, and derivatives need no trust.

    Raises:
        ValueError: there is no mesh, specs do not fit the arguments or results, or a
            result may vary along an axis that its spec does not name.
        TypeError: a spec is none; `f` is no function.

    Examples:
        >>> auto = (jax.sharding.AxisType.Auto,)
        >>> mesh = jax.make_mesh((1,), ("x",), axis_types=auto)
        >>> add_up = jax.shard_map(
        ...     lambda a: jax.lax.psum(a.sum(), "x"),
        ...     mesh=mesh, in_specs=jax.P("x"), out_specs=jax.P())
        >>> float(add_up(jnp.arange(4.0)))
        6.0
    """
    options = {
        "out_specs": out_specs,
        "in_specs": in_specs,
        "mesh": mesh,
        "axis_names": axis_names,
        "check_vma": check_vma,
    }
    if f is None:
        return lambda g: shard_map(g, **options)
    calls.check_callable(f, "shard_map")
    checks.check_spec_types("shard_map: out_specs", out_specs, allows_none=False)
    if in_specs is not Infer:
        checks.check_spec_types("shard_map: in_specs", in_specs, allows_none=True)
        in_specs = tuple(in_specs) if isinstance(in_specs, list) else in_specs

    @util.wraps(f)
    @api_boundary
    def mapped(*args):
        used = checks.mesh_of("shard_map", mesh)
        axes = checks.axes_of("shard_map", used, axis_names)
        return apply(f, args, used, axes, in_specs, out_specs, bool(check_vma))

    return mapped


def apply(
    f: Callable,
    args: tuple,
    mesh: Any,
    axes: frozenset,
    in_specs: Any,
    out_specs: Any,
    check_vma: bool,
    *,
    what: str = "shard_map",
) -> Any:
    """Traces the body for these arguments and binds the primitive.

    Args:
        f: the function.
        args: its arguments, whole.
        mesh: the mesh.
        axes: the axes that become manual.
        in_specs: as for `shard_map`.
        out_specs: likewise, or a function that answers them when `f` has run.
        check_vma: as for `shard_map`.
        what: who asks, for messages.
    """
    names = calls.arg_names(f, args, {})
    fun, passed, in_tree, given = _dynamic(f, args, in_specs)
    references = [i for i, x in enumerate(passed) if type(x) is references_lib.Ref]
    reference_links.refuse_twice([passed[i] for i in references], what)
    leaves = reference_links.arrays(passed)
    calls.check_values(leaves, what, names)
    avals = [avals_lib.get_aval(x) for x in leaves]
    checks.check_shards(avals)
    if given is None:
        given = [_spec_of_type(aval, mesh, axes) for aval in avals]
    checks.check_specs(f"{what}: in_specs", given, mesh, axes)
    named = (
        names
        if len(names) == len(leaves)
        else [f"leaf {i}" for i in range(len(leaves))]
    )
    in_leaves = list(zip(named, avals, given, strict=True))
    checks.check_fit(f"{what}: in_specs", in_leaves, mesh)
    _check_explicit(in_leaves, mesh, axes, in_specs is not Infer)

    setting = tracing.Setting(mesh, axes, check_vma)
    flat = calls.FlatFunction(
        fun,
        tree.treedef_tuple((in_tree, _NO_KEYWORDS)),
        what,
    )
    found: list[P] = []
    written: list[int] = []

    def run(*xs):
        inside = _References(xs, references, named, given)
        outs = flat(*inside.values)
        reference_links.refuse_results(outs, what)
        found[:] = _out_specs(flat.out_tree, out_specs, mesh, axes)
        _check_results(f, outs, found, setting, flat.out_tree)
        written[:], last, specs = inside.end(f, setting)
        found.extend(specs)
        return [*outs, *last]

    is_eager = trace.is_evaluating() and trace.find_tracer(leaves) is None
    is_high = any(aval.is_high for aval in avals) or _has_high_spec(out_specs)
    if is_eager and not references and not is_high:
        outs = stepwise.run(
            primitive.shard_map_p.bind, run, setting, leaves, given, lambda: found
        )
    else:
        debug = calls.debug_info(what, f, args)
        outs = _as_one_program(run, leaves, given, found, setting, debug, what)
    outs = reference_links.stored([passed[i] for i in written], outs)
    return tree.tree_unflatten(flat.out_tree, outs)


def _has_high_spec(specs):
    """Whether a library's own value leaves the body, which only a whole program splits."""
    leaves = tree.tree_leaves(specs, is_leaf=lambda s: isinstance(s, P))
    return any(isinstance(leaf, partition_spec.HiPspec) for leaf in leaves)


class _References:
    """References among the arguments of a body: to the parts that a device has."""

    def __init__(self, parts, indices, names, specs):
        avals = [avals_lib.get_aval(x) for x in parts]
        for index in indices:
            avals[index] = references_lib.AbstractRef(avals[index])
        self._arguments = reference_links.Arguments(parts, avals)
        self._names, self._specs = names, specs
        # What the function gets.
        self.values = self._arguments.among(parts)

    def end(self, f, setting):
        """Which references were written; their last parts; and how these are split.

        Raises:
            ValueError: parts may differ where the spec of the reference says that all
                devices have the same.
        """
        indices, last = self._arguments.finish()
        specs = [self._specs[index] for index in indices]
        if setting.check_vma:
            leaves = [
                (
                    f"what was written to {self._names[index]}",
                    avals_lib.get_aval(x),
                    spec,
                )
                for index, x, spec in zip(indices, last, specs, strict=True)
            ]
            function = calls.describe(f)
            checks.check_varying(function, leaves, setting.mesh, setting.axes)
        return list(indices), last, specs


def _as_one_program(run, leaves, specs, found, setting, debug, what):
    """The results of a body that is traced once."""
    avals = [avals_lib.get_aval(x) for x in leaves]
    local = [
        specs_lib.local_aval(a, s, setting.mesh, setting.axes, setting.check_vma)
        for a, s in zip(avals, specs, strict=True)
    ]
    closed = setting.trace(run, local, debug, out_specs=lambda: found)
    if what == "pmap":
        checks.refuse_ordered(closed.effects, setting.mesh)
    closed, consts = _consts_to_inputs(closed)
    return primitive.shard_map_p.bind(
        *consts,
        *leaves,
        jaxpr=closed,
        mesh=setting.mesh,
        in_specs=(P(),) * len(consts) + tuple(specs),
        out_specs=tuple(found),
        check_vma=setting.check_vma,
        newly_manual_axes=setting.axes,
    )


def _dynamic(f, args, in_specs):
    """The function of the arguments that are split, these, and their specs.

    Returns:
        A function of these positional arguments, their leaves, the tree of the tuple of
        them, and a spec for each leaf, or None where their types have it.
    """
    if in_specs is Infer:
        leaves, in_tree = tree.tree_flatten(args)
        return f, leaves, in_tree, None
    entries = in_specs
    if isinstance(in_specs, tuple) and len(in_specs) == len(args):
        static = [i for i, spec in enumerate(in_specs) if spec is None]
    else:
        static = list(range(len(args))) if in_specs is None else []
    if static:
        fun = _with_statics(f, args, frozenset(static))
        kept = [i for i in range(len(args)) if i not in static]
        args = tuple(args[i] for i in kept)
        entries = () if in_specs is None else tuple(in_specs[i] for i in kept)
        f = fun
    leaves, in_tree = tree.tree_flatten(args)
    specs = tree.spread_over(
        "shard_map in_specs", entries, in_tree, checks.is_spec_or_none
    )
    if not any(spec is None for spec in specs):
        return f, leaves, in_tree, specs
    return _without_static_leaves(f, args, specs)


def _with_statics(f, args, static):
    @ft.wraps(f, updated=())
    def of_dynamic(*dynamic):
        rest = iter(dynamic)
        return f(*[a if i in static else next(rest) for i, a in enumerate(args)])

    return of_dynamic


def _without_static_leaves(f, args, specs):
    """Removes the leaves of arguments whose spec is None: they are static."""
    leaves, in_tree = tree.tree_flatten(args)
    is_static = [spec is None for spec in specs]

    def of_leaves(*dynamic):
        rest = iter(dynamic)
        full = [x if s else next(rest) for x, s in zip(leaves, is_static, strict=True)]
        return f(*tree.tree_unflatten(in_tree, full))

    kept = [x for x, s in zip(leaves, is_static, strict=True) if not s]
    structure = tree.tree_structure(tuple(range(len(kept))))
    return of_leaves, kept, structure, [s for s in specs if s is not None]


def _out_specs(out_tree, out_specs, mesh, axes):
    if callable(out_specs):
        return out_specs()
    specs = tree.spread_over("shard_map out_specs", out_specs, out_tree, checks.is_spec)
    checks.check_specs("shard_map: out_specs", specs, mesh, axes)
    return specs


def _check_results(f, outs, specs, setting, out_tree):
    avals = [avals_lib.get_aval(out) for out in outs]
    leaves = list(zip(calls.result_paths(out_tree), avals, specs, strict=True))
    for name, aval, spec in leaves:
        if aval.is_high:
            continue
        shape = getattr(aval, "shape", ())
        if len(spec) > len(shape):
            checks.check_fit("shard_map: out_specs", [(name, aval, spec)], setting.mesh)
    if setting.check_vma:
        checks.check_varying(calls.describe(f), leaves, setting.mesh, setting.axes)


def _consts_to_inputs(closed):
    """The program whose inputs are also the arrays it closes over; these."""
    jaxpr, consts = pe.consts_to_inputs(closed.jaxpr), closed.consts
    if wide_values.begun:
        # The body may have been traced where numbers have 64 bits.
        consts = wide_values.as_typed(consts, [v.aval for v in closed.jaxpr.constvars])
    return jaxpr_lib.ClosedJaxpr(jaxpr, []), consts


def _spec_of_type(aval, mesh, axes):
    """The spec in the type of an argument.

    Raises:
        TypeError: the types do not have it for all axes.
    """
    kinds = mesh.name_to_type
    if any(kinds[name] is not mesh_lib.AxisType.Explicit for name in axes):
        raise errors.type_error(
            "shard_map: in_specs are left out, but not all axes are Explicit.",
            [("mesh", repr(mesh)), ("axis_names", repr(set(axes)))],
            "Types say how arguments are sharded along Explicit axes only.",
            "Give in_specs.",
        )
    spec = _type_spec(aval)
    entries = [
        tuple(n for n in spec.names_of(i) if n in axes) for i in range(len(spec))
    ]
    return P(*entries, unreduced=spec.unreduced, reduced=spec.reduced)


def _type_spec(aval):
    sharding = getattr(aval, "sharding", None)
    return getattr(sharding, "spec", None) or P()


def _check_explicit(leaves, mesh, axes, was_given):
    """Refuses specs that differ from what the types of arguments say."""
    if not was_given or not mesh.are_all_axes_explicit or axes != set(mesh.axis_names):
        return
    for name, aval, spec in leaves:
        rank = len(getattr(aval, "shape", ()))
        has = _type_spec(aval).padded(rank)
        if has != spec.padded(rank):
            raise errors.value_error(
                "shard_map: in_specs differ from the type of an argument.",
                [
                    ("argument", f"{name}: {aval.str_short()}"),
                    ("its spec", repr(has)),
                    ("in_specs", repr(spec)),
                    ("mesh", repr(mesh)),
                ],
                "Along Explicit axes, the type says how an array is sharded.",
                "Leave in_specs out, or move the argument with jax.reshard.",
            )


@hides_frames
def smap(
    f: Callable | None = None,
    /,
    *,
    in_axes: Any = Infer,
    out_axes: Any,
    axis_name: Hashable,
) -> Callable:
    """`shard_map` along one axis of the context's mesh, told by axes of the arrays.

    Args:
        f: the function; left out: the result is a decorator.
        in_axes: for each argument, the axis that is split, or None; a tree prefix.
        out_axes: likewise for the results.
        axis_name: the name of an axis of the mesh.

    Raises:
        ValueError: there is no mesh, or no such axis.
        TypeError: an axis is neither an integer nor None; `axis_name` is a tuple.
    """
    if isinstance(axis_name, tuple | list | set | frozenset):
        raise errors.type_error(
            "smap: axis_name is several names.",
            [("axis_name", repr(axis_name))],
            "It maps along one axis of the mesh.",
            "For several axes: an smap in an smap, or jax.shard_map.",
        )
    if f is None:
        return lambda g: smap(
            g, in_axes=in_axes, out_axes=out_axes, axis_name=axis_name
        )
    calls.check_callable(f, "smap")
    in_specs = in_axes if in_axes is Infer else _as_specs("in_axes", in_axes, axis_name)
    out_specs = _as_specs("out_axes", out_axes, axis_name)

    @util.wraps(f)
    @api_boundary
    def mapped(*args):
        mesh = checks.mesh_of("smap", None)
        axes = checks.axes_of("smap", mesh, {axis_name})
        return apply(f, args, mesh, axes, in_specs, out_specs, True)

    return mapped


def _as_specs(what, axes, name):
    """Integers as specs, in a tree."""

    def spec(axis):
        if axis is None:
            return P()
        if isinstance(axis, bool) or not isinstance(axis, int):
            raise TypeError(
                f"smap: {what} must be integers, None, or a tree of them, not {axis!r} "
                f"of type {type(axis).__name__}."
            )
        if axis < 0:
            raise ValueError(f"smap: {what} counts from the front, but is {axis}.")
        return P(*[None] * axis, name)

    if isinstance(axes, list):
        axes = tuple(axes)
    return tree.tree_map(spec, axes, is_leaf=lambda x: x is None)
