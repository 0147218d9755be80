"""Derivatives at numbers of Python: their types, and functions that need the known value."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
import jax.scipy.special
from jax import lax

ELEMENTWISE = [
    jnp.sin, jnp.sinc, jnp.deg2rad, jnp.rad2deg, jnp.degrees, jnp.log2, jnp.log10, jnp.exp2, jnp.cbrt, jnp.i0,
    jnp.arctan, jnp.square, jnp.reciprocal, jax.nn.gelu, jax.nn.silu, jax.nn.softplus, jax.nn.selu,
    jax.scipy.special.gammaln, jax.scipy.special.erf, jax.scipy.special.ndtri, jax.scipy.special.entr,
]  # fmt: skip
DERIVATIVES = {
    "grad": jax.grad,
    "value_and_grad": lambda f: lambda x: jax.value_and_grad(f)(x)[1],
    "jvp": lambda f: lambda x: jax.jvp(f, (x,), (x,))[1],
    "vjp": lambda f: lambda x: jax.vjp(f, x)[1](f(x))[0],
    "linearize": lambda f: lambda x: jax.linearize(f, x)[1](x),
    "hessian": jax.hessian,
    "jit of grad": lambda f: jax.jit(jax.grad(f)),
    "grad of jit": lambda f: jax.grad(jax.jit(f)),
}
# A strong result has a strong tangent, and a strong cotangent where it divides only.
STRONG = {
    "gelu": ("jvp", "linearize"),
    "ndtri": ("jvp", "linearize"),
    "log2": DERIVATIVES.keys() - {"hessian"},
    "log10": DERIVATIVES.keys() - {"hessian"},
}


@pytest.mark.parametrize("kind", DERIVATIVES)
@pytest.mark.parametrize("f", ELEMENTWISE, ids=lambda f: f.__name__)
def test_the_derivative_at_a_python_number_gives_way_to_other_dtypes(f, kind):
    if kind in STRONG.get(f.__name__, ()):
        assert not DERIVATIVES[kind](f)(0.25).weak_type
        return
    found = DERIVATIVES[kind](f)(0.25)
    assert (found + jnp.ones(2, jnp.bfloat16)).dtype == jnp.bfloat16


@pytest.mark.parametrize("f", ELEMENTWISE, ids=lambda f: f.__name__)
def test_the_derivative_at_an_array_does_not(f):
    assert not jax.grad(f)(jnp.float32(0.25)).weak_type


# Functions of a known number: the result, and its derivative by upstream.
KNOWN = {
    "stop": (lambda x: jnp.arange(x).sum() * 1.0 + 3 * x, 5.0, 3.0),
    "start and stop": (lambda x: jnp.arange(1.0, x).sum() + 3 * x, 5.0, 3.0),
    "step": (lambda x: jnp.arange(0, 5.0, x).sum() + 3 * x, 1.0, 3.0),
    "an element": (lambda x: jnp.arange(x * 2)[1] * x, 3.0, 1.0),
    "num": (lambda x: jnp.linspace(0, x, int(x)).sum(), 5.0, 2.5),
    "size": (lambda x: jnp.full(x.astype(int), x).sum(), np.float32(4.0), 4.0),
    "repeats": (lambda x: jnp.repeat(x, x.astype(int)).sum(), np.float32(3.0), 3.0),
    "length": (lambda x: lax.scan(lambda c, _: (c * x, None), 1.0, None, length=x.astype(int))[0], np.float32(3.0), 27.0),
    "bound": (lambda x: lax.fori_loop(0, x.astype(int), lambda i, c: c * x, 1.0), np.float32(3.0), 27.0),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_a_function_of_the_known_value_has_the_derivative_of_the_rest(name):
    f, x, slope = KNOWN[name]
    np.testing.assert_allclose(jax.grad(f)(x), slope, rtol=1e-6)
    x = jnp.float32(x)
    np.testing.assert_allclose(jax.jvp(f, (x,), (jnp.float32(1),))[1], slope, rtol=1e-6)


@pytest.mark.parametrize("make", [jnp.asarray, jnp.array])
@pytest.mark.parametrize("x", [2.0, 2.0 + 1j])
def test_asarray_of_a_differentiated_number_has_a_shape_for_rules(make, x):
    @jax.custom_vjp
    def square(x):
        return x * x

    square.defvjp(
        lambda x: (x * x, jnp.zeros(x.shape, x.dtype) + x),
        lambda x, ct: (2 * x * ct,),
    )
    out, back = jax.vjp(lambda x: square(make(x)), x)
    assert isinstance(out, jax.Array) and out.weak_type
    np.testing.assert_allclose(back(jnp.ones_like(out))[0], 2 * x)


def test_a_rule_sees_the_dtype_of_a_number():
    seen = []
    f = jax.custom_jvp(lambda x: x)

    @f.defjvp
    def rule(primals, tangents):
        seen.extend(x.dtype for x in primals)
        return primals[0], tangents[0]

    assert jax.grad(f)(2.0) == 1.0
    assert seen == [np.float32]


def test_traced_values_print_their_weak_types():
    seen = []
    look = lambda x: (seen.append(repr(x)), x)[1]  # noqa: E731
    jax.jit(look)(1.0)
    jax.jit(look)(jnp.float32(1))
    jax.grad(look)(1.0)
    jax.vmap(look)(jnp.ones(3))
    jax.jvp(look, (jnp.ones(3),), (jnp.ones(3),))
    assert seen == [
        "JitTracer(~float32[])",
        "JitTracer(float32[])",
        "GradTracer(primal=1.0, typeof(tangent)=f32[])",
        "VmapTracer(aval=float32[], batched=float32[3])",
        "JVPTracer(primal=[1. 1. 1.], tangent=[1. 1. 1.])",
    ]
