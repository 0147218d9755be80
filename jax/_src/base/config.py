"""The configuration: one typed list of options, each with its variable `JAX_…`.

An option has a process-wide value, set by the environment or by `config.update`,
and may have a value for the current context, set by ``with option(value):``.
Options that change what a trace produces form the *trace key*, a part of the key
of every cache of traced programs.
"""

import contextvars
import enum
import importlib
import operator
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

from jax._src.base import absl_flags, byte_counts
from jax._src.base.traceback_filter import hides_frames


class NumpyDtypePromotion(enum.StrEnum):
    """The values of `jax_numpy_dtype_promotion`."""

    STANDARD = "standard"
    STRICT = "strict"


class ExplicitX64Mode(enum.Enum):
    """What happens to an explicit 64-bit dtype while `jax_enable_x64` is off."""

    WARN = 1
    ERROR = 2
    ALLOW = 3


class LegacyPrngKeyState(enum.StrEnum):
    """What happens when a raw `uint32` array is used as a random key."""

    ALLOW = "allow"
    WARN = "warn"
    ERROR = "error"


class RuntimeTracebackMode(enum.StrEnum):
    """The values of `jax_send_traceback_to_runtime`."""

    OFF = "off"
    ON = "on"
    FULL = "full"


# Values for the current context, by option name; None where there are none.
_overrides: contextvars.ContextVar[dict[str, Any] | None] = contextvars.ContextVar(
    "jax_config_overrides", default=None
)
overrides_variable = _overrides
_process_values: dict[str, Any] = {}
_lock = threading.RLock()


_NOT_GIVEN = object()


class _NoMember(TypeError):
    """A value is neither a member of an option's enumeration nor the name of one."""


class Option:
    # One option; calling it gives a context manager that sets it for a while. Its docstring is that of the option.
    __slots__ = (
        "__doc__",
        "choices",
        "convert",
        "default",
        "help",
        "is_traced",
        "kind",
        "name",
        "on_block",
        "on_update",
    )

    def __init__(
        self, name, default, convert, help, *, choices=None, traced=False, kind=str
    ):
        self.name = name
        self.default = default
        self.convert = convert
        self.help = self.__doc__ = help
        self.choices = choices
        self.is_traced = traced
        # The type of a value as a flag of a command line has it.
        self.kind = kind
        self.on_update: list[Callable[[Any], None]] = []
        # Called with the new value when a context manager for a block of code is made.
        self.on_block: list[Callable[[Any], None]] = []

    @property
    def value(self) -> Any:
        """The value in the current context."""
        overrides = _overrides.get()
        if overrides is not None and self.name in overrides:
            return overrides[self.name]
        return _process_values[self.name]

    @property
    def process_value(self) -> Any:
        """The value for the whole process."""
        return _process_values[self.name]

    def check(self, value: Any) -> Any:
        """Returns `value` as this option stores it, or raises `ValueError`."""
        try:
            return self.convert(value)
        except (ValueError, TypeError, KeyError) as error:
            wanted = (
                "one of " + ", ".join(repr(c) for c in self.choices)
                if self.choices
                else getattr(self.convert, "wanted", "another type of value")
            )
            kind = TypeError if isinstance(error, _NoMember) else ValueError
            raise kind(
                f"jax.config: {self._rule()}, got {value!s} of type {type(value)}.\n"
                f"  option  {self.name!r} cannot be {value!r}\n"
                f"  wanted  {wanted}\n"
                f"  means   {self.help}"
            ) from None

    def _rule(self):
        """Returns the rule that a value breaks, worded as libraries expect it."""
        if hasattr(self.convert, "rule"):
            return self.convert.rule
        if self.choices and isinstance(self.choices[0], enum.Enum):
            return f"new enum value must be an instance of {type(self.choices[0])}"
        or_none = "None or " if self.default is None else ""
        if self.choices:
            return f"new enum value must be {or_none}in {list(self.choices)}"
        if self.kind in (int, float):
            name = self.kind.__name__
            return f"new {name} config value must be None or of type {name}"
        name = {str: "string"}.get(self.kind, self.kind.__name__)
        return f"new {name} config value must be {or_none}of type {self.kind.__name__}"

    @hides_frames
    def __call__(self, new_val: Any = _NOT_GIVEN) -> "Setting":
        """A context manager under which this option has the value `new_val`.

        Options that are true or false are true where none is given.
        """
        if new_val is _NOT_GIVEN:
            if self.kind is not bool:
                raise TypeError(
                    f"jax.config: a value for {self.name!r} is missing.\n"
                    f"  means   {self.help}\n"
                    f"Write with jax.{self.name.removeprefix('jax_')}(value):"
                )
            new_val = True
        checked = self.check(new_val)
        for callback in self.on_block:
            callback(checked)
        return Setting({self.name: checked})

    def __bool__(self) -> bool:
        raise TypeError(
            f"{self.name} was used as a truth value.\n"
            f"Read it as jax.config.{self.name}; set it for a block of code with "
            "`with`."
        )

    def __repr__(self) -> str:
        return f"<option {self.name}={self.value!r}>"


