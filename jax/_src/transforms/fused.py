"""Functions that a compiler shall make one kernel of: on GPUs of another runtime."""

import functools as ft
from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors, traceback_filter
from jax._src.core import avals as avals_lib, primitive, vma
from jax._src.interpreters import ad, batching, mlir, partial_eval as pe
from jax._src.jit import jit, primitive as jit_primitive
from jax._src.lib.mlir import ir


@primitive.declare("fused_call", multiple_results=True)
class fused_p:
    """Runs `jaxpr` as one kernel, whose results are in the memory spaces `out_spaces`."""

    manual = vma.AS_TYPES
    sharding = primitive.BY_TYPES

    def types(*avals, jaxpr, out_spaces):
        return _placed(jaxpr.out_avals, out_spaces)

    def impl(*args, jaxpr, out_spaces):
        raise _no_kernel(jaxpr)

    def lower(ctx, *operands, jaxpr, out_spaces):
        if "cuda" not in ctx.platforms:
            raise _no_kernel(jaxpr)
        called = mlir.function_of(ctx, "fused", jaxpr)
        spaces = [ir.StringAttr.get(str(space)) for space in out_spaces]
        made = ir.Operation.create(
            "stablehlo.custom_call",
            results=called.result_types,
            operands=operands,
            attributes={
                "call_target_name": ir.StringAttr.get("fused"),
                "called_computations": ir.ArrayAttr.get(
                    [ir.FlatSymbolRefAttr.get(called.name)]
                ),
                "mhlo.backend_config": ir.DictAttr.get(
                    {
                        "MUST_FUSE": ir.BoolAttr.get(True),
                        "inlineable": ir.BoolAttr.get(False),
                        "out_spaces": ir.ArrayAttr.get(spaces),
                    }
                ),
            },
        )
        return list(made.results)

    def jvp_all(primals, tangents, *, jaxpr, out_spaces):
        nonzero = tuple(type(t) is not ad.Zero for t in tangents)
        program, out_nonzero = jit_primitive.jvp_jaxpr(jaxpr, nonzero)
        live = [t for t, n in zip(tangents, nonzero, strict=True) if n]
        moved = [s for s, n in zip(out_spaces, out_nonzero, strict=True) if n]
        outs = fused_p.bind(
            *primals, *live, jaxpr=program, out_spaces=(*out_spaces, *moved)
        )
        rest = iter(outs[len(out_spaces) :])
        return outs[: len(out_spaces)], [
            next(rest) if n else ad.Zero(aval.to_tangent_aval())
            for aval, n in zip(
                _placed(jaxpr.out_avals, out_spaces), out_nonzero, strict=True
            )
        ]

    def partial_eval(trace, *args, jaxpr, out_spaces):
        """The second kernel computes anew what it needs of the first one."""
        unknown = [trace.is_unknown(a) for a in args]
        unknown_out = pe.partial_eval_jaxpr(jaxpr, unknown)[2]
        early = ft.partial(
            _call_kernel, jaxpr, out_spaces, [not u for u in unknown_out]
        )
        known = [None if u else a for a, u in zip(args, unknown, strict=True)]
        early_outs = iter(trace.known(early, *known))
        late_outs = iter(
            _call_kernel(jaxpr, out_spaces, unknown_out, *args, staging=trace.staging)
        )
        return [next(late_outs) if u else next(early_outs) for u in unknown_out]

    def transpose(cts, *operands, jaxpr, out_spaces):
        linear = tuple(ad.is_undefined_primal(x) for x in operands)
        ct_zero = tuple(type(ct) is ad.Zero for ct in cts)
        _, zeros, _, _ = jit_primitive.transpose_jaxpr(jaxpr, linear, ct_zero)
        spaces = [x.aval.memory_space for x in operands if ad.is_undefined_primal(x)]
        return jit_primitive.transpose_call(
            lambda program, *args: fused_p.bind(
                *args,
                jaxpr=program,
                out_spaces=tuple(
                    space
                    for space, zero in zip(spaces, zeros, strict=True)
                    if zero is None
                ),
            ),
            jaxpr,
            cts,
            operands,
        )

    def batch(axis, args, dims, *, jaxpr, out_spaces):
        program, out_dims = batching.batch_jaxpr(jaxpr, axis, dims)
        return fused_p.bind(*args, jaxpr=program, out_spaces=out_spaces), out_dims

    def show(*, jaxpr, out_spaces):
        return {"jaxpr": jaxpr, "out_spaces": out_spaces}


def _placed(avals, spaces):
    """Types in given memory spaces."""
    pairs = zip(avals, spaces, strict=True)
    return [aval.update(memory_space=space) for aval, space in pairs]


def _call_kernel(jaxpr, out_spaces, used, *args, staging=None):
    """Calls the kernel of some results, with the operands that they need."""
    smaller, used_inputs = pe.dce_closed(jaxpr, used)
    operands = [a for a, u in zip(args, used_inputs, strict=True) if u]
    spaces = tuple(s for s, u in zip(out_spaces, used, strict=True) if u)
    if not spaces:
        return []
    if staging is None:
        return fused_p.bind(*operands, jaxpr=smaller, out_spaces=spaces)
    params = {"jaxpr": smaller, "out_spaces": spaces}
    return staging.process(fused_p, operands, params)


def _no_kernel(jaxpr):
    return errors.not_implemented(
        "fused: no compiler here makes one kernel of a function on request.",
        [("function", jaxpr.debug_info.func_name)],
        "CUDA alone has a rule for it.",
        "Leave it out: jax.jit fuses what it can.",
    )


def _in_any_memory(x):
    """The type of an operand: in a kernel the memory space of operands does not matter."""
    if not avals_lib.is_value(x):
        return x
    return avals_lib.get_aval(x).update(memory_space=avals_lib.MemorySpace.Any)


def fused(*, out_spaces: Any) -> Callable[[Callable], Callable]:
    """A decorator: the function becomes one kernel, whose results are in given memory spaces.

    Args:
        out_spaces: a tree of memory spaces, like the result.

    Raises:
        NotImplementedError: when a program with it is compiled, as no compiler here has
            such kernels.
    """

    def decorate(f: Callable) -> Callable:
        @ft.wraps(f)
        def call(*args: Any) -> Any:
            traced = jit.jit(f).trace(*tree.tree_map(_in_any_memory, args))
            leaves = [x for x in tree.tree_leaves(args) if avals_lib.is_value(x)]
            structure = traced.out_tree
            spaces = tree.spread_over("fused out_spaces", out_spaces, structure)
            program, captured = pe.split_traced_consts(traced.jaxpr)
            outs = fused_p.bind(
                *captured, *leaves, jaxpr=program, out_spaces=tuple(spaces)
            )
            return tree.tree_unflatten(structure, outs)

        return traceback_filter.hides_frames(call)

    return decorate
