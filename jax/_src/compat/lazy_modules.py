"""Packages of libraries whose submodules are imported when they are first named."""

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any


def attach(
    package_name: str, submodules: Sequence[str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """What a package assigns to ``__getattr__``, ``__dir__`` and ``__all__``.

    Args:
        package_name: where the submodules are.
        submodules: their names.

    Raises:
        RuntimeError: the caller is no module.
    """
    owner = sys._getframe(1).f_globals.get("__name__")
    if owner is None:
        raise RuntimeError("Cannot determine the ``__name__`` of the caller.")
    names = list(submodules)

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module '{package_name}' has no attribute '{name}'")
        found = importlib.import_module(f"{package_name}.{name}")
        setattr(sys.modules[owner], name, found)
        return found

    return get, lambda: names, names
