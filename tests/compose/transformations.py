"""The rows of the matrix: a transformation of jax, and what it means.

Each takes a function of a vector of three numbers to another one.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

import jax
import jax.ad_checkpoint
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap
from tests.compose import oracle
from tests.compose.oracle import COTANGENT, DIRECTION, ROW_WEIGHTS, ROWS


@dataclasses.dataclass(frozen=True)
class Row:
    """One transformation.

    `modes`: the directions in which it differentiates what it is applied to, the inner
    one first. `refuses`: the directions in which its result cannot be differentiated.
    """

    apply: Callable
    meaning: Callable
    modes: tuple[str, ...] = ()
    refuses: frozenset[str] = frozenset()


TABLE: dict[str, Row] = {}


def row(meaning, *modes, refuses=()):
    def add(apply):
        TABLE[apply.__name__] = Row(apply, meaning, modes, frozenset(refuses))
        return apply

    return add


# How it runs.


@row(oracle.same)
def jit(f):
    return jax.jit(f)


@row(oracle.same)
def jit_inline(f):
    return jax.jit(f, inline=True)


@row(oracle.same)
def jit_of_a_tree(f):
    inner = jax.jit(lambda tree, scale: {"out": f(tree["x"] * scale), "n": 1})
    return lambda x: inner({"x": x}, scale=1.0)["out"]


@row(oracle.same)
def op_by_op(f):
    def run(x):
        with jax.disable_jit():
            return f(x)

    return run


@row(oracle.same)
def nans_checked(f):
    def run(x):
        with jax.debug_nans(True):
            return f(x)

    return run


@row(oracle.same)
def leaks_checked(f):
    def run(x):
        with jax.checking_leaks():
            return f(x)

    return run


@row(oracle.same)
def named(f):
    def run(x):
        with jax.named_scope("inner"):
            return jax.named_call(f, name="part")(x)

    return run


@row(oracle.same)
def as_program(f):
    def run(x):
        program = jax.make_jaxpr(f)(x)
        (out,) = jax.core.eval_jaxpr(program.jaxpr, program.consts, x)
        return out

    return run


@row(oracle.plus_itself)
def constants_folded(f):
    def run(x):
        with jax.ensure_compile_time_eval():
            half = jnp.sin(jnp.asarray(0.0)) + 0.5
        return f(x) + half * x

    return run


@row(oracle.same)
def barred(f):
    return lambda x: f(lax.optimization_barrier(x))


# Derivatives.


@row(oracle.pulled, "reverse")
def grad(f):
    return jax.grad(lambda x: jnp.dot(f(x), COTANGENT))


@row(oracle.pulled, "reverse")
def value_and_grad(f):
    def run(x):
        def loss(x):
            out = f(x)
            return jnp.dot(out, COTANGENT), out

        (_, _), slope = jax.value_and_grad(loss, has_aux=True)(x)
        return slope

    return run


@row(oracle.pulled, "reverse")
def vjp(f):
    def run(x):
        out, back = jax.vjp(f, x)
        return back(COTANGENT.astype(out.dtype))[0]

    return run


@row(oracle.pushed, "forward")
def jvp(f):
    return lambda x: jax.jvp(f, (x,), (jnp.asarray(DIRECTION),))[1]


@row(oracle.pushed, "forward")
def linearize(f):
    return lambda x: jax.linearize(f, x)[1](jnp.asarray(DIRECTION))


@row(oracle.pulled, "reverse")
def linear_transpose(f):
    def run(x):
        _, push = jax.linearize(f, x)
        return jax.linear_transpose(push, x)(jnp.asarray(COTANGENT))[0]

    return run


@row(oracle.pushed, "forward")
def jacfwd(f):
    return lambda x: jax.jacfwd(f)(x) @ DIRECTION


@row(oracle.pulled, "reverse")
def jacrev(f):
    return lambda x: COTANGENT @ jax.jacrev(f)(x)


@row(oracle.curved, "reverse", "forward")
def hessian(f):
    return lambda x: jnp.einsum("ijk,j,k->i", jax.hessian(f)(x), DIRECTION, ROWS)


# Rows.


@row(oracle.rows_summed)
def vmap(f):
    def run(x):
        rows = jax.vmap(f)(jnp.outer(ROWS, x))
        return ROW_WEIGHTS @ rows

    return run


@row(oracle.rows_summed)
def vmap_columns(f):
    def run(x):
        columns = jax.vmap(f, in_axes=1, out_axes=-1)(jnp.outer(x, ROWS))
        return columns @ ROW_WEIGHTS

    return run


@row(oracle.rows_summed)
def vmap_one_of_two(f):
    def run(x):
        def scaled(pair, y):
            return {"out": f(pair[0] * y)}

        rows = jax.vmap(scaled, in_axes=((0,), None), out_axes=1)((ROWS,), x)
        return rows["out"] @ ROW_WEIGHTS

    return run


@row(oracle.rows_mixed)
def vmap_with_collectives(f):
    def member(x, r):
        out = f(x * r)
        number = lax.axis_index("rows") + 1
        return number * (out + lax.pmean(out, "rows"))

    def run(x):
        rows = jax.vmap(member, in_axes=(None, 0), axis_name="rows")(x, ROWS)
        return ROW_WEIGHTS @ rows

    return run


@row(oracle.rows_summed)
def mapped(f):
    return lambda x: ROW_WEIGHTS @ lax.map(f, jnp.outer(ROWS, x))


@row(oracle.rows_summed)
def mapped_in_batches(f):
    return lambda x: ROW_WEIGHTS @ lax.map(f, jnp.outer(ROWS, x), batch_size=2)


@row(oracle.rows_summed)
def own_vmap(f):
    @custom_vmap
    def inner(x):
        return f(x)

    @inner.def_vmap
    def rule(size, in_batched, x):
        return jnp.stack([inner(x[i]) for i in range(size)]), in_batched[0]

    return lambda x: ROW_WEIGHTS @ jax.vmap(inner)(jnp.outer(ROWS, x))


@row(oracle.rows_last_of_sums)
def associative_scan(f):
    def run(x):
        rows = jnp.stack([f(r * x) for r in ROWS])
        return ROW_WEIGHTS @ lax.associative_scan(jnp.add, rows)

    return run


# Control flow.


def _step(f):
    def step(carry, number):
        out = f(carry)
        return carry / 2 + out / 4, out * number

    return step


@row(oracle.scanned)
def scan(f):
    def run(x):
        last, outs = lax.scan(_step(f), x, jnp.arange(1.0, 4.0))
        return last + outs.sum(0) / 8

    return run


@row(oracle.scanned)
def scan_unrolled(f):
    def run(x):
        last, outs = lax.scan(_step(f), x, jnp.arange(1.0, 4.0), unroll=2)
        return last + outs.sum(0) / 8

    return run


@row(oracle.scanned)
def scan_of_checkpoint(f):
    def run(x):
        step = jax.checkpoint(_step(f), prevent_cse=False)
        last, outs = lax.scan(step, x, jnp.arange(1.0, 4.0))
        return last + outs.sum(0) / 8

    return run


@row(oracle.repeated)
def fori(f):
    return lambda x: lax.fori_loop(0, 2, lambda i, y: y / 2 + f(y) / 4, x)


@row(oracle.repeated, refuses=["reverse"])
def while_loop(f):
    def run(x):
        return lax.while_loop(
            lambda state: state[0] < 2,
            lambda state: (state[0] + 1, state[1] / 2 + f(state[1]) / 4),
            (0, x),
        )[1]

    return run


@row(oracle.chosen)
def cond(f):
    return lambda x: lax.cond(x[0] > 0, f, lambda y: -f(y), x)


@row(oracle.chosen)
def switch(f):
    branches = [lambda y: -f(y), f]
    return lambda x: lax.switch((x[0] > 0).astype(int), branches, x)


# What the backward pass keeps.


@row(oracle.same)
def checkpoint(f):
    return jax.checkpoint(f)


@row(oracle.same)
def checkpoint_dots(f):
    return jax.checkpoint(f, policy=jax.checkpoint_policies.dots_saveable)


@row(oracle.same)
def checkpoint_everything(f):
    return jax.checkpoint(f, policy=jax.checkpoint_policies.everything_saveable)


@row(oracle.same)
def checkpoint_names(f):
    def run(x):
        return f(jax.ad_checkpoint.checkpoint_name(x * 1.0, "kept"))

    policy = jax.checkpoint_policies.save_only_these_names("kept")
    return jax.checkpoint(run, policy=policy)


# Rules of the user.


@row(oracle.same)
def own_jvp(f):
    inner = jax.custom_jvp(f)

    @inner.defjvp
    def rule(primals, tangents):
        return jax.jvp(f, primals, tangents)

    return inner


@row(oracle.same, refuses=["forward"])
def own_vjp(f):
    inner = jax.custom_vjp(f)
    inner.defvjp(lambda x: jax.vjp(f, x), lambda back, ct: back(ct))
    return inner


@row(oracle.same, refuses=["forward"])
def own_gradient(f):
    return jax.custom_gradient(lambda x: (f(x), lambda ct: jax.vjp(f, x)[1](ct)))


@row(oracle.plus_itself)
def closure_converted(f):
    def run(x):
        fun, consts = jax.closure_convert(lambda y: f(y) + x / 2, x)
        return fun(x, *consts)

    return run


@row(oracle.root)
def custom_root(f):
    def run(x):
        right = f(x)

        def newton(g, y):
            slope = lambda y: jax.jvp(g, (y,), (jnp.ones_like(y),))[1]
            return lax.fori_loop(0, 8, lambda i, y: y - g(y) / slope(y), y)

        return lax.custom_root(
            lambda y: y + jnp.sin(y) / 4 - right,
            jnp.zeros_like(right),
            newton,
            lambda g, y: y / g(jnp.ones_like(y)),
        )

    return run


@row(oracle.solution)
def custom_linear_solve(f):
    def run(x):
        diagonal = 3 + x * x

        def matvec(y):
            return diagonal * y - jnp.concatenate([jnp.zeros(1), y[:-1]]) / 2

        def solve(mv, b):
            return jnp.linalg.solve(jax.jacfwd(mv)(b * 0), b)

        return lax.custom_linear_solve(matvec, f(x), solve, transpose_solve=solve)

    return run


# Callbacks.


def _sine_by_callback(**options):
    @jax.custom_jvp
    def sine(x):
        result = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.pure_callback(lambda x: np.sin(x), result, x, **options)

    @sine.defjvp
    def rule(primals, tangents):
        (x,), (t,) = primals, tangents
        return sine(x), jnp.cos(x) * t

    return sine


@row(oracle.of_sine)
def callback(f):
    sine = _sine_by_callback(vmap_method="sequential")
    return lambda x: f(sine(x))


@row(oracle.of_sine)
def callback_of_rows(f):
    sine = _sine_by_callback(vmap_method="broadcast_all")
    return lambda x: f(sine(x))


@row(oracle.of_sine, refuses=["forward", "reverse"])
def bare_callback(f):
    def run(x):
        result = jax.ShapeDtypeStruct(x.shape, x.dtype)
        sine = jax.pure_callback(np.sin, result, x, vmap_method="expand_dims")
        return f(sine)

    return run


@row(oracle.same)
def watched(f):
    def run(x):
        seen = []
        jax.debug.callback(seen.append, x.sum())
        return f(x)

    return run


@row(oracle.plus_itself)
def effect_beside(f):
    def run(x):
        known = lax.stop_gradient(x)
        result = jax.ShapeDtypeStruct(known.shape, known.dtype)
        got = jax.pure_callback(
            lambda x: np.asarray(x), result, known, vmap_method="expand_dims"
        )
        return f(x) + x / 2 + (got - known)

    return run


def expected_refusal(names) -> bool:
    """Whether a composition, inner row first, has no derivative."""
    refused: set[str] = set()
    for name in names:
        entry = TABLE[name]
        for mode in entry.modes:
            if mode in refused:
                return True
            if mode == "reverse":
                # A reverse rule of the user has been used up.
                refused.discard("forward")
        refused |= entry.refuses
    return False
