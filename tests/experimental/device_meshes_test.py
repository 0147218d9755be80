"""Arrays of devices, machines, values that are sharded alike, pictures of shardings."""

from types import SimpleNamespace

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import P
from jax.experimental import mesh_utils, topologies
from jax.experimental.shard_alike import shard_alike
from jax.extend import sharding as es
from jax.sharding import NamedSharding


def test_devices_in_an_array():
    devices = jax.devices()
    grid = mesh_utils.create_device_mesh((1, len(devices)))
    assert grid.shape == (1, len(devices)) and list(grid.flat) == devices
    with pytest.raises(ValueError, match="does not fit the devices"):
        mesh_utils.create_device_mesh((len(devices) + 1,))
    hybrid = mesh_utils.create_hybrid_device_mesh(
        (len(devices), 1), (1, 1), process_is_granule=True
    )
    assert hybrid.shape == (len(devices), 1)
    with pytest.raises(ValueError, match="has no slice_index"):
        mesh_utils.create_hybrid_device_mesh((1,), (1,))


def test_the_machine_that_is_there():
    topology = topologies.get_attached_topology()
    assert list(topology.devices) == jax.devices()
    mesh = topologies.make_mesh(topology, (len(topology.devices),), ("x",))
    assert mesh.axis_names == ("x",)


def test_programs_are_compiled_for_a_machine_that_is_described():
    machine = topologies.get_topology_desc("cpu", "cpu", cpu_device_count=16)
    assert len(machine.devices) == 16 and machine.devices[0].client.is_absent
    mesh = topologies.make_mesh(machine, (16,), ("x",))
    divided = jax.sharding.NamedSharding(mesh, jax.P("x"))
    alone = jax.sharding.SingleDeviceSharding(machine.devices[3])
    for sharding, collective in (divided, True), (alone, False):
        x = jax.ShapeDtypeStruct((32,), np.float32, sharding=sharding)
        compiled = jax.jit(lambda x: x.sum()).lower(x).compile()
        assert ("all-reduce(" in compiled.as_text()) == collective
        with pytest.raises(RuntimeError, match="machine that was described"):
            compiled(jnp.ones(32))
        with pytest.raises(jax.errors.JaxRuntimeError, match="only described"):
            jax.device_put(np.ones(32), sharding)


def test_machines_and_plugins_that_nobody_knows():
    with pytest.raises(jax.errors.JaxRuntimeError, match="no topology named"):
        topologies.get_topology_desc("moon:2x2", "cpu")
    with pytest.raises(RuntimeError, match="no plugin of this name"):
        topologies.get_topology_desc("moon:2x2", "moon")


def test_values_that_are_sharded_alike_stay_the_same():
    x, y = jnp.arange(4.0), jnp.ones(4)
    for call in (shard_alike, jax.jit(shard_alike)):
        a, b = call({"a": x}, {"a": y})
        assert a["a"].tolist() == x.tolist() and b["a"].tolist() == y.tolist()
    slope = jax.grad(lambda x: (shard_alike(x, y)[0] * y).sum())(x)
    assert slope.tolist() == [1.0] * 4
    assert jax.vmap(lambda a, b: shard_alike(a, b)[1])(x, y).tolist() == [1.0] * 4
    with pytest.raises(ValueError, match="leaves shapes of `x` and `y` should match"):
        shard_alike(x, y[:2])
    with pytest.raises(ValueError, match="Trees should be equal"):
        shard_alike(x, (y,))


def test_shardings_are_shown(capsys):
    pytest.importorskip("rich")
    mesh = jax.make_mesh((1,), ("x",))
    x = jax.device_put(np.ones((4, 2)), NamedSharding(mesh, P("x")))
    jax.debug.visualize_array_sharding(x, use_color=False)
    shown = capsys.readouterr().out
    assert "│" in shown and "CPU 0" in shown
    # What is no terminal shows no colours: lines distinguish parts.
    jax.debug.visualize_array_sharding(x)
    assert capsys.readouterr().out == shown
    with pytest.raises(ValueError, match="1 and 2 dimensions"):
        jax.debug.visualize_sharding((1, 2, 3), x.sharding)
    seen = []
    jax.debug.inspect_array_sharding(x, callback=seen.append)
    assert seen == [x.sharding]
    with pytest.raises(TypeError, match="array on devices"):
        jax.debug.inspect_array_sharding(np.ones(2), callback=print)


# The picture of an array on one device, as upstream draws it: its width, and its height.
PICTURES = {
    (4, 4): (23, 9),
    (8,): (7, 1),
    (160, 8): (7, 9),
    (4, 8): (48, 9),
    (1, 4): (78, 9),
}


@pytest.mark.parametrize("shape", PICTURES)
def test_a_part_is_as_large_in_the_picture_as_in_the_array(shape, capsys):
    pytest.importorskip("rich")
    width, height = PICTURES[shape]
    jax.debug.visualize_array_sharding(jnp.zeros(shape), use_color=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "┌" + "─" * width + "┐"
    assert len(lines) == height + 2
    assert sum("CPU 0" in line for line in lines) == 1


def test_shardings_in_bytes():
    made = es.get_hlo_sharding_from_serialized_proto(b"")
    assert str(made) == "{replicated}"
    assert es.get_serialized_proto_from_hlo_sharding(made) == b""


@pytest.mark.parametrize("shape", [(8,), (2, 4), (2, 2, 2)])
def test_cores_of_a_tray_follow_its_ring(shape):
    cores = [SimpleNamespace(id=i, device_kind="TPU v3") for i in range(16)]
    mesh = mesh_utils.create_device_mesh(shape, cores[:8])
    assert mesh.shape == shape
    assert [d.id for d in mesh.flat] == [0, 1, 2, 3, 6, 7, 4, 5]
    rows = mesh_utils.create_device_mesh((2, 8), cores)
    assert [d.id for d in rows[1]] == [8, 9, 10, 11, 14, 15, 12, 13]
    long = mesh_utils.create_device_mesh((16,), cores)
    assert [d.id for d in long] == list(range(16))
