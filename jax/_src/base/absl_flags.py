"""Options as flags of absl, for programs that parse their command line with it.

absl is not needed by anything else, so it is imported where a program asks for it.
"""

import importlib
import itertools
import sys
from collections.abc import Iterable
from typing import Any


def _definer(flags: Any, kind: type) -> Any:
    return {
        bool: flags.DEFINE_bool,
        int: flags.DEFINE_integer,
        float: flags.DEFINE_float,
    }.get(kind, flags.DEFINE_string)


def _as_text(value: Any) -> Any:
    """A member of an enumeration, or a truth value, by its name in small letters."""
    if isinstance(value, bool):
        return str(value).lower()
    return value.name.lower() if hasattr(value, "name") else value


def _as_choice(option: Any, value: Any) -> Any:
    """The truth value among an option's choices that a flag's text names; other values as they are."""
    named = {
        _as_text(choice): choice
        for choice in option.choices or ()
        if isinstance(choice, bool)
    }
    return named.get(value, value)


def define(options: Iterable[Any]) -> Any:
    """Defines a flag for each option, with the values they have; returns `absl.flags`.

    Raises:
        ImportError: absl is not installed.
    """
    flags = load()
    for option in options:
        if option.name in flags.FLAGS:
            continue
        if option.choices and option.kind is str:
            names = [_as_text(choice) for choice in option.choices]
            value = _as_text(option.process_value)
            flags.DEFINE_enum(option.name, value, names, option.help)
        else:
            value = option.process_value
            if option.kind is str and not isinstance(value, str):
                value = None  # an object that no text stands for
            _definer(flags, option.kind)(option.name, value, option.help)
    return flags


def load() -> Any:
    """The module `absl.flags`.

    Raises:
        ImportError: absl is not installed.
    """
    return importlib.import_module("absl.flags")


def run(main: Any) -> None:
    """Parses the command line and runs a program."""
    importlib.import_module("absl.app").run(main)


def given(options: Iterable[Any], flags: Any) -> dict[str, Any]:
    """The values of the flags that the command line or the program has set."""
    return {
        option.name: _as_choice(option, flags.FLAGS[option.name].value)
        for option in options
        if option.name in flags.FLAGS and flags.FLAGS[option.name].present
    }


def parse(flags: Any) -> None:
    """Parses what in the command line begins with ``--jax``, up to ``--``."""
    words = itertools.takewhile(lambda word: word != "--", sys.argv)
    ours = [word for word in words if word.startswith("--jax")]
    flags.FLAGS(["", *ours], known_only=True)


def after_start(callback: Any) -> None:
    """Calls `callback` when ``absl.app.run`` has parsed the command line."""
    importlib.import_module("absl.app").call_after_init(callback)
