"""Classes whose objects live on the hosts of devices: in one process, here."""

import functools as ft
import threading
import uuid
from collections.abc import Callable
from typing import Any

from jax._src.colocated import functions

_HIDDEN = frozenset(("__init__", "__new__", "__class__", "__del__"))


class _InstanceStore:
    """The objects behind those that users hold, made when a method is first called."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._makers: dict[int, Callable[[], Any]] = {}
        self._objects: dict[int, Any] = {}

    def add(self, maker: Callable[[], Any]) -> int:
        """A number for an object to be made."""
        number = uuid.uuid4().int
        with self._lock:
            self._makers[number] = maker
        return number

    def get(self, number: int) -> Any:
        """The object of a number."""
        with self._lock:
            if number not in self._objects:
                self._objects[number] = self._makers[number]()
            return self._objects[number]

    def remove(self, number: int) -> None:
        """Forgets an object."""
        with self._lock:
            self._makers.pop(number, None)
            self._objects.pop(number, None)

    def __len__(self) -> int:
        return len(self._makers)


instances = _InstanceStore()


def _method(cls, name):
    method = getattr(cls, name)

    @ft.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return vars(self)[name](*args, **kwargs)

    return call


def wrap_class(cls: type[object], cls_sourceinfo: str | None) -> type[object]:
    """A class with the methods of `cls`, each a `colocated_python` function.

    Args:
        cls: the class.
        cls_sourceinfo: what messages call it; None: what they call its methods.
    """
    names = [
        name
        for name in dir(cls)
        if callable(getattr(cls, name))
        and (not name.startswith("__") or name == "__call__")
        and name not in _HIDDEN
    ]

    class Colocated:
        """Stands for an object that lives on a host."""

        def __init__(self, *args: Any, **kwargs: Any):
            self._number = instances.add(lambda: cls(*args, **kwargs))
            # Before the methods of the class, to have `specialize`.
            vars(self).update({name: self._bound(name) for name in names})

        def _bound(self, name):
            number = self._number

            @ft.wraps(getattr(cls, name))
            def call(*args: Any, **kwargs: Any) -> Any:
                return getattr(instances.get(number), name)(*args, **kwargs)

            source = functions._source_of(getattr(cls, name))
            if cls_sourceinfo is not None:
                source = f"{name} of {cls_sourceinfo}"
            return functions.make_callable(call, source, functions._signature_of(call))

        def __del__(self) -> None:
            number = vars(self).get("_number")
            if number is not None:
                instances.remove(number)

    for name in names:
        setattr(Colocated, name, _method(cls, name))
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(Colocated, name, getattr(cls, name))
    return Colocated


def colocated_python_class(cls: type[object]) -> type[object]:
    """A class whose objects live where the devices of their methods' arguments are.

    Methods are `colocated_python` functions; attributes stay on the host. The object is
    made when the first method is called.

    Args:
        cls: the class.
    """
    return wrap_class(cls, functions._source_of(cls))
