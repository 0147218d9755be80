"""Arguments in which nobody differentiates, where they are traced values."""

import functools as ft

import pytest

import jax
import jax.numpy as jnp
from jax import lax


@ft.partial(jax.custom_jvp, nondiff_argnums=(0,))
def scaled(k, x):
    return k["factor"] * x


@scaled.defjvp
def _scaled_jvp(k, primals, tangents):
    # Ten times the derivative, so that it is seen that the rule was used.
    return k["factor"] * primals[0], 10 * k["factor"] * tangents[0]


def by(k, x):
    return scaled({"factor": k, "name": "static"}, x)


CONSTRUCTS_OF_NONDIFF = {
    "plain": (by, 30.0),
    "jit": (jax.jit(by), 30.0),
    "checkpoint": (jax.checkpoint(by), 30.0),
    "cond": (lambda k, x: lax.cond(k > 0, by, lambda k, x: x, k, x), 30.0),
    "switch": (lambda k, x: lax.switch(1, [lambda k, x: x, by], k, x), 30.0),
    "scan carry": (
        lambda k, x: lax.scan(
            lambda c, _: ((c[0] + 1, by(*c)), None), (k, x), None, length=2
        )[0][1],
        30.0 * 40.0,
    ),
    "scan rows": (
        lambda k, x: lax.scan(lambda c, k: (by(k, c), None), x, jnp.stack([k, k]))[0],
        900.0,
    ),
    "closed over": (
        lambda k, x: lax.scan(lambda c, _: (by(k, c), None), x, None, length=2)[0],
        900.0,
    ),
    "computed": (lambda k, x: jax.jit(lambda k, x: by(k + 1, x))(k, x), 40.0),
    "vmap": (
        lambda k, x: jax.vmap(by)(jnp.stack([k, k]), jnp.stack([x, x])).sum(),
        60.0,
    ),
    "jit of vmap": (
        jax.jit(lambda k, x: jax.vmap(by, (0, None))(jnp.stack([k, k]), x).sum()),
        60.0,
    ),
}


@pytest.mark.parametrize("name", CONSTRUCTS_OF_NONDIFF)
@pytest.mark.parametrize("outside", [lambda f: f, jax.jit])
def test_rules_get_traced_values_in_which_nobody_differentiates(name, outside):
    f, want = CONSTRUCTS_OF_NONDIFF[name]
    assert float(outside(jax.grad(f, argnums=1))(3.0, 5.0)) == want
    # Nobody differentiates in the first argument.
    assert float(outside(jax.grad(f, argnums=0))(3.0, 5.0)) == 0.0


def test_derivatives_of_rules_see_values_in_which_nobody_differentiates():
    f = lambda x: lax.cond(x > 0, lambda x: by(x, x), lambda x: x, x)
    assert float(jax.grad(f)(5.0)) == 50.0
    assert float(jax.grad(jax.grad(f))(5.0)) == 10.0


@pytest.mark.parametrize("way", [jax.jit, jax.vmap, jax.grad])
def test_backward_rules_refuse_traced_values_that_are_not_differentiated(way):
    f = jax.custom_vjp(lambda k, x: k * x, nondiff_argnums=(0,))
    f.defvjp(lambda k, x: (k * x, None), lambda k, _, ct: (k * ct,))
    x = jnp.ones(3) if way is jax.vmap else 3.0
    with pytest.raises(jax.errors.UnexpectedTracerError, match="custom_vjp.*nondiff"):
        way(lambda k: f(k, 2.0))(x)
