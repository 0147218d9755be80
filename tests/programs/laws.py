"""What holds of every function, whatever it computes: transformations mean what they say.

A law takes a function and its arguments and raises `Broken` where two ways to one thing differ. Refusals by
the function itself are no matter of the laws: `Unsuited` says that a law has nothing to say of it.
"""

import contextlib
import operator
import pickle
import warnings
from collections.abc import Callable

import numpy as np

import jax
import jax.numpy as jnp
from jax import lax
from tests.programs import compare, prelude, worker
from tests.programs.scope import Unsuited


class Broken(AssertionError):
    """Two ways to one thing differ."""


def _agree(one, other, what: str, sorts=("dtype", "shape", "weak", "tree", "value")):
    """Compares two results as the outcomes of two sides are."""
    found = compare.difference(what, worker.describe(one), worker.describe(other))
    if found and found.sort in sorts:
        raise Broken(str(found).replace("theirs", "the other"))


VALUES = ("dtype", "shape", "tree", "value")


def _leaves(tree) -> list:
    return jax.tree.leaves(tree)


def _is_float(x) -> bool:
    return jnp.issubdtype(jnp.result_type(x), jnp.floating)


def _copies(args):
    return jax.tree.map(lambda a: jnp.array(a, copy=True), args)


# -- compiling --------------------------------------------------------------------------------


def compiled(f, args) -> None:
    _agree(jax.jit(f)(*args), f(*args), "jit(f) and f")


def without_jit(f, args) -> None:
    with jax.disable_jit():
        plain = f(*args)
    _agree(plain, f(*args), "f under disable_jit and f", VALUES)


def ahead_of_time(f, args) -> None:
    staged = jax.jit(f).lower(*args)
    _agree(staged.compile()(*args), jax.jit(f)(*args), "compiled ahead and jit(f)")
    _agree(
        jax.tree.map(lambda a: (a.shape, str(a.dtype)), staged.out_info),
        jax.tree.map(lambda a: (a.shape, str(a.dtype)), jax.eval_shape(f, *args)),
        "out_info and eval_shape",
    )


def given_away(f, args) -> None:
    wanted = jax.jit(f)(*args)
    given = jax.jit(f, donate_argnums=tuple(range(len(args))))(*_copies(args))
    _agree(given, wanted, "jit(f) with donated arguments and jit(f)")


def types(f, args) -> None:
    """`eval_shape` gives the types of the results."""
    told = jax.eval_shape(f, *args)
    result = f(*args)
    for a, b in zip(_leaves(told), _leaves(result), strict=True):
        b = jax.typeof(b)
        mine = (a.shape, a.dtype, bool(a.weak_type))
        if mine != (b.shape, b.dtype, b.weak_type):
            raise Broken(f"eval_shape gives {mine}, the result is {b}")
    if jax.tree.structure(told) != jax.tree.structure(result):
        raise Broken("eval_shape gives another structure")


def program_again(f, args) -> None:
    program, shape = jax.make_jaxpr(f, return_shape=True)(*args)
    out = jax.core.eval_jaxpr(program.jaxpr, program.consts, *_leaves(args))
    again = jax.tree.unflatten(jax.tree.structure(shape), out)
    _agree(again, f(*args), "eval_jaxpr of make_jaxpr and f", VALUES)
    twice = jax.make_jaxpr(jax.core.jaxpr_as_fun(program))(*_leaves(args))
    if [str(a) for a in twice.out_avals] != [str(a) for a in program.out_avals]:
        raise Broken(f"traced again: {twice.out_avals}, before {program.out_avals}")


def exported(f, args) -> None:
    first = jax.export.export(jax.jit(f))(*args)
    data = first.serialize()
    _agree(
        jax.export.deserialize(data).call(*args), jax.jit(f)(*args), "exported", VALUES
    )


def pickled(f, args) -> None:
    result = f(*args)
    _agree(pickle.loads(pickle.dumps(result)), result, "a pickled result")


# -- batching ---------------------------------------------------------------------------------


def _rows(args):
    """Two different rows, of every argument."""
    second = jax.tree.map(lambda a: jnp.flip(a) if a.size else a, args)
    return jax.tree.map(lambda a, b: jnp.stack([a, b]), args, second)


