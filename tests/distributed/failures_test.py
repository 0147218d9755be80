"""What those who live learn of those who die, and how soon."""

import os
import re
import signal
import time

import pytest

import jax
from tests.distributed import jobs

ERROR = jax.errors.JaxRuntimeError


def second_is(start, program, **settings):
    """A job of this process and another that runs `program`; returns job, client, child."""
    job = start(2, **settings)
    a = job.new_client(0)
    child = jobs.light_process(job, 1, program)
    a.connect(jobs.LIMIT_S)
    return job, a, child


@pytest.mark.parametrize(
    "program, said",
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", "killed or crashed"),
        ("os._exit(3)", "killed or crashed"),
        ("client.leave('it raised ValueError: boom')", "it raised ValueError: boom"),
        ("client.leave()", "it has left"),
    ],
)
def test_the_end_of_a_process_fails_barriers_within_seconds(start, program, said):
    _, a, _ = second_is(start, f"time.sleep(0.2)\n{program}")
    began = time.monotonic()
    with pytest.raises(ERROR, match=f"^UNAVAILABLE: barrier b.*process 1: .*{said}"):
        a.wait_at_barrier("b", 60_000)
    assert time.monotonic() - began < jobs.AT_ONCE_S


def test_a_stopped_process_is_noticed_by_its_silence(start):
    quick = {"heartbeat_s": jobs.QUICK_HEARTBEAT_S}
    _, a, child = second_is(start, "time.sleep(600)", **quick)
    child.send_signal(signal.SIGSTOP)
    # Within the heartbeat timeout, see below; here before the barrier's time is up.
    with pytest.raises(ERROR, match="process 1: it does not answer any more"):
        a.wait_at_barrier("b", 60_000)


@pytest.mark.parametrize("heartbeat_s", [1.0, 6.0, 100.0])
def test_silence_is_noticed_within_the_heartbeat_timeout(heartbeat_s):
    options = dict(jobs.channels.client_options(heartbeat_s, ""))
    waits = options["grpc.keepalive_time_ms"], options["grpc.keepalive_timeout_ms"]
    assert sum(waits) == pytest.approx(jobs.SILENCE_PART * 1000 * heartbeat_s)
    assert sum(waits) / 1000 + jobs.service.RETURN_S < heartbeat_s + 2


def test_a_process_that_holds_pythons_lock_is_not_taken_for_dead(start):
    hold = (
        "import ctypes; ctypes.PyDLL(None).sleep(13)\n"
        "client.wait_at_barrier('b', 60_000)"
    )
    quick_s = jobs.QUICK_HEARTBEAT_S
    assert 13 > jobs.SILENCE_PART * quick_s + jobs.service.RETURN_S + 1
    _, a, _ = second_is(start, hold, heartbeat_s=quick_s)
    a.wait_at_barrier("b", 60_000)


def test_a_wait_for_a_key_ends_with_the_first_failure_and_later_ones_go_on(start):
    _, a, child = second_is(start, "time.sleep(600)")
    _, (error) = jobs.together(
        lambda: (time.sleep(0.3), child.kill()),
        lambda: a.blocking_key_value_get("k", 60_000),
    )
    assert str(error).startswith("UNAVAILABLE: process 1 failed: ")
    with pytest.raises(ERROR, match="^DEADLINE_EXCEEDED"):
        a.blocking_key_value_get("k", 100)
    a.key_value_set("k", "still here")
    assert a.blocking_key_value_get("k", 60_000) == "still here"


def test_listeners_hear_of_losses_past_and_future(start):
    _, a, child = second_is(start, "time.sleep(600)")
    heard = []
    a.session.listen(lambda *what: heard.append(what))
    child.kill()
    jobs.wait_for(lambda: heard)
    a.session.listen(lambda *what: heard.append(what))
    assert [(kind, process) for kind, process, _ in heard] == [("failed", 1)] * 2


def test_a_second_process_with_a_used_id_is_refused_and_the_job_lives(start):
    job = start(2)
    a, b = job.connected()
    with pytest.raises(ERROR, match="^ALREADY_EXISTS: process 1 .*pid"):
        job.new_client(1).connect(jobs.LIMIT_S)
    assert jobs.together(
        lambda: a.wait_at_barrier("b", 60_000), lambda: b.wait_at_barrier("b", 60_000)
    ) == [None, None]


@pytest.mark.parametrize(
    "k, more, said",
    [
        (7, {}, "^INVALID_ARGUMENT: process_id is 7"),
        (0, {"num_processes": 3}, "^INVALID_ARGUMENT: .*told of 3 processes"),
    ],
)
def test_those_who_do_not_fit_are_refused(start, k, more, said):
    with pytest.raises(ERROR, match=said):
        start(2).new_client(k, **more).connect(jobs.LIMIT_S)