def of_options(compute: Callable[[], Any]) -> Callable[[], Any]:
    """Decorates a function of options alone: it is called again only after one of them changed.

    For functions that read several options and run at every call of a user's function.
    """
    remembered: tuple[Any, int, Any] = (None, -1, None)

    def read():
        nonlocal remembered
        overrides, generation = _overrides.get(), config._generation
        known_overrides, known_generation, value = remembered
        if known_overrides is overrides and known_generation == generation:
            return value
        value = compute()
        # The entry holds the overrides, so that their address is not used again.
        remembered = overrides, generation, value
        return value

    read.__name__, read.__doc__ = compute.__name__, compute.__doc__
    read.__module__, read.__qualname__ = compute.__module__, compute.__qualname__
    return read


class Setting:
    """A context manager that holds some options at some values. May be re-entered."""

    __slots__ = ("outer", "values")

    def __init__(self, values: dict[str, Any]):
        self.values = values
        self.outer: list[dict[str, Any] | None] = []

    def __enter__(self) -> None:
        outer = _overrides.get()
        self.outer.append(outer)
        _overrides.set(self.values if outer is None else {**outer, **self.values})

    def __exit__(self, *exc_info: object) -> None:
        # Not `reset`: CPython 3.11 answers with the dead overrides afterwards, if a
        # callback of the garbage collector reads the variable while it is reset.
        _overrides.set(self.outer.pop())

    def __call__(self, fun: Callable) -> Callable:
        """Decorates `fun` to run under these options."""

        def with_setting(*args, **kwargs):
            with Setting(self.values):
                return fun(*args, **kwargs)

        with_setting.__name__ = getattr(fun, "__name__", "with_setting")
        with_setting.__doc__ = fun.__doc__
        with_setting.__wrapped__ = fun
        return with_setting


_TRUE = frozenset({"1", "true", "t", "yes", "y", "on"})
_FALSE = frozenset({"0", "false", "f", "no", "n", "off", ""})


def _to_bool(value):
    if isinstance(value, str):
        if value.lower() in _TRUE:
            return True
        if value.lower() in _FALSE:
            return False
        raise ValueError(value)
    if value is True or value is False or value in (0, 1):
        return bool(value)
    raise ValueError(value)


def _to_int(value):
    if isinstance(value, bool):
        raise ValueError(value)
    return int(value) if isinstance(value, str) else operator.index(value)


def _within(least, largest):
    def convert(value):
        number = _to_int(value)
        if not least <= number <= largest:
            raise ValueError(value)
        return number

    convert.wanted = f"a whole number from {least} to {largest}"
    return convert


def _to_str(value):
    if not isinstance(value, str):
        raise ValueError(value)
    return value


_to_bool.wanted = "True or False"
_to_int.wanted = "a whole number"
_to_str.wanted = "a string"


def _to_float(value):
    if isinstance(value, bool):
        raise ValueError(value)
    return float(value)


_to_float.wanted = "a number"


def _optional(convert):
    def convert_optional(value):
        return None if value is None or value == "" else convert(value)

    convert_optional.wanted = f"{getattr(convert, 'wanted', 'a value')}, or None"
    return convert_optional


