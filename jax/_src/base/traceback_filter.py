"""Hides our frames in the tracebacks that users see.

`api_boundary` marks a function that users call. When an exception passes it, and no
boundary lies further out, the entries of our files are taken out of its traceback.
"""

import contextvars
from collections.abc import Callable
from types import TracebackType
from typing import TypeVar

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
