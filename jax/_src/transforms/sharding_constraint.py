"""Constraints of the shardings of intermediate values: the primitive, and what users call."""

from collections.abc import Sequence
from typing import Any, TypeVar

from jax._src import tree
from jax._src.base import errors, traceback_filter
from jax._src.core import (
    avals,
    mesh as mesh_lib,
    mesh_context,
    partition_spec,
    primitive,
    sharding_rules,
    shardings as shardings_lib,
    slots,
    trace,
)
from jax._src.interpreters import mlir
from jax._src.jit import (
    options as jit_options,
    primitive as jit_primitive,
    shardings as jit_shardings,
)
from jax._src.jit.stages import Stage
from jax._src.lib import client
from jax._src.runtime import dispatch
from jax._src.runtime.arrays import layouts
from jax._src.runtime.transfers import device_put_get
from jax._src.transforms import layout_constraint

T = TypeVar("T")


@primitive.declare("sharding_constraint", traits=primitive.Trait.LINEAR)
class sharding_constraint_p:
    """Constrains the sharding of a value."""

    def types(x, *, sharding):
        return x

    def sharding(x, *, sharding):
        # A constraint speaks of Auto axes, of which types say nothing.
        return sharding_rules.entries(x)

    def impl(x, *, sharding):
        out = dispatch.apply_primitive(
            sharding_constraint_p, (x,), {"sharding": sharding}
        )
        return _as_constrained(out, sharding)

    def transpose(ct, x, *, sharding):
        return [sharding_constraint_p.bind(ct, sharding=_of_cotangents(sharding))]

    def batch(axis, args, dims, *, sharding):
        (x,), (d,) = args, dims
        wider = _with_axis(sharding, d, axis.spmd_name, x.ndim)
        return sharding_constraint_p.bind(x, sharding=wider), d

    def lower(ctx, x, *, sharding):
        module = ctx.module_context
        if module.partition_count == 1:
            return x
        shape = mlir.physical_aval(ctx.avals_in[0]).shape
        empty = [axis for axis, size in enumerate(shape) if size == 0]
        return mlir.constrain(module, x, sharding, len(shape), whole_dims=empty)

    def reference(x, *, sharding):
        return x

    samples = ()


def _as_constrained(out, sharding):
    """An evaluated value, whose sharding is called what the user calls it."""
    if not isinstance(out, client.Array) or not sharding.is_concrete:
        return out
    memory = sharding.memory_kind
    if memory is not None and out.sharding.memory_kind != memory:
        return device_put_get.device_put(out, sharding)
    if sharding == out.sharding or not out.sharding.is_equivalent_to(
        sharding, out.ndim
    ):
        return out
    return client.view_with(
        out, sharding=sharding, committed=True, weak_type=out.weak_type
    )


def _of_cotangents(sharding):
    """Cotangents get the same sharding, with reduced and unreduced axes exchanged."""
    if isinstance(sharding, shardings_lib.NamedSharding):
        return sharding.update(spec=sharding.spec.to_ct_spec())
    return sharding


def _with_axis(sharding, position, spmd_name, ndim):
    """Returns the sharding of arrays with one more axis, whose partitioning the compiler chooses."""
    if not isinstance(sharding, shardings_lib.NamedSharding):
        is_tiled = isinstance(sharding, shardings_lib.GSPMDSharding)
        return sharding.with_axis(position, ndim) if is_tiled else sharding
    entries = list(sharding.spec.padded(min(position, ndim - 1)).partitions)
    inserted = partition_spec.UNCONSTRAINED if sharding.mesh.auto_axes else None
    if spmd_name is not None:
        inserted = spmd_name
        names = spmd_name if isinstance(spmd_name, tuple) else (spmd_name,)
        if set(names) & set(sharding.spec.names):
            raise errors.value_error(
                "vmap: spmd_axis_name is an axis that a constraint uses already.",
                [("spmd_axis_name", repr(spmd_name)), ("sharding", repr(sharding))],
                "A mesh axis splits at most one axis of an array.",
            )
    entries.insert(position, inserted)
    return sharding.update(spec=sharding.spec.update(partitions=entries))


