"""What the coordination service has instead of asyncio: coroutines that take turns in one thread.

asyncio and gRPC's half for it take longer to load than all else at the start of a job, and half of a call goes
by between their threads. Only what the service uses is here, under the names that asyncio has for it.
"""

import collections
import heapq
import itertools
import queue
import threading
import time
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")
_PENDING, _DONE, _CANCELLED = range(3)


class CancelledError(BaseException):
    """What waits shall wait no more."""


class Future(Generic[_T]):
    """A result that may not be there yet. It belongs to the loop's thread."""

    def __init__(self) -> None:
        self._state = _PENDING
        self._result: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Any], Any]] = []

    def done(self) -> bool:
        """Whether there is a result, an error, or nothing to come."""
        return self._state != _PENDING

    def set_result(self, result: _T) -> None:
        """Gives the result to all who wait."""
        self._end(_DONE, result, None)

    def set_exception(self, error: BaseException) -> None:
        """Raises the error in all who wait."""
        self._end(_DONE, None, error)

    def cancel(self) -> bool:
        """Ends all waits with `CancelledError`; returns whether there was anything to end."""
        if self.done():
            return False
        self._end(_CANCELLED, None, CancelledError())
        return True

    def _end(self, state, result, error):
        if self.done():
            raise RuntimeError("a future has one result")
        self._state, self._result, self._error = state, result, error
        for callback in self._callbacks:
            get_running_loop().call_soon(callback, self)
        self._callbacks = []

    def result(self) -> _T:
        """The result of what is done. Raises the error if it is one."""
        if self._error is not None:
            raise self._error
        return self._result

    def add_done_callback(self, callback: Callable[[Any], Any]) -> None:
        """Calls it with this future in a turn of its own, once it is done."""
        if self.done():
            get_running_loop().call_soon(callback, self)
        else:
            self._callbacks.append(callback)

    def __await__(self) -> Generator[Any, None, _T]:
        if not self.done():
            yield self
        return self.result()


class Task(Future[_T]):
    """A coroutine on its way."""

    def __init__(self, coroutine: Coroutine[Any, Any, _T]):
        super().__init__()
        self._coroutine = coroutine
        # What it waits for; and whether it is to be cancelled in its next turn.
        self._waits_for: Future | None = None
        self._is_unwanted = False
        get_running_loop().call_soon(self._step)

    def cancel(self) -> bool:
        """Raises `CancelledError` where the coroutine waits."""
        if self.done():
            return False
        if self._waits_for is None or not self._waits_for.cancel():
            self._is_unwanted = True
        return True

    def _step(self, waited: Future | None = None):
        self._waits_for = None
        try:
            if self._is_unwanted:
                self._is_unwanted = False
                awaited = self._coroutine.throw(CancelledError())
            else:
                awaited = self._coroutine.send(None)
        except StopIteration as stop:
            self.set_result(stop.value)
        except CancelledError as error:
            self._end(_CANCELLED, None, error)
        except Exception as error:
            if not self._callbacks:
                traceback.print_exc()  # nobody waits for it
            self.set_exception(error)
        else:
            self._waits_for = awaited
            awaited.add_done_callback(self._step)
            if self._is_unwanted and awaited.cancel():
                self._is_unwanted = False


class TimerHandle:
    """A call that is to come."""

    def __init__(self, function: Callable[..., Any], arguments: tuple):
        self.function: Callable[..., Any] | None = function
        self.arguments = arguments

    def cancel(self) -> None:
        """Lets it not come."""
        self.function, self.arguments = None, ()

    def run(self) -> None:
        """Makes the call."""
        if self.function is not None:
            self.function(*self.arguments)


