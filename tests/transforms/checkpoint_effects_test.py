"""Inside of `jax.checkpoint` what a library's primitive does besides its result happens once, not again for gradients."""

import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.core import effects
from jax.extend.core import Primitive
from jax.interpreters import ad, mlir


class MarkEffect(effects.Effect):
    pass


for kinds in (
    effects.lowerable_effects,
    effects.remat_allowed_effects,
    effects.control_flow_allowed_effects,
    effects.custom_derivatives_allowed_effects,
):
    kinds.add_type(MarkEffect)

mark_p = Primitive("mark_once")
mark_p.def_impl(lambda x: x)
mark_p.def_effectful_abstract_eval(lambda x: (x, {MarkEffect()}))
ad.primitive_jvps[mark_p] = lambda primals, tangents: (
    mark_p.bind(*primals),
    tangents[0],
)
mlir.register_lowering(mark_p, lambda ctx, x: [x])


def marked(x):
    y = mark_p.bind(jnp.sin(x))
    return jnp.sin(y) * y


def unused(x):
    mark_p.bind(x)
    return jnp.sin(jnp.sin(x))


@jax.custom_jvp
def custom(x):
    return marked(x)


custom.defjvp(lambda primals, tangents: (custom(*primals), tangents[0]))

PROGRAMS = {
    "plain": marked,
    "unused": unused,
    "nested": lambda x: jnp.sin(jax.checkpoint(marked)(x)),
    "nested, unused": lambda x: jnp.sin(jax.checkpoint(unused)(x)),
    "jit": lambda x: jnp.sin(jax.jit(marked)(x)),
    "jit, unused": lambda x: jnp.sin(jax.jit(unused)(x)),
    "scan": lambda x: lax.scan(lambda c, _: (marked(c), None), x, None, length=3)[0],
    "scan, unused": lambda x: lax.scan(lambda c, _: (unused(c), c), x, None, 3)[0],
    "scan of checkpoint": lambda x: lax.scan(
        jax.checkpoint(lambda c, _: (marked(c), None)), x, None, length=3
    )[0],
    "cond": lambda x: lax.cond(x > 0, marked, lambda x: x, x),
    "cond, unused": lambda x: lax.cond(x > 0, unused, lambda x: x, x),
    "while": lambda x: (
        jnp.sin(x) * lax.while_loop(lambda c: c < 3, lambda c: mark_p.bind(c) + 1, 0.0)
    ),
    "custom": lambda x: jnp.sin(custom(x)),
}


def count(jaxpr):
    """How often a program marks, its inner programs included."""
    total = 0
    for eqn in jaxpr.eqns:
        total += eqn.primitive is mark_p
        for value in eqn.params.values():
            several = value if isinstance(value, tuple | list) else [value]
            inner = [getattr(one, "jaxpr", one) for one in several]
            total += sum(count(one) for one in inner if hasattr(one, "eqns"))
    return total


@pytest.mark.parametrize("policy", [None, "everything_saveable", "dots_saveable"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_mark_as_often_as_the_function(name, policy):
    rule = policy and getattr(jax.checkpoint_policies, policy)
    fun = jax.checkpoint(PROGRAMS[name], policy=rule)
    expected = count(jax.make_jaxpr(fun)(1.0).jaxpr)
    assert expected
    assert count(jax.make_jaxpr(jax.grad(fun))(1.0).jaxpr) == expected


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_those_without_checkpoint(name):
    fun = PROGRAMS[name]
    expected = jax.grad(fun)(1.0)
    for transformed in (
        jax.grad(jax.checkpoint(fun)),
        jax.jit(jax.grad(jax.checkpoint(fun))),
    ):
        assert jnp.allclose(transformed(1.0), expected, rtol=1e-6)