def _loop(f, rows):
    outs = [f(*jax.tree.map(operator.itemgetter(i), rows)) for i in range(2)]
    return jax.tree.map(lambda a, b: jnp.stack([jnp.asarray(a), jnp.asarray(b)]), *outs)


def batched(f, args) -> None:
    if not _leaves(args):
        raise Unsuited
    rows = _rows(args)
    _agree(jax.vmap(f)(*rows), _loop(f, rows), "vmap(f) and a loop", VALUES)


def batched_at_the_end(f, args) -> None:
    """One argument alone is batched, along its last axis, and so is the result."""
    rows = _rows(args)
    ends = jax.tree.map(lambda a: jnp.moveaxis(a, 0, -1), rows[0])
    out = jax.vmap(lambda x: f(x, *args[1:]), in_axes=-1)(ends)
    wanted = _loop(lambda x: f(x, *args[1:]), rows[:1])
    _agree(out, wanted, "vmap along the last axis and a loop", VALUES)


def in_a_loop(f, args) -> None:
    rows = _rows(args)
    out = lax.scan(lambda c, x: (c, f(*x)), None, rows)[1]
    _agree(out, _loop(f, rows), "scan and a loop", VALUES)
    unrolled = lax.scan(lambda c, x: (c, f(*x)), None, rows, unroll=2)[1]
    _agree(unrolled, out, "scan with unroll=2 and scan", VALUES)


# -- derivatives ------------------------------------------------------------------------------


def _floats_first(f, args) -> Callable:
    """f of the float arguments, giving its float results."""
    flat, structure = jax.tree.flatten(args)
    indices = [i for i, a in enumerate(flat) if _is_float(a) and a.dtype.itemsize > 2]
    if not indices:
        raise Unsuited

    def g(*floats):
        full = list(flat)
        for i, a in zip(indices, floats, strict=True):
            full[i] = a
        out = f(*jax.tree.unflatten(structure, full))
        return [a for a in _leaves(out) if _is_float(a) and a.dtype.itemsize > 2]

    floats = [flat[i] for i in indices]
    if not jax.eval_shape(g, *floats):
        raise Unsuited
    return g, floats


def _directions(arrays, seed: int):
    rng = np.random.default_rng(seed)
    return [jnp.asarray(rng.normal(size=a.shape), a.dtype) for a in arrays]


def _inner(xs, ys) -> tuple[float, float]:
    """The sum of products, and of their magnitudes."""
    products = [
        np.asarray(x, np.float64) * np.asarray(y, np.float64)
        for x, y in zip(xs, ys, strict=True)
    ]
    return sum(float(p.sum()) for p in products), sum(
        float(np.abs(p).sum()) for p in products
    )


def forwards_and_backwards(f, args) -> None:
    """<w, J t> = <w J, t>."""
    g, floats = _floats_first(f, args)
    t = _directions(floats, 1)
    out, moved = jax.jvp(g, tuple(floats), tuple(t))
    w = _directions(out, 2)
    back = jax.vjp(g, *floats)[1](w)
    (a, size_a), (b, size_b) = _inner(w, moved), _inner(back, t)
    if np.isfinite([a, b]).all() and abs(a - b) > 1e-3 * (size_a + size_b + 1e-3):
        raise Broken(f"<w, jvp(t)> is {a}, <vjp(w), t> is {b}")
    if np.isfinite(a) != np.isfinite(b) and not np.isnan([a, b]).any():
        raise Broken(f"<w, jvp(t)> is {a}, <vjp(w), t> is {b}")


def linearized(f, args) -> None:
    g, floats = _floats_first(f, args)
    t = _directions(floats, 1)
    out, moved = jax.jvp(g, tuple(floats), tuple(t))
    same, linear = jax.linearize(g, *floats)
    _agree((same, linear(*t)), (out, moved), "linearize and jvp", VALUES)
    w = _directions(out, 2)
    back = jax.linear_transpose(linear, *floats)(w)
    _agree(back, jax.vjp(g, *floats)[1](w), "the transposed linearize and vjp", VALUES)


