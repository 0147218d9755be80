"""The primitive: a kernel, run on blocks of its operands for each step of a grid."""

from collections.abc import Sequence

from jax._src.base import errors
from jax._src.core import primitive
from jax._src.interpreters import mlir
from jax._src.lax.ops import splitting
from jax._src.pallas import (
    batching,
    interpret as interpreter,
    jvp,
    lowering_rules,
    step_groups,
    uninitialized,
)
from jax._src.pallas.triton import api as triton


@primitive.declare("pallas_call", multiple_results=True)
class pallas_call_p:
    """Runs the kernel `jaxpr` for each step of a grid; `interpret.run` says what it means.

    The operands are numbers of steps, prefetched scalars and inputs. The program of the
    kernel takes its program ids, numbers of steps that are operands, and what its
    references hold: prefetched scalars, blocks of inputs and results, scratch memory. It
    returns what those hold at the end that are `written`.
    """

    def types(*avals, out_avals, **params):
        return list(out_avals)

    def effects(*avals, jaxpr, **params):
        return jaxpr.effects

    def sharding(*avals, out_avals, **params):
        if any(any(splitting.entries(aval)) for aval in avals):
            splitting.refuse(
                "pl.pallas_call",
                avals,
                "A kernel takes whole arrays.",
                "To run it on the part of each device: jax.shard_map. To have whole "
                "arrays: jax.reshard(x, P()).",
            )
        return [(None,) * out.ndim for out in out_avals]

    def lower(ctx, *operands, interpret, compiler_params, **params):
        if not interpret:
            rule = lowering_rules.rule_for(compiler_params, ctx.platforms)
            if rule is not None:
                settings = {"interpret": interpret, "compiler_params": compiler_params}
                return rule(ctx, *operands, **params, **settings)
            check_is_compiled(ctx.platforms)
        with uninitialized.under(interpret):
            if interpret:
                return _lower_loop(ctx, *operands, **params, settings=compiler_params)
            return _lower_groups(ctx, *operands, **params, settings=compiler_params)

    def batch(axis, args, dims, **params):
        return batching.rule(pallas_call_p.bind, axis, args, dims, params)

    def jvp_all(primals, tangents, **params):
        return jvp.rule(pallas_call_p.bind, primals, tangents, params)

    def transpose(cts, *operands, name, **params):
        raise errors.value_error(
            "A kernel was differentiated backwards.",
            [("kernel", name)],
            "pl.pallas_call has derivatives forwards alone.",
            "Give the function that calls it a rule: jax.custom_vjp.",
        )

    exempt = {
        "jvp": "tests/pallas has kernels",
        "transpose": "it has none",
        "batch": "tests/pallas has kernels",
    }


def _loop(
    *operands,
    jaxpr,
    written,
    grid_mapping,
    input_output_aliases,
    settings,
    **rest,
):
    kernel = (jaxpr, written, grid_mapping, input_output_aliases)
    # Programs for Triton store to the array itself: no block waits to be written back.
    may_return = isinstance(settings, triton.CompilerParams)
    return interpreter.run(operands, *kernel, blocks_may_return=may_return)


_lower_loop = mlir.lower_fun(_loop)


def _groups(
    *operands,
    jaxpr,
    written,
    grid_mapping,
    input_output_aliases,
    settings,
    **rest,
):
    kernel = (jaxpr, written, grid_mapping, input_output_aliases)
    grouping = step_groups.grouping_of(grid_mapping, jaxpr, written, settings)
    if grouping is None:
        return interpreter.run(operands, *kernel)
    return interpreter.run_in_groups(operands, *kernel, grouping)


_lower_groups = mlir.lower_fun(_groups)


def check_is_compiled(platforms: Sequence[str]) -> None:
    """Refuses platforms that kernels are not compiled for.

    Raises:
        ValueError: one of them is no CPU.
    """
    for platform in platforms:
        if platform != "cpu":
            raise errors.value_error(
                f"Cannot lower pallas_call on platform: {platform}.",
                rule="Kernels are compiled for CPUs alone; on other platforms they can be "
                "run as ordinary programs.",
                ways="pl.pallas_call(..., interpret=True).",
            )
