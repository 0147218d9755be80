"""What backward rules report beside cotangents: values by name, for those who request them."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, util
from jax._src.core import state


class Logs:
    """The entries of one backward pass, or of one of its programs.

    Args:
        are_wanted: whether somebody takes the values.
    """

    __slots__ = ("are_wanted", "entries", "inside", "trace")

    def __init__(self, are_wanted: bool):
        self.are_wanted = are_wanted
        self.entries: dict[str, Any] = {}
        # Keys whose values stay in a program, with the functions' names.
        self.inside: dict[str, str] = {}
        self.trace = state.current()

    def add(self, key: str, value: Any, name: str) -> None:
        """Keeps an entry of the function `name`.

        Raises:
            ValueError: there is one of this key.
        """
        self.refuse_twice(key, name)
        if state.current() is self.trace:
            self.entries[key] = value
        else:
            self.inside[key] = name

    def refuse_twice(self, key: str, name: str) -> None:
        """Refuses a key that is there.

        Raises:
            ValueError: the key is used already.
        """
        if key in self.entries or key in self.inside:
            raise errors.value_error(
                f"Duplicate backward-pass log key {key!r} from the backward rule of "
                f"{name}. Each key must be unique within a backward pass.",
                [("key", repr(key)), ("function", name)],
                ways="Put something that differs between the calls into the key.",
            )

    def values(self) -> dict[str, Any]:
        """The entries.

        Raises:
            NotImplementedError: one is of a function from which no values come.
        """
        for key, name in self.inside.items():
            raise errors.not_implemented(
                f"The log {key!r} of {name} is not available: the function is called "
                "inside a branch, or another function whose program is differentiated.",
                [("key", repr(key)), ("function", name)],
                "Logs come out of jax.jit, jax.vmap, jax.checkpoint and jax.lax.scan.",
            )
        return self.entries


class _Current(threading.local):
    logs: Logs | None = None


_current = _Current()


def are_wanted() -> bool:
    """Whether somebody takes what rules report in the block around."""
    return _current.logs is not None and _current.logs.are_wanted


@contextlib.contextmanager
def collect(wanted: bool | None = None) -> Iterator[Logs]:
    """Collects what rules report in a block.

    Args:
        wanted: whether somebody takes it; None: as in the block around.
    """
    before = _current.logs
    _current.logs = Logs(are_wanted() if wanted is None else wanted)
    try:
        yield _current.logs
    finally:
        _current.logs = before


def record(found: Any, rule: Any, name: str, how: str) -> None:
    """Keeps what the backward rule `rule` of the function `name` reports.

    Args:
        found: a dictionary of trees, or None.
        rule: the rule.
        name: the function that it belongs to.
        how: the method by which the rule was set.

    Raises:
        TypeError: it is something else. ValueError: a key was there already.
    """
    if found is None:
        return
    if not isinstance(found, dict):
        raise errors.type_error(
            f"Custom VJP bwd rule {util.function_name(rule)} was registered with {how}, "
            "and so must return None or a dict of backward-pass log entries, but got "
            f"{type(found).__name__}.",
            [("function", name)],
            ways='Return None, or values by name: {"norm": value}.',
        )
    if _current.logs is not None:
        for key, value in found.items():
            _current.logs.add(key, value, name)


class Reported:
    """What the rules in a program report: the tree of its last outputs, if they are wanted.

    Args:
        logs: what was collected while the program was traced.
        name: what the program is of.
    """

    __slots__ = ("inside", "name", "structure")

    def __init__(self, logs: Logs, name: str):
        self.name = name
        kept = logs.entries if logs.are_wanted else {}
        dropped = {} if logs.are_wanted else dict.fromkeys(logs.entries, name)
        self.structure = tree.tree_structure(kept)
        self.inside = {**dropped, **logs.inside}

    @staticmethod
    def outputs(logs: Logs) -> list[Any]:
        """The last outputs of the program."""
        return tree.tree_leaves(logs.entries) if logs.are_wanted else []

    def keep(self, values: Sequence[Any]) -> None:
        """Keeps what a run of the program gave, in the block around, if there is one.

        Args:
            values: one for each of its last outputs.

        Raises:
            ValueError: a key was there already.
        """
        logs = _current.logs
        if logs is None:
            return
        for key, value in tree.tree_unflatten(self.structure, values).items():
            logs.add(key, value, self.name)
        for key, name in self.inside.items():
            logs.refuse_twice(key, name)
            logs.inside[key] = name