def _one_of(choices, optional):
    def convert(value):
        if value is None and optional:
            return None
        if value not in choices:
            raise ValueError(value)
        return value

    return convert


def _member_of(kind):
    def convert(value):
        if isinstance(value, kind):
            return value
        if isinstance(value, str):
            return kind[value.upper()]
        raise _NoMember

    return convert


_given = absl_flags.given


class Config:
    """All options by their names; `config` is the only instance."""

    def __init__(self):
        object.__setattr__(self, "_options", {})
        object.__setattr__(self, "_generation", 0)
        object.__setattr__(self, "_key_of_process", None)
        object.__setattr__(self, "_callbacks", [])
        object.__setattr__(self, "_flags", None)
        object.__setattr__(self, "_has_parsed", False)

    def declare(self, option: Option) -> Option:
        """Adds `option` and reads its environment variable."""
        if option.name in self._options:
            raise ValueError(f"Config option {option.name} already defined.")
        text = os.environ.get(option.name.upper())
        value = option.default if text is None else option.check(text)
        with _lock:
            self._options[option.name] = option
            _process_values[option.name] = value
            self._changed()
        for notify in self._callbacks:
            notify()
        return option

    def _changed(self):
        object.__setattr__(self, "_generation", self._generation + 1)
        object.__setattr__(self, "_key_of_process", None)

    def option(self, name: str) -> Option:
        """The option of that name.

        Raises:
            AttributeError: there is none.
        """
        option = self._options.get(name)
        if option is None:
            near = [n for n in self._options if name.removeprefix("jax_") in n][:3]
            near = near or importlib.import_module("difflib").get_close_matches(
                name, self._options
            )
            hint = f" Similar: {', '.join(near)}." if near else ""
            raise AttributeError(f"Unrecognized config option: {name}.{hint}")
        return option

    @hides_frames
    def update(self, name: str, val: Any) -> None:
        """Sets the option `name` for the whole process.

        Raises:
            AttributeError: there is no such option.
            ValueError: the option does not take this value.
        """
        option = self.option(name)
        checked = option.check(val)
        with _lock:
            _process_values[name] = checked
            self._changed()
        for callback in option.on_update:
            callback(checked)
        for notify in self._callbacks:
            notify()

    @hides_frames
    def read(self, name: str) -> Any:
        """The value of the option `name` in the current context."""
        return self.option(name).value

    _read = read  # as libraries call it

    @property
    def values(self) -> dict[str, Any]:
        """The process-wide values of all options, by name."""
        return dict(_process_values)

    @property
    def x64_enabled(self) -> bool:
        """Whether 64-bit types are kept."""
        return self.option("jax_enable_x64").value

    @property
    def meta(self) -> dict[str, tuple]:
        """For each option the type of its flag, its choices, and what it is for."""
        return {
            name: (option.kind, list(option.choices or ()), {"help": option.help})
            for name, option in self._options.items()
        }

    @property
    def use_absl(self) -> bool:
        """Whether options are flags of absl too."""
        return self._flags is not None

    def add_option(
        self, name: str, holder: Any, opt_type: Any, meta_args: Any, meta_kwargs: Any
    ) -> None:
        """Declares an option of a library, which accepts every value.

        Args:
            name: its name.
            holder: an object whose ``value`` is the default.
            opt_type: the type of its values: bool, int, float or str.
            meta_args: not used.
            meta_kwargs: ``help`` says what it is for.

        Raises:
            Exception: there is an option of that name.
        """
        del meta_args
        if name in self._options:
            raise Exception(f"jax.config: there is an option {name!r} already.")
        convert = {bool: _to_bool, int: _to_int, float: _to_float}.get(opt_type)
        self.declare(
            Option(
                name,
                holder.value,
                _optional(convert) if convert else lambda value: value,
                meta_kwargs.get("help", ""),
                kind=opt_type if convert else str,
            )
        )

    def config_with_absl(self) -> None:
        """Makes each option a flag of absl; ``absl.app.run`` then sets them.

        Raises:
            ImportError: absl is not installed.
        """
        flags = absl_flags.define(self._options.values())
        object.__setattr__(self, "_flags", flags)
        absl_flags.after_start(lambda: self.complete_absl_config(flags))

    def complete_absl_config(self, absl_flags: Any) -> None:
        """Takes the options that the command line has set.

        Args:
            absl_flags: the module ``absl.flags``.
        """
        for name, value in _given(self._options.values(), absl_flags).items():
            self.update(name, value)

    def parse_flags_with_absl(self) -> None:
        """Takes options from the command line: what begins with ``--jax``, up to ``--``.

        Only the first call does.

        Raises:
            ImportError: absl is not installed.
        """
        if self._has_parsed:
            return
        self.config_with_absl()
        absl_flags.parse(self._flags)
        self.complete_absl_config(self._flags)
        object.__setattr__(self, "_has_parsed", True)

    @hides_frames
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # A copy under construction has no options yet.
            raise AttributeError(name)
        return self.option(name).value

    def __copy__(self) -> "Config":
        return self

    @hides_frames
    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"jax.config.{name} cannot be assigned.\n"
            f"Write jax.config.update({name!r}, {value!r})."
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._options]

    def trace_key(self) -> tuple:
        """The values of all options that a trace depends on; equal keys are often one object."""
        overrides = _overrides.get()
        if overrides is not None:
            return self.key_of(overrides)
        key = self._key_of_process
        if key is None:
            key = self.key_of({})
            object.__setattr__(self, "_key_of_process", key)
        return key

    def key_of(self, overrides: dict[str, Any]) -> tuple:
        """Returns the trace key for a context with these overrides."""
        return tuple(
            overrides.get(option.name, _process_values[option.name])
            for option in self._options.values()
            if option.is_traced
        )

    def key_differences(self, now: tuple, before: tuple) -> list[tuple[str, Any, Any]]:
        """The names of options that differ in two trace keys, and their values in each."""
        names = [o.name for o in self._options.values() if o.is_traced]
        found = zip(names, now, before, strict=False)
        return [(name, a, b) for name, a, b in found if a is not b and a != b]

    def on_change(self, callback: Callable[[], None]) -> None:
        """Calls `callback` after every change of a process-wide value, and new options."""
        self._callbacks.append(callback)


