"""Kernels that take what makes their operands, and what is made of their results."""

import dataclasses
import functools as ft
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

from jax._src import tree
from jax._src.base import errors, traceback_filter
from jax._src.core import avals, evaluate, jaxpr as jaxprs, primitive
from jax._src.interpreters import batching, mlir, partial_eval as pe
from jax._src.jit import primitive as jit_primitive
from jax._src.numpy import numpy_api as jnp
from jax._src.transforms import inspect_programs
from jax._src.transforms.shape_dtype_struct import ShapeDtypeStruct

# Annotations name them: `Fusion[[], jax.Array]`.
_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def _struct(aval):
    return ShapeDtypeStruct(aval.shape, aval.dtype)


@dataclasses.dataclass
class Fusion(Generic[_Parameters, _Result]):
    """A function that a kernel calls for an operand, or with a result.

    Args:
        func: the function.
        in_type: a tuple of the types of its arguments, and a dict of those by name.
        out_type: the type of its result.
        strict_mode: whether blocks may have no other sizes than these types allow.
    """

    func: Callable[..., Any]
    in_type: tuple[tuple[Any, ...], dict[str, Any]]
    out_type: Any
    strict_mode: bool = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.func(*args, **kwargs)

    @property
    def shape(self) -> Any:
        """The shapes of the result."""
        return tree.tree_map(lambda x: x.shape, self.out_type)

    @property
    def dtype(self) -> Any:
        """The dtypes of the result."""
        return tree.tree_map(lambda x: x.dtype, self.out_type)

    @property
    def type(self) -> Any:
        """The types of the result."""
        return tree.tree_map(_struct, self.out_type)

    @property
    def in_shape(self) -> Any:
        """The shapes of the arguments."""
        return tree.tree_map(lambda x: x.shape, self.in_type)

    @property
    def in_dtype(self) -> Any:
        """The dtypes of the arguments."""
        return tree.tree_map(lambda x: x.dtype, self.in_type)


@primitive.declare("fusible", multiple_results=True, runs="jaxpr")
class fusible_p:
    """Calls the program `jaxpr`, which is that of `func` without fusions."""

    def impl(*args, jaxpr, **params):
        return evaluate.eval_closed(jaxpr, *args)

    def lower(ctx, *operands, jaxpr, **params):
        return _lower_plain(ctx, *operands, jaxpr=jaxpr)

    def jvp_all(primals, tangents, *, jaxpr, **params):
        return jit_primitive.jvp_call(evaluate.eval_closed, jaxpr, primals, tangents)

    def batch(axis, args, dims, *, jaxpr, **params):
        program, out_dims = batching.batch_jaxpr(jaxpr, axis, dims)
        return evaluate.eval_closed(program, *args), out_dims

    transpose = primitive.Unsupported("its derivative consists of other operations")

    def show(*, jaxpr, func, **params):
        return {"func": func, "jaxpr": jaxpr}

    exempt = {
        "jvp": "tests/pallas has functions",
        "transpose": "its derivative consists of other operations",
        "batch": "tests/pallas has functions",
    }


_lower_plain = mlir.lower_fun(
    lambda *operands, jaxpr: evaluate.eval_closed(jaxpr, *operands)
)


def _given(value):
    """A fusion that returns a value."""
    return Fusion(lambda: value, ((), {}), avals.get_aval(value))


def _no_outputs(prefix):
    return tree.tree_map(lambda _: None, prefix)


def fusible(f: Any = None, *, output_fusion_prefix: Any = True) -> Any:
    """Makes a function of arrays from one that takes fusions.

    The function gets a `Fusion` without arguments for each leaf of its arguments, and last a
    fusion for its result, or None where there is none.

    Args:
        f: the function. Left out: returns a decorator.
        output_fusion_prefix: a tree of True like the beginning of the result's tree: each has
            a fusion of its own.

    Raises:
        TypeError: an argument is no tree of arrays.
    """
    if f is None:
        return ft.partial(fusible, output_fusion_prefix=output_fusion_prefix)

    @ft.wraps(f)
    def call(*args: Any) -> Any:
        def plain(*values):
            return f(*tree.tree_map(_given, values), _no_outputs(output_fusion_prefix))

        leaves, in_tree = tree.tree_flatten(args)
        closed, out_tree = inspect_programs.trace_call(plain, args, {}, "fusible")
        program, captured = pe.split_traced_consts(closed)
        outs = fusible_p.bind(
            *captured,
            *[jnp.asarray(x) for x in leaves],
            jaxpr=program,
            func=f,
            in_tree=in_tree,
            out_tree=out_tree,
            prefix=_Prefix(output_fusion_prefix),
        )
        return tree.tree_unflatten(out_tree, outs)

    return traceback_filter.hides_frames(call)


