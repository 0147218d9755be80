"""References in functions whose solution, rows or derivative the user gives."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

MATRIX = jnp.array([[2.0, 1.0], [1.0, 3.0]])
SIDE = jnp.array([1.0, 2.0])
SOLUTION = np.linalg.solve(MATRIX, SIDE)


def near(found, wanted):
    jax.tree.map(
        lambda f, w: np.testing.assert_allclose(f, w, rtol=1e-5, atol=1e-6),
        found,
        wanted,
    )


def in_rows(f):
    return lambda b: jax.vmap(f)(jnp.stack([b, b]))[1]


def tangent_of(f):
    return lambda b: jax.jvp(f, (b,), (b,))[1]


def by_reverse(f):
    # The matrix is symmetric: its transpose solves the same equation.
    return lambda b: jax.vjp(f, b)[1](b)[0]


LINEAR_WAYS = {
    "called": lambda f: f,
    "jit": jax.jit,
    "vmap": in_rows,
    "jvp": tangent_of,
    "vjp": by_reverse,
}


def solving(matrix, count):
    """A linear solve whose functions read `matrix`; `solve` counts its calls."""

    def solve(matvec, b):
        if count is not None:
            count[...] += 1
        return jnp.linalg.solve(matrix[...], b)

    return lambda b: lax.custom_linear_solve(
        lambda x: matrix[...] @ x,
        b,
        solve,
        lambda vecmat, b: jnp.linalg.solve(matrix[...].T, b),
    )


@pytest.mark.parametrize("way", LINEAR_WAYS)
def test_linear_solves_read_references(way):
    matrix = jax.new_ref(MATRIX)
    solve = LINEAR_WAYS[way](solving(matrix, None))
    near(solve(SIDE), SOLUTION)
    matrix[...] = 2 * MATRIX
    near(solve(SIDE), SOLUTION / 2)


@pytest.mark.parametrize("way", [w for w in LINEAR_WAYS if w != "vmap"])
def test_the_solve_writes_once_also_under_derivatives(way):
    count = jax.new_ref(0)
    solve = LINEAR_WAYS[way](solving(jax.new_ref(MATRIX), count))
    near(solve(SIDE), SOLUTION)
    near(solve(SIDE), SOLUTION)
    assert count[...] == 2


def test_derivatives_of_a_solve_in_a_reference_made_inside():
    def f(scale):
        return solving(jax.new_ref(scale * MATRIX), None)(SIDE).sum()

    near(jax.grad(f)(2.0), -SOLUTION.sum() / 4)
    near(jax.jvp(f, (2.0,), (1.0,))[1], -SOLUTION.sum() / 4)


def test_rows_of_a_solve_do_not_write_to_one_reference():
    solve = solving(jax.new_ref(MATRIX), jax.new_ref(0))
    with pytest.raises(ValueError, match="batched value"):
        jax.vmap(solve)(jnp.stack([SIDE, SIDE]))


def test_a_transposed_solve_does_not_write():
    ref = jax.new_ref(0.0)

    def solve(matvec, b):
        ref[...] += 1
        return b

    with pytest.raises(NotImplementedError, match="transpose_solve writes to a ref"):
        lax.custom_linear_solve(lambda x: x, SIDE, solve, symmetric=True)


def newton(f, guess):
    return lax.fori_loop(0, 20, lambda i, x: x - f(x) / (2 * x), guess)


def square_root(steps, shift):
    def root(b):
        def f(x):
            steps[...] += 1
            return x * x - b - shift[...]

        return lax.custom_root(
            f, b, newton, lambda linear, y: y / linear(jnp.ones_like(y))
        )

    return root


ROOT_WAYS = {
    "called": (lambda f: f, np.sqrt),
    "jit": (jax.jit, np.sqrt),
    "vmap": (jax.vmap, np.sqrt),
    "grad": (
        lambda f: jax.grad(lambda b: f(b).sum()),
        lambda b: 0.5 / np.sqrt(b),
    ),
}


@pytest.mark.parametrize("way", ROOT_WAYS)
def test_roots_read_and_write_references(way):
    transform, wanted = ROOT_WAYS[way]
    steps, shift = jax.new_ref(0), jax.new_ref(1.0)
    found = transform(square_root(steps, shift))(SIDE)
    near(found, wanted(np.asarray(SIDE) + 1))
    assert steps[...] == 20


# ---------------------------------------------------------------- custom_vmap


def scaled_by(scale):
    """Scales by a reference, rows with another sign."""

    @jax.custom_batching.custom_vmap
    def f(x):
        return x * scale[...]

    @f.def_vmap
    def _(size, in_batched, x):
        return -x * scale[...], in_batched[0]

    return f


@pytest.mark.parametrize(
    ("transform", "sign"),
    [
        (lambda f: f, 1),
        (jax.jit, 1),
        (jax.vmap, -1),
        (lambda f: jax.jit(jax.vmap(f)), -1),
        (tangent_of, 1),
        (by_reverse, 1),
        (lambda f: by_reverse(jax.vmap(f)), -1),
    ],
)
def test_custom_vmap_reads_references(transform, sign):
    scale = jax.new_ref(2.0)
    f = transform(scaled_by(scale))
    near(f(SIDE), sign * 2 * SIDE)
    scale[...] = 3.0
    near(f(SIDE), sign * 3 * SIDE)


def test_a_rule_for_rows_gets_references_as_they_are():
    @jax.custom_batching.custom_vmap
    def f(ref, x):
        return x * ref[...]

    @f.def_vmap
    def _(size, in_batched, ref, x):
        assert in_batched == [False, True]
        ref[...] += size
        return x * ref[...], True

    ref = jax.new_ref(2.0)
    near(f(ref, SIDE), 2 * SIDE)
    near(jax.vmap(lambda x: f(ref, x))(SIDE), 4 * SIDE)
    assert ref[...] == 4


def test_a_function_with_a_rule_for_rows_does_not_write():
    ref = jax.new_ref(2.0)

    @jax.custom_batching.sequential_vmap
    def f(x):
        ref[...] += 1
        return x

    with pytest.raises(NotImplementedError, match="rule of its own writes"):
        f(1.0)


def test_a_rule_for_rows_returns_a_pair():
    f = jax.custom_batching.custom_vmap(lambda x: x)
    f.def_vmap(lambda size, in_batched, x: x)
    with pytest.raises(ValueError, match="(?s)must return a pair.*truth values"):
        jax.vmap(f)(jnp.arange(3.0))


# ---------------------------------------------------------------- linearize


def times_twice(ref, x):
    ref[...] = ref[...] * x
    return ref[...] * x


def test_linearize_updates_references_and_their_tangents():
    ref, tangent = jax.new_ref(jnp.array(2.0)), jax.new_ref(jnp.array(1.0))
    out, push = jax.linearize(times_twice, ref, 3.0)
    assert (out, ref[...]) == (18.0, 6.0)
    assert (push(tangent, 1.0), tangent[...]) == (21.0, 5.0)
    assert jax.jit(lambda f, t: f(t, 0.0))(push, tangent) == 45.0
    assert tangent[...] == 15.0


def test_linearize_with_references_in_transformations():
    def f(x):
        ref, tangent = jax.new_ref(x), jax.new_ref(1.0)
        _, push = jax.linearize(times_twice, ref, x)
        return push(tangent, 1.0) * tangent[...]

    def wanted(x):
        return 3 * x**2 * 2 * x

    near(jax.vmap(f)(SIDE), wanted(SIDE))
    near(jax.grad(f)(3.0), jax.grad(wanted)(3.0))


@pytest.mark.parametrize(
    "tangents",
    [lambda: (1.0, 1.0), lambda: (jax.new_ref(1.0),) * 2],
    ids=["array for reference", "reference for array"],
)
def test_tangents_are_references_where_arguments_are(tangents):
    _, push = jax.linearize(times_twice, jax.new_ref(2.0), 3.0)
    with pytest.raises(ValueError, match=r"(?s)references at \[0\].*new_ref"):
        push(*tangents())


def test_linearize_takes_a_reference_once():
    ref = jax.new_ref(2.0)
    with pytest.raises(ValueError, match="two names in jax.linearize"):
        jax.linearize(lambda a, b: a[...] * b[...], ref, ref)
