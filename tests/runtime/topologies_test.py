"""Machines that are described: compiling for devices that need not exist."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

X = jax.ShapeDtypeStruct((8, 4), "float32")


def machine(name):
    return topologies.get_topology_desc(name, platform="cpu")


def product(x):
    return jnp.sin(x) @ x.T


def compiled(mesh):
    return jax.jit(product, in_shardings=NamedSharding(mesh, P("x"))).lower(X).compile()


@pytest.mark.parametrize(
    ("name", "count"), [("8", 8), ("4x2", 8), ("cpu:2x2x3", 12), ("1024", 1024)]
)
def test_the_name_says_how_many_devices_there_are(name, count):
    devices = machine(name).devices
    assert len(devices) == count
    assert devices[0].platform == devices[0].device_kind == "cpu"
    assert not devices[0].is_addressable


def test_without_a_name_there_are_as_many_as_are_attached():
    assert len(machine("").devices) == len(jax.devices("cpu"))


def test_a_plan_for_a_described_machine_is_that_of_a_real_one():
    described = compiled(topologies.make_mesh(machine("4x2"), (4, 2), ("x", "y")))
    real = compiled(Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y")))
    assert str(described.plan()) == str(real.plan())
    assert described.memory_analysis().argument_size_in_bytes == 32
    assert described.output_shardings.spec == real.output_shardings.spec


def test_such_programs_are_not_called():
    mesh = topologies.make_mesh(machine("4x2"), (4, 2), ("x", "y"))
    with pytest.raises(RuntimeError, match="compiled without devices"):
        compiled(mesh)(jnp.ones((8, 4)))
    f = jax.jit(product, in_shardings=NamedSharding(mesh, P("x")))
    with pytest.raises(RuntimeError, match="devices that do not exist") as error:
        f(jnp.ones((8, 4)))
    assert "plan()" in str(error.value)


def test_they_run_when_devices_are_named():
    mesh = topologies.make_mesh(machine("8"), (8,), ("x",))
    f = jax.jit(product, in_shardings=NamedSharding(mesh, P("x")))
    here = f.lower(X).compile(device_assignment=tuple(jax.devices()))
    x = np.arange(32, dtype=np.float32).reshape(8, 4)
    line = NamedSharding(Mesh(np.array(jax.devices()), ("x",)), P("x"))
    np.testing.assert_allclose(
        here(jax.device_put(x, line)), product(x), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (("4y2", "cpu"), jax.errors.JaxRuntimeError, 'no topology named "4y2"'),
        (("0", "cpu"), jax.errors.JaxRuntimeError, "must be from 1 to 1024"),
        (("v4:2x2", "nowhere"), RuntimeError, "no plugin of this name"),
    ],
)
def test_other_machines_cannot_be_described(arguments, kind, message):
    with pytest.raises(kind, match=message):
        topologies.get_topology_desc(*arguments)


@pytest.mark.parametrize("name", ["4x2", ""])
def test_a_machine_comes_back_from_its_bytes(name):
    described = machine(name)
    same = topologies.TopologyDescription.deserialize(described.serialize())
    assert [d.id for d in same.devices] == [d.id for d in described.devices]
    mesh = topologies.make_mesh(same, (len(same.devices),), ("x",))
    assert compiled(mesh).memory_analysis() is not None


def test_attached_devices_come_back_as_a_description():
    attached = topologies.get_attached_topology("cpu")
    same = topologies.TopologyDescription.deserialize(attached.serialize())
    assert len(same.devices) == len(attached.devices)
    assert not same.devices[0].is_addressable


@pytest.mark.parametrize("junk", [b"", b"junk", b"jax topology 1", "text", b"a\0b\0c"])
def test_bytes_that_are_no_machine_are_refused(junk):
    with pytest.raises(ValueError, match="Failed to parse a topology"):
        topologies.TopologyDescription.deserialize(junk)


@pytest.mark.parametrize("cut", [1, 3])
def test_a_machine_that_its_plugin_does_not_know_is_refused(cut):
    whole = machine("4x2").serialize()
    with pytest.raises((ValueError, RuntimeError)):
        topologies.TopologyDescription.deserialize(whole[:-cut])
    with pytest.raises(RuntimeError, match="nowhere"):
        topologies.TopologyDescription.deserialize(b"jax topology 1\0nowhere\0")


def test_a_topology_without_devices_is_refused():
    with pytest.raises(ValueError, match="without devices"):
        topologies.TopologyDescription(()).serialize()
