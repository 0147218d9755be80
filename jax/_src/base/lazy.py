"""Modules that are imported at their first use, so that `import jax` stays quick.

Only re-export modules use this: a package names the submodules that few programs want, and Python asks the package's
``__getattr__`` for them (PEP 562). ``import package.name`` works as ever. A re-export module that is loaded before what it
lists the names that a package offers and the module of each.
"""

import importlib
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from jax._src.base import doc_examples, gone


def submodules(package: str, names: tuple[str, ...]) -> Callable[[str], ModuleType]:
    """The ``__getattr__`` of a package that imports its submodules `names` at their first use."""

    def load(name: str) -> ModuleType:
        if name in names:
            return importlib.import_module(f"{package}.{name}")
        raise AttributeError(gone.message(package, name))

    return load


def names(package: str, modules: dict[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package that imports a name from its module in `modules` at its first use."""

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(gone.message(package, name))
        found = getattr(importlib.import_module(modules[name]), name)
        setattr(sys.modules[package], name, found)
        doc_examples.attach(
            package
        )  # the name was not there when the package's got theirs
        return found

    return load


def listing(package: str, names: Iterable[str]) -> Callable[[], list[str]]:
    """The ``__dir__`` of such a package: what it holds, and what it would load."""
    return lambda: sorted({*vars(sys.modules[package]), *names})
