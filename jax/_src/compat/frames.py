"""Frames of the user's program, as libraries read them."""

import traceback
from collections.abc import Iterator
from types import CodeType, TracebackType
from typing import Any, NamedTuple

from jax._src.base import source


class Frame(NamedTuple):
    """One line of a program: lines count from 1, columns from 1."""

    file_name: str
    function_name: str
    start_line: int
    start_column: int
    end_line: int
    end_column: int


def _frame(found: source.Frame) -> Frame:
    return Frame(
        found.file_name,
        found.function,
        found.line,
        found.column + 1,
        found.end_line,
        found.end_column + 1,
    )


def raw_frame_to_frame(code: CodeType, lasti: int) -> Frame:
    """The line at an offset into a code object."""
    return _frame(source.frame_of(code, lasti))


def user_frames(location: Any) -> Iterator[Frame]:
    """The frames of a source location, the innermost first.

    Args:
        location: the `traceback` of a `SourceInfo`, that object itself, or None.
    """
    user_source = getattr(location, "traceback", location)
    return map(_frame, () if user_source is None else user_source.frames)


def user_frame(location: Any) -> Frame | None:
    """The innermost frame of a source location, or None."""
    return next(user_frames(location), None)


def is_user_filename(filename: str) -> bool:
    """Whether frames of a file are shown: it is neither ours nor a library's that hides."""
    return not source.is_internal(filename)


def filter_traceback(tb: TracebackType) -> TracebackType | None:
    """A traceback without our frames, and those of libraries that hide theirs."""
    kept = list(source.user_frames(tb))
    out = None
    for entry in reversed(kept):
        out = TracebackType(out, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return out


def format_exception_only(e: BaseException) -> str:
    """The class and message of an error, without a traceback."""
    return traceback.format_exception_only(e)[-1].rstrip("\n")
