"""Hides our frames in the tracebacks that users see.

`api_boundary` marks a function that users call. When an exception passes it, and no
boundary is further out, the entries of our files are taken out of its traceback.
`hides_frames` does so without checking what is further out, which costs next to
nothing: it is for functions that are called eagerly and often.
"""

import contextvars
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, TracebackType
from typing import Any, TypeVar

from jax._src.base import source, util

_F = TypeVar("_F", bound=Callable)


class _Boundaries:
    """Holds whether code runs inside of a boundary already.

    A class, and not a variable of the module: functions are pickled with the variables
    that they use, and with the names of classes.
    """

    inside: contextvars.ContextVar[bool] = contextvars.ContextVar(
        "jax_inside_boundary", default=False
    )


_NOTE = (
    "--------------------\n"
    "JAX left its own frames out of this traceback. "
    "JAX_TRACEBACK_FILTERING=off shows them."
)


_read_mode: Callable[[], str] = lambda: "auto"  # noqa: E731  (`follow` replaces it)


def follow(read_mode: Callable[[], str]) -> None:
    """Sets the function that reads the option `jax_traceback_filtering`."""
    global _read_mode
    _read_mode = read_mode


class UnfilteredStackTrace(Exception):
    """The cause of an error whose traceback was filtered. Its own traceback has all frames."""

    # The traceback that was filtered last; entries that were added in front of it since are not filtered yet.
    known: TracebackType | None = None


def _entries(
    traceback: TracebackType | None, end: TracebackType | None = None
) -> Iterator[TracebackType]:
    while traceback is not None and traceback is not end:
        yield traceback
        traceback = traceback.tb_next


def _chain(
    entries: Iterable[TracebackType], below: TracebackType | None = None
) -> TracebackType | None:
    """Returns a traceback with these entries, followed by those of another traceback."""
    for entry in reversed(list(entries)):
        below = TracebackType(below, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return below


def _mode() -> str:
    chosen = _read_mode()
    if chosen != "auto":
        return chosen
    shell = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return "tracebackhide" if shell and shell() else "quiet_remove_frames"


def hide(error: BaseException) -> None:
    """Hides our frames in the traceback of a caught error.

    The option `jax_traceback_filtering` says how: `remove_frames` takes them out and
    keeps them in a cause, `quiet_remove_frames` leaves a note instead, `tracebackhide`
    marks them for tools that know the mark, and `off` does nothing.
    """
    mode = _mode()
    traceback = error.__traceback__
    ours = [e for e in _entries(traceback) if source.is_ours(e)]
    if mode == "off" or not ours:
        return
    if mode == "tracebackhide":
        for entry in ours:
            entry.tb_frame.f_locals["__tracebackhide__"] = True
        return
    kept = _chain(source.user_frames(traceback))
    if mode == "remove_frames":
        _keep_as_cause(error, kept)
    elif _NOTE not in getattr(error, "__notes__", ()):
        error.add_note(_NOTE)
    error.__traceback__ = kept


def _keep_as_cause(error, kept):
    cause = error.__cause__
    if not isinstance(cause, UnfilteredStackTrace):
        cause = UnfilteredStackTrace(
            f"{type(error).__name__}: {error}\n\n"
            "All frames are above; those of JAX are left out below."
        )
        cause.__cause__, cause.__context__ = error.__cause__, error.__context__
        cause.__suppress_context__ = error.__suppress_context__
        error.__cause__ = cause
    new = _entries(error.__traceback__, end=cause.known)
    cause.__traceback__ = _chain(new, cause.__traceback__)
    cause.known = kept


def api_boundary(fun: _F) -> _F:
    """Decorates a public function: errors that leave it show only the user's frames."""

    @util.wraps(fun)
    def boundary(*args, **kwargs):
        __tracebackhide__ = True
        if _Boundaries.inside.get():
            return fun(*args, **kwargs)
        token = _Boundaries.inside.set(True)
        try:
            return fun(*args, **kwargs)
        except Exception as error:
            hide(error)
            raise
        finally:
            _Boundaries.inside.reset(token)

    return boundary


def hides_frames(fun: _F) -> _F:
    """Decorates a public function: errors that leave it show only the user's frames."""

    @util.wraps(fun)
    def boundary(*args, **kwargs):
        try:
            return fun(*args, **kwargs)
        except Exception as error:
            hide(error)
            raise

    return boundary


def hide_frames(namespace: dict[str, Any]) -> None:
    """Applies `hides_frames` to the public functions of a module.

    Args:
        namespace: ``globals()``, in the module's last line.
    """
    for name, value in list(namespace.items()):
        is_own = getattr(value, "__module__", None) == namespace["__name__"]
        if isinstance(value, FunctionType) and is_own and not name.startswith("_"):
            namespace[name] = hides_frames(value)


# The warnings that were given already, for each file of a user.
_warned: dict[str, dict] = {}


def warn(message: str, category: type[Warning]) -> None:
    """Gives a warning that names the line of the user's program, however many of our frames are between."""
    frame = source.capture(2).frame
    if frame is None:
        warnings.warn(message, category, stacklevel=3)
        return
    registry = _warned.setdefault(frame.file_name, {})
    warnings.warn_explicit(
        message, category, frame.file_name, frame.line, registry=registry
    )
