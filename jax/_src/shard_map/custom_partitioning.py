"""`custom_partitioning`: users say how an operation is divided among devices.

The compiler is told by a rule which dimensions are cut alike. When it has settled where
the operands and results are sharded, the user's function says what one device does, and the
operation becomes a `shard_map` of that. So a program with such operations is compiled in
two steps: `runtime/compilation/sharding_callbacks.py`.
"""

import functools as ft
from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, records
from jax._src.base.traceback_filter import api_boundary
from jax._src.core import (
    avals as avals_lib,
    evaluate,
    mesh as mesh_lib,
    mesh_context,
    primitive,
    shardings as shardings_lib,
)
from jax._src.interpreters import mlir, partial_eval as pe
from jax._src.shard_map import api, user_rules
from jax._src.transforms import (
    calls,
    custom_rules,
    shape_dtype_struct,
    sharding_constraint as constraint,
)

ir = mlir.ir

_TARGET = "CustomSPMDPartitioning"


@records.identity_record
class Definition:
    """What a user defined of one operation."""

    partition: Callable
    sharding_rule: Any
    # Of static arguments: their positions and values, which callbacks get first.
    static_args: tuple[Any, ...]
    in_tree: Any
    out_tree: Any


@records.record
class _Decision:
    """What one device does, and where arguments and results are for it."""

    fun: Callable
    mesh: Any
    in_specs: tuple[Any, ...]
    out_specs: tuple[Any, ...]
    # The shardings that the compiler chose for arguments and results.
    chosen: tuple[shardings_lib.NamedSharding, ...]


@primitive.declare("custom_partitioning", multiple_results=True, runs="call")
class custom_partitioning_p:
    """The program `call`, divided among devices as a user says."""

    def impl(*args, call, definition):
        return evaluate.eval_closed(call, *args)

    def lower(ctx, *operands, call, definition):
        module = ctx.module_context
        if module.partition_count == 1 or module.manual is not None:
            return mlir.inline_closed(module, call, operands, ctx.name_stack)

        def answer(shardings):
            return _decide(definition, ctx.avals_in, ctx.avals_out, shardings)

        avals = [*ctx.avals_in, *ctx.avals_out]
        key = module.ask("custom_partitioning", avals, answer, decides=True)
        decision = module.decided.get(key)
        if decision is None:
            return _undecided(ctx, operands, definition, key)
        divided = _divided(decision, ctx.avals_in, ctx.avals_out)
        return mlir.inline_closed(module, divided, operands, ctx.name_stack)

    jvp_all = primitive.Unsupported(
        "Differentiation rule for 'custom_partitioning' not implemented: give it one with "
        "jax.custom_jvp or jax.custom_vjp around the call"
    )
    transpose = primitive.Unsupported("custom_partitioning is not known to be linear")
    batch = primitive.Unsupported(
        "Batching rule for 'custom_partitioning' not implemented: give it one with "
        "jax.custom_batching.custom_vmap around the call"
    )

    samples = ()


def _undecided(ctx, operands, definition, key):
    """The operation for the compiler, which knows no more of it than the rule."""
    attributes = {
        "call_target_name": ir.StringAttr.get(_TARGET),
        "api_version": mlir.i32_attr(2),
        "backend_config": ir.StringAttr.get(key),
    }
    rule = definition.sharding_rule
    shapes = [
        [tuple(a.shape) for a in avals] for avals in (ctx.avals_in, ctx.avals_out)
    ]
    types = [
        [mlir.aval_to_ir_type(a) for a in s] for s in (ctx.avals_in, ctx.avals_out)
    ]
    if callable(rule) and not isinstance(rule, user_rules.SdyShardingRule):
        mesh = ctx.module_context.user_mesh
        mesh = mesh if mesh is None else _with_auto_axes(mesh)
        rule = rule(*definition.static_args, mesh, *types)
        sizes = {}
        if isinstance(rule, tuple):
            rule, sizes = rule
        if isinstance(rule, str):
            rule = user_rules.parse(rule, **sizes)
    if rule is not None:
        text = user_rules.attribute_text(rule, *shapes)
        attributes["sdy.sharding_rule"] = ir.Attribute.parse(text)
    made = ir.Operation.create(
        "stablehlo.custom_call",
        results=types[1],
        operands=operands,
        attributes=attributes,
    )
    return list(made.results)


def _decide(definition, avals_in, avals_out, shardings):
    """Calls the user's function with the shardings of arguments and results."""
    try:
        avals = (*avals_in, *avals_out)
        chosen = [_for_users(s, a) for s, a in zip(shardings, avals, strict=True)]
        placed = [
            shape_dtype_struct.ShapeDtypeStruct(a.shape, a.dtype, sharding=s)
            for a, s in zip(avals, chosen, strict=True)
        ]
        args = tree.tree_unflatten(definition.in_tree, placed[: len(avals_in)])
        result = tree.tree_unflatten(definition.out_tree, placed[len(avals_in) :])
        mesh = placed[0].sharding.mesh
        answer = definition.partition(*definition.static_args, mesh, args, result)
        return _read_answer(answer, definition, len(avals_in), tuple(chosen))
    except Exception as error:
        raise _failed(error) from error


