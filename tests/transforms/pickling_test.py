"""Transformed functions go to other processes with cloudpickle, public functions and classes with pickle."""

import importlib
import pickle

import cloudpickle
import numpy as np
import pytest

import jax
import jax.numpy as jnp
import jax.scipy.special
import jax.scipy.stats

CUBE = lambda x: x**3  # noqa: E731  (what users send has no name to be found by)


def _scaled(factor):
    derivative = jax.grad(lambda x: factor * x**2)
    return lambda x: derivative(x) + factor


def _with_rule():
    f = jax.custom_jvp(lambda x: x)
    f.defjvp(lambda p, t: (p[0], 2 * t[0]))
    return jax.grad(f)


FUNCTIONS = {
    "jit": jax.jit(CUBE),
    "grad": jax.grad(CUBE),
    "value_and_grad": jax.value_and_grad(CUBE),
    "vmap of grad": lambda x: jax.vmap(jax.grad(CUBE))(x[None]),
    "vmap": jax.vmap(jax.grad(CUBE), axis_size=1, in_axes=None),
    "jit of grad": jax.jit(jax.grad(CUBE)),
    "grad of jit": jax.grad(jax.jit(CUBE)),
    "hessian": jax.hessian(CUBE),
    "jacfwd": jax.jacfwd(CUBE),
    "checkpoint": jax.grad(jax.checkpoint(CUBE)),
    "vectorize": jnp.vectorize(CUBE),
    "named_call": jax.named_call(CUBE),
    "named_scope": jax.named_scope("cube")(CUBE),
    "Partial": jax.tree_util.Partial(jax.grad(CUBE)),
    "closure": _scaled(3.0),
    "custom_jvp": _with_rule(),
    "relu": jax.nn.relu,
    "gelu": jax.nn.gelu,
    "ufunc": jnp.add.accumulate,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_transformed_function_comes_back_as_it_was(name):
    function = FUNCTIONS[name]
    x = np.ones(2, np.float32) if name in ("ufunc",) else np.float32(2.0)
    again = cloudpickle.loads(cloudpickle.dumps(function))
    for one, other in zip(
        jax.tree.leaves(again(x)), jax.tree.leaves(function(x)), strict=True
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "function",
    [
        jax.lax.sin,
        jax.lax.add,
        jax.lax.bitwise_and,
        jax.scipy.special.erf,
        jax.scipy.special.betainc,
        jax.scipy.stats.norm.pdf,
        jax.scipy.stats.beta.logcdf,
    ],
)
def test_a_function_that_a_table_makes_is_pickled_by_its_public_name(function):
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize(
    "name",
    [
        "jax.P",
        "jax.Ref",
        "jax.custom_jvp",
        "jax.custom_vjp",
        "jax.custom_batching.custom_vmap",
        "jax.core.ShapedArray",
        "jax.core.Tracer",
        "jax.extend.core.ClosedJaxpr",
        "jax.extend.core.Jaxpr",
        "jax.extend.core.Primitive",
        "jax.sharding.AbstractMesh",
        "jax.sharding.Mesh",
        "jax.sharding.NamedSharding",
        "jax.sharding.SingleDeviceSharding",
        "jax.stages.Compiled",
        "jax.stages.Lowered",
        "jax.stages.Traced",
        "jax.stages.Wrapped",
    ],
)
def test_a_class_is_printed_and_pickled_by_its_public_name(name):
    module, _, attribute = name.rpartition(".")
    found = getattr(importlib.import_module(module), attribute)
    assert repr(found) == f"<class '{name}'>"
    assert pickle.loads(pickle.dumps(found)) is found