def with_sharding_constraint(x: T, shardings: Any) -> T:
    """Constrains the sharding of an intermediate value.

    Axes need not be split evenly. Cotangents get the same constraint, and the batch elements of
    `jax.vmap` are sharded as the compiler chooses. Where all axes of the current mesh are
    `Explicit`, nothing is constrained: the sharding of the values is checked.

    Args:
        x: a tree of arrays of any dtype.
        shardings: a `Sharding` or `PartitionSpec`, or a tree prefix of such; None leaves
            a value alone on the current mesh, and ``PartitionSpec.UNCONSTRAINED`` an axis to the compiler.

    Returns:
        The same values, with these shardings.

    Raises:
        TypeError: a leaf of `shardings` is no sharding.
        ValueError: a spec has too many entries, or names an axis that is not `Auto`; or a
            sharding is None where no mesh is set.
        RuntimeError: a `PartitionSpec` is given where no mesh is set.
        AssertionError: all axes of the current mesh are `Explicit`, and a value has
            another sharding.
    """
    what = "with_sharding_constraint: shardings"
    jit_options.check_shardings(what, shardings)
    leaves, structure = tree.tree_flatten(x)
    spread = jit_shardings.spread(
        what, shardings, structure, "with_sharding_constraint", "array"
    )
    return tree.tree_unflatten(
        structure,
        [
            _constrain_layout(_constrain(v, _resolve(s)), s)
            for v, s in zip(leaves, spread, strict=True)
        ],
    )


def _constrain_layout(value, where):
    """Constrains sharding and layout: a format may state a layout too."""
    layout = where.layout if isinstance(where, layouts.Format) else None
    is_said = isinstance(layout, layouts.Layout)
    return layout_constraint.constrain(value, layout) if is_said else value


def _resolve(where):
    if where is None and mesh_context.mesh_for_specs() is None:
        raise errors.value_error(
            "with_sharding_constraint: a sharding is None, which says nothing.",
            [],
            "Each array needs a sharding, or a PartitionSpec on the current mesh.",
            "For an axis that the compiler may split as it likes: P.UNCONSTRAINED.",
        )
    if where is None or isinstance(where, jit_primitive.Unspecified):
        return None
    if isinstance(where, partition_spec.PartitionSpec):
        mesh = mesh_context.mesh_for_specs()
        if mesh is None or mesh.empty:
            raise errors.runtime_error(
                "with_sharding_constraint requires a non-empty mesh in context if you "
                "are passing `PartitionSpec`s to shardings: each needs a mesh.",
                [("spec", repr(where)), ("mesh", "none is set here")],
                ways="Set one with jax.set_mesh(mesh), or pass a NamedSharding.",
            )
        return shardings_lib.NamedSharding(mesh, where)
    sharding = getattr(where, "sharding", where)  # of a format
    context = mesh_context.get_abstract_mesh()
    if isinstance(sharding, shardings_lib.NamedSharding) and context.manual_axes:
        # Inside of shard_map some axes of the same mesh have another type.
        if sharding.mesh.shape_tuple == context.shape_tuple:
            return shardings_lib.NamedSharding(context, sharding.spec)
    return sharding


def _constrain(leaf, where):
    if where is None:
        return leaf
    aval = avals.get_aval(leaf)
    where.check_compatible_aval(aval.shape)
    if isinstance(where, shardings_lib.NamedSharding):
        if where.mesh.empty:
            raise errors.value_error(
                "with_sharding_constraint: the mesh has no axes and no devices.",
                [("sharding", repr(where))],
                ways="Use a mesh of devices: jax.make_mesh((8,), ('x',)).",
            )
        context = mesh_context.get_abstract_mesh()
        meshes = (where.mesh, aval.sharding.mesh) if context.empty else (context,)
        if all(mesh.are_all_axes_explicit for mesh in meshes):
            _assert_sharding(aval, where)
            return leaf
        _check_axes(where)
        leaf = _whole_on(context, leaf, aval)
    if (
        trace.is_evaluating()
        and trace.find_tracer([leaf]) is None
        and where.is_concrete
    ):
        where.shard_shape(aval.shape)  # The shards of an array have equal sizes.
    return sharding_constraint_p.bind(leaf, sharding=where)


