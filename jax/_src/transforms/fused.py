"""Functions that a compiler shall make one kernel of: on GPUs of another runtime."""

import functools as ft
from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors, traceback_filter
from jax._src.core import avals as avals_lib, primitive, vma
from jax._src.interpreters import ad, batching, partial_eval as pe
from jax._src.jit import jit, primitive as jit_primitive


@primitive.declare("fused_call", multiple_results=True)
class fused_p:
    """Runs `jaxpr` as one kernel, whose results are in the memory spaces `out_spaces`."""

    manual = vma.AS_TYPES
    sharding = primitive.BY_TYPES

    def types(*avals, jaxpr, out_spaces):
        pairs = zip(jaxpr.out_avals, out_spaces, strict=True)
        return [aval.update(memory_space=space) for aval, space in pairs]

    def impl(*args, jaxpr, out_spaces):
        raise _no_kernel(jaxpr)

    def lower(ctx, *operands, jaxpr, out_spaces):
        raise _no_kernel(jaxpr)

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
            for aval, n in zip(jaxpr.out_avals, out_nonzero, strict=True)
        ]

    def batch(axis, args, dims, *, jaxpr, out_spaces):
        program, out_dims = batching.batch_jaxpr(jaxpr, axis, dims)
        return fused_p.bind(*args, jaxpr=program, out_spaces=out_spaces), out_dims

    transpose = primitive.Unsupported(
        "no compiler here makes the kernel that it would be"
    )

    def show(*, jaxpr, out_spaces):
        return {"jaxpr": jaxpr, "out_spaces": out_spaces}


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
