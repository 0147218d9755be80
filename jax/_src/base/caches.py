"""All caches, so that one call clears them and one call counts them."""

import functools as ft
import threading
import types
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


def memoize(maxsize: int | None = 4096) -> Callable[[Callable], Callable]:
    """Remembers results by the (hashable) arguments; registered here."""

    def decorate(fun: Callable) -> Callable:
        cached = ft.lru_cache(maxsize)(fun)
        register(f"{fun.__module__}.{fun.__qualname__}", cached.cache_clear)
        return cached

    return decorate


class FunctionCache:
    """Results per function and frozen key; an entry dies with its function.

    A method of an object is made on each access: its entries die with the object. Methods of
    objects that cannot be referenced weakly, such as lists, are held, by equality.
    """

    def __init__(self, name: str):
        self._by_function: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        # By the identity of the object, which the reference tells from one that was there
        # before it: per function of its class, the entries.
        self._by_object: dict[int, tuple[weakref.ref, dict[Any, dict]]] = {}
        self._strong: dict[Any, dict[Hashable, Any]] = {}
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0
        register(name, self.clear)

    def entries(self, fun: Callable) -> dict[Hashable, Any]:
        """The entries of `fun`, by key: a dict to look up in and to fill."""
        with self._lock:
            try:
                methods = self._methods_of(fun)
                if methods is not None:
                    return methods.setdefault(fun.__func__, {})
                if type(fun) in _TEMPORARY:
                    return self._strong.setdefault(fun, {})
                return self._by_function.setdefault(fun, {})
            except TypeError:
                # Not hashable, or not weakly referable: nothing can be remembered.
                return {}

    def _methods_of(self, fun):
        """The entries of the methods of the object whose method `fun` is; None if it is none."""
        if type(fun) is not types.MethodType:
            return None
        place = id(fun.__self__)
        found = self._by_object.get(place)
        if found is not None and found[0]() is fun.__self__:
            return found[1]
        try:
            # The garbage collector calls this at any time: it takes no lock.
            owner = weakref.ref(
                fun.__self__, lambda _: self._by_object.pop(place, None)
            )
        except TypeError:
            return None
        entries: dict[Any, dict] = {}
        self._by_object[place] = owner, entries
        return entries

    def clear(self) -> None:
        """Drops all entries."""
        with self._lock:
            self._by_function.clear()
            self._by_object.clear()
            self._strong.clear()


_TEMPORARY = (types.MethodType, types.BuiltinMethodType)