config = Config()


def boolean(name, default, help, traced=False) -> Option:
    """Declares an option that is true or false."""
    return config.declare(
        Option(name, default, _to_bool, help, traced=traced, kind=bool)
    )


def integer(name, default, help, bounds=None) -> Option:
    """Declares an option that is a whole number; of `bounds`, the least and the largest."""
    convert = _to_int if bounds is None else _within(*bounds)
    return config.declare(Option(name, default, convert, help, kind=int))


def optional_integer(name, default, help) -> Option:
    """Declares an option that is a whole number or None."""
    return config.declare(Option(name, default, _optional(_to_int), help, kind=int))


def number(name, default, help) -> Option:
    """Declares an option that is a number."""
    return config.declare(Option(name, default, _to_float, help, kind=float))


def bytes_of_memory(name, default, help, traced=False) -> Option:
    """Declares an option that is a size in bytes, which may be written with a unit."""
    return config.declare(
        Option(name, default, byte_counts.parse, help, traced=traced, kind=int)
    )


def text(name, default, help, traced=False) -> Option:
    """Declares an option that is a string; with the default None, an optional one."""
    convert = _optional(_to_str) if default is None else _to_str
    return config.declare(Option(name, default, convert, help, traced=traced))


def anything(name, default, help, traced=False) -> Option:
    """Declares an option whose values are checked where they are used."""
    return config.declare(Option(name, default, lambda x: x, help, traced=traced))


def choice(name, default, choices, help, traced=False, optional=False) -> Option:
    """Declares an option with a list of values; None too when it is the default."""
    convert = _one_of(choices, optional or default is None)
    return config.declare(
        Option(name, default, convert, help, choices=choices, traced=traced)
    )


def member(name, default, help, traced=False) -> Option:
    """Declares an option that is a member of the enumeration of its default."""
    kind = type(default)
    return config.declare(
        Option(name, default, _member_of(kind), help, choices=list(kind), traced=traced)
    )
