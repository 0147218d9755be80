"""A primitive with rules registered as JAX's users do, under every transformation."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

square_add_p = Primitive("square_add")


def square_add(x, y):
    return square_add_p.bind(x, y)


@square_add_p.def_impl
def _(x, y):
    return jnp.asarray(np.asarray(x) ** 2 + np.asarray(y))


@square_add_p.def_abstract_eval
def _(x, y):
    return ShapedArray(x.shape, x.dtype)


def _jvp(primals, tangents):
    (x, y), (tx, ty) = primals, tangents
    tx, ty = ad.instantiate_zeros(tx), ad.instantiate_zeros(ty)
    return square_add(x, y), 2 * x * tx + ty


def _batch(args, dims):
    size = next(a.shape[d] for a, d in zip(args, dims, strict=True) if d is not None)
    args = [batching.bdim_at_front(a, d, size) for a, d in zip(args, dims, strict=True)]
    return square_add(*args), 0


ad.primitive_jvps[square_add_p] = _jvp
batching.primitive_batchers[square_add_p] = _batch
mlir.register_lowering(
    square_add_p, mlir.lower_fun(lambda x, y: x * x + y, multiple_results=False)
)


def test_it_evaluates_and_compiles():
    assert square_add(3.0, 1.0) == 10.0
    assert jax.jit(square_add)(3.0, 1.0) == 10.0


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit, jax.checkpoint])
def test_it_differentiates(wrap):
    assert jax.grad(wrap(square_add), argnums=(0, 1))(3.0, 1.0) == (6.0, 1.0)
    assert jax.jvp(wrap(square_add), (3.0, 1.0), (1.0, 0.0))[1] == 6.0


def test_it_vectorises():
    out = jax.jit(jax.vmap(square_add, (0, None)))(jnp.arange(3.0), 1.0)
    np.testing.assert_allclose(out, [1.0, 2.0, 5.0])
    grads = jax.vmap(jax.grad(square_add), (0, None))(jnp.arange(3.0), 1.0)
    np.testing.assert_allclose(grads, [0.0, 2.0, 4.0])


def test_its_equation_shows_its_name():
    assert "square_add a b" in str(jax.make_jaxpr(square_add)(1.0, 2.0))


def test_our_rules_can_be_read_through_the_registries():
    from_table = ad.primitive_jvps[jax.lax.sin_p]
    out, tangent = from_table((0.0,), (1.0,), accuracy=None)
    assert (out, tangent) == (0.0, 1.0)
    assert jax.lax.sin_p in ad.primitive_jvps
    assert jax.lax.floor_p in ad.primitive_jvps
    assert square_add_p in list(ad.primitive_jvps)


def test_a_primitive_without_a_rule_says_which_is_missing():
    lonely_p = Primitive("lonely")
    lonely_p.def_abstract_eval(lambda x: x)
    with pytest.raises(NotImplementedError, match="Differentiation.*'lonely'"):
        jax.grad(lambda x: lonely_p.bind(x))(1.0)
    with pytest.raises(NotImplementedError, match="Batching rule for 'lonely'"):
        jax.vmap(lambda x: lonely_p.bind(x))(jnp.ones(2))
    with pytest.raises(
        NotImplementedError, match="translation rule for primitive 'lonely' not found"
    ):
        jax.jit(lambda x: lonely_p.bind(x))(1.0)
