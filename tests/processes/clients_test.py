"""Clients of one job in several processes: what each knows of the devices of all."""

import json

import pytest

from jax._src.lib import client as lib
from tests.processes import jobs

DEVICES = """
print(json.dumps([client.process_index(), client.device_count(),
                  [(d.id, d.process_index, d.is_addressable, d.local_hardware_id)
                   for d in client.devices()],
                  [d.id for d in client.local_devices()]]))
"""


def test_all_processes_know_all_devices(tmp_path):
    outputs = jobs.run(DEVICES, tmp_path, count=3, devices=2)
    for process, output in enumerate(outputs):
        index, number, devices, local = json.loads(output)
        assert (index, number) == (process, 6)
        assert devices == [
            [owner * 2048 + i, owner, owner == process, i if owner == process else -1]
            for owner in range(3)
            for i in range(2)
        ]
        assert local == [process * 2048, process * 2048 + 1]


COMPILE = """
options = lib.CompileOptions()
options.partition_count = 2
options.use_spmd_partitioning = True
options.device_ids = [d.id for d in client.devices()]
program = client.compile('''
func.func @main(%x: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"})
    -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}''', options=options)
print([d.id for d in program.devices()])
"""


def test_programs_for_devices_of_all_have_their_own_addressable_devices(tmp_path):
    assert jobs.run(COMPILE, tmp_path) == ["[0]\n", "[2048]\n"]


class Broken:
    """A store whose calls raise."""

    def __init__(self, error):
        self.error = error

    def put(self, key, value):
        raise self.error

    get = try_get = put


@pytest.mark.parametrize(
    "error, code",
    [
        (RuntimeError("ALREADY_EXISTS: key exists"), "ALREADY_EXISTS"),
        (RuntimeError("UNAVAILABLE: nobody answers"), "UNAVAILABLE"),
        (FileExistsError("there"), "ALREADY_EXISTS"),
        (TimeoutError(), "DEADLINE_EXCEEDED"),
        (ValueError("odd"), "UNKNOWN: .*ValueError: odd"),
        (AttributeError(), "UNKNOWN: .*AttributeError"),
    ],
)
def test_errors_of_the_store_say_what_went_wrong(error, code):
    options = {"num_nodes": 2, "node_id": 1}
    with pytest.raises(RuntimeError, match=code):
        lib.make_client(lib.linked_plugin(), options, key_value=Broken(error))


def test_clients_of_several_processes_need_a_store():
    with pytest.raises(RuntimeError, match="key-value store"):
        lib.make_client(lib.linked_plugin(), {"num_nodes": 2, "node_id": 0})


BAD_VALUES = """
x = put(np.arange(4, dtype=np.float32) - 0.5)
functions = {"parts": jnp.log, "sum": lambda x: jnp.log(x).sum()}
for name, function in functions.items():
    with jax.debug_nans(True):
        try:
            jax.block_until_ready(jax.jit(function)(x))
            print(name, "good")
        except FloatingPointError as error:
            print(name, str(error).replace("\\n", " "))
"""


def test_a_nan_is_told_by_each_process_that_has_it_and_nobody_waits(tmp_path):
    first, second = jobs.run(jobs.JAX + BAD_VALUES, tmp_path, count=2, devices=2)
    parts, total = first.splitlines()
    assert "result 0  float32[4] has nan at [0], on" in parts
    assert "Run a smaller case in one process" in parts
    assert "result 0  float32[] has nan, on" in total
    good, total = second.splitlines()
    assert good == "parts good" and "result 0  float32[] has nan, on" in total
