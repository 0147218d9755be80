"""All caches, so that one call clears them and one call counts them."""

import functools as ft
import threading
import weakref
from collections.abc import Callable, Hashable
from typing import Any

_caches: dict[str, Callable[[], None]] = {}
_lock = threading.Lock()


def register(name: str, clear: Callable[[], None]) -> None:
    """Makes `clear_all` call `clear`; `name` says what it forgets."""
    with _lock:
        _caches[name] = clear


def clear_all() -> None:
    """Empties every registered cache."""
    with _lock:
        clears = list(_caches.values())
    for clear in clears:
        clear()


def clear_caches() -> None:
    """Forgets all traced and compiled programs.

    Raises:
        Nothing.
    """
    clear_all()


def memoize(maxsize: int | None = 4096) -> Callable[[Callable], Callable]:
    """Remembers results by the (hashable) arguments; registered here."""

    def decorate(fun: Callable) -> Callable:
        cached = ft.lru_cache(maxsize)(fun)
        register(f"{fun.__module__}.{fun.__qualname__}", cached.cache_clear)
        return cached

    return decorate


class FunctionCache:
    """Results per function and frozen key; an entry dies with its function.

    Equal functions share entries. A bound method, which is a new object on each access,
    shares those of an equal one that is still held, and no longer: what it found in its
    object may have changed since.
    """

    def __init__(self, name: str):
        self._by_function: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()
        register(name, self.clear)

    def entries(self, fun: Callable) -> dict[Hashable, Any]:
        """The entries of `fun`, by key: a dict to look up in and to fill."""
        with self._lock:
            try:
                return self._by_function.setdefault(fun, {})
            except TypeError:
                # Not hashable, or not weakly referable: nothing can be remembered.
                return {}

    def clear(self) -> None:
        """Drops all entries."""
        with self._lock:
            self._by_function.clear()
