"""Writing checkpoints beside the computation."""

import abc
import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors
from jax._src.checkpoints import agreement, arrays as arrays_lib, specs


def get_tensorstore_spec(
    ckpt_path: str,
    ocdbt: bool = False,
    process_idx: int | None = None,
    arr: Any = None,
    driver: str = "zarr",
) -> dict[str, Any]:
    """`tensorstore_impl.get_tensorstore_spec` with other defaults: older files."""
    return specs.get_tensorstore_spec(ckpt_path, ocdbt, process_idx, arr, driver)


class GlobalAsyncCheckpointManagerBase(abc.ABC):
    """What managers of checkpoints offer."""

    @abc.abstractmethod
    def check_for_errors(self) -> None:
        """Raises what writing has raised since the last check."""

    @abc.abstractmethod
    def wait_until_finished(self) -> None:
        """Waits until all is written, and checks for errors."""

    @abc.abstractmethod
    def serialize(
        self,
        arrays: Sequence[Any],
        tensorstore_specs: Sequence[dict[str, Any]],
        *,
        on_commit_callback: Callable[[], None],
    ) -> None:
        """Starts to write arrays."""

    @abc.abstractmethod
    def deserialize(
        self,
        shardings: Sequence[Any],
        tensorstore_specs: Sequence[dict[str, Any]],
        global_shapes: Sequence[Any] | None = None,
        dtypes: Sequence[Any] | None = None,
    ) -> list[Any]:
        """Reads arrays."""


class AsyncManager:
    """Waits in a thread of its own until writes are in place, those of all processes.

    Args:
        timeout_secs: how long processes wait for each other, in seconds.
    """

    def __init__(self, timeout_secs: int = 300):
        if timeout_secs <= 0:
            raise errors.value_error(
                "AsyncManager: the timeout must be positive.",
                [("timeout_secs", str(timeout_secs))],
            )
        self._timeout_secs = timeout_secs
        self._futures: list[Any] = []
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def _add_futures(self, futures: Sequence[Any]) -> None:
        self._futures = list(futures)

    def _start_async_commit(
        self, on_commit_callback: Callable[[], None] | None
    ) -> None:
        together = agreement.Agreement(self._timeout_secs)

        def write():
            for future in self._futures:
                future.result()

        def commit():
            try:
                together.commit(write, on_commit_callback)
            except Exception as error:
                self._error = error

        self._thread = threading.Thread(target=commit)
        self._thread.start()

    def check_for_errors(self) -> None:
        """Raises what writing has raised since the last check."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    def wait_until_finished(self) -> None:
        """Waits until all is written, and checks for errors."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self.check_for_errors()


class GlobalAsyncCheckpointManager(AsyncManager, GlobalAsyncCheckpointManagerBase):
    """Writes arrays while the program goes on, and reads them.

    Args:
        timeout_secs: how long processes wait for each other, in seconds.
    """

    def serialize(
        self,
        arrays: Sequence[Any],
        tensorstore_specs: Sequence[dict[str, Any]],
        *,
        on_commit_callback: Callable[[], None] | None = None,
        transaction: Any = None,
    ) -> None:
        """Starts to write arrays; their values are copied when this returns.

        Args:
            arrays: the arrays.
            tensorstore_specs: the file of each.
            on_commit_callback: called when all is in place; of several processes, in the
                first one, when all have written their parts.
            transaction: the transaction in which they are written.
        """
        self.wait_until_finished()
        pending: list[list[Any]] = [[] for _ in tensorstore_specs]

        async def write():
            rows = zip(arrays, tensorstore_specs, pending, strict=True)
            return await asyncio.gather(
                *(
                    arrays_lib.async_serialize(*row, transaction=transaction)
                    for row in rows
                )
            )

        asyncio.run(write())
        self._add_futures([future for each in pending for future in each])
        self._start_async_commit(on_commit_callback)

    def serialize_with_paths(
        self,
        arrays: Sequence[Any],
        paths: Sequence[str],
        *,
        on_commit_callback: Callable[[], None] | None = None,
        transaction: Any = None,
    ) -> None:
        """`serialize` to files at paths."""
        self.serialize(
            arrays,
            [get_tensorstore_spec(path) for path in paths],
            on_commit_callback=on_commit_callback,
            transaction=transaction,
        )

    def deserialize(
        self,
        shardings: Sequence[Any],
        tensorstore_specs: Sequence[dict[str, Any]],
        global_shapes: Sequence[Any] | None = None,
        dtypes: Sequence[Any] | None = None,
        concurrent_gb: int = 32,
    ) -> list[Any]:
        """Reads arrays, after what is being written.

        Args:
            shardings: the sharding of each.
            tensorstore_specs: the file of each.
            global_shapes: their shapes; None: those that are stored.
            dtypes: their dtypes; None: those that are stored.
            concurrent_gb: how many gigabytes are read at a time.
        """
        self.wait_until_finished()
        return arrays_lib.run_deserialization(
            shardings, tensorstore_specs, global_shapes, dtypes, concurrent_gb
        )

    def deserialize_with_paths(
        self,
        shardings: Sequence[Any],
        paths: Sequence[str],
        global_shapes: Sequence[Any] | None = None,
        dtypes: Sequence[Any] | None = None,
        concurrent_gb: int = 32,
    ) -> list[Any]:
        """`deserialize` from files at paths."""
        found = [get_tensorstore_spec(path) for path in paths]
        return self.deserialize(shardings, found, global_shapes, dtypes, concurrent_gb)
