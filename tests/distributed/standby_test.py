"""The coordination service dies: what a standby saves, and what processes can do without one."""

import asyncio
import os
import signal
import threading
import time

import pytest

import jax
from jax._src.distributed.messages import messages, wire
from jax._src.distributed.service import (
    followers,
    registry,
    replication,
    replication_messages,
    service,
    standby,
)
from tests.distributed import jobs, relays
from tests.testing.patience import wait_for

ERROR = jax.errors.JaxRuntimeError


@pytest.fixture
def pair(start):
    """A job of two clients whose service has a standby."""
    job = start(2, has_standby=True)
    return job, *job.with_standby()


def kill(host):
    os.kill(host.pid, signal.SIGKILL)


def is_news_of_a_standby(text):
    return "its standby at" in text and "has taken its place" in text


def test_keys_barriers_and_shutdown_go_on_after_an_idle_death(pair, caplog):
    job, a, b = pair
    a.key_value_set("before/x", "1")
    a.key_value_set("before/y", "2")
    a.key_value_set("gone", "0")
    a.key_value_delete("gone")
    kill(job.host)
    began = time.monotonic()
    assert b.key_value_dir_get("before") == [("before/x", "1"), ("before/y", "2")]
    assert time.monotonic() - began < jobs.AT_ONCE_S
    with pytest.raises(ERROR, match="^NOT_FOUND"):
        b.key_value_try_get("gone")
    with pytest.raises(ERROR, match="^ALREADY_EXISTS"):
        b.key_value_set("before/x", "2")
    results = jobs.together(
        lambda: a.wait_at_barrier("after", 60_000),
        lambda: b.wait_at_barrier("after", 60_000),
    )
    assert results == [None, None]
    states = a.states().task_state
    assert [i.state for i in states] == [messages.CONNECTED] * 2
    # Calls go to the standby before the session's stream does, which says so; leaving ends both.
    wait_for(lambda: any(is_news_of_a_standby(r.getMessage()) for r in caplog.records))
    assert jobs.together(a.shutdown, b.shutdown) == [None, None]


def test_a_barrier_goes_on(pair):
    job, a, b = pair
    for k in range(3):
        assert jobs.together(
            lambda: a.wait_at_barrier("often", 60_000),
            lambda: b.wait_at_barrier("often", 60_000),
        ) == [None, None], k
    results = jobs.together(
        lambda: a.wait_at_barrier("often", 60_000),
        lambda: (time.sleep(0.3), kill(job.host)),
        lambda: (time.sleep(0.9), b.wait_at_barrier("often", 60_000)),
    )
    assert results[0] is None and results[2] == (None, None)


def test_a_wait_for_a_key_goes_on(pair):
    job, a, b = pair
    results = jobs.together(
        lambda: a.blocking_key_value_get("late", 60_000),
        lambda: (time.sleep(0.3), kill(job.host)),
        lambda: (time.sleep(0.9), b.key_value_set("late", "v")),
    )
    assert results[0] == "v"


def test_nothing_acknowledged_is_lost_and_nothing_is_done_twice(pair):
    job, a, b = pair
    done = {0: [], 1: []}

    def write(k, client):
        for n in range(500):
            client.key_value_set(f"all/{k}/{n:03}", str(n))
            total = client.key_value_increment("count", 1)
            done[k].append((n, total))
            if k == 0 and n == 250:
                kill(job.host)

    assert jobs.together(lambda: write(0, a), lambda: write(1, b)) == [None, None]
    found = b.key_value_dir_get("all")
    assert len(found) == 1000
    assert all(key.rpartition("/")[2] == f"{int(value):03}" for key, value in found)
    assert a.key_value_increment("count", 0) == 1000
    totals = [total for rows in done.values() for _, total in rows]
    assert sorted(totals) == list(range(1, 1001))


