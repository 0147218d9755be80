"""`jax.debug.print`: formatted values out of running programs."""

import logging
import string
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, records, traceback_filter
from jax._src.base.traceback_filter import api_boundary
from jax._src.debugging.callback import call, refuse_arguments

_log = logging.getLogger("jax.debug")


class _Checker(string.Formatter):
    """Looks whether a format fits its arguments, without formatting them."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return ""

    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion not in (None, "s", "r", "a"):
            raise ValueError(f"Unknown conversion specifier {conversion!s}")
        return ""

    def check_unused_args(
        self, used_args: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        unused = [i for i in range(len(args)) if i not in used_args]
        names = [name for name in kwargs if name not in used_args]
        if unused or names:
            facts = [(f"argument {i}", "unused") for i in unused]
            facts += [(name, "unused") for name in names]
            which = "keyword" if names else "positional"
            raise errors.value_error(
                f"Unused {which} arguments to `jax.debug.print`: the format has no "
                "field for them.",
                facts,
                'You may be passing an f-string (i.e, `f"{x}"`), which formats the '
                "stand-ins of the trace.",
                "Give each a field: {} by position, {name} by name, in a plain string.",
            )


class _Print:
    """What the program calls; equal where it prints the same, so that jit remembers it."""

    def __init__(self, fmt: str, use_logging: bool):
        self.fmt = fmt
        self.use_logging = use_logging
        self.settings = tuple(
            (k, v) for k, v in np.get_printoptions().items() if _has_hash(v)
        )
        self.__name__ = "print"

    def _key(self):
        return self.fmt, self.use_logging, self.settings

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Print) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        options: dict[str, Any] = dict(self.settings)
        with np.printoptions(**options):
            text = self.fmt.format(*args, **kwargs)
        if self.use_logging:
            _log.info(text)
        else:
            sys.stdout.write(text + "\n")


def _has_hash(value):
    return isinstance(value, str | int | float | type(None))


@api_boundary
def print(
    fmt: str | None = None,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    skip_format_check: bool = False,
    _use_logging: bool = False,
    **kwargs: Any,
) -> Any:
    """Prints values when the program has them; works under every transformation.

    Args:
        fmt: a format string as of ``str.format``; no f-string, which would format the
            stand-ins of the trace. None: returns a function that takes it and the values.
        *args: trees, for the fields by position.
        ordered: whether lines come in the order in which they stand in the program.
        partitioned: whether each of several devices prints the parts that it has. Else one
            prints whole arrays.
        skip_format_check: whether to find out only when printing that the format does
            not fit.
        **kwargs: trees, for the fields by name.

    Raises:
        IndexError, KeyError: the format names an argument that is not there.
        ValueError: the format is malformed, or leaves an argument out.

    Examples:
        >>> show = jax.jit(lambda x: jax.debug.print("x = {x:.2f}", x=x))
        >>> show(1.0); jax.effects_barrier()
        x = 1.00
    """
    options = _Options(ordered, partitioned, skip_format_check, _use_logging)
    if fmt is None:
        refuse_arguments("jax.debug.print", args, kwargs)
        return lambda fmt, *args, **kwargs: _show(fmt, args, kwargs, options)
    _show(fmt, args, kwargs, options)
    return None


@records.record
class _Options:
    """How values are shown."""

    ordered: bool
    partitioned: bool
    skips_check: bool
    use_logging: bool


def _show(fmt, args, kwargs, options):
    if not isinstance(fmt, str):
        raise errors.type_error(
            "jax.debug.print: the first argument must be a format string.",
            [("got", f"a value of type {type(fmt).__name__}")],
            ways='To print one value: jax.debug.print("{}", x).',
        )
    if not options.skips_check:
        _Checker().vformat(fmt, args, kwargs)
    call(
        _Print(fmt, options.use_logging),
        args,
        kwargs,
        ordered=options.ordered,
        partitioned=options.partitioned,
    )


def log(
    fmt: str | None = None,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    skip_format_check: bool = False,
    _use_logging: bool = True,
    **kwargs: Any,
) -> Any:
    """`jax.debug.print` to the logger ``jax.debug``, at the level INFO.

    Args:
        fmt: a format string as of ``str.format``.
        *args: trees, for the fields by position.
        ordered: whether lines come in the order in which they stand in the program.
        partitioned: whether each of several devices prints the parts that it has. Else one
            prints whole arrays.
        skip_format_check: whether to find out only later that the format does not fit.
        **kwargs: trees, for the fields by name.
    """
    options = {"ordered": ordered, "partitioned": partitioned}
    return print(
        fmt,
        *args,
        skip_format_check=skip_format_check,
        _use_logging=_use_logging,
        **options,
        **kwargs,
    )


traceback_filter.hide_frames(globals())
