"""`program_order` keeps results and derivatives, and puts barriers between operations."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.overlap import program_order

A = jnp.sin(jnp.arange(4.0).reshape(2, 2))


def several(x, y):
    return {"a": jnp.sin(x) @ y, "b": (x * 2, jnp.cumsum(y))}


def with_loops(x, y):
    def step(c, row):
        return c * 0.5 + row, c.sum()

    carry, sums = lax.scan(step, x, jnp.stack([y, x]))
    return lax.cond(sums[0] > 0, jnp.sin, jnp.cos, carry) + jax.jit(jnp.exp)(y)


FUNCTIONS = {"several results": several, "loops and calls": with_loops}


def text(f, *args):
    return jax.jit(f).lower(*args).as_text()


@pytest.mark.parametrize("strict", [False, True, (True, False)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_and_derivatives_stay(name, strict):
    f = FUNCTIONS[name]
    ordered = program_order(f, enforce=True, strict_in_out=strict)

    def total(f):
        return lambda x: sum(o.sum() for o in jax.tree.leaves(f(x, y=A + 1)))

    for run in (lambda f: f(A, y=A + 1), lambda f: jax.jit(f)(A, A + 1)):
        jax.tree.map(
            lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6),
            run(ordered),
            run(f),
        )
    for change in (jax.grad, jax.jacfwd):
        np.testing.assert_allclose(
            jax.jit(change(total(ordered)))(A), change(total(f))(A), rtol=1e-5
        )
    stacked = jax.vmap(total(ordered))(jnp.stack([A, A * 2]))
    np.testing.assert_allclose(stacked[1], total(f)(A * 2), rtol=1e-5)


@pytest.mark.parametrize(
    ("strict", "barriers"), [(False, 2), (True, 4), ((True, False), 3)]
)
def test_a_barrier_stands_before_each_operation_but_the_first(strict, barriers):
    f = program_order(
        lambda x, y: (jnp.sin(x) @ y, x * 2), enforce=True, strict_in_out=strict
    )
    assert text(f, A, A).count("optimization_barrier") == barriers


def test_without_enforcement_the_function_stays():
    assert program_order(several, enforce=False, exclude_argnames="y") is several
    assert "optimization_barrier" not in text(several, A, A)


def test_it_decorates_and_takes_no_arguments_too():
    @program_order(enforce=True, strict_in_out=True)
    def constant():
        return jnp.sin(1.0) + jnp.ones(2)

    np.testing.assert_allclose(constant(), np.sin(1.0) + np.ones(2), rtol=1e-6)


def test_excluded_names_are_parameters_of_functions_without_enforcement():
    with pytest.raises(ValueError, match="exclude_argnames cannot be used with"):
        program_order(several, enforce=True, exclude_argnames="y")
    with pytest.raises(ValueError, match="names no parameter"):
        program_order(several, enforce=False, exclude_argnames=["z"])