class Loop:
    """Runs what is ready, what is due and what other threads post, one after the other."""

    def __init__(self) -> None:
        self._ready: collections.deque[TimerHandle] = collections.deque()
        self._later: list[tuple[float, int, TimerHandle]] = []
        self._posted: queue.SimpleQueue[TimerHandle] = queue.SimpleQueue()
        self._numbers = itertools.count()

    def call_soon(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Calls it when what is ready now has had its turn."""
        self._ready.append(TimerHandle(function, arguments))

    def call_later(
        self, delay_s: float, function: Callable[..., Any], *arguments: Any
    ) -> TimerHandle:
        """Calls it after so long."""
        handle = TimerHandle(function, arguments)
        at_s = time.monotonic() + delay_s
        heapq.heappush(self._later, (at_s, next(self._numbers), handle))
        return handle

    def post(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Calls it in the loop's thread. Any thread may ask for that."""
        self._posted.put(TimerHandle(function, arguments))

    def create_future(self) -> Future[Any]:
        """A future of this loop."""
        return Future()

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Runs it to its end, and meanwhile all else."""
        _of_thread.loop = self
        main = Task(coroutine)
        main.add_done_callback(lambda task: None)
        while not main.done():
            self._take_posted()
            now_s = time.monotonic()
            while self._later and self._later[0][0] <= now_s:
                self._ready.append(heapq.heappop(self._later)[2])
            for _ in range(len(self._ready)):
                self._run_one(self._ready.popleft())
        return main.result()

    def _take_posted(self):
        """Waits for what is posted, if nothing else is to be done."""
        wait_s = None
        if self._ready:
            wait_s = 0.0
        elif self._later:
            wait_s = max(self._later[0][0] - time.monotonic(), 0.0)
        try:
            self._ready.append(self._posted.get(wait_s != 0.0, wait_s))
            while True:
                self._ready.append(self._posted.get_nowait())
        except queue.Empty:
            pass

    def _run_one(self, handle):
        try:
            handle.run()
        except Exception:
            # One who stumbles must not take the others along.
            traceback.print_exc()


class _OfThread(threading.local):
    loop: Loop | None = None


_of_thread = _OfThread()


def get_running_loop() -> Loop:
    """The loop of this thread."""
    if _of_thread.loop is None:
        raise RuntimeError("no loop runs in this thread")
    return _of_thread.loop


def run(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Runs a coroutine in a loop of its own."""
    before = _of_thread.loop
    try:
        return Loop().run(coroutine)
    finally:
        _of_thread.loop = before


def ensure_future(awaitable: Coroutine[Any, Any, _T]) -> Task[_T]:
    """Starts a coroutine on its way."""
    return Task(awaitable)


async def sleep(delay_s: float) -> None:
    """Lets others have their turns for so long."""
    future: Future[None] = Future()
    timer = get_running_loop().call_later(delay_s, future.set_result, None)
    try:
        await future
    finally:
        timer.cancel()


async def wait_for(awaitable: Awaitable[_T], timeout_s: float) -> _T:
    """What is awaited, if it comes in time.

    Raises:
        TimeoutError: it did not, and was cancelled.
    """
    if isinstance(awaitable, Future):
        future = awaitable
    else:
        future = Task(_awaited(awaitable))
    late = []

    def give_up():
        late.append(future.cancel())

    timer = get_running_loop().call_later(timeout_s, give_up)
    try:
        return await future
    except CancelledError:
        if any(late):
            raise TimeoutError from None
        raise
    finally:
        timer.cancel()
        future.cancel()


async def _awaited(awaitable):
    return await awaitable


async def first_of(futures: Iterable[Future]) -> None:
    """Returns when one of them is done."""
    ended: Future[None] = Future()
    for future in futures:
        future.add_done_callback(lambda _: ended.done() or ended.set_result(None))
    await ended


async def in_thread(function: Callable[..., _T], *arguments: Any) -> _T:
    """What a function that may block returns or raises."""
    loop, future = get_running_loop(), Future()

    def end(set_it, value):
        if not future.done():
            set_it(value)

    def call():
        try:
            value = function(*arguments)
        except Exception as error:
            loop.post(end, future.set_exception, error)
        else:
            loop.post(end, future.set_result, value)

    threading.Thread(target=call, daemon=True).start()
    return await future


class Queue(Generic[_T]):
    """Items for one who waits for them, in the order in which they came."""

    def __init__(self) -> None:
        self._items: collections.deque[_T] = collections.deque()
        self._waiting: Future[None] | None = None

    def put_nowait(self, item: _T) -> None:
        """Adds one."""
        self._items.append(item)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def get(self) -> _T:
        """Takes the next, once there is one."""
        while not self._items:
            self._waiting = Future()
            await self._waiting
        return self._items.popleft()
