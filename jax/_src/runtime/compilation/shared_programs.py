"""One process of a job compiles for all: the others get the executable by the job's key-value store.

Off until `jax_share_binary_between_hosts`. An executable is code, so it is sent only where the
store is behind certificates; else each process compiles, with a warning.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from jax._src import distributed
from jax._src.base import errors, options

_FOLDER = "jax/programs/"
# Values of the store have a limit.
_PIECE_BYTES = 1 << 20
# Stands where there is no executable to send: each compiles for itself.
_NOTHING = b"-"


def is_shared(devices: Sequence[Any]) -> bool:
    """Whether one process compiles for these devices, and others of the job get it from there."""
    client = distributed.global_state.client
    if not options.share_binary_between_hosts.value or client is None:
        return False
    if len({device.process_index for device in devices}) == 1:
        return False
    if client.endpoint.credentials is None:
        warnings.warn(
            errors.explain(
                "jax_share_binary_between_hosts: every process compiles for itself.",
                [("coordination service", "in plain text")],
                "Executables are code, and whoever reaches the service could change them.",
                "Use certificates or a secret file (docs/clusters.md, Security).",
            ),
            stacklevel=2,
        )
        return False
    return True


def get(
    make: Callable[[], Any], *, key: str, devices: Sequence[Any], client: Any
) -> Any:
    """The executable that the first of the processes makes.

    Args:
        make: makes it.
        key: names the program, the same in all processes.
        devices: those that it is for.
        client: the plugin's client.

    Raises:
        JaxRuntimeError: the first process has failed.
    """
    store = distributed.global_state.client
    first = min(device.process_index for device in devices)
    if distributed.global_state.process_id == first:
        return _make_for_all(make, store, _FOLDER + key)
    program = _sent(store, _FOLDER + key)
    return make() if program is None else client.deserialize_executable(program)


def _make_for_all(make, store, key):
    told = _NOTHING
    try:
        executable = make()
        told = _put(store, key, executable)
        return executable
    finally:
        store.key_value_set_bytes(key, told, allow_overwrite=True)


def _put(store, key, executable) -> bytes:
    """Sends an executable in pieces; says how many there are."""
    try:
        program = executable.serialize()
        count = math.ceil(len(program) / _PIECE_BYTES)
        for k in range(count):
            piece = program[k * _PIECE_BYTES : (k + 1) * _PIECE_BYTES]
            store.key_value_set_bytes(f"{key}/{k}", piece, allow_overwrite=True)
    except RuntimeError:
        return _NOTHING  # It has no such form, or the store has no room.
    return str(count).encode()


def _sent(store, key) -> bytes | None:
    """What the first process sent; None: nothing, or not in time."""
    patience_ms = options.share_binary_between_hosts_timeout_ms.value
    try:
        told = store.blocking_key_value_get_bytes(key, patience_ms)
    except errors.JaxRuntimeError as error:
        if not str(error).startswith("DEADLINE_EXCEEDED"):
            raise
        return None
    if told == _NOTHING:
        return None
    pieces = [store.key_value_try_get_bytes(f"{key}/{k}") for k in range(int(told))]
    return b"".join(pieces)
