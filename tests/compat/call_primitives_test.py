"""Primitives of libraries that run a program: their rules under every transformation."""

import pytest

import jax
import jax.numpy as jnp
from jax.extend import core as jec
from jax.interpreters import ad

PROGRAM = jax.make_jaxpr(lambda x, y: (jnp.sin(x) * y, y))(1.0, 2.0)
INLINED = jec.create_call_primitive("library_call")
CALLED = jec.create_call_primitive("library_function", inline_jax_late=False)
GIVEN = jec.Primitive("library_given")
jec.register_call_primitive_rules(GIVEN, name="given", inline_jax_late=False)


def wanted(x, y):
    return jnp.sin(x) * y, y


@pytest.mark.parametrize("prim", [INLINED, CALLED, GIVEN], ids=lambda p: p.name)
def test_every_transformation_applies(prim):
    def call(x, y):
        return tuple(prim.bind(x, y, call_jaxpr=PROGRAM))

    def ways(f):
        row = jnp.arange(3.0)
        yield f(0.5, 2.0)
        yield jax.jit(f)(0.5, 2.0)
        yield jax.jvp(f, (0.5, 2.0), (1.0, 1.0))
        yield jax.grad(lambda x, y: f(x, y)[0], (0, 1))(0.5, 2.0)
        yield jax.jit(jax.grad(lambda x: f(x, 2.0)[0]))(0.5)
        yield jax.hessian(lambda x: f(x, 2.0)[0])(0.5)
        yield jax.vmap(f, (0, None))(row, 2.0)
        yield jax.grad(lambda x: jax.checkpoint(f)(x, 2.0)[0])(0.5)
        yield jax.linearize(f, 0.5, 2.0)[1](1.0, 2.0)

    for found, same in zip(ways(call), ways(wanted), strict=True):
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(same), strict=True):
            assert jnp.allclose(a, b)


def test_programs_keep_the_call_and_drop_what_is_not_used():
    jaxpr = jax.make_jaxpr(lambda x, y: INLINED.bind(x, y, call_jaxpr=PROGRAM))(
        1.0, 2.0
    )
    (eqn,) = jaxpr.eqns
    assert (eqn.primitive.name, set(eqn.params)) == ("library_call", {"call_jaxpr"})
    back = jax.make_jaxpr(
        jax.grad(lambda x: INLINED.bind(x, 2.0, call_jaxpr=PROGRAM)[0])
    )(1.0)
    assert {e.primitive.name for e in back.eqns} >= {"library_call"}


def test_a_call_is_lowered_as_a_function_or_in_place():
    def text(prim, **params):
        call = lambda x: prim.bind(x, 2.0, call_jaxpr=PROGRAM, **params)  # noqa: E731
        return jax.jit(call).lower(1.0).as_text()

    assert "call @" not in text(INLINED)
    assert "call @library_function" in text(CALLED)
    assert "call @given" in text(GIVEN)
    assert "call @named" in text(CALLED, name="named")


def test_a_transpose_of_the_librarys_own_is_used():
    seen = []

    def transpose(cts, *operands, call_jaxpr, **params):
        seen.append([ad.is_undefined_primal(x) for x in operands])
        return jec.eval_jaxpr_transpose(
            prim, cts, *operands, call_jaxpr=call_jaxpr, **params
        )

    prim = jec.Primitive("library_transposed")
    jec.register_call_primitive_rules(prim, transpose_rule=transpose)
    grad = jax.grad(lambda x: prim.bind(x, 3.0, call_jaxpr=PROGRAM)[0])(0.0)
    assert grad == 3.0
    assert seen and any(seen[0])
