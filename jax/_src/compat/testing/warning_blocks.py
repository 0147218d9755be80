"""Blocks that raise, record or ignore warnings, also where several threads run tests at once.

Python's own blocks change filters for the whole process. When `install_threadsafe_warning_handlers` was called, all
warnings come to one function, which asks the handlers of the current thread, the innermost first.
"""

import contextlib
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any


class _Handlers(threading.local):
    def __init__(self):
        self.stack: list[Callable[[warnings.WarningMessage], bool]] = []


_thread = _Handlers()


def _show(message, category, filename, lineno, file=None, line=None):
    found = warnings.WarningMessage(message, category, filename, lineno, file, line)
    if not any(handle(found) for handle in reversed(_thread.stack)):
        raise category(message)


def _is_installed():
    return warnings.showwarning is _show


def install_threadsafe_warning_handlers() -> None:
    """From now on warnings go to the handlers of the thread; one that none takes is raised."""
    warnings.showwarning = _show
    warnings.simplefilter("always")


@contextlib.contextmanager
def _handled_by(handle: Callable[[warnings.WarningMessage], bool]) -> Iterator[None]:
    _thread.stack.append(handle)
    try:
        yield
    finally:
        _thread.stack.pop()


@contextlib.contextmanager
def raise_on_warnings() -> Iterator[None]:
    """A block in which a warning is an error."""
    if not _is_installed():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
        return

    def handle(found):
        raise found.category(found.message)

    with _handled_by(handle):
        yield


@contextlib.contextmanager
def record_warnings() -> Iterator[list[Any]]:
    """A block with the list of the warnings in it."""
    if not _is_installed():
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            yield found
        return
    log: list[Any] = []

    def handle(found):
        log.append(found)
        return True

    with _handled_by(handle):
        yield log


@contextlib.contextmanager
def ignore_warning(
    *, message: str | None = None, category: type[Warning] = Warning
) -> Iterator[None]:
    """A block, or the body of a decorated function, in which some warnings do not count.

    Args:
        message: a regular expression for the beginning of the text; None: any text.
        category: their class.
    """
    if not _is_installed():
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=message or "", category=category)
            yield
        return

    def handle(found):
        return issubclass(found.category, category) and (
            not message or re.match(message, str(found.message)) is not None
        )

    with _handled_by(handle):
        yield
