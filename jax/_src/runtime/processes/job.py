"""This process as one of a job: what the clients of its devices are told of other processes, and report of themselves."""

import logging
from collections.abc import Mapping
from typing import Any

from jax._src import distributed
from jax._src.base import errors, options as settings
from jax._src.distributed import lazy_modules

_log = logging.getLogger(__name__)

# Launches that are told of besides those that wait.
_MOST_RUNNING = 4
# The plugin's own time is for jobs whose service is gone: whoever asks the service is first, and knows more.
_LATER_S = 15


class KeyValue:
    """The job's key-value store, as the clients of one platform ask it."""

    def __init__(self, client: Any, platform: str):
        self._client = client
        self._prefix = f"{platform}:"
        # What this process has set: nobody changes it.
        self._own: dict[str, bytes] = {}

    def get(self, key: str, timeout_ms: int) -> bytes:
        """A value, for which it waits."""
        if key in self._own:
            return self._own[key]
        return self._client.blocking_key_value_get_bytes(self._prefix + key, timeout_ms)

    def try_get(self, key: str) -> bytes | None:
        """A value, or None."""
        try:
            return self._client.key_value_try_get_bytes(self._prefix + key)
        except errors.JaxRuntimeError as error:
            if str(error).startswith("NOT_FOUND"):
                return None
            raise

    def put(self, key: str, value: bytes) -> None:
        """Sets a value, which must be a new one."""
        self._client.key_value_set_bytes(self._prefix + key, value)
        self._own[key] = bytes(value)


def _has_job():
    state = distributed.global_state
    return state.client is not None and state.num_processes > 1


def client_arguments(
    options: Mapping[str, Any], *, platform: str, is_ours: bool
) -> dict[str, Any]:
    """The arguments of `make_client`: in a job, where it is in it and how to meet the others.

    Args:
        options: the client's own, which count for more.
        platform: the plugin's name; plugins with names of their own share the store.
        is_ours: whether it is the plugin in jaxlib, which joins processes itself.
    """
    if not _has_job():
        return {"options": dict(options)}
    state = distributed.global_state
    process_options = {"node_id": state.process_id, "num_nodes": state.num_processes}
    if is_ours:
        limit_s = settings.collective_timeout.value
        process_options["peer_address"] = lazy_modules.load(
            "clusters.addresses"
        ).toward_coordinator(state.coordinator_address)
        process_options["peer_encryption"] = settings.encrypt_collectives.value
        process_options["collective_timeout_seconds"] = limit_s and limit_s + _LATER_S
        # As long as the service takes to notice a process that is cut off.
        heartbeat_s = state.client.endpoint.heartbeat_s
        process_options["peer_silence_seconds"] = max(
            1, min(40, int(heartbeat_s * 0.6))
        )
    return {
        "options": {**process_options, **options},
        "key_value": KeyValue(state.client, platform),
    }


def attach(client: Any) -> None:
    """Lets the job know where the programs of a client are, and the client what becomes of others."""
    if not _has_job():
        return
    job, me = distributed.global_state.client, distributed.global_state.process_id

    def lost(kind, process, text):
        if kind == "service":  # what runs goes on without it
            _log.warning("process %d: %s", me, text)
        else:
            client.fail_process(process, text, kind == "left")

    job.waits.sources.append(lambda: _wait_positions(client))
    job.stalls.enders.append(client.fail_waits)
    job.session.listen(lost)


def _wait_positions(client):
    """Rows of what waits for other processes, and of some of what else was launched."""
    rows = [
        (program, launch, *_split(collective), seconds)
        for program, launch, collective, seconds, _ in client.activities()
    ]
    waiting = [row for row in rows if row[2]]
    return waiting + [row for row in rows if not row[2]][:_MOST_RUNNING]


def _split(collective):
    """What a collective is, and the user's line where it stands."""
    name, _, line = collective.partition(" at ")
    return name, line
