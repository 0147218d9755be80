"""The module paths and names of upstream that third-party libraries import, found by one table.

`names.table` says for each path which names it has there and which object of ours each of them is. A module
that this package does not have is made when it is first imported; one that it has is given the names that it
lacks. Both look an object up when the name is first used, so `import jax` loads nothing more.

This module loads before everything else below `jax._src`: importing it puts the finder in place.
"""

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from jax._src.base import gone, releases
from jax._src.compat.names import members, table as names


def load(module: str, name: str) -> Any:
    """The object that a row of the table names.

    Args:
        module: a path of upstream's.
        name: a name there.

    Raises:
        AttributeError: the table has no such row.
    """
    source = names.rows(module).get(name)
    if source is None:
        raise AttributeError(gone.message(module, name))
    path, _, attribute = source.partition(":")
    found: Any = importlib.import_module(path)
    if not attribute:
        return found
    hidden = {**vars(found).get("_gone", {}), **vars(found).get("_to_go", {})}
    return hidden[attribute] if attribute in hidden else getattr(found, attribute)


class _Names(ModuleType):
    """A module with names of the table: what is set here is set where the object is from.

    So a function or primitive that a library replaces is replaced for the functions of
    ours that look it up by the same name.
    """

    def __getattr__(self, name: str) -> Any:
        before = vars(self)["_getattr_before"]
        is_to_go = name in gone.to_go(self.__name__)
        if before is not None and (is_to_go or name not in names.rows(self.__name__)):
            return before(name)
        found = vars(self)[name] = load(self.__name__, name)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        home = self._home(name)
        if home is not None:
            module, attribute = home
            originals = vars(self)["_originals"]
            originals.setdefault(name, getattr(module, attribute))
            setattr(module, attribute, value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        originals = vars(self)["_originals"]
        if name in originals:
            module, attribute = self._home(name)  # type: ignore[misc]
            setattr(module, attribute, originals.pop(name))
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        listed = vars(self).get("_dir_before")
        own = listed() if listed else vars(self)
        return sorted({*own, *names.rows(self.__name__)})

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        # Functions that are sent to other processes name the modules that they use.
        return importlib.import_module, (self.__name__,)

    def _home(self, name):
        """The private module that an object is from, and its name there; None for others."""
        if name.startswith("__"):
            return None
        path, _, attribute = names.rows(self.__name__).get(name, "").partition(":")
        if not attribute or not path.startswith("jax._src."):
            return None
        return importlib.import_module(path), attribute


def extend(module: ModuleType) -> None:
    """Gives a module the names of the table that it lacks."""
    own = vars(module)
    for name in names.REPLACED.get(module.__name__, "").split():
        own.pop(name, None)
    own["_getattr_before"] = own.pop("__getattr__", None)
    own["_dir_before"] = own.pop("__dir__", None)
    own["_originals"] = {}
    module.__class__ = _Names
    if module.__name__ in names.PACKAGES and "__path__" not in own:
        own["__path__"] = []  # only the table has modules below it


def explain_gone(module: ModuleType) -> None:
    """Makes the error for a name that a module once had say what to use instead."""

    def refuse(name: str) -> Any:
        raise AttributeError(gone.message(module.__name__, name))

    vars(module).setdefault("__getattr__", refuse)


def drop(module: ModuleType) -> None:
    """Takes from a module the names that it no longer has in the chosen release.

    They stay where the table finds them, for private paths that still have them.
    """
    own = vars(module)
    dropped = releases.gone(module.__name__)
    own["_gone"] = {name: own.pop(name) for name in dropped if name in own}
    key = "_getattr_before" if "_getattr_before" in own else "__getattr__"
    before = own.get(key)
    if before is None:
        return

    def load_what_is_left(name: str) -> Any:
        if name in dropped:
            raise AttributeError(
                f"module {module.__name__!r} has no attribute {name!r}"
            )
        return before(name)

    own[key] = load_what_is_left


class _Member:
    """A member of a class of ours that libraries use: taken from `compat.members` when it is first used."""

    __slots__ = ("_listed", "_name", "_owner")

    def __init__(self, owner: type, listed: str, name: str):
        self._owner = owner
        self._listed = listed  # the class's name in the table
        self._name = name

    def __get__(self, instance: Any, kind: type | None = None) -> Any:
        source = importlib.import_module("jax._src.compat.members")
        found = vars(getattr(source, f"{self._listed}Members"))[self._name]
        setattr(self._owner, self._name, found)
        return getattr(kind if instance is None else instance, self._name)


def install_members(module: ModuleType) -> None:
    """Gives the classes of a module what only libraries use of them."""
    for name, listed in members.TABLE[module.__name__].items():
        owner = getattr(module, name)
        for member in listed.split():
            setattr(owner, member, _Member(owner, name, member))


def warn_of(module: ModuleType, names_to_go: list[str]) -> None:
    """Makes a module warn at the first use of each name that is to go.

    Until then the names are not in the module's dictionary, so that Python asks its ``__getattr__`` for them.
    """
    own = vars(module)
    hidden = own["_to_go"] = {n: own.pop(n) for n in names_to_go if n in own}
    is_listed = isinstance(module, _Names)
    key = "_getattr_before" if is_listed else "__getattr__"
    before = own.get(key)

    def load_and_warn(name: str) -> Any:
        if name in hidden:
            found = hidden[name]
        elif is_listed and name in names.rows(module.__name__):
            found = load(module.__name__, name)
        elif before is not None:
            found = before(name)
        else:
            raise AttributeError(gone.message(module.__name__, name))
        if name in names_to_go:
            message = gone.warning(module.__name__, name)
            level = 3 if is_listed else 2
            warnings.warn(message, DeprecationWarning, stacklevel=level)
            own[name] = found
        return found

    own[key] = load_and_warn


class _Absent:
    """Loads a module that is only in the table."""

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Python makes the module."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Gives the module its names."""
        module.__doc__ = "Names at the path where third-party libraries look for them."
        extend(module)


class Finder:
    """Finds the modules of the table, before Python looks in folders."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """How a module of the table is loaded; None for every other one.

        Raises:
            ModuleNotFoundError: the chosen release has the module no more.
        """
        if releases.IS_NEW and name in releases.GONE_MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        drops, to_go = bool(releases.gone(name)), gone.to_go(name)
        is_listed = name in names.TABLE or name in members.TABLE
        if not (is_listed or drops or to_go or name in gone.MODULES):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            is_package = name in names.PACKAGES
            return ModuleSpec(name, _Absent(), is_package=is_package)  # type: ignore[arg-type]
        execute = spec.loader.exec_module

        def execute_and_extend(module: ModuleType) -> None:
            execute(module)
            if name in members.TABLE:
                install_members(module)
            if name in names.TABLE:
                extend(module)
            elif name in gone.MODULES:
                explain_gone(module)
            if drops:
                drop(module)
            if to_go:
                warn_of(module, to_go)

        spec.loader.exec_module = execute_and_extend  # type: ignore[method-assign]
        return spec


sys.meta_path.insert(0, Finder)  # type: ignore[arg-type]
# It was imported before.
extend(sys.modules["jax._src"])
