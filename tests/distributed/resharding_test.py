"""Arrays get from any devices of a job to any others, or all processes are told why not."""

import ast

from tests.testing import processes

MOVES = """
import numpy as np
import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
jax.distributed.initialize()
client = jax._src.distributed.global_state.client
devices = np.array(jax.devices())
size = len(devices)

def over(chosen, *spec):
    return NamedSharding(Mesh(chosen, ("x",)), P(*spec))

shardings = {
    "all": over(devices, "x"),
    "columns": over(devices, None, "x"),
    "whole": over(devices),
    "backwards": over(devices[::-1], "x"),
    "first half": over(devices[: size // 2], "x"),
    "middle": over(devices[1 : size - 1 : size // 2], None, "x"),
    "one": jax.sharding.SingleDeviceSharding(devices[size - 1]),
}
values = np.arange(64, dtype=np.float32).reshape(8, 8)
found = {}
for a, source in shardings.items():
    for b, target in shardings.items():
        client.wait_at_barrier(f"{a} {b}", 60_000)
        try:
            moved = jax.device_put(jax.device_put(values, source), target)
        except ValueError as error:
            found[a, b] = str(error)
            continue
        assert moved.sharding == target
        held = {shard.device for shard in moved.addressable_shards}
        assert held == target.addressable_devices
        for shard in moved.addressable_shards:
            assert np.array_equal(np.asarray(shard.data), values[shard.index]), (a, b)
print(found)
"""


def test_arrays_move_between_devices_of_any_processes():
    ended = processes.run(MOVES, 4, JAX_NUM_CPU_DEVICES="2")
    for process, end in enumerate(ended):
        assert end.status == 0, f"process {process}: {end.err}"
        for (source, _), message in ast.literal_eval(end.out).items():
            # Held by one process, wanted by another alone.
            assert source in ("one", "first half"), source
            assert "array of another process cannot be moved" in message


DIFFERENT = """
import numpy as np
import jax
jax.distributed.initialize()
mesh = jax.make_mesh((2,), ("x",))
whole = jax.NamedSharding(mesh, jax.P())
mine = jax.numpy.asarray(float(jax.process_index()) + np.zeros(4, np.float32))
try:
    jax.device_put(mine, whole)
except AssertionError as error:
    print(error)
"""


def test_processes_that_put_different_values_are_all_told():
    for end in processes.run(DIFFERENT, 2):
        assert end.status == 0, end.err
        assert "different values" in end.out
        assert "[1. 1. 1. 1.]" in end.out


ON_ONE_PROCESS = """
import numpy as np
import jax
jax.distributed.initialize()
there = jax.devices()[0]
x = jax.device_put(np.arange(3.0, dtype=np.float32), there)
y = jax.jit(lambda x: (x * 2, jax.random.key(1)))(x)[0] + 1
replicated = jax.NamedSharding(jax.make_mesh((2,), ("i",)), jax.P())
print(y.shape, len(y.addressable_shards), jax.device_put(y, replicated).addressable_data(0))
"""


def test_programs_on_devices_of_one_process_are_called_by_all():
    ended = processes.run(ON_ONE_PROCESS, 2)
    assert [end.status for end in ended] == [0, 0], ended[1].err
    assert ended[0].out == "(3,) 1 [1. 3. 5.]\n"
    assert ended[1].out == "(3,) 0 [1. 3. 5.]\n"
