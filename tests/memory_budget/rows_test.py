"""Pieces of batches: which operations keep rows apart, and that pieces have the rows' bits."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.memory_budget import flat, labels, rows

RNG = np.random.default_rng(0)
ROWS = 10
X = RNG.standard_normal((ROWS, 6, 6)).astype(np.float32)
W = RNG.standard_normal((6, 6)).astype(np.float32)
NUMBERS = RNG.integers(0, 6, (ROWS, 6, 6)).astype(np.int32)
INDEX = np.array([3, 0, 5, 1])
KERNEL = RNG.standard_normal((3, 1, 3, 3)).astype(np.float32)

PER_ROW = {
    "elementwise": lambda x, n: jnp.sin(x) * 2 + jnp.where(n > 2, x, -x),
    "broadcast": lambda x, n: x[:, None] + x.sum() + jnp.arange(6.0),
    "reshape": lambda x, n: x.reshape(4, 9)[1:].reshape(-1, 3),
    "transpose": lambda x, n: x.T[::-1, None].squeeze(1),
    "reductions": lambda x, n: (
        x.sum(0),
        x.max(1),
        n.min(),
        jnp.argmax(x, 1),
        x.prod(),
    ),
    "any and all": lambda x, n: ((n > 1).any(0), (n > 1).all()),
    "concatenate": lambda x, n: jnp.concatenate([x, W, jnp.zeros((2, 6)), x[:1]]),
    "pad": lambda x, n: jnp.pad(x, ((1, 2), (0, 1))),
    "slices": lambda x, n: (x[1:5:2], lax.dynamic_slice(x, (1, 2), (3, 2))),
    "slices at indices of rows": lambda x, n: lax.dynamic_slice(
        x, (n[0, 0], 0), (2, 3)
    ),
    "update": lambda x, n: lax.dynamic_update_slice(x, x[:2, :2], (1, 1)),
    "products": lambda x, n: (
        x @ W,
        W @ x,
        x @ x,
        x @ x[0],
        jnp.einsum("ij,ij->j", x, x),
    ),
    "outer product": lambda x, n: jnp.outer(x[0], x[1]),
    "gather": lambda x, n: (
        x[INDEX],
        x[n[0]],
        jnp.asarray(W)[n[0]],
        jnp.take_along_axis(x, n, 1),
    ),
    "scatter": lambda x, n: (
        x.at[INDEX].add(1.0),
        x.at[n[0]].add(x),
        jnp.zeros(6).at[n[0]].max(x[0]),
        jnp.zeros((6, 6)).at[INDEX].set(x[:4]),
    ),
    "sort": lambda x, n: (jnp.sort(x, 0), jnp.argsort(n, 1), lax.top_k(x, 2)),
    "cumulative": lambda x, n: (jnp.cumsum(x, 0), lax.cummax(x, 1)),
    "windows": lambda x, n: lax.reduce_window(
        x, -np.inf, lax.max, (2, 2), (2, 2), "VALID"
    ),
    "convolution": lambda x, n: lax.conv(x[None, None], KERNEL, (1, 1), "SAME"),
    "matrices": lambda x, n: (
        jnp.linalg.cholesky(x @ x.T + 9 * jnp.eye(6)),
        jnp.linalg.solve(x + 9 * jnp.eye(6), x[0]),
        jnp.linalg.qr(x),
    ),
    "transform": lambda x, n: jnp.fft.fft(x, axis=1).real,
    "softmax": lambda x, n: jax.nn.softmax(x) @ jax.nn.gelu(x),
    "a scan": lambda x, n: lax.scan(
        lambda c, r: (jnp.tanh(c @ W + r), c.sum()), x[0], x
    ),
    "a loop": lambda x, n: lax.fori_loop(0, 3, lambda i, y: jnp.sin(y @ x) + i, x),
    "a while loop": lambda x, n: lax.while_loop(
        lambda s: s[0] < 4, lambda s: (s[0] + 1, s[1] @ W), (0, x)
    )[1],
    "a choice for all": lambda x, n: lax.cond(W.sum() > 0, jnp.sin, lambda x: x @ W, x),
    "a choice for each": lambda x, n: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x),
    "a gradient": lambda x, n: jax.grad(lambda x: jnp.sum(jnp.tanh(x @ W) ** 2))(x),
    "a gradient for what rows share": lambda x, n: jax.grad(
        lambda w: jnp.sum(jnp.tanh(x @ w) ** 2)
    )(W),
    "a checkpointed gradient": lambda x, n: jax.grad(
        jax.checkpoint(lambda x: jnp.sum(jnp.tanh(x @ W) ** 2))
    )(x),
    "bits": lambda x, n: (n << 2) ^ 5,
    "halves": lambda x, n: x.astype(jnp.bfloat16) * 2,
    "complex numbers": lambda x, n: jnp.abs(x + 1j * x.T),
}


def in_pieces(function, arguments, count, holding=None):
    """The labels of a batch, and a function that works in pieces of `count` rows."""
    closed = flat.flatten(jax.make_jaxpr(function)(*arguments))
    closed = closed.replace(jaxpr=rows._with_single_barriers(closed.jaxpr))
    inputs = closed.jaxpr.invars if holding is None else holding(closed.jaxpr.invars)
    axes = dict.fromkeys(inputs, 0)
    labelled = labels.label(closed.jaxpr, axes, len(arguments[0]), is_whole=True)
    program = rows._Loop(closed, labelled, count).program()
    return labelled, jax.jit(lambda *xs: jax.core.jaxpr_as_fun(program)(*xs))


@pytest.mark.parametrize("count", [1, 3, 5])
@pytest.mark.parametrize("name", PER_ROW)
def test_pieces_have_the_values_of_the_whole_batch(name, count):
    function = jax.vmap(PER_ROW[name])
    labelled, run = in_pieces(function, (X, NUMBERS), count)
    assert labelled.kept and not labelled.after
    expected = jax.tree.leaves(jax.jit(function)(X, NUMBERS))
    for found, wanted in zip(run(X, NUMBERS), expected, strict=True):
        assert found.dtype == wanted.dtype
        if jnp.issubdtype(found.dtype, jnp.inexact):
            np.testing.assert_allclose(
                np.asarray(found, np.complex64),
                np.asarray(wanted, np.complex64),
                rtol=1e-5,
                atol=1e-5,
            )
        else:
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("out_axis", [0, 1, 2])
def test_rows_may_be_along_any_axis_of_results(out_axis):
    function = jax.vmap(lambda x: jnp.sin(x) @ W, out_axes=out_axis)
    labelled, run = in_pieces(function, (X,), 4)
    assert not labelled.after
    np.testing.assert_allclose(run(X)[0], function(X), rtol=1e-6)


MIXING = {
    "a sum over rows": lambda x: x.sum(0),
    "a product over rows": lambda x: jnp.einsum("nij,nik->jk", x, x),
    "rows against rows": lambda x: jnp.einsum("nij,mij->nm", x, x),
    "a sort of rows": lambda x: jnp.sort(x, 0),
    "a running sum over rows": lambda x: jnp.cumsum(x, 0),
    "another order of rows": lambda x: x[::-1],
    "some rows": lambda x: x[:5],
    "rows and other axes in one": lambda x: x.reshape(-1, 6),
    "neighbours": lambda x: jnp.concatenate([x[1:], x[:1]]),
    "a scan over rows": lambda x: lax.scan(lambda c, r: (c + r, c), x[0], x)[1],
    "rows picked by others": lambda x: x[np.arange(ROWS)[::-1].copy()],
    "a transform over rows": lambda x: jnp.fft.fft(x, axis=0).real,
}


@pytest.mark.parametrize("name", MIXING)
def test_operations_in_which_rows_meet_run_on_all_of_them(name):
    function = lambda x: MIXING[name](jnp.sin(x) * 2)
    labelled, run = in_pieces(function, (X,), 3)
    assert labelled.after
    np.testing.assert_allclose(run(X)[0], jax.jit(function)(X), rtol=1e-5, atol=1e-6)


def test_a_mean_over_rows_is_computed_behind_the_loop():
    function = lambda x: (jax.vmap(lambda x: jnp.sin(x) @ W)(x).mean(), x.sum(0))
    labelled, run = in_pieces(function, (X,), 3)
    assert labelled.kept and labelled.after
    for found, wanted in zip(run(X), function(X), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_an_input_of_the_same_length_need_not_hold_rows():
    square = RNG.standard_normal((ROWS, ROWS)).astype(np.float32)
    function = lambda x, w: x @ w
    labelled, run = in_pieces(function, (square, square), 3, lambda inputs: inputs[:1])
    assert not labelled.after
    np.testing.assert_allclose(run(square, square)[0], square @ square, rtol=1e-5)
