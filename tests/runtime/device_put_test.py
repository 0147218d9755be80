"""Devices, shardings, and moving arrays between them."""

import numpy as np
import pytest

import jax
from jax._src.core import mesh as mesh_lib, partition_spec, shardings
from jax._src.runtime.arrays import array, layouts
from jax._src.runtime.devices import backends, make_mesh
from jax._src.runtime.transfers import device_put_get

P = partition_spec.PartitionSpec


def mesh(shape=(2, 4), names=("x", "y")):
    return make_mesh.make_mesh(shape, names, devices=backends.devices())


def test_there_are_eight_devices_each_the_same_object():
    devices = backends.devices()
    assert len(devices) == 8 == backends.device_count()
    assert devices[3] is backends.devices()[3]
    assert backends.default_backend() == "cpu"
    assert [d.id for d in devices] == sorted({d.id for d in devices})
    assert backends.local_devices() == devices


def test_host_values_are_not_committed_to_the_default_device():
    x = device_put_get.device_put(np.ones(3))
    assert not x.committed
    assert x.devices() == {backends.devices()[0]}


@pytest.mark.parametrize(
    ("value", "weak"),
    [(1, True), (1.0, True), (1j, True), (True, False), (np.float32(1), False)],
)
def test_numbers_of_python_stay_weak(value, weak):
    assert device_put_get.device_put(value).weak_type is weak


def test_values_put_on_a_device_are_committed():
    device = backends.devices()[3]
    for value in (np.ones(3), 1, device_put_get.device_put(np.ones(3))):
        x = device_put_get.device_put(value, device)
        assert x.committed
        assert x.device is device
        assert x.devices() == {device}


def test_putting_an_array_where_it_is_keeps_its_memory():
    x = device_put_get.device_put(np.ones(3))
    y = device_put_get.device_put(x, backends.devices()[0])
    assert y.committed
    assert y.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()
    assert device_put_get.device_put(y, backends.devices()[0]) is y


@pytest.mark.parametrize(
    "spec, shard",
    [
        (P("x"), (4, 16)),
        (P(None, "y"), (8, 4)),
        (P("x", "y"), (4, 4)),
        (P(("x", "y")), (1, 16)),
        (P("y", "x"), (2, 8)),
        (P(), (8, 16)),
    ],
)
def test_named_shardings_split_and_assemble(spec, shard):
    value = np.arange(128, dtype=np.float32).reshape(8, 16)
    sharding = shardings.NamedSharding(mesh(), spec)
    x = device_put_get.device_put(value, sharding)
    assert x.sharding == sharding
    assert len(x.addressable_shards) == 8
    for part in x.addressable_shards:
        assert part.data.shape == shard
        assert part.data.devices() == {part.device}
        np.testing.assert_array_equal(np.asarray(part.data), value[part.index])
    np.testing.assert_array_equal(np.asarray(x), value)
    back = device_put_get.device_put(x, backends.devices()[5])
    np.testing.assert_array_equal(np.asarray(back), value)


def test_replicas_are_numbered():
    x = device_put_get.device_put(np.ones(2), shardings.NamedSharding(mesh(), P("x")))
    assert sorted(s.replica_id for s in x.addressable_shards) == [
        0,
        0,
        1,
        1,
        2,
        2,
        3,
        3,
    ]


def test_arrays_are_made_from_their_parts():
    sharding = shardings.NamedSharding(mesh((8,), ("x",)), P("x"))
    parts = [
        device_put_get.device_put(np.full((1, 2), i), d)
        for i, d in enumerate(backends.devices())
    ]
    x = array.make_array_from_single_device_arrays((8, 2), sharding, parts)
    np.testing.assert_array_equal(np.asarray(x)[:, 0], np.arange(8))
    with pytest.raises(ValueError, match="shape"):
        array.make_array_from_single_device_arrays((16, 2), sharding, parts)
    y = array.make_array_from_callback(
        (8,), sharding, lambda index: np.arange(8)[index]
    )
    np.testing.assert_array_equal(np.asarray(y), np.arange(8))


