"""Source locations in the user's program and named scopes, as libraries handle them."""

import types
from typing import Any

from jax._src.base import source
from jax._src.core import jaxpr, state


def current() -> jaxpr.SourceInfo:
    """The user's frames here and the named scopes."""
    return jaxpr.SourceInfo(source.capture(), current_name_stack())


def new_source_info() -> jaxpr.SourceInfo:
    """No source location and no scopes."""
    return jaxpr.SourceInfo(source.UNKNOWN, jaxpr.no_names)


def current_name_stack() -> jaxpr.NameStack:
    """The named scopes here."""
    return jaxpr.NameStack(state.scopes())


def new_name_stack(name: str = "") -> jaxpr.NameStack:
    """A stack of one scope, or of none."""
    return jaxpr.NameStack((name,) if name else ())


def summarize(source_info: Any, num_frames: int = 1) -> str:
    """The innermost frames of a source location, one per line."""
    location = getattr(source_info, "traceback", source_info)
    frames = location.frames[:num_frames]
    lines = [f"{f.file_name}:{f.line}:{f.column} ({f.function})" for f in frames]
    return "\n".join(lines) or "unknown"


class _Scopes:
    """A block with other named scopes; also a decorator."""

    def __init__(self) -> None:
        self.prev: Any = None

    def _names(self) -> tuple[str, ...]:
        raise NotImplementedError

    def __enter__(self) -> jaxpr.NameStack:
        names = self._names()
        self.prev = state.replace_scopes(names)
        return jaxpr.NameStack(names)

    def __exit__(self, *_: object) -> None:
        state.leave_scopes(self.prev)

    def __call__(self, fun: Any) -> Any:
        def inside(*args, **kwargs):
            with type(self)(*self._args()):  # type: ignore[call-arg]
                return fun(*args, **kwargs)

        return inside

    def _args(self) -> tuple:
        return ()


class extend_name_stack(_Scopes):
    """A block inside one more scope."""

    def __init__(self, name: str):
        super().__init__()
        self.name = name

    def _names(self) -> tuple[str, ...]:
        return (*state.scopes(), self.name)

    def _args(self) -> tuple:
        return (self.name,)


class transform_name_stack(extend_name_stack):
    """A block whose scopes stand inside a transformation, such as ``vmap``."""

    def _names(self) -> tuple[str, ...]:
        return (*state.scopes(), state.Transform(self.name))


class set_name_stack(_Scopes):
    """A block with the scopes that are given."""

    def __init__(self, name_stack: jaxpr.NameStack):
        super().__init__()
        self.name_stack = name_stack

    def _names(self) -> tuple[str, ...]:
        return self.name_stack.stack

    def _args(self) -> tuple:
        return (self.name_stack,)


class reset_name_stack(_Scopes):
    """A block outside all scopes."""

    def _names(self) -> tuple[str, ...]:
        return ()


class user_context:
    """A block whose errors are shown as raised where `traceback` says.

    Args:
        traceback: a source location in the user's program, or None.
        name_stack: the named scopes of the block.
    """

    def __init__(self, traceback: Any, *, name_stack: Any = None):
        self.traceback = traceback
        self.name_stack = name_stack
        self.prev: Any = None

    def __enter__(self) -> None:
        names = state.scopes() if self.name_stack is None else self.name_stack.stack
        self.prev = state.replace_scopes(names)

    def __exit__(
        self, kind: Any, error: BaseException | None, frames: types.TracebackType | None
    ) -> None:
        state.leave_scopes(self.prev)
        if error is not None and self.traceback is not None:
            error.add_note(f"at {summarize(self.traceback)}")
