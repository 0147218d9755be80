"""Equations of programs that are transformed keep the lines where the user wrote them."""

import inspect

import pytest

import jax
import jax.extend
import jax.numpy as jnp
from jax import lax

X = jnp.arange(1.0, 4.0)


def in_scan(x):
    def body(c, _):
        c = jnp.sin(c)
        return jnp.log(c), c

    return lax.scan(body, x, None, length=2)[0].sum()


def in_cond(x):
    return lax.cond(x.sum() > 0, lambda x: jnp.log(x), lambda x: x, x).sum()


def in_while(x):
    def body(c):
        return c[0] + 1, jnp.log(c[1])

    return lax.while_loop(lambda c: c[0] < 3, body, (0, x))[1].sum()


def in_jit(x):
    return jax.jit(lambda x: jnp.log(x))(x).sum()


def in_remat(x):
    return jax.checkpoint(lambda x: jnp.log(x))(x).sum()


def lines(jaxpr, name):
    """The lines of all equations of a primitive, those of inner programs included."""
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == name and eqn.location.frame is not None:
            yield eqn.location.frame.line
        for inner in jax.extend.core.jaxprs_in_params(eqn.params):
            yield from lines(inner, name)


def line_of(fun, text):
    """The line of a function that has a text."""
    source, first = inspect.getsourcelines(fun)
    return next(first + i for i, line in enumerate(source) if text in line)


def both(x):
    return jnp.stack([x, x])


TRANSFORMS = {
    "none": (lambda f: f, X),
    "grad": (jax.grad, X),
    "vmap": (jax.vmap, both(X)),
    "jvp": (lambda f: lambda x: jax.jvp(f, (x,), (x,)), X),
    "jit vmap grad": (lambda f: jax.jit(jax.vmap(jax.grad(f))), both(X)),
    "hessian": (jax.hessian, X),
}


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("fun", [in_scan, in_cond, in_while, in_jit, in_remat])
def test_an_operation_in_a_body_keeps_its_line(fun, name):
    transform, x = TRANSFORMS[name]
    if fun is in_while and ("grad" in name or name == "hessian"):
        pytest.skip("while loops have no reverse derivative")
    made = jax.make_jaxpr(transform(fun))(x)
    found = set(lines(made.jaxpr, "log")) | set(lines(made.jaxpr, "div"))
    assert found == {line_of(fun, "jnp.log")}


def test_a_rule_that_the_user_wrote_keeps_its_own_line():
    @jax.custom_jvp
    def f(x):
        return jnp.sin(x)

    @f.defjvp
    def rule(primals, tangents):
        return f(*primals), jnp.exp(primals[0]) * tangents[0]

    made = jax.make_jaxpr(jax.jvp, static_argnums=0)(jax.jit(f), (X,), (X,))
    assert set(lines(made.jaxpr, "exp")) == {line_of(rule, "jnp.exp")}
