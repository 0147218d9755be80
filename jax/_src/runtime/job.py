"""This process as one of a job: what the clients of its devices are told of the others."""

from collections.abc import Mapping
from typing import Any

from jax._src import distributed
from jax._src.base import errors


class KeyValue:
    """The job's key-value store, as clients ask it."""

    def __init__(self, client: Any):
        self._client = client

    def get(self, key: str, timeout_ms: int) -> bytes:
        """A value, for which it waits."""
        return self._client.blocking_key_value_get_bytes(key, timeout_ms)

    def try_get(self, key: str) -> bytes | None:
        """A value, or None."""
        try:
            return self._client.key_value_try_get_bytes(key)
        except errors.JaxRuntimeError as error:
            if str(error).startswith("NOT_FOUND"):
                return None
            raise

    def put(self, key: str, value: bytes) -> None:
        """Sets a value, which must be a new one."""
        self._client.key_value_set_bytes(key, value)


def client_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `make_client`: in a job, where it is in it and how to meet the others."""
    state = distributed.global_state
    if state.client is None or state.num_processes == 1:
        return {"options": dict(options)}
    place = {"node_id": state.process_id, "num_nodes": state.num_processes}
    return {
        "options": {**place, **options},
        "key_value": KeyValue(state.client),
    }
