"""Options that libraries declare and read at upstream's names."""

import functools as ft
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import config, errors


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


def string_or_object_state(
    name: str,
    default: Any,
    help: str,
    *,
    update_global_hook: Any = None,
    validator: Callable | None = None,
    include_in_jit_key: bool = False,
    include_in_trace_context: bool = False,
    **_: Any,
) -> config.Option:
    """Declares an option of any value, which `validator` refuses by raising."""
    traced = include_in_jit_key or include_in_trace_context
    option = config.anything(name, default, help, traced)
    if validator is not None:
        option.convert = ft.partial(_validated, validator)
    return _watched(option, update_global_hook)


def _validated(validator, value):
    validator(value)
    return value


def enum_class_state(
    name: str,
    enum_class: type,
    default: Any,
    help: str,
    *,
    update_global_hook: Any = None,
    include_in_jit_key: bool = False,
    include_in_trace_context: bool = False,
    **_: Any,
) -> config.Option:
    """Declares an option that is a member of an enumeration, or the name of one."""
    if not isinstance(default, enum_class):
        raise errors.type_error(
            "enum_class_state: the default is no member of the enumeration.",
            [("option", name), ("default", repr(default)), ("class", repr(enum_class))],
        )
    traced = include_in_jit_key or include_in_trace_context
    return _watched(config.member(name, default, help, traced), update_global_hook)


class Flag:
    """A value with a name that neither the user's program nor jit depends on.

    The environment variable of the name in capitals sets it.
    """

    def __init__(self, option: config.Option):
        self._option = option

    value = property(lambda self: self._option.value)

    def _set(self, value: Any) -> None:
        config.config.update(self._option.name, value)


def _flag_maker(declare):
    def make(name: str, default: Any, *args: Any, **kwargs: Any) -> Flag:
        return Flag(declare(name, default, *args, **kwargs))

    return make


def _declare_enum(name, default, choices, help, **kwargs):
    return enum_state(name, choices, default, help, **kwargs)


bool_flag = _flag_maker(bool_state)
int_flag = _flag_maker(int_state)
float_flag = _flag_maker(float_state)
string_flag = _flag_maker(string_or_object_state)
enum_flag = _flag_maker(_declare_enum)


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
