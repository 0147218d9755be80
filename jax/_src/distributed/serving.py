"""A gRPC server whose handlers take turns in one thread (`event_loop.py`), over the core that gRPC's package brings.

gRPC's package has two servers: one with a thread for each stream, too many for a job of a thousand processes, and
one for asyncio, see `turns`. Both are made of the calls of its core that are used here.
"""

import contextlib
import threading
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NoReturn

import grpc
from grpc._cython import cygrpc

from jax._src.distributed import event_loop

_NO_FLAGS = 0
# How many calls the core may hand over before the first was looked at.
_READY_CALLS = 16

Unary = Callable[[bytes, "Context"], Awaitable[bytes]]
Stream = Callable[[AsyncIterator[bytes], "Context"], AsyncIterator[bytes]]


class _Aborted(Exception):
    """A call ends with this status."""

    def __init__(self, code: grpc.StatusCode, text: str, trailer: Any):
        self.code = code
        self.text = text
        self.trailer = trailer


class _Gone(Exception):
    """Nobody is at the other end."""


class Context:
    """What a handler may ask of its call."""

    def __init__(self, event: Any):
        self._event = event

    def invocation_metadata(self) -> Any:
        """Pairs of text that came with the call."""
        return self._event.invocation_metadata

    def auth_context(self) -> dict[str, list[bytes]]:
        """What is known of the other end by its certificate."""
        found = cygrpc.auth_context(self._event.call) or {}
        return {_text(key): list(value) for key, value in found.items()}

    def peer(self) -> str:
        """The other end, as gRPC writes it."""
        return _text(self._event.call.peer())

    async def abort(
        self, code: grpc.StatusCode, text: str, trailer: Any = ()
    ) -> NoReturn:
        """Ends the call with an error."""
        raise _Aborted(code, text, trailer)


class _Call:
    """A call from its first event to its last."""

    def __init__(self, server: "Server", event: Any):
        self._server = server
        self._call = event.call
        self._context = Context(event)
        self._has_begun = False
        self._task: event_loop.Task | None = None
        self.method = _text(event.call_details.method)

    def start(self) -> None:
        self._task = event_loop.ensure_future(self._run())
        self._batch([cygrpc.ReceiveCloseOnServerOperation(_NO_FLAGS)], self._closed)

    def _batch(self, operations, done):
        """Starts operations; `done` is called with their event."""
        error = self._call.start_server_batch(operations, done)
        if error not in (None, 0):
            raise _Gone(str(error))
        self._server.expects()

    def _closed(self, event):
        if event.batch_operations[0].cancelled() and self._task is not None:
            self._task.cancel()

    async def _run(self):
        try:
            await self._answer()
        except (_Gone, event_loop.CancelledError):
            # The core keeps a call until it has a status.
            with contextlib.suppress(_Gone):
                self._end(grpc.StatusCode.CANCELLED, "", ())
        except _Aborted as aborted:
            with contextlib.suppress(_Gone):
                self._end(aborted.code, aborted.text, aborted.trailer)
        except Exception as error:
            traceback.print_exc()
            with contextlib.suppress(_Gone):
                self._end(grpc.StatusCode.UNKNOWN, f"the service failed: {error!r}", ())

    async def _answer(self):
        unary, stream = self._server.handlers.get(self.method, (None, None))
        if unary is not None:
            data = await self._receive()
            if data is None:
                raise _Gone
            self._end(grpc.StatusCode.OK, "", (), await unary(data, self._context))
        elif stream is not None:
            async with contextlib.aclosing(
                stream(self._requests(), self._context)
            ) as answers:
                async for answer in answers:
                    await self._send(answer)
            self._end(grpc.StatusCode.OK, "", ())
        else:
            raise _Aborted(grpc.StatusCode.UNIMPLEMENTED, "there is no such call.", ())

    async def _done(self, operations):
        """The event of operations, once they are done."""
        future = event_loop.Future()
        self._batch(operations, lambda e: future.done() or future.set_result(e))
        return await future

    async def _receive(self):
        """The next message; None: there is none."""
        event = await self._done([cygrpc.ReceiveMessageOperation(_NO_FLAGS)])
        return event.batch_operations[0].message()

    async def _requests(self):
        while (data := await self._receive()) is not None:
            yield data

    def _beginning(self):
        if self._has_begun:
            return []
        self._has_begun = True
        return [cygrpc.SendInitialMetadataOperation(None, _NO_FLAGS)]

    async def _send(self, data):
        event = await self._done(
            [*self._beginning(), cygrpc.SendMessageOperation(data, _NO_FLAGS)]
        )
        if not event.success:
            raise _Gone

    def _end(self, code, text, trailer, data=None):
        """Ends the call. Nobody waits for that to arrive."""
        operations = self._beginning()
        if data is not None:
            operations.append(cygrpc.SendMessageOperation(data, _NO_FLAGS))
        status = cygrpc.SendStatusFromServerOperation(
            trailer, code.value[0], text.encode(), _NO_FLAGS
        )
        self._batch([*operations, status], lambda event: None)


class Server:
    """A server of some handlers. What it is told, and they, run in the loop of the thread that made it."""

    def __init__(self, options: list[tuple[str, Any]]):
        self._loop = event_loop.get_running_loop()
        self._queue = cygrpc.CompletionQueue()
        self._server = cygrpc.Server(tuple(options), False)
        self._server.register_completion_queue(self._queue)
        # By the path of a call: the handler for one message, or that for streams.
        self.handlers: dict[str, tuple[Unary | None, Stream | None]] = {}
        # Events that are still to come, and who waits for the last.
        self._expected = 0
        self._is_over = event_loop.Future()
        self._is_ending = False

    def add_port(self, address: str, credentials: Any) -> int:
        """Listens at ``host:port``; returns the port.

        Raises:
            RuntimeError: it cannot be had.
        """
        where = address.encode()
        if credentials is None:
            port = self._server.add_http2_port(where)
        else:
            port = self._server.add_http2_port(where, credentials._credentials)
        if not port:
            raise RuntimeError(f"Failed to bind to address {address}")
        return port

    def start(self) -> None:
        """Begins to answer."""
        self._server.start()
        for _ in range(_READY_CALLS):
            self._want_call()
        threading.Thread(target=self._listen, name="jax calls", daemon=True).start()

    def expects(self) -> None:
        """Notes that one more event is to come."""
        self._expected += 1

    def _want_call(self):
        self._server.request_call(self._queue, self._queue, self._arrived)
        self.expects()

    def _listen(self):
        """Hands the core's events to the loop, in a thread of its own."""
        while True:
            event = self._queue.poll()
            if event.completion_type == cygrpc.CompletionType.queue_shutdown:
                return
            self._loop.post(self._take, event)
            # What an event refers to must not outlive it here.
            event = None

    def _take(self, event):
        self._expected -= 1
        try:
            event.tag(event)
        finally:
            if self._is_ending and not self._expected and not self._is_over.done():
                self._is_over.set_result(None)

    def _arrived(self, event):
        if not event.success or self._is_ending:
            return
        self._want_call()
        _Call(self, event).start()

    async def stop(self, grace_s: float) -> None:
        """Takes no more calls, and ends those under way after so long."""
        self._is_ending = True
        self._server.shutdown(self._queue, lambda event: None)
        self.expects()
        try:
            await event_loop.wait_for(self._is_over, grace_s)
        except TimeoutError:
            self._is_over = event_loop.Future()
            self._server.cancel_all_calls()
            with contextlib.suppress(TimeoutError):
                await event_loop.wait_for(self._is_over, grace_s)


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
