"""Going on when processes end: which devices are left, and when to save before one is stopped."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from jax._src.base import config, errors, traceback_filter
from jax._src.distributed import initialization
from jax._src.runtime.devices import backends


class ProcessFailureError(Exception):
    """Processes ended, or began anew, while a block of `live_devices` ran."""

    def __init__(self, failed_devices: Sequence[Any]):
        self.failed_devices = list(failed_devices)
        super().__init__(
            f"these devices were lost with their processes: {self.failed_devices}"
        )


ProcessFailureError.__module__ = "jax.experimental.multihost_utils"


@traceback_filter.hides_frames
def reached_preemption_sync_point(step_id: int) -> bool:
    """Whether the step is the one at which all processes shall save before one is stopped.

    Every process asks at every step. When one of them gets SIGTERM, all are told True at one step.

    Raises:
        RuntimeError: `jax_enable_preemption_service` is off.
    """
    if initialization.global_state.client is None:
        return False
    manager = initialization.global_state.preemption_sync_manager
    if manager is None:
        raise errors.runtime_error(
            "reached_preemption_sync_point: notices of preemption are not listened to.",
            [
                (
                    "jax_enable_preemption_service",
                    str(config.config.jax_enable_preemption_service),
                )
            ],
            ways="Set it to True before jax.distributed.initialize().",
        )
    return manager.reached_sync_point(step_id)


@contextlib.contextmanager
def live_devices(devices: Sequence[Any]) -> Iterator[list[Any]]:
    """A block that gets those of the devices whose processes live.

    All live processes that have some of the devices enter the block together, and leave it together. Needs
    `jax_enable_recoverability`: otherwise the end of one process is an error in all.

    Args:
        devices: those to choose from, some of this process's among them.

    Raises:
        ProcessFailureError: processes ended, or began anew, while the block ran. What it computed is lost.
        ValueError: there are no devices, or none of this process.
        RuntimeError: this process is part of no job.
    """
    _check(devices)
    client = initialization.global_state.client
    processes = sorted({device.process_index for device in devices})
    before = client.get_live_nodes(processes)
    live = [device for device in devices if device.process_index in before]
    failure: Exception | None = None
    try:
        yield sorted(live, key=lambda device: device.id)
    except Exception as error:
        failure = error
    after = client.get_live_nodes(processes)
    lost = [d for d in live if after.get(d.process_index) != before[d.process_index]]
    if lost:
        raise ProcessFailureError(lost) from failure
    if failure is not None:
        raise failure


def _check(devices):
    if not devices:
        raise ValueError("live_devices: no devices were given to choose from.")
    me = backends.process_index()
    if not any(device.process_index == me for device in devices):
        raise errors.value_error(
            "live_devices: none of the devices is of this process.",
            [("process", str(me)), ("devices", str(list(devices)))],
            ways="Call it in those processes alone whose devices it is given.",
        )
    if initialization.global_state.client is None:
        raise RuntimeError(
            "live_devices: this process is part of no job of several processes.\n"
            "Call jax.distributed.initialize() first."
        )
