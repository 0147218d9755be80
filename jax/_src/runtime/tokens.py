"""When effects have happened.

A program with effects returns a token: an empty array, ready when the program is done.
The token of a program with ordered effects is an argument of the next one, so that they
run one after the other without anybody waiting here.
"""

import atexit
import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, options
from jax._src.core import conversions, state
from jax._src.runtime.transfers import device_put_get, transfer_guard


class _InCallback(threading.local):
    """How many callbacks this thread is inside of."""

    depth = 0


_in_callback = _InCallback()
_lock = threading.Lock()
# By devices: the token of the last program with ordered effects.
_last: dict[Any, Any] = {}
# Tokens of programs that were not done when they were last looked at.
_pending: list[Any] = []


@contextlib.contextmanager
def inside_callback() -> Iterator[None]:
    """Says that this thread runs a callback: the program around it is not done.

    What the callback evaluates is evaluated, whatever this thread traces besides.
    """
    _in_callback.depth += 1
    scopes = state.replace_scopes(())
    try:
        with state.evaluating():
            yield
    finally:
        state.leave_scopes(scopes)
        _in_callback.depth -= 1


def run(
    data: Any,
    leaves: Sequence[Any],
    lowered: Any,
    sharding: Any,
    *,
    waits: bool = False,
) -> list[Any]:
    """Runs a compiled program; returns its results, without a token.

    Args:
        data: the `FastpathData` of the program.
        leaves: the leaves of the call.
        lowered: says whether the program takes and returns tokens.
        sharding: where it runs.
        waits: whether its effects have happened when this returns: in evaluation, what
            Python does next comes after them.

    Raises:
        RuntimeError: `jax_no_execution` is on.
    """
    if options.no_execution.value:
        raise errors.runtime_error(
            "A compiled program was called while jax_no_execution is on.",
            [("arguments", str(len(leaves)))],
            "Tracing, lowering and compiling go on; nothing is executed.",
            "Leave the block of jax.no_execution() first.",
        )
    transfer_guard.check_operands(leaves, sharding)
    leaves = conversions.all_converted(leaves)
    if not lowered.has_token:
        try:
            return data.run(leaves)
        except errors.JaxRuntimeError:
            here = device_put_get.brought_over(leaves, sharding)
            if here is None:
                raise
            return data.run(here)
    if lowered.is_ordered:
        token, *outs = data.run([_token_for(sharding), *leaves])
    else:
        token, *outs = data.run(leaves)
    with _lock:
        _pending[:] = [t for t in _pending if not _is_done(t)]
        _pending.append(token)
        if lowered.is_ordered and not _in_callback.depth:
            _last[sharding.ordered_devices] = token
    if waits:
        settle([token])
    return outs


def settle(waiting: Sequence[Any] | None = None) -> None:
    """Waits until the effects of programs have happened; the barrier reports failures.

    Args:
        waiting: the tokens of the programs; None: those of all called so far.
    """
    if _in_callback.depth:
        return
    if waiting is None:
        with _lock:
            waiting = list(_pending)
    for token in waiting:
        with contextlib.suppress(RuntimeError):
            token.block_until_ready()


def is_token(array: Any) -> bool:
    """Whether an array is the token of a program, which no user has made."""
    return any(array is token for token in (*_last.values(), *_pending))


def _token_for(sharding):
    # The program around a callback cannot end before the callback: nothing to wait for.
    with _lock:
        token = None if _in_callback.depth else _last.get(sharding.ordered_devices)
    if token is None or _has_failed(token):
        return device_put_get.put(np.zeros((0,), np.bool_), sharding)
    return token


def _has_failed(token):
    return token.is_ready() and not _is_done(token)


def _is_done(token):
    """Whether a program has ended well; one that failed waits for the barrier."""
    if not token.is_ready():
        return False
    try:
        token.block_until_ready()
    except RuntimeError:
        return False
    return True


def effects_barrier() -> None:
    """Waits until the effects of all programs called so far have happened.

    Raises:
        JaxRuntimeError: a program failed, for example because a callback raised.
    """
    if _in_callback.depth:
        return
    with _lock:
        waiting = list(_pending)
        _pending.clear()
        _last.clear()
    failure = None
    for token in waiting:
        try:
            token.block_until_ready()
        except RuntimeError as error:
            failure = failure or error
    if failure is not None:
        raise failure


def forget() -> None:
    """Forgets the programs with effects: nobody waits for them, or is told of their errors."""
    with _lock:
        _pending.clear()
        _last.clear()


def wait_for_ordered() -> None:
    """Waits until the ordered effects of the programs called so far have happened."""
    with _lock:
        waiting = list(_last.values())
    settle(waiting)


atexit.register(effects_barrier)
