"""Checks where each batch element chooses for itself, where values are recomputed, and of
indices that a function itself puts out of bounds."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import checkify as ck


def found(f, *args, errors=ck.user_checks):
    """What `f` finds wrong: evaluated, and compiled."""
    error, _ = ck.checkify(f, errors=errors)(*args)
    compiled, _ = jax.jit(ck.checkify(f, errors=errors))(*args)
    assert error.get() == compiled.get()
    return error.get()


def not_three(x):
    ck.check(x != 3, "got {x}", x=x)
    return x + 1


def up_to_five(x):
    return lax.while_loop(lambda x: x < 5, not_three, x)


# Functions of one row; the rows that make the check fail begin at 0 to 3.
BY_ROW = {
    "while": up_to_five,
    "while jit": jax.jit(up_to_five),
    "while cond": lambda x: lax.while_loop(
        lambda x: (ck.check(x != 3, "got {x}", x=x), x < 5)[1], lambda x: x + 1, x
    ),
    "while closed over": lambda x: lax.while_loop(
        lambda i: x + i < 5, lambda i: not_three(x + i) - x, 0
    ),
    "cond": lambda x: lax.cond(x < 4, lambda x: not_three(x + (3 - x)), lambda x: x, x),
    "switch": lambda x: lax.switch(
        jnp.minimum(x, 4), [lambda x: not_three(3)] * 4 + [lambda x: not_three(x)], x
    ),
    "while in cond": lambda x: lax.cond(x < 4, up_to_five, lambda x: x, x),
    "cond in while": lambda x: lax.while_loop(
        lambda x: x < 5, lambda x: lax.cond(x == 3, not_three, lambda x: x + 1, x), x
    ),
    "fori": lambda x: lax.fori_loop(x, 5, lambda i, c: not_three(i), 0),
    "scan of while": lambda x: lax.scan(
        lambda c, _: (up_to_five(c), None), x, None, length=2
    )[0],
    "jit of cond": jax.jit(
        lambda x: lax.cond(x < 4, lambda x: not_three(3), lambda x: x, x)
    ),
}


@pytest.mark.parametrize("f", [pytest.param(f, id=name) for name, f in BY_ROW.items()])
@pytest.mark.parametrize("levels", [1, 2])
def test_a_row_is_checked_only_in_what_it_chose(f, levels):
    rows, fine = jnp.arange(6), jnp.arange(4, 10)
    for _ in range(levels):
        f = jax.vmap(f)
    shape = (6,) if levels == 1 else (2, 3)
    assert found(f, rows.reshape(shape)) == "got 3 (`check` failed)"
    assert found(f, fine.reshape(shape)) is None
    assert found(jax.jit(f), rows.reshape(shape)) == "got 3 (`check` failed)"


def test_rows_that_have_ended_are_not_checked():
    def body(x):
        ck.check(x < 5, "never")
        return x + 1

    f = jax.vmap(lambda x: lax.while_loop(lambda x: x < 5, body, x))
    error, out = ck.checkify(f)(jnp.arange(5))
    assert error.get() is None
    assert out.tolist() == [5] * 5


def test_the_gradient_of_a_choice_by_row_is_checked_and_right():
    def f(x):
        return lax.cond(x > 2, lambda x: jnp.sin(not_three(x)), jnp.cos, x)

    total = lambda x: jax.vmap(f)(x).sum()
    error, gradient = ck.checkify(jax.grad(total))(jnp.array([1.0, 3.0, 4.0]))
    assert error.get() == "got 3.0 (`check` failed)"
    want = [-jnp.sin(1.0), jnp.cos(4.0), jnp.cos(5.0)]
    assert jnp.allclose(gradient, jnp.array(want))


def layer(x):
    ck.check(x > 0, "layer got {x}", x=x)
    return jnp.sin(x)


def five(x):
    return lax.scan(lambda c, _: (layer(c), None), x, None, length=5)[0]


def with_policy(f):
    return jax.checkpoint(f, policy=jax.checkpoint_policies.everything_saveable)


RECOMPUTED = {
    "grad": lambda f: jax.grad(jax.checkpoint(f)),
    "jit": lambda f: jax.jit(jax.grad(jax.checkpoint(f))),
    "of jit": lambda f: jax.grad(jax.checkpoint(jax.jit(f))),
    "policy": lambda f: jax.grad(with_policy(f)),
    "vjp": lambda f: lambda x: jax.vjp(jax.checkpoint(f), x)[1](1.0)[0],
    "linearize": lambda f: lambda x: jax.linearize(jax.checkpoint(f), x)[1](1.0),
    "jvp": lambda f: lambda x: jax.jvp(jax.checkpoint(f), (x,), (1.0,))[1],
    "nested": lambda f: jax.grad(jax.checkpoint(jax.checkpoint(f))),
    "of grad": lambda f: jax.checkpoint(jax.grad(f)),
    "cond": lambda f: jax.grad(
        jax.checkpoint(lambda x: lax.cond(x > -9, f, lambda x: x, x))
    ),
}


@pytest.mark.parametrize(
    "change", [pytest.param(f, id=name) for name, f in RECOMPUTED.items()]
)
@pytest.mark.parametrize("f", [layer, five])
def test_recomputed_checks_are_reported_and_derivatives_right(f, change):
    for x, bad in ((0.5, None), (-0.5, "layer got -0.5 (`check` failed)")):
        error, gradient = ck.checkify(change(f))(x)
        assert error.get() == bad
        plain, want = ck.checkify(jax.grad(f))(x)
        assert jnp.allclose(gradient, want, rtol=1e-6)


X = jnp.array([0.0, 1.0, 2.0])
MASK = jnp.array([True, False, True])
# Functions that leave out, or move inside, what is out of bounds: by definition.
IN_ORDER = {
    "nonzero": lambda: jnp.nonzero(MASK, size=1),
    "nonzero more": lambda: jnp.nonzero(MASK, size=5),
    "flatnonzero": lambda: jnp.flatnonzero(MASK, size=1),
    "argwhere": lambda: jnp.argwhere(MASK, size=1),
    "where": lambda: jnp.where(MASK, size=1),
    "unique": lambda: jnp.unique(X, size=2, return_index=True, return_inverse=True),
    "unique more": lambda: jnp.unique(X, size=5, fill_value=0, return_counts=True),
    "union1d": lambda: jnp.union1d(X, X + 1, size=2),
    "intersect1d": lambda: jnp.intersect1d(X, X + 1, size=5, return_indices=True),
    "setdiff1d": lambda: jnp.setdiff1d(X, X + 1, size=5),
    "setxor1d": lambda: jnp.setxor1d(X, X + 1, size=5),
    "compress": lambda: jnp.compress(MASK, X, size=3),
    "extract": lambda: jnp.extract(MASK, X, size=3),
    "bincount": lambda: jnp.bincount(jnp.array([0, 7]), length=2),
    "histogram": lambda: jnp.histogram(X, bins=2, range=(0.5, 1.5)),
    "histogram2d": lambda: jnp.histogram2d(X, X, bins=2, range=((0.5, 1),) * 2),
    "repeat": lambda: jnp.repeat(X, jnp.array([1, 2, 4]), total_repeat_length=2),
    "repeat more": lambda: jnp.repeat(X, jnp.array([1, 2, 0]), total_repeat_length=9),
    "insert": lambda: jnp.insert(X, 1, 5.0),
    "triu_indices": lambda: jnp.triu_indices(3),
    "map_coordinates": lambda: jax.scipy.ndimage.map_coordinates(
        X, [jnp.array([-3.0, 7.0])], 1
    ),
    "get": lambda: X.at[jnp.array(7)].get(mode="clip"),
    "get several": lambda: X.at[jnp.array([7, -9])].get(mode="clip"),
    "set": lambda: X.at[jnp.array(7)].set(1.0, mode="clip"),
    "add": lambda: X.at[jnp.array([7])].add(1.0, mode="clip"),
    "take": lambda: jnp.take(X, jnp.array([7]), mode="clip"),
    "take wrap": lambda: jnp.take(X, jnp.array([7]), mode="wrap"),
    "take_along_axis": lambda: jnp.take_along_axis(X, jnp.array([7]), 0, mode="clip"),
    "put": lambda: jnp.put(X, jnp.array([7]), 5.0, mode="clip", inplace=False),
    "choose": lambda: jnp.choose(jnp.array([7]), [X[:1], X[1:2]], mode="clip"),
    "segment_sum": lambda: jax.ops.segment_sum(
        X, jnp.array([0, 1, 7]), num_segments=2, mode="clip"
    ),
}


@pytest.mark.parametrize(
    "f", [pytest.param(f, id=name) for name, f in IN_ORDER.items()]
)
def test_what_a_function_defines_out_of_bounds_is_no_mistake(f):
    assert found(f, errors=ck.index_checks) is None
    assert found(jax.jit(f), errors=ck.index_checks) is None


WAYS = {
    "vmap": lambda f: lambda x, i: jax.vmap(lambda i: f(x, i))(jnp.stack([i, i])),
    "grad": lambda f: lambda x, i: jax.grad(lambda x: f(x, i).sum() ** 2)(x),
    "scan": lambda f: lambda x, i: lax.scan(lambda c, i: (c, f(x, i)), 0, i[None]),
    "checkpoint": lambda f: jax.grad(jax.checkpoint(lambda x, i: f(x, i).sum())),
    "cond": lambda f: (
        lambda x, i: lax.cond(x[0] < 9, lambda: f(x, i), lambda: 0 * f(x, i))
    ),
}


@pytest.mark.parametrize("way", [pytest.param(f, id=name) for name, f in WAYS.items()])
@pytest.mark.parametrize("index", [7, [7]])
def test_clipping_holds_under_transformations_and_mistakes_are_seen(way, index):
    index = jnp.array(index)
    clipped = way(lambda x, i: x.at[i].get(mode="clip"))
    plain = way(lambda x, i: x[i])
    assert found(clipped, X, index, errors=ck.index_checks) is None
    assert "index 7 is out of bounds" in found(plain, X, index, errors=ck.index_checks)


def test_a_mistake_beside_a_function_with_a_size_is_seen():
    def f(x, i):
        return jnp.nonzero(x > 0.5, size=1)[0] + x[i]

    assert "index 7" in found(f, X, 7, errors=ck.index_checks)


@pytest.mark.parametrize("index", [((0, 7),), ([0, 7],), ((0, 1), (0, 7))])
def test_sequences_of_traced_indices_are_arrays_of_them(index):
    x = jnp.ones((3, 4))
    for f in (lambda x, i: x[i], lambda x, i: x.at[i].max(3.0)):
        assert "index 7" in found(f, x, index, errors=ck.index_checks)
        fine = jax.tree.map(lambda i: i % 3, index)
        assert (jax.jit(f)(x, fine) == f(x, fine)).all()


DEBUG = {
    "plain": lambda f: f,
    "scan": lambda f: (
        lambda x: lax.scan(lambda c, _: (f(c), None), x, None, length=2)[0]
    ),
    "while": lambda f: lambda x: lax.while_loop(lambda x: x < 0, lambda x: f(x) + 9, x),
    "rows": lambda f: (
        lambda x: jax.vmap(
            lambda x: lax.while_loop(lambda x: x < 0, lambda x: f(x) + 9, x)
        )(jnp.stack([x, x]))
    ),
    "grad": jax.grad,
}


@pytest.mark.parametrize("way", [pytest.param(f, id=name) for name, f in DEBUG.items()])
def test_checks_for_debugging_are_left_out_unless_under_checkify(way):
    def f(x):
        ck.debug_check(x > 0, "got {x}", x=x)
        return x

    program = way(f)
    jax.jit(program)(-1.0)
    assert found(program, -1.0) == "got -1.0 (`check` failed)"


NAN = np.array([np.nan, 1.0, 2.0], np.float32)
# Programs that move, choose or mean a NaN, and make none.
MAKE_NO_NAN = {
    "broadcast": (lambda x: jnp.broadcast_to(x, (2, 3)), NAN),
    "reshape": (lambda x: x.reshape(3, 1), NAN),
    "transpose": (lambda x: jnp.stack([x, x]).T, NAN),
    "slice": (lambda x: x[:2], NAN),
    "reverse": (lambda x: x[::-1], NAN),
    "concatenate": (lambda x: jnp.append(x, x), NAN),
    "pad": (lambda x: jnp.pad(x, 1, constant_values=jnp.nan), np.ones(2, np.float32)),
    "gather": (lambda x: x[jnp.array([0, 2])], NAN),
    "fill": (lambda x: x.at[5].get(mode="fill"), np.ones(2, np.float32)),
    "scatter": (lambda x: x.at[1].set(jnp.nan), np.ones(2, np.float32)),
    "scatter add": (lambda x: x.at[1].add(1), NAN),
    "where": (lambda x: jnp.where(x > 5, x, jnp.nan), np.ones(2, np.float32)),
    "full": (lambda x: jnp.full((3,), jnp.nan), np.ones(2, np.float32)),
    "narrow": (lambda x: x.astype(jnp.float16), NAN),
    "sort": (jnp.sort, NAN),
    "top": (lambda x: lax.top_k(x, 2), NAN),
    "maximum": (lambda x: jnp.maximum(x, 0), NAN),
    "clip": (lambda x: jnp.clip(x, 0, 1), NAN),
    "negative": (lambda x: -abs(x), NAN),
    "largest": (jnp.max, NAN),
    "loop": (lambda x: lax.fori_loop(0, 2, lambda i, x: x[::-1], x), NAN),
    "median": (jnp.median, np.ones(3, np.float32)),
    "quantile": (lambda x: jnp.quantile(x, 0.3), np.ones(3, np.float32)),
    "std": (jnp.std, np.ones(3, np.float32)),
    "nanvar": (jnp.nanvar, np.ones(3, np.float32)),
}
MAKE_A_NAN = {
    "log": (jnp.log, np.float32(-1)),
    "inf - inf": (lambda x: x - x, np.float32(np.inf)),
    "product": (lambda x: x @ (x * 0), np.full(2, np.inf, np.float32)),
    "scatter add": (lambda x: x.at[0].add(-jnp.inf), np.full(2, np.inf, np.float32)),
    "cholesky": (jnp.linalg.cholesky, -np.eye(2, dtype=np.float32)),
    "log in where": (lambda x: jnp.where(x > 0, jnp.log(x), 0), np.float32(-1)),
}


@pytest.mark.parametrize("name", MAKE_NO_NAN)
def test_a_nan_is_reported_by_what_makes_it_and_not_by_what_moves_it(name):
    f, x = MAKE_NO_NAN[name]
    assert found(f, jnp.asarray(x), errors=ck.nan_checks) is None


@pytest.mark.parametrize("name", MAKE_A_NAN)
def test_a_nan_that_an_operation_makes_is_reported(name):
    f, x = MAKE_A_NAN[name]
    assert "nan generated by" in found(f, jnp.asarray(x), errors=ck.nan_checks)
