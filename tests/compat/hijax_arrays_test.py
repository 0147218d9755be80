"""Values above arrays that stand for arrays by `__jax_array__`, as operands of `jax.numpy`."""

import dataclasses

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import hijax as hj


@dataclasses.dataclass(eq=False)
class Scaled:
    """Small integers and their scale."""

    numbers: jax.Array
    scale: jax.Array

    def __jax_array__(self):
        return plain(self)


@dataclasses.dataclass(frozen=True)
class ScaledType(hj.HiType):
    shape: tuple[int, ...]

    def lo_ty(self):
        return [
            jax.core.ShapedArray(self.shape, np.dtype(np.int8)),
            jax.core.ShapedArray((), np.dtype(np.float32)),
        ]

    def lower_val(self, value):
        return [value.numbers, value.scale]

    def raise_val(self, numbers, scale):
        return Scaled(numbers, scale)

    def to_tangent_aval(self):
        return jax.core.ShapedArray(self.shape, np.dtype(np.float32))


class Plain(hj.VJPHiPrimitive):
    """The array for which the value stands."""

    def __init__(self, kind):
        self.in_avals, self.params = (kind,), {}
        self.out_aval = jax.core.ShapedArray(kind.shape, np.dtype(np.float32))
        super().__init__()

    def expand(self, value):
        return value.numbers.astype(np.float32) * value.scale


def plain(value):
    return Plain(jax.typeof(value))(value)


hj.register_hitype(Scaled, lambda value: ScaledType(value.numbers.shape))
ScaledType.__jax_array__ = hj.aval_method(plain)

NUMBERS = np.array([[1, 2], [3, 4]], np.int8)
X = np.array([[1, -1], [2, 0.5]], np.float32)

USES = {
    "@": lambda x, v: x @ v,
    "matmul": lambda x, v: jnp.matmul(v, x),
    "+": lambda x, v: x + v,
    "==": lambda x, v: x == v,
    "add": lambda x, v: jnp.add(v, x),
    "sin": lambda x, v: jnp.sin(v),
    "array": lambda x, v: jnp.array(v),
    "asarray": lambda x, v: jnp.asarray(v, jnp.bfloat16),
    "array of several": lambda x, v: jnp.array([v, v]),
    "sum": lambda x, v: jnp.sum(v, axis=0),
    "where": lambda x, v: jnp.where(x > 0, v, x),
    "stack": lambda x, v: jnp.stack([x, v]),
    "concatenate": lambda x, v: jnp.concatenate([v, x]),
    "einsum": lambda x, v: jnp.einsum("ij,jk->ik", x, v),
    "softmax": lambda x, v: jax.nn.softmax(v),
    "set": lambda x, v: x.at[:].set(v),
    "reshape": lambda x, v: jnp.reshape(v, (4,)),
    "pad": lambda x, v: jnp.pad(v, 1),
    "cumsum": lambda x, v: jnp.cumsum(v),
    "power": lambda x, v: jnp.power(v, 2),
    "fmod": lambda x, v: jnp.fmod(v, 2),
    "gradient": lambda x, v: jnp.gradient(v, axis=0),
    "append": lambda x, v: jnp.append(x, v),
    "block": lambda x, v: jnp.block([[v, x]]),
    "vstack": lambda x, v: jnp.vstack([v, x]),
    "broadcast_arrays": lambda x, v: jnp.broadcast_arrays(v, x)[0],
    "atleast_3d": lambda x, v: jnp.atleast_3d(v),
    "array_equal": lambda x, v: jnp.array_equal(x, v),
    "copy": lambda x, v: jnp.copy(v),
    "zeros_like": lambda x, v: jnp.zeros_like(v),
    "ones_like": lambda x, v: jnp.ones_like(v, jnp.int32),
    "full_like": lambda x, v: jnp.full_like(v, 2.5),
}


@pytest.mark.parametrize("name", USES)
def test_a_value_that_stands_for_an_array_is_an_operand(name):
    use = USES[name]
    value = Scaled(jnp.asarray(NUMBERS), jnp.float32(0.5))
    wanted = use(jnp.asarray(X), jnp.asarray(NUMBERS * np.float32(0.5)))
    for run in (use, jax.jit(use)):
        found = run(jnp.asarray(X), value)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(
            found.astype(np.float32), wanted.astype(np.float32), rtol=1e-6
        )


def test_gradients_beside_a_value_that_stands_for_an_array():
    value = Scaled(jnp.asarray(NUMBERS), jnp.float32(0.5))
    found = jax.jit(jax.grad(lambda x, v: jnp.sum(x * v)))(jnp.asarray(X), value)
    np.testing.assert_allclose(found, NUMBERS * 0.5)
