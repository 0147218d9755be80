"""`jax.distributed.initialize` and `shutdown`, over processes."""

from tests.testing import processes

MEET = """
import jax
from jax._src import distributed
jax.distributed.initialize(heartbeat_timeout_seconds=10, initialization_timeout=30)
state = distributed.global_state
state.client.key_value_set(f"who/{state.process_id}", str(state.num_processes))
state.client.wait_at_barrier("all", 20_000)
print(state.client.key_value_dir_get("who"))
"""


def test_processes_meet_by_the_environment_alone():
    for ended in processes.run(MEET, 2):
        assert ended.status == 0, ended.err
        assert ended.out == "[('who/0', '2'), ('who/1', '2')]\n"
        assert ended.err == ""
