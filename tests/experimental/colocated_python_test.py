"""Functions and objects of plain Python beside devices."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import colocated_python as cp
from jax.experimental.colocated_python import func, obj, serialization

X = jnp.arange(3.0)


def struct(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding)


@cp.colocated_python
def double(x):
    """Twice as much."""
    return jnp.asarray(2 * np.asarray(x["a"]))


@cp.colocated_python
def ones():
    return jnp.ones(2)


def test_devices_and_meshes_of_cpus_are_their_own():
    devices = jax.devices()
    assert cp.colocated_cpu_devices(devices) == devices
    mesh = jax.make_mesh((1,), ("x",), devices=devices[:1])
    assert cp.colocated_cpu_devices(mesh) == mesh


def test_a_function_runs_as_it_is():
    np.testing.assert_array_equal(double({"a": X}), [0, 2, 4])
    assert (double.__name__, double.__doc__) == ("double", "Twice as much.")
    with pytest.raises(ValueError, match="only supports jax.Array"):
        double({"a": np.ones(3)})
    with pytest.raises(ValueError, match="but got <class 'int'>"):
        cp.colocated_python(lambda x: 3)(X)
    with pytest.raises(KeyError, match="'a'"):
        double({"b": X})


def test_a_function_without_arguments_is_told_where():
    with pytest.raises(ValueError, match="No devices found"):
        ones()
    told = ones.specialize(devices=jax.devices())
    np.testing.assert_array_equal(told(), [1, 1])
    with pytest.raises(ValueError, match="devices already specified"):
        told.specialize(devices=jax.devices())


def test_specified_types_are_checked():
    types = (({"a": struct(X)},), {})
    assert double.specialize(in_specs=types)({"a": X}).shape == (3,)
    with pytest.raises(ValueError, match="arguments differ"):
        double.specialize(in_specs=types)({"a": X[:2]})
    with pytest.raises(ValueError, match="tree is not the specified"):
        double.specialize(in_specs=types)({"b": X})
    same = double.specialize(out_specs_fn=lambda x: x["a"])
    assert same({"a": X}).shape == (3,)
    with pytest.raises(ValueError, match="results differ"):
        double.specialize(out_specs_fn=lambda x: struct(X[:1]))({"a": X})
    with pytest.raises(ValueError, match="tree is not that of out_specs_fn"):
        double.specialize(out_specs_fn=lambda x: [x["a"]])({"a": X})


@cp.colocated_python_class
class Counter:
    """Counts."""

    def __init__(self, start):
        self.number = start

    def add(self, x):
        self.number += 1
        return x + self.number

    def __call__(self, x):
        return x


def test_an_object_keeps_its_attributes_on_the_host():
    before = len(obj.SINGLETON_INSTANCE_REGISTRY)
    counter = Counter(5)
    assert isinstance(counter, Counter) and Counter.__doc__ == "Counts."
    assert [float(counter.add(X)[0]) for _ in range(2)] == [6.0, 7.0]
    assert counter(X) is X
    assert counter.add.specialize(devices=jax.devices())(X)[0] == 8.0
    with pytest.raises(AttributeError):
        counter.number  # noqa: B018
    assert len(obj.SINGLETON_INSTANCE_REGISTRY) == before + 1
    del counter
    assert len(obj.SINGLETON_INSTANCE_REGISTRY) == before


def test_lists_of_devices():
    devices = serialization.DeviceList(jax.devices())
    assert devices.is_fully_addressable and devices.process_indices == {0}
    assert devices.addressable_device_list == devices
    assert devices.default_memory_kind in devices.memory_kinds
    assert devices.device_kind == jax.devices()[0].device_kind


def test_dtypes_of_keys_are_told_from_others():
    assert func.is_prng_key_dtype(jax.random.key(0).dtype)
    assert not func.is_prng_key_dtype(X.dtype)


def test_what_is_pickled_keeps_devices_and_shared_objects():
    mesh = jax.make_mesh((1,), ("i",), devices=jax.devices()[:1])
    rows = jax.NamedSharding(mesh, jax.P("i"))
    one = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    big = [np.arange(1000)]
    given = {"rows": rows, "again": rows, "one": one, "twice": (big, big)}
    data = serialization._serialize(given)
    found = serialization._deserialize(data)
    assert (found["rows"], found["one"]) == (rows, one)
    assert found["rows"] is found["again"]
    assert found["twice"][0] is found["twice"][1]
    assert len(data) < 2 * big[0].nbytes
