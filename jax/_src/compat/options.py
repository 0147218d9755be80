"""Options that libraries declare and read at upstream's names."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import config


def trace_context() -> tuple:
    """The values of the options that change what is traced: a part of keys of caches."""
    return config.config.trace_key()


def update(name: str, val: Any) -> None:
    """Sets an option for the whole process."""
    config.config.update(name, val)


def read(name: str) -> Any:
    """The value of an option."""
    return config.config.read(name)


def parse_flags_with_absl() -> None:
    """Reads options from the command line of a program that uses absl."""
    config.config.parse_flags_with_absl()


def _watched(option, hook):
    if hook is not None:
        hook(option.value)
        config.config.on_change(lambda: hook(option.value))
    return option


def bool_state(
    name: str,
    default: bool,
    help: str,
    *,
    update_global_hook: Callable | None = None,
    update_thread_local_hook: Callable | None = None,
    upgrade: bool = False,
    extra_description: str = "",
    include_in_jit_key: bool = False,
    include_in_trace_context: bool = False,
    validator: Callable | None = None,
) -> config.Option:
    """Declares an option that is true or false.

    Args:
        name: its name, which begins with ``jax_``.
        default: its value where neither the environment nor the user sets it.
        help: what it does.
        update_global_hook: called with the value now, and when a value has changed.
        update_thread_local_hook: accepted.
        upgrade: accepted.
        extra_description: accepted.
        include_in_jit_key: whether programs depend on it.
        include_in_trace_context: whether programs depend on it.
        validator: accepted.
    """
    traced = include_in_jit_key or include_in_trace_context
    return _watched(config.boolean(name, default, help, traced), update_global_hook)


def int_state(
    name: str, default: int, help: str, *, update_global_hook: Any = None, **_: Any
) -> config.Option:
    """Declares an option that is a whole number; arguments as those of `bool_state`."""
    return _watched(config.integer(name, default, help), update_global_hook)


def float_state(
    name: str, default: float, help: str, *, update_global_hook: Any = None, **_: Any
) -> config.Option:
    """Declares an option that is a number; arguments as those of `bool_state`."""
    return _watched(config.number(name, default, help), update_global_hook)


def string_state(
    name: str, default: Any, help: str, *, update_global_hook: Any = None, **_: Any
) -> config.Option:
    """Declares an option that is a string; arguments as those of `bool_state`."""
    return _watched(config.text(name, default, help), update_global_hook)


def enum_state(
    name: str,
    enum_values: Sequence[str],
    default: Any,
    help: str,
    *,
    update_global_hook: Any = None,
    include_in_jit_key: bool = False,
    include_in_trace_context: bool = False,
    **_: Any,
) -> config.Option:
    """Declares an option with a list of values; other arguments as those of `bool_state`."""
    traced = include_in_jit_key or include_in_trace_context
    option = config.choice(name, default, list(enum_values), help, traced)
    return _watched(option, update_global_hook)
