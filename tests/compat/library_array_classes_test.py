"""Classes that libraries add to those of arrays, and names that they build on."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.extend import ifrt_programs
from jax.extend.core import primitives
from jax.interpreters import xla

# Names that are to go warn at their first use.
pytestmark = pytest.mark.filterwarnings(r"ignore:jax\..* is deprecated; ")


class Box:
    """An array in a box, as libraries have for their variables."""

    def __init__(self, value):
        self.value = np.asarray(value)

    shape = property(lambda self: self.value.shape)
    dtype = property(lambda self: self.value.dtype)

    def __array__(self, dtype=None, copy=None):
        return self.value


@pytest.fixture
def box():
    types = jax.core.pytype_aval_mappings
    handlers = xla.canonicalize_dtype_handlers
    types[Box] = types[np.ndarray]
    handlers[Box] = handlers[np.ndarray]
    yield Box(np.array([1.0, 2.0]))
    del types[Box], handlers[Box]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: jax.lax.sin(x),
        jax.jit(lambda x: jnp.sin(x) + x),
        jax.vmap(jnp.sin),
        jax.grad(lambda x: jnp.sum(jnp.sin(x))),
        jax.device_put,
        jax.jit(lambda x, flag=True: (x, jax.random.key(1))[0] * 2),
    ],
)
def test_values_of_such_a_class_are_computed_with(box, f):
    wanted = f(jnp.array([1.0, 2.0]))
    for _ in range(3):
        found = f(box)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
        assert found.dtype == np.float32
    box.value = np.array([3.0, 4.0])
    np.testing.assert_allclose(f(box), f(jnp.array([3.0, 4.0])), rtol=1e-6)


def test_the_handler_of_numpy_arrays_narrows_them():
    narrow = xla.canonicalize_dtype_handlers[np.ndarray]
    assert narrow(np.ones(3)).dtype == np.float32
    assert narrow(np.arange(3, dtype=np.int8)).dtype == np.int8


def test_closed_calls_evaluate_their_program():
    program = jax.make_jaxpr(lambda x, y: (x + y, x * y))(1.0, 2.0)
    bind = primitives.closed_call_p.bind
    assert bind(3.0, 4.0, call_jaxpr=program) == [7.0, 12.0]

    def f(x):
        return bind(x, x, call_jaxpr=program)[1]

    assert jax.jit(jax.grad(f))(3.0) == 6.0
    assert primitives.closed_call_p.name == "closed_call"


@pytest.mark.parametrize(
    ("f", "wanted"), [(jnp.shape, ()), (jnp.ndim, 0), (jnp.size, 1)]
)
def test_nothing_has_the_shape_of_a_number(f, wanted):
    with pytest.warns(DeprecationWarning, match="is no array"):
        assert f(None) == wanted


def test_the_class_of_arrays_is_a_subclass_of_itself():
    assert issubclass(jax.Array, jax.Array)
    assert not issubclass(np.ndarray, jax.Array)


def test_this_process_is_alone():
    state = jax._src.distributed.global_state
    assert (state.process_id, state.num_processes, state.client) == (0, 1, None)


def test_a_client_describes_itself():
    client = jax.devices()[0].client
    assert client.runtime_type == "pjrt"
    assert client._get_all_devices() == jax.devices()
    assert client.host_id() == client.task_id() == 0
    x = jnp.ones(3)
    assert any(array is x for array in client.live_arrays())
    assert x.sharding._device_assignment == (jax.devices()[0],)
    assert x.sharding._addressable_device_assignment == (jax.devices()[0],)


def test_programs_of_another_runtime_are_refused():
    with pytest.raises(NotImplementedError, match="make_plugin_program"):
        ifrt_programs.ifrt_programs.make_plugin_program("x")
