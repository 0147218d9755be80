"""Primitives that are names for programs.

Their types, derivatives and batches are those of the programs: what is linear in values
at given indices differentiates into gathers and scatters at these indices by itself.
"""

from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.core import avals as avals_lib, primitive
from jax._src.interpreters import ad
from jax._src.numpy import numpy_api as jnp
from jax._src.transforms import inspect_programs, shape_dtype_struct, vectorize


def named(name: str, *, several: bool = False, samples: Any = ()) -> Callable:
    """Makes a primitive of a program.

    Args:
        name: the primitive's name in printed programs.
        several: whether the program returns a list.
        samples: operands and parameters for the tests of its laws.

    Returns:
        a decorator of functions of arrays and parameters (keyword-only).
    """

    def decorate(written: Callable) -> primitive.Primitive:
        def program(*args, **params):
            # Operands may be NumPy's, which some operations do not take.
            return written(*(jnp.asarray(x) for x in args), **params)

        table = {
            "types": _types(program, several),
            "decompose": program,
            "jvp_all": _jvp(program, several),
            "batch": batch_rule(program, several),
            "samples": samples,
        }
        return primitive.declare_table(
            name, table, multiple_results=several, doc=written.__doc__
        )

    return decorate


def _types(program, several):
    def types(*avals, **params):
        structs = [shape_dtype_struct.struct_of(a) for a in avals]
        out = inspect_programs.eval_shape(lambda *xs: program(*xs, **params), *structs)
        made = [
            avals_lib.ShapedArray(o.shape, o.dtype, weak_type=o.weak_type)
            for o in tree.tree_leaves(out)
        ]
        return made if several else made[0]

    return types


def _jvp(program, several):
    def jvp_all(primals, tangents, **params):
        def run(*xs):
            out = program(*xs, **params)
            return list(out) if several else [out]

        outs, out_tangents = ad.jvp(run, primals, tangents)
        return (outs, out_tangents) if several else (outs[0], out_tangents[0])

    return jvp_all


def batch_rule(program: Callable, several: bool) -> Callable:
    """The rule `batch` of a primitive that is a name for a program.

    Args:
        program: a function of arrays and parameters (keyword-only).
        several: whether it returns a list.
    """

    def batch(axis, args, dims, **params):
        def run(*xs):
            return program(*xs, **params)

        run = vectorize.vmap(run, tuple(dims), 0, axis_size=axis.size)
        out = run(*args)
        return (list(out), [0] * len(out)) if several else (out, 0)

    return batch


def sample(args: list, **params: Any) -> primitive.Sample:
    """Operands and parameters for the laws of a primitive."""
    return primitive.Sample(tuple(args), params)