POLICIES = (
    None,
    jax.checkpoint_policies.nothing_saveable,
    jax.checkpoint_policies.everything_saveable,
    jax.checkpoint_policies.dots_saveable,
)


def computed_again(f, args) -> None:
    g, floats = _floats_first(f, args)
    w = _directions(jax.eval_shape(g, *floats), 2)
    wanted = jax.vjp(g, *floats)[1](w)
    for policy in POLICIES:
        again = jax.checkpoint(g, policy=policy)
        _agree(again(*floats), g(*floats), "checkpoint(f) and f", VALUES)
        _agree(
            jax.vjp(again, *floats)[1](w),
            wanted,
            "vjp of checkpoint(f) and of f",
            VALUES,
        )


def derivative_compiled(f, args) -> None:
    g, floats = _floats_first(f, args)
    w = _directions(jax.eval_shape(g, *floats), 2)
    pull = lambda *x: jax.vjp(g, *x)[1](w)  # noqa: E731
    _agree(jax.jit(pull)(*floats), pull(*floats), "a compiled vjp and vjp", VALUES)
    rows = _rows(floats)
    _agree(jax.vmap(pull)(*rows), _loop(pull, rows), "vmap of vjp and a loop", VALUES)


def jacobians(f, args) -> None:
    g, floats = _floats_first(f, args)
    if sum(a.size for a in floats) > 60:
        raise Unsuited
    indices = tuple(range(len(floats)))
    _agree(
        jax.jacfwd(g, indices)(*floats),
        jax.jacrev(g, indices)(*floats),
        "jacfwd and jacrev",
        VALUES,
    )


def differences(f, args) -> None:
    """Derivatives are limits of differences: of f, and of its derivative; in double precision."""
    g, floats = _floats_first(f, args)
    w = _directions(jax.eval_shape(g, *floats), 2)
    _check_differences(g, floats, "jvp")
    _check_differences(lambda *x: list(jax.vjp(g, *x)[1](w)), floats, "jvp of vjp")


STEP = 1e-5
FAR = 1e-6  # of the largest number


def _check_differences(g, floats, what: str) -> None:
    t = _directions(floats, 1)
    moved = jax.jvp(g, tuple(floats), tuple(t))[1]
    above, below = (
        g(*(x + sign * STEP * d for x, d in zip(floats, t, strict=True)))
        for sign in (1, -1)
    )
    for slope, a, b in zip(moved, above, below, strict=True):
        wanted = (np.asarray(a) - np.asarray(b)) / (2 * STEP)
        if not np.isfinite([*np.ravel(a), *np.ravel(b)]).all():
            continue
        far = np.abs(np.asarray(slope) - wanted).max(initial=0)
        scale = 1 + np.abs(wanted).max(initial=0) + np.abs(np.asarray(a)).max(initial=0)
        if not far <= FAR * scale:
            raise Broken(f"{what} is {slope}, differences give {wanted}")


LAWS: tuple[Callable, ...] = (
    compiled,
    without_jit,
    ahead_of_time,
    given_away,
    types,
    program_again,
    exported,
    pickled,
    batched,
    batched_at_the_end,
    in_a_loop,
    forwards_and_backwards,
    linearized,
    computed_again,
    derivative_compiled,
    jacobians,
)


def made(text: str) -> tuple[Callable, tuple]:
    """The function of a program, and arguments, afresh."""
    names = prelude.namespace()
    exec(text, names)
    return names["function"], names["arguments"]


def is_refused(text: str) -> bool:
    """Whether the function refuses its arguments, so that no law speaks of it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            f, args = made(text)
            f(*args)
    except Exception:
        return True
    return False


def broken(text: str, laws=LAWS) -> list[tuple[str, str]]:
    """(law, what differs) of the function that a program gives."""
    found = []
    for law in laws:
        f, args = made(text)
        try:
            with contextlib.suppress(Unsuited), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                law(f, args)
        except Broken as error:
            found.append((law.__name__, str(error)))
        except NotImplementedError:
            continue  # what is not there breaks no law
        except Exception as error:
            found.append((law.__name__, f"{type(error).__name__}: {str(error)[:300]}"))
    return found