def test_a_missing_peer_is_named_after_the_timeout(start):
    # Not in less time than it takes to reach the service.
    for limit_s in (0.5, 5.0, 60.0):
        with pytest.raises(ERROR, match="^DEADLINE_EXCEEDED: ") as error:
            start(3).new_client(0).connect(limit_s)
        if "was not reached" not in str(error.value):
            break
    assert "missing: 1, 2" in str(error.value)


def test_a_missing_service_is_an_error_with_its_address(start):
    job = start(1)
    os.kill(job.host.pid, signal.SIGKILL)
    jobs.wait_for(lambda: job.host.status() is not None)
    # Not in less time than it takes to be refused.
    for limit_s in (0.5, 5.0, 60.0):
        with pytest.raises(ERROR, match="^DEADLINE_EXCEEDED: .*127.0.0.1") as error:
            job.new_client(0).connect(limit_s)
        if "no answer" not in str(error.value):
            break
    assert "refused" in str(error.value)


def test_a_dead_service_is_told_within_seconds(start):
    job = start(2)
    a, b = job.connected()
    heard = []
    a.session.listen(lambda *what: heard.append(what))
    os.kill(job.host.pid, signal.SIGKILL)
    began = time.monotonic()
    with pytest.raises(
        ERROR, match="^UNAVAILABLE: the coordination service .* is lost"
    ):
        a.wait_at_barrier("b", 60_000)
    assert time.monotonic() - began < jobs.AT_ONCE_S
    # Waits end before listeners hear of it.
    jobs.wait_for(lambda: heard)
    assert heard[-1][:2] == ("service", -1)
    jobs.wait_for(lambda: b.session.end is not None)
    b.shutdown()


def test_restarted_processes_join_a_recoverable_job(start):
    job = start(2, is_recoverable=True)
    a, b = job.connected()
    b.leave("it raised ValueError: boom")
    assert list(a.get_live_nodes([0, 1])) == [0]
    again = job.new_client(1)
    again.connect(jobs.LIMIT_S)
    live, _ = jobs.together(
        lambda: a.get_live_nodes([0, 1]), lambda: again.get_live_nodes([0, 1])
    )
    assert live == {0: a.incarnation, 1: again.incarnation}


def test_a_failed_process_may_not_return_to_a_job_that_is_not_recoverable(start):
    job = start(2)
    a, b = job.connected()
    b.leave("it raised ValueError: boom")
    with pytest.raises(ERROR, match="^FAILED_PRECONDITION: .*ValueError: boom"):
        job.new_client(1).connect(jobs.LIMIT_S)
    a.shutdown()


def test_the_table_shows_who_waits_where(start):
    _, a, _ = second_is(start, "client.wait_at_barrier('far', 60_000)")
    jobs.wait_for(lambda: "barrier far" in repr(jobs.status.of_client(a)))
    text = repr(jobs.status.of_client(a))
    row = next(line for line in text.splitlines() if line.startswith("1 "))
    assert "running" in row and "<string>:" in row


def test_a_long_wait_is_logged_with_what_the_others_do(start, monkeypatch, caplog):
    a, b = start(2).connected()
    monkeypatch.setattr(jobs.session, "LONG_WAIT_S", 0.6)

    def said():
        texts = [record.getMessage() for record in caplog.records]
        return [text for text in texts if "barrier near" in text]

    def come_late():
        jobs.wait_for(said)
        monkeypatch.setattr(jobs.session, "LONG_WAIT_S", 1e9)
        b.wait_at_barrier("near", 60_000, [0, 1])

    results = jobs.together(
        lambda: a.wait_at_barrier("near", 60_000, [0, 1]), come_late
    )
    assert results == [None, None]
    (text,) = said()
    assert re.match(r"process 0 has waited [1-9]\d* s for barrier near \(at ", text)
    assert "failures_test.py" in text
    assert [line.split()[0] for line in text.splitlines()[1:]] == ["process", "1"]


def test_listeners_and_sources_that_fail_do_not_end_the_session(start, caplog):
    _, a, child = second_is(start, "time.sleep(600)")
    heard = []

    def fails(*_):
        raise ValueError("boom")

    a.waits.sources.append(fails)
    a.session.listen(fails)
    a.session.listen(lambda *what: heard.append(what))
    jobs.wait_for(lambda: not a.waits.sources)
    child.kill()
    jobs.wait_for(lambda: heard)
    assert [what[:2] for what in heard] == [("failed", 1)]
    assert a.states().task_state[0].state == jobs.messages.CONNECTED
