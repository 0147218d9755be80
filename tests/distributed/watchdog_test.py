"""When waits are ended, by what the processes of a job do."""

import time

import pytest

from jax._src.distributed.client import wait_records, watchdog
from jax._src.distributed.messages import messages
from tests.testing import patience


def Activity(program, launch, collective, line, for_ms):
    return messages.Activity(
        program=program, launch=launch, collective=collective, line=line, for_ms=for_ms
    )


COLLECTIVE = Activity("jit_f", 3, "all_reduce", "a.py:1", 70_000)
BARRIER = Activity("", 0, "barrier b", "a.py:2", 70_000)
STANDS_STILL = Activity("", 0, "", "a.py:3", 70_000)
RUNS = Activity("jit_f", 4, "", "", 0)


def process(k, *activities, state=messages.CONNECTED):
    return messages.TaskInfo(task_id=k, state=state, activities=list(activities))


def ended(states, *, own, limit_s, monkeypatch):
    """The texts with which waits end in a process that has waited at `own` for 70 s."""
    monkeypatch.setattr(watchdog, "_LOOK_S", 0.01)
    here = wait_records.Waits()
    here.sources.append(
        lambda: [(own.program, own.launch, own.collective, own.line, 70.0)]
    )
    texts, looks = [], []

    def ask():
        looks.append(len(texts))
        return messages.TaskStates(task_state=states)

    watch = watchdog.Stalls(here, ask, 2, limit_s)
    watch.enders.append(lambda seconds, text: texts.append((seconds, text)))
    watch.start()
    if limit_s:
        # So many looks without an end are enough: what is found is not looked for again before its end.
        patience.wait_for(lambda: texts or len(looks) >= 8)
    else:
        time.sleep(0.2)
    watch.stop()
    assert limit_s or not looks
    return texts


@pytest.mark.parametrize("other", [COLLECTIVE, BARRIER])
def test_all_waiting_for_each_other_ends_within_a_minute(other, monkeypatch):
    states = [process(0, COLLECTIVE, STANDS_STILL), process(1, other, STANDS_STILL)]
    texts = ended(states, own=COLLECTIVE, limit_s=1800, monkeypatch=monkeypatch)
    assert texts[0][0] == 50.0
    assert "for 50 s, all wait for each other" in texts[0][1]
    assert other.collective in texts[0][1].split("\n1 ")[1]


@pytest.mark.parametrize(
    "states",
    [
        # The other computes, reads or compiles: its main thread is in no wait.
        [process(0, COLLECTIVE, STANDS_STILL), process(1, STANDS_STILL)],
        [process(0, COLLECTIVE, STANDS_STILL), process(1, RUNS)],
        # Another thread of it waits, and the main thread goes on.
        [process(0, COLLECTIVE, STANDS_STILL), process(1, BARRIER)],
        # Barriers have times of their own.
        [process(0, BARRIER, STANDS_STILL), process(1, BARRIER, STANDS_STILL)],
    ],
)
def test_who_moves_may_take_its_time(states, monkeypatch):
    own = states[0].activities[0]
    assert not ended(states, own=own, limit_s=1800, monkeypatch=monkeypatch)


def test_the_time_that_was_set_ends_waits_whatever_the_others_do(monkeypatch):
    states = [process(0, COLLECTIVE), process(1, RUNS)]
    texts = ended(states, own=COLLECTIVE, limit_s=65, monkeypatch=monkeypatch)
    assert texts[0][0] == 65
    assert "a collective has waited for 65 s" in texts[0][1]


def test_those_who_have_failed_are_not_waited_for(monkeypatch):
    states = [
        process(0, COLLECTIVE, STANDS_STILL),
        process(1, state=messages.FAILED),
        process(2, BARRIER, STANDS_STILL),
    ]
    texts = ended(states, own=COLLECTIVE, limit_s=1800, monkeypatch=monkeypatch)
    assert texts and "\n1        failed" in texts[0][1]


def test_without_a_time_nothing_is_ended(monkeypatch):
    states = [process(0, COLLECTIVE, STANDS_STILL), process(1, BARRIER, STANDS_STILL)]
    assert not ended(states, own=COLLECTIVE, limit_s=0, monkeypatch=monkeypatch)
