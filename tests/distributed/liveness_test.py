"""Survivors go on: `live_devices`, and steps at which all save."""

import types

import pytest

import jax
from jax.experimental import multihost_utils
from tests.distributed import jobs


def device(k, process):
    return types.SimpleNamespace(id=k, process_index=process)


@pytest.fixture
def joined(start, monkeypatch):
    """Makes this process a member of a job that goes on when others end; gives the other's client."""
    a, b = start(2, is_recoverable=True).connected()
    state = jax._src.distributed.global_state
    monkeypatch.setattr(state, "client", a)
    yield b
    state.client = None


def test_devices_of_lost_processes_are_named_and_then_left_out(joined):
    devices = [device(2048, 1), device(0, 0), device(1, 0)]

    def enter():
        with multihost_utils.live_devices(devices) as live:
            assert [d.id for d in live] == [0, 1, 2048]
            joined.leave("it raised ValueError: boom")
            raise RuntimeError("a collective failed")

    _, error = jobs.together(lambda: joined.get_live_nodes([0, 1]), enter)
    assert isinstance(error, multihost_utils.ProcessFailureError)
    assert error.failed_devices == [devices[0]]
    assert str(error.__cause__) == "a collective failed"
    with multihost_utils.live_devices(devices) as live:
        assert [d.id for d in live] == [0, 1]


def test_errors_of_the_block_come_through_where_nobody_is_lost(joined):
    def enter():
        with multihost_utils.live_devices([device(0, 0), device(2048, 1)]):
            raise ValueError("boom")

    def other():
        for _ in range(2):
            joined.get_live_nodes([0, 1])

    _, error = jobs.together(other, enter)
    assert isinstance(error, ValueError) and str(error) == "boom"


def test_wrong_calls_are_explained():
    with pytest.raises(ValueError, match="no devices"):
        with multihost_utils.live_devices([]):
            pass
    with pytest.raises(ValueError, match="none of the devices is of this process"):
        with multihost_utils.live_devices([device(0, 7)]):
            pass
    with pytest.raises(RuntimeError, match="part of no job"):
        with multihost_utils.live_devices(jax.devices()):
            pass


def test_steps_are_no_sync_points_without_a_job_and_an_error_without_the_service(
    start, monkeypatch
):
    assert multihost_utils.reached_preemption_sync_point(3) is False
    (a,) = start(1).connected()
    monkeypatch.setattr(jax._src.distributed.global_state, "client", a)
    with pytest.raises(RuntimeError, match="jax_enable_preemption_service"):
        multihost_utils.reached_preemption_sync_point(3)
    monkeypatch.undo()
