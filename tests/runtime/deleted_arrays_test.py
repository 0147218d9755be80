"""The error for an array that was deleted or donated, whatever it is used for."""

import copy
import pickle

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

USES = {
    "add": lambda x: x + 1,
    "compare": lambda x: x == x,
    "index": lambda x: x[0],
    "iterate": list,
    "update": lambda x: x.at[0].set(1),
    "convert": lambda x: x.astype(int),
    "sum": lambda x: x.sum(),
    "jit": jax.jit(lambda x: x * 2),
    "donate": jax.jit(lambda x: x * 2, donate_argnums=0),
    "constant": lambda x: jax.jit(lambda: x + 1)(),
    "grad": jax.grad(lambda x: x.sum()),
    "vmap": jax.vmap(lambda x: x * 2),
    "scan": lambda x: lax.scan(lambda c, y: (c + y, None), 0.0, x),
    "put": lambda x: jax.device_put(x, jax.devices()[0]),
    "get": jax.device_get,
    "numpy": np.asarray,
    "list": lambda x: x.tolist(),
    "format": lambda x: f"{x}",
    "wait": lambda x: x.block_until_ready(),
    "wait for all": jax.block_until_ready,
    "shards": lambda x: x.addressable_shards,
    "pointer": lambda x: x.unsafe_buffer_pointer(),
    "dlpack": lambda x: x.__dlpack__(),
    "from dlpack": np.from_dlpack,
    "copy": copy.copy,
    "deep copy": copy.deepcopy,
    "pickle": pickle.dumps,
    "array": jnp.array,
}


def _deleted(x):
    x.delete()


def _donated(x):
    jax.jit(lambda y: y + 1, donate_argnums=0)(x)


def _donated_ahead_of_time(x):
    jax.jit(lambda y: y + 1, donate_argnums=0).lower(x).compile()(x)


@pytest.mark.parametrize("end", [_deleted, _donated, _donated_ahead_of_time])
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_programs_that_catch_any_of_its_classes_catch_it(use, end):
    for wanted in (ValueError, RuntimeError, jax.errors.JaxRuntimeError):
        x = jnp.arange(4.0)
        end(x)
        with pytest.raises(wanted, match="Array has been deleted") as caught:
            use(x)
        assert caught.type is jax.errors.DeletedArrayError
        assert "float32[4]" in str(caught.value)


@pytest.mark.parametrize("call", ["jit", "compiled"])
def test_a_donated_argument_cannot_be_given_again(call):
    f = jax.jit(lambda x: x + 1, donate_argnums=0)
    if call == "compiled":
        f = f.lower(jnp.arange(4.0)).compile()
    for _ in range(3):  # The first call compiles, the others are prepared.
        x = jnp.arange(4.0)
        f(x)
        with pytest.raises(ValueError, match="Array has been deleted"):
            f(x)


def test_the_error_survives_a_pickle():
    x = jnp.arange(4.0)
    x.delete()
    with pytest.raises(jax.errors.DeletedArrayError) as caught:
        np.asarray(x)
    found = pickle.loads(pickle.dumps(caught.value))
    assert (type(found), str(found)) == (caught.type, str(caught.value))
    assert caught.type.__module__ == "jax.errors"
    assert found.error_code_string == "UNKNOWN"


def test_what_is_known_of_a_deleted_array_stays():
    x = jnp.arange(4.0)
    x.delete()
    assert (x.shape, x.dtype, x.nbytes, x.is_deleted()) == ((4,), np.float32, 16, True)
    assert x.T.is_deleted() and "float32[4]" in repr(x)
    x.delete()
