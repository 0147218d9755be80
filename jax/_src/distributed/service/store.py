"""The key-value store of a job: what processes leave for each other. Pure: no network, no clock."""

import asyncio
from collections.abc import Iterator

from jax._src.distributed.messages.messages import KeyValue
from jax._src.distributed.messages.status_errors import Refused
from jax._src.distributed.service.replication import Log
from jax._src.distributed.service.replication_messages import Change

MAX_KEY_BYTES = 4 << 10
MAX_VALUE_BYTES = 4 << 20
MAX_TOTAL_BYTES = 256 << 20
MAX_ENTRIES = 1 << 20
# What an entry costs besides its bytes.
_ENTRY_BYTES = 128


def normal_key(key: str) -> str:
    """The key as it is stored: single slashes between its parts, none at the ends."""
    return "/".join(part for part in key.split("/") if part)


class Store:
    """Values by key. Keys form folders by their slashes."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._values: dict[str, bytes] = {}
        self._waiting: dict[str, set[asyncio.Future[bytes]]] = {}
        self._size_bytes = 0

    def insert(self, key: str, value: bytes, *, allow_overwrite: bool) -> None:
        """Stores a value, and wakes those who wait for it."""
        key = self._checked(key)
        old = self._values.get(key)
        if old is not None and not allow_overwrite:
            raise Refused("ALREADY_EXISTS", f"key {key} already exists.")
        self._put(key, value, old)

    def _checked(self, key):
        if len(key.encode()) > MAX_KEY_BYTES:
            raise Refused(
                "INVALID_ARGUMENT",
                f"a key of {len(key.encode())} bytes; at most {MAX_KEY_BYTES} may be.",
            )
        key = normal_key(key)
        if not key:
            raise Refused("INVALID_ARGUMENT", "a key needs at least one character.")
        return key

    def _put(self, key, value, old):
        if len(value) > MAX_VALUE_BYTES:
            raise Refused(
                "INVALID_ARGUMENT",
                f"the value of key {key} has {len(value)} bytes; at most "
                f"{MAX_VALUE_BYTES} may be. Keep large data in files.",
            )
        size = self._size_bytes + len(value)
        size += _ENTRY_BYTES + len(key.encode()) if old is None else -len(old)
        if size > MAX_TOTAL_BYTES or (old is None and len(self._values) >= MAX_ENTRIES):
            raise Refused(
                "RESOURCE_EXHAUSTED",
                f"no room for key {key}: the store holds {len(self._values)} keys and "
                f"{self._size_bytes} bytes; {MAX_ENTRIES} and {MAX_TOTAL_BYTES} may be.",
            )
        self._size_bytes = size
        self._values[key] = value
        self._log.add(put=KeyValue(key=key, value=value))
        for future in self._waiting.pop(key, ()):
            if not future.done():
                future.set_result(value)

    def get(self, key: str) -> bytes | None:
        """The value, or None."""
        return self._values.get(normal_key(key))

    def wait(self, key: str) -> asyncio.Future[bytes]:
        """A future of the value. Hand it back to `forget` in the end."""
        key = self._checked(key)
        future = asyncio.get_running_loop().create_future()
        if (value := self._values.get(key)) is not None:
            future.set_result(value)
        else:
            self._waiting.setdefault(key, set()).add(future)
        return future

    def forget(self, key: str, future: asyncio.Future[bytes]) -> None:
        """Takes back a wait that may not have ended."""
        key = normal_key(key)
        if futures := self._waiting.get(key):
            futures.discard(future)
            if not futures:
                del self._waiting[key]

    def increment(self, key: str, by: int) -> int:
        """Adds to the number stored as decimal text; nothing stored counts as 0."""
        key = self._checked(key)
        old = self._values.get(key)
        try:
            value = int(old or b"0") + by
        except ValueError:
            raise Refused(
                "FAILED_PRECONDITION",
                f"key {key} cannot be incremented: its value is no integer.",
            ) from None
        if not -(1 << 63) <= value < 1 << 63:
            raise Refused("OUT_OF_RANGE", f"key {key} would leave 64 bits.")
        self._put(key, str(value).encode(), old)
        return value

    def directory(self, key: str) -> list[tuple[str, bytes]]:
        """All keys below a folder, sorted, with their values."""
        prefix = normal_key(key)
        if not prefix:
            # Every key is below the root, but the root is no folder that was requested.
            return []
        return sorted(
            item for item in self._values.items() if item[0].startswith(prefix + "/")
        )

    def delete(self, key: str) -> None:
        """Removes a key and everything below it."""
        key = normal_key(key)
        for name in [key, *(name for name, _ in self.directory(key))]:
            self._remove(name)

    def _remove(self, name):
        if (value := self._values.pop(name, None)) is not None:
            self._size_bytes -= _ENTRY_BYTES + len(name.encode()) + len(value)
            self._log.add(delete=KeyValue(key=name))

    def state(self) -> Iterator[Change]:
        """All that a standby must know."""
        for key, value in self._values.items():
            yield Change(put=KeyValue(key=key, value=value))

    def restore(self, change: Change) -> None:
        """Takes over a change of the service that this one follows."""
        if change.HasField("put"):
            self.insert(change.put.key, change.put.value, allow_overwrite=True)
        if change.HasField("delete"):
            self._remove(normal_key(change.delete.key))