@pytest.mark.parametrize(
    "make, fact",
    [
        (lambda: device_put_get.device_put(np.ones(3), "cpu"), "str"),
        (lambda: shardings.NamedSharding(mesh(), ("x",)), "PartitionSpec"),
        (lambda: shardings.NamedSharding(mesh(), P("z")), "'z'"),
        (lambda: shardings.NamedSharding(mesh(), P("x", "x")), "'x'"),
        (
            lambda: device_put_get.device_put(
                np.ones((3, 4)), shardings.NamedSharding(mesh(), P("x"))
            ),
            "multiple of 2",
        ),
        (
            lambda: device_put_get.device_put(
                1, shardings.NamedSharding(mesh(), P("x"))
            ),
            "rank at least",
        ),
        (lambda: mesh_lib.Mesh(backends.devices(), ("x", "y")), "shape (8,)"),
        (
            lambda: make_mesh.make_mesh((9,), ("x",), devices=backends.devices()),
            "product of mesh_shape (9,)",
        ),
        (
            lambda: shardings.SingleDeviceSharding(
                backends.devices()[0], memory_kind="attic"
            ),
            "attic",
        ),
    ],
)
def test_wrong_shardings_are_explained(make, fact):
    with pytest.raises((TypeError, ValueError)) as caught:
        make()
    assert fact in str(caught.value)


def test_equal_shardings_are_equal_and_hash_alike():
    a, b = (shardings.NamedSharding(mesh(), P("x")) for _ in range(2))
    assert a == b and hash(a) == hash(b)
    assert a != shardings.NamedSharding(mesh(), P("y"))
    assert a.is_equivalent_to(shardings.NamedSharding(mesh(), P("x", None)), 2)
    assert not a.is_equivalent_to(shardings.NamedSharding(mesh(), P("y")), 2)


def test_trees_go_to_trees_of_shardings():
    one, two = backends.devices()[1:3]
    out = device_put_get.device_put({"a": 1, "b": [2, 3]}, {"a": one, "b": two})
    assert out["a"].device is one
    assert [x.device for x in out["b"]] == [two, two]
    got = device_put_get.device_get({"x": out["a"], "y": "text"})
    assert got == {"x": 1, "y": "text"}
    assert device_put_get.block_until_ready(out) is out


def test_memory_kinds_are_kept():
    device = backends.devices()[0]
    sharding = shardings.SingleDeviceSharding(device, memory_kind="pinned_host")
    x = device_put_get.device_put(np.arange(3), sharding)
    assert x.sharding.memory_kind == "pinned_host"
    np.testing.assert_array_equal(np.asarray(x), np.arange(3))


def test_arrays_are_put_where_the_format_of_another_says():
    x = device_put_get.device_put(np.arange(3.0), backends.devices()[5])
    y = device_put_get.device_put({"a": np.ones(2)}, {"a": x.format})["a"]
    assert y.sharding == x.sharding and y.committed
    other = layouts.Format(layouts.Layout((1, 0)), x.sharding)
    turned = device_put_get.device_put(np.ones((2, 2)), other)
    assert turned.format.layout.major_to_minor == (1, 0)
    with pytest.raises(ValueError, match="cannot be True at the same time"):
        device_put_get.device_put(x, donate=True, may_alias=True)


def test_elements_at_indices_and_replacements_have_the_sharding_of_their_operands():
    mesh = jax.make_mesh((4, 2), ("x", "y"))
    rows = np.float32([[3, np.nan], [1, 2], [5, 4], [np.inf, 0]])
    with jax.set_mesh(mesh):
        x = jax.device_put(rows, jax.NamedSharding(mesh, jax.P("x")))
        for f in (jax.numpy.argsort, jax.numpy.nan_to_num):
            assert jax.typeof(f(x)).sharding.spec == jax.P("x", None)
        np.testing.assert_array_equal(jax.numpy.argsort(x), np.argsort(rows))


def test_a_tree_may_hold_strings_of_numpy():
    strings = np.full(2, "a", np.dtypes.StringDType())
    found = jax.device_put({"a": np.ones(2), "b": strings}, jax.devices()[0])
    np.testing.assert_array_equal(np.asarray(found["b"]), strings)


@pytest.mark.parametrize(
    "target", [None, "device", "sharding"], ids=["nowhere", "device", "sharding"]
)
def test_tangents_of_integers_stay_in_numpy(target):
    device = jax.devices()[0]
    targets = {"device": device, "sharding": jax.sharding.SingleDeviceSharding(device)}
    zeros = np.zeros(3, jax.dtypes.float0)
    assert jax.device_put(zeros, targets.get(target)) is zeros
    tree = jax.device_put({"a": zeros, "b": 1.0}, targets.get(target))
    assert tree["a"] is zeros and isinstance(tree["b"], jax.Array)