def _whole_on(context, leaf, aval):
    """A value of another mesh that is whole there, on the mesh of the context."""
    own = aval.sharding
    if own.mesh.empty or context.empty or own.mesh.shape_tuple == context.shape_tuple:
        return leaf
    if own.spec.names or own.spec.unreduced or own.spec.reduced:
        return leaf
    there = shardings_lib.NamedSharding(context, partition_spec.PartitionSpec())
    return slots.to_type(leaf, aval.update(sharding=there))


def _assert_sharding(aval, where):
    """Raises if the sharding of a value's type, in Explicit mode, is another one."""
    requested = where.spec.padded(len(aval.shape))
    found = aval.sharding.spec.padded(len(aval.shape))
    if requested is not found:
        raise AssertionError(
            errors.explain(
                "with_sharding_constraint: the value has another sharding.",
                [
                    ("value", aval.str_short()),
                    ("sharding", repr(found)),
                    ("requested", repr(requested)),
                    ("mesh", str(where.mesh)),
                ],
                "Where all axes are Explicit, a constraint only checks.",
                "Move the value: jax.reshard(x, spec).",
            )
        )


def _check_axes(where):
    types = where.mesh.name_to_type
    for name in where.spec.names:
        if types[name] is not mesh_lib.AxisType.Auto:
            raise errors.value_error(
                f"with_sharding_constraint names the mesh axis {name!r}.",
                [("sharding", repr(where)), ("its type", repr(types[name]))],
                "A constraint speaks of Auto axes.",
                "For Explicit axes: jax.reshard(x, spec).",
            )


def constrain_all(values: Sequence[Any], shardings: Sequence[Any]) -> list[Any]:
    """Values, constrained where a sharding is given.

    Raises:
        NotImplementedError: one of them is above arrays.
    """
    for value, sharding in zip(values, shardings, strict=True):
        if sharding is not None and avals.get_aval(value).is_high:
            raise errors.not_implemented(
                "jit: a sharding is given for a value above arrays.",
                [
                    ("value", avals.get_aval(value).str_short()),
                    ("sharding", repr(sharding)),
                ],
                "A sharding is that of one array.",
                "Put the arrays of which the value is made: "
                "jax.lax.with_sharding_constraint in the function.",
            )
    return [
        v
        if s is None or getattr(getattr(s, "mesh", None), "explicit_axes", ())
        else sharding_constraint_p.bind(v, sharding=s)
        for v, s in zip(values, shardings, strict=True)
    ]


def call_constrained(program: Stage, run: Any, leaves: Sequence[Any]) -> list[Any]:
    """Calls a program inside of another one, with its arguments and results constrained.

    Args:
        program: has the shardings of its arguments and results.
        run: calls it with the leaves.
        leaves: those of the arguments, and the arrays of references.
    """
    options = program.options
    if options.in_shardings is not jit_primitive.UNSPECIFIED:
        shardings = jit_shardings.input_shardings(program)
        more = [None] * (len(leaves) - len(shardings))
        leaves = constrain_all(leaves, [*shardings, *more])
    outs = run(*leaves)
    if options.out_shardings is not jit_primitive.UNSPECIFIED:
        shardings = jit_shardings.result_shardings(program)
        more = [None] * (len(outs) - len(shardings))
        outs = constrain_all(outs, [*shardings, *more])
    return outs


traceback_filter.hide_frames(globals())