def _failed(error):
    return errors.JaxRuntimeError(
        f"INTERNAL: custom_partitioner: {type(error).__name__}: {error}"
    )


def _for_users(sharding, aval):
    if not isinstance(sharding, shardings_lib.NamedSharding):
        raise errors.not_implemented(
            "custom_partitioning: the arrays are sharded over no mesh.",
            [("array", aval.str_short()), ("sharding", repr(sharding))],
            ways="Give an argument a NamedSharding, or set a mesh with jax.set_mesh.",
        )
    spec = sharding.spec.padded(len(aval.shape))
    return sharding.update(mesh=_with_auto_axes(sharding.mesh), spec=spec)


def _with_auto_axes(mesh):
    """The mesh of an operation whose shardings the compiler has settled already."""
    return mesh.update(axis_types=(mesh_lib.AxisType.Auto,) * len(mesh.axis_names))


def _read_answer(answer, definition, n_in, chosen):
    if not isinstance(answer, tuple | list) or len(answer) != 4:
        raise errors.type_error(
            "custom_partitioning: `partition` returned no four values.",
            [("returned", repr(answer)[:200])],
            "It returns the mesh, a function for one device, the shardings of the "
            "results and those of the arguments.",
        )
    mesh, fun, results, args = answer
    if not isinstance(mesh, mesh_lib.Mesh | mesh_lib.AbstractMesh):
        raise errors.type_error(
            "custom_partitioning: `partition` returned no mesh.",
            [("returned", f"{mesh!r} of type {type(mesh).__name__}")],
            "The first of the four values is a jax.sharding.Mesh.",
            "Return the mesh that `partition` gets.",
        )
    structure = definition.in_tree

    def for_one_device(*leaves):
        return fun(*tree.tree_unflatten(structure, leaves))

    return _Decision(
        for_one_device,
        _with_auto_axes(mesh),
        _specs("arguments", args, n_in, mesh),
        _specs("results", results, len(chosen) - n_in, mesh),
        chosen,
    )


def _specs(what, shardings, count, mesh):
    leaves = tree.tree_leaves(shardings)
    if len(leaves) != count:
        raise errors.value_error(
            f"custom_partitioning: the shardings of the {what} do not fit.",
            [(what, str(count)), ("shardings", str(len(leaves)))],
            "`partition` returns a sharding for each array, in trees like theirs.",
        )
    for leaf in leaves:
        if not isinstance(leaf, shardings_lib.NamedSharding):
            raise errors.type_error(
                f"custom_partitioning: a sharding of the {what} is none of the mesh.",
                [("got", repr(leaf)), ("mesh", str(mesh))],
                "`partition` returns NamedShardings over the mesh.",
            )
    return tuple(leaf.spec for leaf in leaves)


def _divided(decision, avals_in, avals_out):
    """What all devices compute, each its part.

    Arguments and results keep the shardings that the compiler chose with the rule, and
    are moved to and from those that the user's function works on. All axes are Auto in
    here: the types around do not reach into what one device does.
    """
    count = len(avals_in)

    def run(*leaves):
        def flat(*parts):
            return tree.tree_leaves(decision.fun(*parts))

        mapped = api.shard_map(
            flat,
            mesh=decision.mesh,
            in_specs=decision.in_specs,
            out_specs=list(decision.out_specs),
            check_vma=False,
        )
        pairs = zip(leaves, decision.chosen[:count], strict=True)
        outs = mapped(*[constraint.with_sharding_constraint(x, s) for x, s in pairs])
        pairs = zip(outs, decision.chosen[count:], strict=True)
        return [constraint.with_sharding_constraint(x, s) for x, s in pairs]

    try:
        with mesh_context.use_axis_types(decision.mesh.abstract_mesh):
            closed = pe.trace_to_closed(run, [a.without_sharding() for a in avals_in])
        _check_results(closed.out_avals, avals_out)
    except Exception as error:
        raise _failed(error) from error
    return closed


def _check_results(found, wanted):
    def texts(avals):
        return [a.strip_weak_type().without_sharding().str_short() for a in avals]

    if texts(found) != texts(wanted):
        raise errors.value_error(
            "custom_partitioning: the parts do not make up the results.",
            [
                ("results", ", ".join(texts(wanted))),
                ("parts make up", ", ".join(texts(found))),
            ],
            "What one device returns is its part under the sharding of the result.",
        )


