"""A checkpoint of several processes is there when all have written their parts; all come to know it."""

import itertools
from collections.abc import Callable
from typing import Any

from jax._src import distributed
from jax._src.base import errors
from jax._src.runtime.devices import backends

# Every process begins the same checkpoints in the same order.
_numbers = itertools.count()


class BarrierTimeoutError(Exception):
    """Other processes did not arrive in time."""


class Agreement:
    """One checkpoint, of which this process writes a part.

    Made where the writing begins, in the same order in all processes.

    Args:
        timeout_secs: how long processes wait for each other, in seconds.
    """

    def __init__(self, timeout_secs: float):
        self._timeout_ms = int(1000 * timeout_secs)
        self._key = f"jax/checkpoints/{next(_numbers)}"

    def commit(
        self, write: Callable[[], None], finish: Callable[[], None] | None
    ) -> None:
        """Writes, waits for the other processes, and lets the first one finish.

        Args:
            write: returns when what this process writes is in place.
            finish: called in process 0, when all is in place.

        Raises:
            BarrierTimeoutError: other processes did not come in time.
            RuntimeError: another process could not write its part, or has failed.
        """
        finish = finish or _nothing
        if backends.process_count() == 1:
            write()
            finish()
            return
        client = _client()
        failure = _failure_of(write)
        if failure is not None:
            me = backends.process_index()
            client.key_value_set(f"{self._key}/failed/{me}", _told(failure))
        self._wait_for_all(client)
        if failure is not None:
            raise failure
        failed = client.key_value_dir_get(f"{self._key}/failed")
        if failed:
            raise self._unwritten(
                [(key.rpartition("/")[2], why) for key, why in failed]
            )
        self._finish_once(client, finish)

    def _wait_for_all(self, client):
        try:
            client.wait_at_barrier(f"{self._key}/written", self._timeout_ms)
        except errors.JaxRuntimeError as error:
            if not str(error).startswith("DEADLINE_EXCEEDED"):
                raise
            raise BarrierTimeoutError(
                errors.explain(
                    "A checkpoint was not written by all processes in time.",
                    [
                        ("timeout", f"{self._timeout_ms / 1000:g} s"),
                        ("found", str(error)),
                    ],
                    "Every process writes its part of each checkpoint, in the same order.",
                    "Give the manager more time: timeout_secs.",
                )
            ) from error

    def _finish_once(self, client, finish):
        key = f"{self._key}/finished"
        if backends.process_index() == 0:
            failure = _failure_of(finish)
            client.key_value_set(key, "+" if failure is None else f"-{_told(failure)}")
            if failure is not None:
                raise failure
            return
        answer = client.blocking_key_value_get(key, self._timeout_ms)
        if answer.startswith("-"):
            raise self._unwritten([("0", answer[1:])])

    def _unwritten(self, failed):
        rows = [(f"process {process}", why) for process, why in failed]
        return errors.runtime_error(
            "A checkpoint was not written by other processes.", rows
        )


def _nothing():
    pass


def _failure_of(act) -> Exception | None:
    try:
        act()
    except Exception as error:
        return error
    return None


def _told(error) -> str:
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:500]


def _client() -> Any:
    client = distributed.global_state.client
    if client is None:
        raise errors.value_error(
            "A checkpoint of several processes needs their coordination service.",
            [("processes", str(backends.process_count()))],
            ways="Call jax.distributed.initialize() before the first use of a device.",
        )
    return client
