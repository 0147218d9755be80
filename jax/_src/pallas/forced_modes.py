"""How kernels are interpreted that do not ask for it."""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any


class _Forced(threading.local):
    mode: Any = None


_forced = _Forced()


def current() -> Any:
    """What kernels are run with instead of their own `interpret`; None: their own."""
    return _forced.mode


def set_mode(mode: Any) -> None:
    """Sets it from now on; None: their own again."""
    _forced.mode = mode


@contextlib.contextmanager
def forced(mode: Any) -> Iterator[None]:
    """Sets it for a block."""
    before = _forced.mode
    _forced.mode = mode
    try:
        yield
    finally:
        _forced.mode = before
