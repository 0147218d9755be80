"""Hides our frames in the tracebacks that users see.

`api_boundary` marks a function that users call. When an exception passes it, and no
boundary lies further out, the entries of our files are taken out of its traceback.
`hides_frames` does so without asking what lies further out, which costs next to
nothing: it is for functions that are called eagerly and often.
"""

import contextvars
import warnings
from collections.abc import Callable
from types import FunctionType, TracebackType
from typing import Any, TypeVar

from jax._src.base import options, source, util

_F = TypeVar("_F", bound=Callable)

_inside: contextvars.ContextVar[bool] = contextvars.ContextVar(
    "jax_inside_boundary", default=False
)


def filtered(traceback: TracebackType | None) -> TracebackType | None:
    """A copy of `traceback` with the user's entries only."""
    kept = None
    for entry in reversed(list(source.user_frames(traceback))):
        kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return kept


def should_filter() -> bool:
    """Whether the option `jax_traceback_filtering` asks for hidden frames."""
    return options.traceback_filtering.value != "off"


def api_boundary(fun: _F) -> _F:
    """Decorates a public function: errors that leave it show only the user's frames."""

    @util.wraps(fun)
    def boundary(*args, **kwargs):
        __tracebackhide__ = True
        if _inside.get():
            return fun(*args, **kwargs)
        token = _inside.set(True)
        try:
            return fun(*args, **kwargs)
        except Exception as error:
            if should_filter():
                error.__traceback__ = filtered(error.__traceback__)
            raise
        finally:
            _inside.reset(token)

    return boundary


def hide(error: BaseException) -> None:
    """Takes the entries of our files out of the traceback of a caught error."""
    if should_filter():
        error.__traceback__ = filtered(error.__traceback__)


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


# What was warned of already, for each file of users.
_warned: dict[str, dict] = {}


def warn(message: str, category: type[Warning]) -> None:
    """Warns of a line of the user's program, however deep the caller lies."""
    frame = source.capture(2).frame
    if frame is None:
        warnings.warn(message, category, stacklevel=3)
        return
    registry = _warned.setdefault(frame.file_name, {})
    warnings.warn_explicit(
        message, category, frame.file_name, frame.line, registry=registry
    )