class _Prefix:
    """The tree of fusions of a result, as a parameter of a primitive."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def groups(self, out_tree: Any) -> list[int]:
        """For each leaf of the result the number of its fusion."""
        count = tree.tree_structure(self.value).num_leaves
        numbers = tree.tree_unflatten(tree.tree_structure(self.value), range(count))
        return tree.spread_over("output_fusion_prefix", numbers, out_tree)


def fuse(
    f: Any = None,
    *,
    resolve_fusion_dtypes: bool = True,
    debug: bool = False,
    strict_mode: bool = True,
) -> Any:
    """Gives the first fusible function that `f` calls the operations around it.

    What makes its operands becomes fusions that it calls for them, and what is made of its
    results fusions that it calls with them. The result is that of `f`.

    Args:
        f: a function of trees of arrays. Left out: returns a decorator.
        resolve_fusion_dtypes: accepted; operations have the dtypes that `f` gives them.
        debug: prints the program of `f` before it is divided.
        strict_mode: `Fusion.strict_mode` of the fusions.

    Raises:
        ValueError: `f` calls no fusible function, or several results are needed for one.
    """
    if f is None:
        return ft.partial(
            fuse,
            resolve_fusion_dtypes=resolve_fusion_dtypes,
            debug=debug,
            strict_mode=strict_mode,
        )

    @ft.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        program, out_tree = inspect_programs.trace_call(f, args, kwargs, "fuse")
        if debug:
            print(program)
        outs = _run_fused(program, tree.tree_leaves((args, kwargs)), strict_mode)
        return tree.tree_unflatten(out_tree, outs)

    return traceback_filter.hides_frames(call)


def _run_fused(closed, values, strict_mode):
    """Evaluates a program, with its first fusible call divided from the rest."""
    jaxpr = closed.jaxpr
    numbers = [i for i, e in enumerate(jaxpr.eqns) if e.primitive is fusible_p]
    if not numbers:
        raise errors.value_error(
            "No fusible eqn found.",
            rule="The function calls one that fuser.fusible made, and not under a "
            "transformation of its own.",
        )
    call = jaxpr.eqns[numbers[0]]
    known = dict(zip(jaxpr.constvars, closed.consts, strict=True))
    known.update(zip(jaxpr.invars, values, strict=True))
    plain = _Parts(jaxpr, known)
    operands = [_input_fusion(plain, v, strict_mode) for v in call.invars]
    count = call.params["in_tree"].num_leaves
    captured, own = (
        operands[: len(operands) - count],
        operands[-count:] if count else [],
    )
    if captured:
        # What the function closes over is computed here: it knows no fusion of it.
        func = _closed_over(call, [fusion() for fusion in captured])
    else:
        func = call.params["func"]
    groups = call.params["prefix"].groups(call.params["out_tree"])
    members = _members(jaxpr, call, groups)
    fusions = [
        _output_fusion(plain, call, groups, k, outs, strict_mode)
        for k, outs in enumerate(members)
    ]
    prefix = tree.tree_structure(call.params["prefix"].value)
    args = tree.tree_unflatten(call.params["in_tree"], own)
    results = func(*args, tree.tree_unflatten(prefix, fusions))
    flat = iter(tree.tree_leaves(results))
    found = {i: next(flat) for outs in members for i in outs}
    return [
        found[i] if i in found else plain.value(v) for i, v in enumerate(jaxpr.outvars)
    ]


def _closed_over(call, values):
    """The function of a call that closes over traced values: its program, unfused."""

    def func(*args):
        *operands, outputs = args
        given = [fusion() for fusion in tree.tree_leaves(operands)]
        flat = evaluate.eval_closed(call.params["jaxpr"], *values, *given)
        groups = call.params["prefix"].groups(call.params["out_tree"])
        fusions = tree.tree_leaves(outputs, is_leaf=lambda x: isinstance(x, Fusion))
        parts: list[Any] = [[] for _ in fusions]
        for value, group in zip(flat, groups, strict=True):
            parts[group].append(value)
        return [fusion(*part) for fusion, part in zip(fusions, parts, strict=True)]

    return func


class _Parts:
    """The equations of a program, evaluated as far as a value needs them."""

    def __init__(self, jaxpr, known):
        self.known = known
        self.maker = {v: eqn for eqn in jaxpr.eqns for v in eqn.outvars}
        self.order = {id(eqn): i for i, eqn in enumerate(jaxpr.eqns)}
        self.outvars = jaxpr.outvars

    def needed(self, outvars, given):
        """The equations that make some variables from given ones and what is known."""
        found, pending = {}, [v for v in outvars if not isinstance(v, jaxprs.Literal)]
        while pending:
            v = pending.pop()
            eqn = self.maker.get(v)
            if v in given or v in self.known or eqn is None or id(eqn) in found:
                continue
            found[id(eqn)] = eqn
            pending += [u for u in eqn.invars if not isinstance(u, jaxprs.Literal)]
        return sorted(found.values(), key=lambda eqn: self.order[id(eqn)])

    def program(self, outvars, given):
        """The program from given variables to others, closed over what is known."""
        eqns = self.needed(outvars, given)
        read = [v for eqn in eqns for v in eqn.invars] + list(outvars)
        consts = [
            v
            for v in dict.fromkeys(u for u in read if not isinstance(u, jaxprs.Literal))
            if v in self.known and v not in given
        ]
        effects = jaxprs.join_effects(*[eqn.effects for eqn in eqns])
        jaxpr = jaxprs.Jaxpr(consts, list(given), list(outvars), eqns, effects)
        return jaxprs.ClosedJaxpr(jaxpr, [self.known[v] for v in consts])

    def value(self, v):
        """The value of a variable."""
        if isinstance(v, jaxprs.Literal):
            return v.val
        if v in self.known:
            return self.known[v]
        return evaluate.eval_closed(self.program([v], []))[0]


def _input_fusion(plain, v, strict_mode):
    """The fusion that makes an operand."""
    return Fusion(lambda: plain.value(v), ((), {}), v.aval, strict_mode)


def _members(jaxpr, call, groups):
    """For each fusion of the result the numbers of the program's results that it makes."""
    sources: dict[Any, set[int]] = {
        v: {group} for v, group in zip(call.outvars, groups, strict=True)
    }
    for eqn in jaxpr.eqns[jaxpr.eqns.index(call) + 1 :]:
        own: set[int] = set()
        for v in eqn.invars:
            if not isinstance(v, jaxprs.Literal):
                own |= sources.get(v, set())
        if own:
            sources.update((v, own) for v in eqn.outvars)
    members: list[list[int]] = [[] for _ in range(max(groups, default=-1) + 1)]
    for i, v in enumerate(jaxpr.outvars):
        own = set() if isinstance(v, jaxprs.Literal) else sources.get(v, set())
        if len(own) > 1:
            raise errors.value_error(
                "fuser.fuse: a result is made of results with different fusions.",
                [("result", str(i)), ("fusions", str(sorted(own)))],
                "Each result of the fused function is made of one of them.",
                "Give them one fusion: output_fusion_prefix=True.",
            )
        if own:
            members[next(iter(own))].append(i)
    return members


def _output_fusion(plain, call, groups, number, outs, strict_mode):
    """The fusion of some results of a call: a function of these to a tuple of results."""
    given = [v for v, g in zip(call.outvars, groups, strict=True) if g == number]
    jaxpr_outs = [plain.outvars[i] for i in outs]
    program = plain.program(jaxpr_outs, given)

    def func(*values):
        flat = tree.tree_leaves(values)
        return tuple(evaluate.eval_closed(program, *flat))

    in_type = tuple(v.aval for v in given), {}
    return Fusion(func, in_type, tuple(v.aval for v in jaxpr_outs), strict_mode)