def test_barriers_that_are_passed_all_the_time_agree(pair):
    job, a, b = pair
    passed = {}

    def pass_all(k, client):
        for n in range(200):
            client.wait_at_barrier("round", 60_000)
            client.key_value_set(f"r/{k}", str(n), allow_overwrite=True)
            client.wait_at_barrier("read", 60_000)
            assert client.key_value_try_get(f"r/{1 - k}") == str(n)
            client.wait_at_barrier("next", 60_000)
            passed[k] = n

    def stop():
        wait_for(lambda: passed.get(0, 0) >= 40)
        kill(job.host)

    results = jobs.together(lambda: pass_all(0, a), lambda: pass_all(1, b), stop)
    assert results == [None] * 3 and passed == {0: 199, 1: 199}


def test_a_process_that_died_with_the_service_is_missed(start):
    # The standby waits for half of the heartbeat timeout, and not for that of the barrier.
    job = start(2, has_standby=True, heartbeat_s=jobs.QUICK_HEARTBEAT_S)
    a = job.new_client(0)
    child = jobs.light_process(job, 1, "time.sleep(600)")
    a.connect(jobs.LIMIT_S)
    wait_for(lambda: len(a._routes.addresses) == 2)
    # Stopped first, it can neither go on to the standby nor end while the service would notice.
    child.send_signal(signal.SIGSTOP)
    kill(job.host)
    child.kill()
    with pytest.raises(ERROR, match="^UNAVAILABLE: barrier b.*process 1: it does not"):
        a.wait_at_barrier("b", 60_000)


def test_a_stopped_service_is_replaced(start, monkeypatch):
    # Silence is noticed soon; whoever is slow to go to the standby is waited for.
    monkeypatch.setattr(jobs.session, "_OTHER_ADDRESS_S", 60.0)
    quick_s = jobs.QUICK_HEARTBEAT_S
    job = start(2, has_standby=True, heartbeat_s=quick_s, return_s=60.0)
    a, b = job.with_standby()
    a.key_value_set("k", "v")
    os.kill(job.host.pid, signal.SIGSTOP)
    try:
        assert b.key_value_try_get("k") == "v"
        results = jobs.together(
            lambda: a.wait_at_barrier("b", 60_000),
            lambda: b.wait_at_barrier("b", 60_000),
        )
        assert results == [None, None]
    finally:
        os.kill(job.host.pid, signal.SIGCONT)
    # Awake again, it leads nobody, and is not followed.
    a.key_value_set("k2", "v")
    time.sleep(2.5)
    assert b.key_value_try_get("k2") == "v"
    a.key_value_set("k3", "v")
    assert [i.state for i in b.states().task_state] == [messages.CONNECTED] * 2


def test_messages_of_a_service_that_was_replaced_do_not_count():
    async def run():
        job = service.Service(service.Settings(1, 10.0, 10.0, False))
        follower = standby.Standby(job, standby.Plan("127.0.0.1:1", 1), None, "")
        job.store.insert("k", b"v", allow_overwrite=False)

        class Call:
            async def write(self, data):
                pass

            async def read(self):
                assert job.store.get("k") == b"v"
                job.lead()  # a process came meanwhile
                reset = replication_messages.Change(reset=messages.Nothing())
                return wire.encode(
                    replication_messages.Changes(changes=[reset], position=1)
                )

        assert await follower._take(Call()) is False
        assert job.store.get("k") == b"v"

    asyncio.run(run())


