"""Arrays handed from one part of a process to another, by number.

Between processes this takes a transport, of which there is none here: a server can be
reached from its own process alone.
"""

import itertools
import threading
from typing import Any

from jax._src import tree
from jax._src.base import errors
from jax._src.callbacks import host, primitives
from jax._src.core import avals
from jax._src.jit import jit as jits
from jax._src.lib import client as lib_client
from jax._src.runtime.transfers import device_put_get

_servers: dict[str, "TransferServer"] = {}
_numbers = itertools.count(1)


class TransferServer:
    """Holds arrays until they are pulled. Made by `start_transfer_server`."""

    def __init__(self, client: Any):
        self._client = client
        self._address = f"this-process:{next(_numbers)}"
        self._offers: dict[int, Any] = {}
        self._changed = threading.Condition()
        _servers[self._address] = self

    def address(self) -> str:
        """What `connect` takes."""
        return self._address

    def await_pull(self, uuid: int, arrays: Any, timeout: float | None = None) -> None:
        """Offers a tree of arrays under a number, until it is pulled once.

        Args:
            uuid: the number.
            arrays: a tree of arrays.
            timeout: accepted; offers stay until they are pulled.
        """
        for leaf in tree.tree_leaves(arrays):
            if not isinstance(leaf, lib_client.Array):
                raise errors.type_error(
                    "TransferServer.await_pull takes trees of arrays.",
                    [("leaf", type(leaf).__name__)],
                )
        with self._changed:
            self._offers[uuid] = arrays
            self._changed.notify_all()

    def connect(self, address: str) -> "TransferConnection":
        """A connection to a server.

        Raises:
            NotImplementedError: it is not in this process.
        """
        if address not in _servers:
            raise errors.not_implemented(
                "TransferServer.connect: this server is not in this process.",
                [("address", address), ("servers here", ", ".join(_servers))],
                "There is no transport between processes.",
            )
        return TransferConnection(_servers[address])

    def _take(self, uuid, timeout):
        with self._changed:
            if not self._changed.wait_for(lambda: uuid in self._offers, timeout):
                raise TimeoutError(
                    errors.explain(
                        "TransferConnection.pull: nothing was offered in time.",
                        [("uuid", str(uuid)), ("timeout", f"{timeout} s")],
                    )
                )
            return self._offers.pop(uuid)


class TransferConnection:
    """Pulls arrays from a server. Made by `TransferServer.connect`."""

    def __init__(self, server: TransferServer):
        self._server = server

    def pull(self, uuid: int, xs: Any, timeout: float | None = None) -> Any:
        """Waits for an offer and takes it.

        Args:
            uuid: its number.
            xs: a tree like it, of types with the shardings that the arrays shall have.
            timeout: how long to wait, in seconds; None: for ever.

        Raises:
            TimeoutError: nothing was offered in time.
            ValueError: what was offered is of other types.
        """
        offered = self._server._take(uuid, timeout)

        def put(wanted, array):
            if (wanted.shape, wanted.dtype) != (array.shape, array.dtype):
                raise errors.value_error(
                    "TransferConnection.pull: another type was offered.",
                    [
                        ("wanted", f"{wanted.dtype}{list(wanted.shape)}"),
                        ("offered", f"{array.dtype}{list(array.shape)}"),
                    ],
                )
            return device_put_get.device_put(array, wanted.sharding)

        return tree.tree_map(put, xs, offered)


def start_transfer_server(
    client: Any,
    address: str = "[::]:0",
    transport_addresses: Any = (),
    max_num_parallel_copies: int = 8,
    transfer_size: int = 2**28,
    supports_pinned_allocator: bool = False,
    use_raw_buffers: bool = False,
) -> TransferServer:
    """A server that holds arrays of a client until this process pulls them.

    Args:
        client: ``jax.devices()[0].client``.
        address: accepted; the server has no address that others could reach.
        transport_addresses: must be empty, as there is no transport.
        max_num_parallel_copies: accepted; arrays are handed over without a copy.
        transfer_size: accepted likewise.
        supports_pinned_allocator: accepted likewise.
        use_raw_buffers: accepted likewise.

    Raises:
        NotImplementedError: a transport is requested.
    """
    if list(transport_addresses):
        raise errors.not_implemented(
            "start_transfer_server: there is no transport between processes.",
            [("transport_addresses", repr(transport_addresses))],
            ways="Leave them out: arrays are handed over in this process.",
        )
    return TransferServer(client)


def make_error_array(aval: Any, message: str) -> Any:
    """An array that raises an error with this message when it is read.

    Args:
        aval: a type, with a shape and a dtype.
        message: the error's.
    """

    def fail():
        raise RuntimeError(message)

    wanted = avals.ShapedArray(aval.shape, aval.dtype)
    trees = tree.tree_structure(((), {})), tree.tree_structure(0)
    queued = host.FlatCallback("make_error_array", fail, *trees, is_queued=True)

    def made():
        return primitives.pure_callback_p.bind(
            callback=queued, result_avals=(wanted,), sharding=None, vmap_method=None
        )[0]

    return jits.jit(made)()