class custom_partitioning:
    """Lets a user say how a function is divided among devices.

    Args:
        fun: the function, of trees of arrays.
        static_argnums: positions of arguments that are no arrays; callbacks get them
            first.

    `def_partition` must be called before the function is. With one device, in the body of
    a `shard_map` and outside of `jax.jit`, the function runs as it is. It has no
    derivative and no batching rule of its own: wrap the call in `jax.custom_vjp` or
    `jax.custom_batching.custom_vmap`.

    Examples:
        >>> from jax.experimental.custom_partitioning import custom_partitioning
        >>> @custom_partitioning
        ... def total(x):
        ...     return jnp.cumsum(x, axis=1)
        >>> def partition(mesh, arg_shapes, result_shape):
        ...     rows = arg_shapes[0].sharding
        ...     return mesh, lambda x: jnp.cumsum(x, axis=1), rows, (rows,)
        >>> total.def_partition(
        ...     partition, sharding_rule="i j -> i j", need_replication_factors=("j",))
        >>> float(jax.jit(total)(jnp.ones((2, 3)))[1, 2])
        3.0
    """

    def __init__(self, fun: Callable, static_argnums: int | Sequence[int] = ()):
        calls.check_callable(fun, "custom_partitioning")
        self.fun = fun
        numbers = (
            (static_argnums,) if isinstance(static_argnums, int) else static_argnums
        )
        self.static_argnums = tuple(numbers)
        self.partition: Callable | None = None
        self.sharding_rule: Any = None
        self._lacks_rule = False
        ft.update_wrapper(self, fun)

    def def_partition(
        self,
        partition: Callable,
        infer_sharding_from_operands: Callable | None = None,
        propagate_user_sharding: Callable | None = None,
        decode_shardings: bool = True,
        sharding_rule: Any = None,
        *,
        reduction_factors: tuple[str, ...] = (),
        need_replication_factors: tuple[str, ...] = (),
        permutation_factors: tuple[str, ...] = (),
        **factor_sizes: int,
    ) -> Callable:
        """Says how the function is divided.

        Args:
            partition: gets the static arguments, the mesh, and the arguments and results
                as `jax.ShapeDtypeStruct` with shardings; returns the mesh, a function
                for one device, and the shardings of results and arguments.
            infer_sharding_from_operands: of the partitioner before Shardy; give a
                `sharding_rule` instead.
            propagate_user_sharding: likewise.
            decode_shardings: accepted for compatibility: shardings are always decoded.
            sharding_rule: text such as ``"i j, j k -> i k"``, an `SdyShardingRule`, or a
                function that gets the static arguments, the mesh and the types of
                operands and results. None: all arguments are whole.
            reduction_factors: see `SdyShardingRule`, as are the others.
            need_replication_factors: likewise.
            permutation_factors: likewise.
            **factor_sizes: likewise.

        Returns:
            `partition`.

        Raises:
            TypeError: the rule is neither text, an `SdyShardingRule` nor a function.
            ValueError: the text is no rule.

        With callbacks and no rule, calls of the function raise `NotImplementedError`:
        only the partitioner before Shardy called them.
        """
        self._lacks_rule = sharding_rule is None and bool(
            infer_sharding_from_operands or propagate_user_sharding
        )
        self.partition = partition
        sets = {
            "reduction_factors": reduction_factors,
            "need_replication_factors": need_replication_factors,
            "permutation_factors": permutation_factors,
        }
        is_rule = isinstance(sharding_rule, user_rules.SdyShardingRule)
        if not (sharding_rule is None or is_rule or callable(sharding_rule)):
            sharding_rule = user_rules.parse(sharding_rule, **sets, **factor_sizes)
        self.sharding_rule = sharding_rule
        return partition

    @api_boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.partition is None:
            raise AttributeError(
                errors.explain(
                    "custom_partitioning: def_partition was not called.",
                    [("function", calls.describe(self.fun))],
                    ways="Call it before the function: f.def_partition(partition, ...).",
                )
            )
        if self._lacks_rule:
            raise errors.not_implemented(
                "custom_partitioning: need to provide sharding_rule to migrate to "
                "Shardy.",
                [("function", calls.describe(self.fun))],
                "Shardings are propagated by rules, not by the callbacks "
                "infer_sharding_from_operands and propagate_user_sharding.",
                'Give one to def_partition, such as sharding_rule="... i -> ... i".',
            )
        args = custom_rules.positional(self.fun, args, kwargs)
        static = {n % len(args) for n in self.static_argnums}
        dynamic = [a for i, a in enumerate(args) if i not in static]
        fixed = tuple(args[n % len(args)] for n in self.static_argnums)

        def fun(*given):
            rest = iter(given)
            return self.fun(
                *[a if i in static else next(rest) for i, a in enumerate(args)]
            )

        leaves, in_tree = tree.tree_flatten(tuple(dynamic))
        calls.check_values(leaves, "custom_partitioning", ())
        flat = calls.FlatFunction(
            fun, tree.tree_structure((tuple(dynamic), {})), "custom_partitioning"
        )
        avals = [avals_lib.get_aval(x) for x in leaves]
        closed = pe.trace_to_closed(flat, avals)
        definition = Definition(
            self.partition, self.sharding_rule, fixed, in_tree, flat.out_tree
        )
        outs = custom_partitioning_p.bind(*leaves, call=closed, definition=definition)
        return tree.tree_unflatten(flat.out_tree, outs)