def test_a_job_goes_on_when_the_standby_dies_or_stops(start):
    job = start(2, has_standby=True, keep_up_s=replication.KEEP_UP_S)
    a, b = job.with_standby()
    os.kill(job.standby.pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        a.key_value_set("k", "v")
        assert time.monotonic() - began < jobs.AT_ONCE_S
        wait_for(lambda: len(a._routes.addresses) == 1)
    finally:
        os.kill(job.standby.pid, signal.SIGCONT)
    # It follows again, with all that happened meanwhile.
    wait_for(lambda: len(a._routes.addresses) == len(b._routes.addresses) == 2)
    kill(job.host)
    assert b.key_value_try_get("k") == "v"


def test_without_standby_after_its_death_the_service_is_lost_as_ever(pair):
    job, a, b = pair
    kill(job.standby)
    wait_for(lambda: len(a._routes.addresses) == len(b._routes.addresses) == 1)
    a.key_value_set("k", "v")
    assert b.key_value_try_get("k") == "v"
    kill(job.host)
    with pytest.raises(ERROR, match="^UNAVAILABLE: the coordination service at .*lost"):
        a.wait_at_barrier("b", 60_000)


def test_the_death_of_both_is_told_within_seconds(pair):
    job, a, _ = pair
    kill(job.standby)
    kill(job.host)
    began = time.monotonic()
    with pytest.raises(ERROR, match="^UNAVAILABLE: the coordination service at .*lost"):
        a.wait_at_barrier("b", 60_000)
    assert time.monotonic() - began < jobs.AT_ONCE_S


@pytest.fixture
def impatient(monkeypatch):
    """Clients give up soon after the connection was lost, though silence means nothing for long."""
    monkeypatch.setattr(jobs.session, "_RETURN_PART", 0.01)
    monkeypatch.setattr(jobs.session, "_OTHER_ADDRESS_S", 1.0)


def test_a_process_cut_off_from_the_service_alone_does_not_make_the_standby_lead(
    start, impatient
):
    job = start(2, has_standby=True)
    relay = relays.Relay(job.host.ports[0])
    a, b = job.new_client(0), job.new_client(1, port=relay.port)
    jobs.together(lambda: a.connect(jobs.LIMIT_S), lambda: b.connect(jobs.LIMIT_S))
    wait_for(lambda: len(b._routes.addresses) == 2)
    relay.is_down = True
    relay.cut()
    ends = jobs.together(
        lambda: a.wait_at_barrier("b", 60_000), lambda: b.wait_at_barrier("b", 60_000)
    )
    relay.close()
    assert "process 1: its connection closed" in str(ends[0])
    assert "the coordination service at" in str(ends[1])
    a.key_value_set("k", "the first service leads")
    assert a._routes.address.endswith(f":{job.host.ports[0]}")


def test_losses_and_late_barriers_are_known_to_the_standby(start):
    job = start(3, has_standby=True)
    a, b, c = job.with_standby()
    with pytest.raises(ERROR, match="^DEADLINE_EXCEEDED"):
        a.wait_at_barrier("late", 300)
    c.leave("it raised ValueError: boom")
    with pytest.raises(ERROR, match="boom"):
        a.wait_at_barrier("x", 60_000)
    kill(job.host)
    with pytest.raises(ERROR, match="^DEADLINE_EXCEEDED: .*reached the barrier: 1/3"):
        b.wait_at_barrier("late", 60_000)
    with pytest.raises(ERROR, match="^UNAVAILABLE: .*boom"):
        a.wait_at_barrier("y", 60_000)
    with pytest.raises(ERROR, match="^FAILED_PRECONDITION: .*boom"):
        job.new_client(2, port=job.standby.ports[0]).connect(jobs.LIMIT_S)


def test_live_processes_are_agreed_on_over_the_change(start):
    job = start(2, has_standby=True, is_recoverable=True)
    a, b = job.with_standby()
    results = jobs.together(
        lambda: a.get_live_nodes([0, 1]),
        lambda: (time.sleep(0.3), kill(job.host)),
        lambda: (time.sleep(0.9), b.get_live_nodes([0, 1]))[1],
    )
    assert results[0] == results[2] == {0: a.incarnation, 1: b.incarnation}
    # A last word is said where the session is, and calls are there before it.
    standby_port = f":{job.standby.ports[0]}"
    wait_for(lambda: b.session._address.endswith(standby_port))
    b.leave("it raised ValueError: boom")
    assert list(a.get_live_nodes([0, 1])) == [0]
    again = job.new_client(1, port=job.standby.ports[0])
    again.connect(jobs.LIMIT_S)
    assert again.incarnation != b.incarnation


def cut_in_two(start, behind, **settings):
    """A recoverable job of three; those behind the relay, and the standby, are cut off from the service."""
    job = start(
        3, has_standby=True, is_recoverable=True, relay=relays.Relay, **settings
    )
    all_of_it = [
        job.new_client(k, port=job.relay.port if k in behind else 0) for k in range(3)
    ]
    jobs.together(*(lambda c=c: c.connect(jobs.LIMIT_S) for c in all_of_it))
    wait_for(lambda: all(len(c._routes.addresses) == 2 for c in all_of_it))
    job.relay.is_down = True
    job.relay.cut()
    return all_of_it


def test_more_than_half_go_on_with_the_standby_and_the_others_stop(start, monkeypatch):
    # The standby waits for half of the heartbeat timeout for process 0.
    monkeypatch.setattr(jobs.session, "_OTHER_ADDRESS_S", 60.0)
    quick_s = jobs.QUICK_HEARTBEAT_S
    a, b, c = cut_in_two(start, behind=(1, 2), heartbeat_s=quick_s)
    results = jobs.together(
        lambda: b.get_live_nodes([0, 1, 2]),
        lambda: c.get_live_nodes([0, 1, 2]),
    )
    assert list(results[0]) == list(results[1]) == [1, 2]
    wait_for(lambda: a.session.end is not None)
    with pytest.raises(ERROR, match="this part of the job is over"):
        a.key_value_set("k", "v")


def test_less_than_half_stop_though_they_reach_the_standby(start, impatient):
    a, b, c = cut_in_two(start, behind=(1,))
    results = jobs.together(
        lambda: a.get_live_nodes([0, 1, 2]),
        lambda: b.get_live_nodes([0, 1, 2]),
        lambda: c.get_live_nodes([0, 1, 2]),
    )
    assert list(results[0]) == list(results[2]) == [0, 2]
    assert "and its standby at" in str(results[1])


@pytest.mark.parametrize(
    "wanted, prefix, requested",
    [
        ("", "jax://job/", [2, 3]),
        ("", "", []),
        ("0", "jax://job/", []),
        ("1", "", [2, 3, 1, 0]),
        ("host:1234", "", [2, 3, 1, 0]),
    ],
)
def test_processes_on_other_machines_are_requested_first(wanted, prefix, requested):
    settings = service.Settings(4, 10.0, 10.0, False, prefix, wanted)
    log = replication.Log()
    job = registry.Members(4, log, is_recoverable=False)
    home = os.uname().nodename
    for member, host in zip(job, (home, home, "far", "further"), strict=True):
        member.state, member.host, member.outbox = messages.CONNECTED, host, object()
    sent = []

    def send(member, down):
        if member is not None:
            sent.append((member.id, down.host_standby.address))

    looking = followers.Followers(settings, job, log, lambda: iter(()), send)
    looking.look_for_host()
    looking.look_for_host()
    for k in requested:
        looking.declined(job[k])
    assert sent == [(k, wanted if ":" in wanted else "") for k in requested]


def test_strangers_may_not_follow(start):
    job = start(1)
    follow = {"address": f"127.0.0.1:{job.host.ports[0]}", "ticket": 12345}
    settings = {
        "num_processes": 1,
        "heartbeat_s": 4.0,
        "shutdown_s": 5.0,
        "is_recoverable": False,
    }
    stranger = jobs.hosting.start(["127.0.0.1:0"], settings, None, follow)
    wait_for(lambda: stranger.status() is not None)
    stranger.shutdown()
    job.new_client(0).connect(jobs.LIMIT_S)


def test_threads_that_wait_all_go_on(pair):
    job, a, b = pair
    got = []

    def wait(n):
        got.append(a.blocking_key_value_get(f"many/{n}", 60_000))

    threads = [threading.Thread(target=wait, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    kill(job.host)
    for n in range(16):
        b.key_value_set(f"many/{n}", str(n))
    for thread in threads:
        thread.join(jobs.LIMIT_S)
    assert sorted(map(int, got)) == list(range(16))
