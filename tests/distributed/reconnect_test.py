"""A connection that breaks for a moment breaks nothing else."""

import asyncio
import time

import pytest

import jax
from jax._src.distributed.messages import messages, wire
from jax._src.distributed.service import service
from tests.distributed import jobs, relays

ERROR = jax.errors.JaxRuntimeError


@pytest.fixture
def relayed(start):
    """Makes two clients, the second through a relay."""
    made = []

    def make(**settings):
        job = start(2, **settings)
        relay = relays.Relay(job.host.ports[0])
        a, b = job.new_client(0), job.new_client(1, port=relay.port)
        made.append((b, relay))
        results = jobs.together(
            lambda: a.connect(jobs.LIMIT_S), lambda: b.connect(jobs.LIMIT_S)
        )
        assert results == [None, None]
        return a, b, relay

    yield make
    for b, relay in made:
        b.leave()
        relay.close()


def test_a_reset_connection_is_taken_up_again(relayed):
    # However slow this machine is, the second comes back in time.
    a, b, relay = relayed(return_s=60.0)
    for k in range(3):
        relay.cut()
        b.key_value_set(f"k{k}", "v")
    assert a.key_value_dir_get("k0") == [] and a.key_value_try_get("k2") == "v"
    assert jobs.together(
        lambda: a.wait_at_barrier("b", 60_000),
        lambda: b.wait_at_barrier("b", 60_000),
        lambda: (time.sleep(0.3), relay.cut()),
    )[:2] == [None, None]
    assert all(i.state == messages.CONNECTED for i in a.states().task_state)


class Context:
    """What the service asks of a call."""

    def peer(self):
        return "ipv4:127.0.0.1:1"

    def auth_context(self):
        return {}


def test_who_is_back_is_not_taken_for_dead_later():
    async def run():
        job = service.Service(service.Settings(1, 10.0, 10.0, False, return_s=60.0))

        async def says(*, is_return):
            hello = messages.Hello(
                incarnation=5,
                protocol=messages.PROTOCOL,
                num_processes=1,
                is_return=is_return,
            )
            yield wire.encode(messages.Up(hello=hello))
            if is_return:
                await asyncio.Event().wait()

        async for _ in job.session(says(is_return=False), Context()):
            pass
        (death,) = job._returns.values()
        assert not death.cancelled()
        back = job.session(says(is_return=True), Context())
        await anext(back)
        assert death.cancelled() and not job._returns
        assert job.members[0].state == messages.CONNECTED
        await asyncio.sleep(0)
        await back.aclose()

    asyncio.run(run())


def test_what_was_done_is_not_done_again_when_its_answer_is_lost(relayed):
    _, b, _ = relayed(return_s=60.0)
    call = b._routes.unary("IncrementKeyValue")
    data = wire.encode(messages.IncrementKeyValue(key="n", increment=1))
    meta = jobs.channels.metadata(1, b.incarnation, 12345)
    answers = [call(data, timeout=60, metadata=meta) for _ in range(3)]
    assert len(set(answers)) == 1
    assert b.key_value_increment("n", 0) == 1


def test_a_connection_that_stays_broken_is_a_failure_on_both_sides(
    relayed, monkeypatch
):
    # The client gives up for want of a connection; silence means nothing for long.
    monkeypatch.setattr(jobs.session, "_RETURN_PART", 0.01)
    a, b, relay = relayed()
    relay.is_down = True
    relay.cut()
    began = time.monotonic()
    ends = jobs.together(
        lambda: a.wait_at_barrier("b", 60_000), lambda: b.wait_at_barrier("b", 60_000)
    )
    assert "process 1: its connection closed" in str(ends[0])
    assert "the coordination service at" in str(ends[1])
    assert time.monotonic() - began < jobs.AT_ONCE_S
