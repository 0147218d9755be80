"""The exceptions that users may catch, re-exported by `jax.errors`.

Every message has four parts: what was requested, the facts, the rule that was broken,
and the way out. `explain` lays them out.
"""

from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from jax._src.base import slot

_E = TypeVar("_E", bound=Exception)
_P = ParamSpec("_P")

_PAGES = "docs/errors"


def explain(
    what: str, facts: Sequence[tuple[str, str]] = (), rule: str = "", ways: str = ""
) -> str:
    """Lays out the parts of a message: a sentence, a table, and what to do.

    Args:
        what: what was requested, in the user's words.
        facts: rows of name and value.
        rule: the rule that was broken, if `what` does not say it.
        ways: the way out, one line per intention.
    """
    width = max((len(name) for name, _ in facts), default=0)
    lines = [what]
    lines += [f"  {name:<{width}}  {value}" for name, value in facts]
    if rule:
        lines.append(rule)
    if ways:
        lines.append(ways)
    return "\n".join(lines)


def maker(kind: type[_E], text: Callable[_P, str]) -> Callable[_P, _E]:
    """Returns a function that makes errors of the class `kind`; `text`, such as `explain`, writes their message."""

    def make(*args: _P.args, **kwargs: _P.kwargs) -> _E:
        return kind(text(*args, **kwargs))

    return make


type_error = maker(TypeError, explain)
value_error = maker(ValueError, explain)
index_error = maker(IndexError, explain)
runtime_error = maker(RuntimeError, explain)
not_implemented = maker(NotImplementedError, explain)


class UnfitArgumentError(TypeError, ValueError):
    """An argument that has neither a type nor a value that the function takes.

    An array where an axis is needed is an example. Upstream JAX raises TypeError or
    ValueError, by what it checks first; programs that catch either one catch this class.
    """


class _DocumentedError(Exception):
    """An error with a documentation page, named in the last line of its message."""

    def __init__(self, message: str):
        page = f"{_PAGES}/{type(self).__name__}.md"
        super().__init__(f"{message}\nSee {page}")


class JAXTypeError(_DocumentedError, TypeError):
    """A value of the wrong type, or one that is traced where it must be known."""


class JAXIndexError(_DocumentedError, IndexError):
    """An index that cannot be used."""


class ConcretizationTypeError(JAXTypeError):
    """Python needed the value of an array whose type alone is known.

    Under `jit` and the other transformations, arrays stand for all values of one type.
    """


class TracerArrayConversionError(ConcretizationTypeError):
    """NumPy was given a traced array. Use the function of the same name in `jax.numpy`."""


class TracerIntegerConversionError(ConcretizationTypeError):
    """A traced array was used as an index of a Python sequence, or in `range`."""


class TracerBoolConversionError(ConcretizationTypeError):
    """A Python decision (`if`, `while`, `and`, `or`, `assert`) met a traced array."""


class NonConcreteBooleanIndexError(JAXIndexError):
    """A traced Boolean mask was used as an index: the result would have no known shape."""


class UnexpectedTracerError(JAXTypeError):
    """A traced value was used after its trace had ended, or outside of it."""


class KeyReuseError(JAXTypeError):
    """A random key was used twice (found by `jax_debug_key_reuse`)."""


# The canonical codes of statuses, by number.
_STATUS_CODES = (
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
)


class RepeatedWorkWarning(UserWarning):
    """Devices gather a sharded array, and all compute the same from it."""


class RecompilationWarning(UserWarning):
    """A function is compiled again and again for one reason."""


class UnexpectedCompilationError(RuntimeError):
    """Something was compiled within `jax.expect_no_compile`."""


# () -> a table of the largest arrays that are alive, "" where there are none.
table_of_arrays = slot.Slot(
    "what holds memory",
    "runtime",
    "jax._src.runtime.arrays.origins",
    "table_of_largest",
)
_TABLE_BEGINS = "The largest arrays that are alive"


class JaxRuntimeError(RuntimeError):
    """The compiler or a device reported an error.

    Where memory is used up, the message ends with the largest arrays that are alive, the
    lines that made them, and what holds them.
    """

    def __init__(self, *args: object):
        text = args[0] if args else None
        if isinstance(text, str) and _is_about_memory(text):
            args = (f"{text}\n{table}" if (table := _table()) else text, *args[1:])
        super().__init__(*args)

    @property
    def error_message(self) -> str:
        """The whole message, its code included."""
        return str(self)

    @property
    def error_code_string(self) -> str:
        """The name of the status code with which the message begins, or ``"UNKNOWN"``."""
        name = str(self).partition(":")[0]
        return name if name in _STATUS_CODES else "UNKNOWN"

    @property
    def error_code(self) -> int:
        """The number of the status code."""
        return _STATUS_CODES.index(self.error_code_string)


class DeletedArrayError(JaxRuntimeError, ValueError):
    """An array was used after it was deleted or donated.

    It is a `JaxRuntimeError` and a `ValueError`: JAX 0.10.2 raises the latter where a
    compiled function is given the array a second time, and programs catch either.
    """


def _is_about_memory(text):
    is_new = (
        _TABLE_BEGINS not in text
    )  # an error that comes out of a pickle has its table already
    return text.startswith("RESOURCE_EXHAUSTED") and "memory" in text and is_new


def _table():
    """Returns the table of arrays; "" where making it fails, which must not hide the error itself."""
    try:
        table = table_of_arrays()
    except Exception:
        return ""
    return f"{_TABLE_BEGINS}:\n{table}" if table else ""


class JaxprTypeError(TypeError):
    """A traced program is malformed."""


class InconclusiveDimensionOperation(Exception):
    """Two symbolic dimensions cannot be compared."""


for _error in (
    JAXTypeError,
    JAXIndexError,
    ConcretizationTypeError,
    TracerArrayConversionError,
    TracerIntegerConversionError,
    TracerBoolConversionError,
    NonConcreteBooleanIndexError,
    UnexpectedTracerError,
    KeyReuseError,
    RecompilationWarning,
    RepeatedWorkWarning,
    JaxRuntimeError,
    DeletedArrayError,
    JaxprTypeError,
    InconclusiveDimensionOperation,
    UnexpectedCompilationError,
    UnfitArgumentError,
):
    _error.__module__ = "jax.errors"


class IndivisibleError(ValueError):
    """An axis of an array cannot be cut evenly into as many parts as a sharding says."""


class DuplicateSpecError(ValueError):
    """A `PartitionSpec` uses an axis of its mesh twice."""


class ShardingTypeError(Exception):
    """The shardings of the operands leave the sharding of the result open."""


ShardingTypeError.__module__ = "jax._src.core"


class ForbiddenCollectiveError(Exception):
    """An operation communicates along a mesh axis inside of a block `no_collectives` that names it."""


ForbiddenCollectiveError.__module__ = "jax._src.core"
