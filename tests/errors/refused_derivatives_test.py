"""What would lose a derivative without a word is refused."""

import math

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

REFUSALS = jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError
X = jnp.array([1.0, 2.0])
LOSING = {
    "float": lambda x: float(x[0]) * x.sum(),
    "complex": lambda x: complex(x[0]).real * x.sum(),
    "floor": lambda x: math.floor(x[0]) * x.sum(),
    "array": lambda x: np.asarray(x).sum() * x.sum(),
    "function of numpy": lambda x: np.sin(x).sum() * x.sum(),
    "list": lambda x: sum(x.tolist()) * x.sum(),
    "bytes": lambda x: len(x.tobytes()) * x.sum(),
}
WAYS = {
    "grad": lambda f: jax.grad(f)(X),
    "jvp": lambda f: jax.jvp(f, (X,), (X,)),
    "linearize": lambda f: jax.linearize(f, X),
    "vjp": lambda f: jax.vjp(f, X),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", LOSING)
def test_values_with_derivatives_become_no_constants(name, way):
    with pytest.raises(REFUSALS, match="differentiated") as e:
        WAYS[way](LOSING[name])
    assert "stop_gradient" in str(e.value)


KEEPING = {
    "branch": lambda x: x[0] if x[0] > 0 else x[1],
    "index": lambda x: x[int(jnp.argmax(x))],
    "truth": lambda x: x[0] * bool(x[1]),
    "constant": lambda x: x[0] * float(lax.stop_gradient(x[1])),
    "comparison": lambda x: x[0] * np.asarray(x > 1.5).sum(),
}


@pytest.mark.parametrize("name", KEEPING)
def test_what_has_no_derivative_is_known(name):
    slopes = [
        jax.grad(KEEPING[name])(X).tolist(),
        jax.vjp(KEEPING[name], X)[1](1.0)[0].tolist(),
    ]
    assert slopes[0] == slopes[1] != [0, 0]


@pytest.mark.parametrize(
    "outer", [jax.jit, jax.vmap, lambda f: lambda x: jax.jvp(f, (x,), (x,))[1]]
)
def test_getting_a_traced_value_leaves_it_as_it_is(outer):
    assert jax.tree.leaves(outer(jax.device_get)(X))[0].tolist() == [1, 2]
    assert jax.grad(lambda x: jax.device_get(x).sum())(X).tolist() == [1, 1]
