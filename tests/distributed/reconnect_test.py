"""A connection that breaks for a moment breaks nothing else."""

import time

import pytest

import jax
from jax._src.distributed import messages, wire
from tests.distributed import jobs, relays

ERROR = jax.errors.JaxRuntimeError


@pytest.fixture
def relayed(start):
    """Two clients, the second through a relay."""
    job = start(2)
    relay = relays.Relay(job.host.ports[0])
    a, b = job.new_client(0), job.new_client(1, port=relay.port)
    assert jobs.together(lambda: a.connect(20), lambda: b.connect(20)) == [None, None]
    yield a, b, relay
    relay.close()


def test_a_reset_connection_is_taken_up_again(relayed):
    a, b, relay = relayed
    for k in range(3):
        relay.cut()
        b.key_value_set(f"k{k}", "v")
    time.sleep(1.2)
    assert a.key_value_dir_get("k0") == [] and a.key_value_try_get("k2") == "v"
    assert jobs.together(
        lambda: a.wait_at_barrier("b", 20_000),
        lambda: b.wait_at_barrier("b", 20_000),
        lambda: (time.sleep(0.3), relay.cut()),
    )[:2] == [None, None]
    assert all(i.state == messages.CONNECTED for i in a.states().task_state)


def test_what_was_done_is_not_done_again_when_its_answer_is_lost(relayed):
    _, b, _ = relayed
    call = b._routes.unary("IncrementKeyValue")
    data = wire.encode(messages.IncrementKeyValue("n", 1))
    meta = jobs.channels.metadata(1, b.incarnation, 12345)
    answers = [call(data, timeout=5, metadata=meta) for _ in range(3)]
    assert len(set(answers)) == 1
    assert b.key_value_increment("n", 0) == 1


def test_a_connection_that_stays_broken_is_a_failure_on_both_sides(relayed):
    a, b, relay = relayed
    relay.is_down = True
    relay.cut()
    began = time.monotonic()
    ends = jobs.together(
        lambda: a.wait_at_barrier("b", 60_000), lambda: b.wait_at_barrier("b", 60_000)
    )
    assert "process 1: its connection closed" in str(ends[0])
    assert "the coordination service at" in str(ends[1])
    assert time.monotonic() - began < jobs.HEARTBEAT_S + 3
