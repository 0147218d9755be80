"""`lax.platform_dependent` chooses what belongs to the platform."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax


def choose(x):
    return lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos)


@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_the_function_of_the_platform_runs(outer):
    assert outer(choose)(0.3) == pytest.approx(np.sin(0.3))
    assert outer(jax.grad(choose))(0.3) == pytest.approx(np.cos(0.3))
    rows = outer(jax.vmap(choose))(jnp.array([0.1, 0.2]))
    np.testing.assert_allclose(rows, np.sin([0.1, 0.2]), rtol=1e-6)


def test_the_default_runs_where_nothing_else_does():
    run = jax.jit(lambda x: lax.platform_dependent(x, tpu=jnp.sin, default=jnp.cos))
    assert run(0.3) == pytest.approx(np.cos(0.3))


def test_a_platform_without_a_function_is_refused():
    with pytest.raises(NotImplementedError, match="nothing to run on cpu"):
        jax.jit(lambda x: lax.platform_dependent(x, tpu=jnp.sin, cuda=jnp.cos))(1.0)


def missing(x):
    call = jax.ffi.ffi_call(
        "of_another_platform",
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        vmap_method="broadcast_all",
    )
    return call(x)


@pytest.mark.parametrize("platform", ["cuda", "gpu", "tpu", "a_vendors_platform"])
@pytest.mark.parametrize(
    "outer", [jax.jit, lambda f: jax.jit(jax.vmap(f)), lambda f: jax.jit(jax.jit(f))]
)
def test_functions_of_other_platforms_are_not_lowered(platform, outer):
    def f(x):
        return lax.platform_dependent(x, **{platform: missing}, default=jnp.cos)

    x = np.array([0.1, 0.2], np.float32)
    np.testing.assert_allclose(outer(f)(x), np.cos(x), rtol=1e-6)
    assert "of_another_platform" not in outer(f).lower(x).as_text()


@pytest.mark.parametrize("derivative", [jax.grad, jax.jacfwd, jax.hessian])
def test_derivatives_of_functions_of_other_platforms_are_not_lowered(derivative):
    @jax.custom_jvp
    def native(x):
        return missing(x)

    native.defjvp(lambda primals, tangents: (native(primals[0]), tangents[0]))

    def f(x):
        return lax.platform_dependent(x, cuda=native, default=jnp.cos)

    expected = derivative(jnp.cos)(0.3)
    assert jax.jit(derivative(f))(0.3) == pytest.approx(expected, rel=1e-6)
    lowered = jax.jit(lambda x: derivative(jax.checkpoint(f))(x)).lower(0.3)
    assert "of_another_platform" not in lowered.as_text()
