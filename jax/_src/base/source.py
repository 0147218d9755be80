"""Where in the user's program something happened.

A source location is captured as code objects and offsets, which is cheap and keeps no local
variable alive; lines are looked up only when somebody asks.
"""

import contextvars
import itertools
import linecache
import os
import sys
import threading
from collections.abc import Iterator
from types import CodeType, FrameType, TracebackType

from jax._src.base import records

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_STDLIB = os.path.dirname(os.path.abspath(os.__file__))
# Results of `is_internal` by file; emptied when the prefixes change.
_is_internal: dict[str, bool] = {}
_lock = threading.Lock()

FRAME_LIMIT = 12


class _Prefixes(list[str]):
    """Prefixes of the names of files whose frames users do not see.

    Libraries add and remove prefixes. A path that is added twice, for tracebacks and for
    locations, is stored once, so that removing it once shows its frames again.
    """

    def append(self, path: str) -> None:
        """Hides the frames of a file or folder."""
        with _lock:
            if path not in self:
                super().append(path)
            _is_internal.clear()

    def remove(self, path: str) -> None:
        """Shows the frames of a file or folder again."""
        with _lock:
            super().remove(path)
            _is_internal.clear()


internal_prefixes = _Prefixes(
    [
        _PACKAGE + os.sep,
        "<frozen ",
        "<string>",
        *(os.path.join(_STDLIB, name) for name in ("contextlib.py", "functools.py")),
    ]
)


def register_exclusion(path: str) -> None:
    """Hides the frames of the file or folder `path` from messages and locations."""
    internal_prefixes.append(path)


# Prefixes of files in hidden folders whose frames users see nevertheless.
_shown_prefixes: list[str] = []


def register_inclusion(path: str) -> None:
    """Shows the frames of the file or folder `path`, which is in one that is hidden."""
    with _lock:
        _shown_prefixes.append(path)
        _is_internal.clear()


def is_internal(filename: str) -> bool:
    """Whether a file belongs to us, or to a library that is registered as internal."""
    known = _is_internal.get(filename)
    if known is None:
        known = any(map(filename.startswith, internal_prefixes)) and not any(
            map(filename.startswith, _shown_prefixes)
        )
        _is_internal[filename] = known
    return known


def include_frame(frame: FrameType) -> bool:
    """Whether users see a frame: it is neither ours nor that of a library which hides its frames."""
    return not is_internal(frame.f_code.co_filename)


@records.record
class Frame:
    """One line of the user's program."""

    file_name: str
    line: int
    end_line: int
    column: int
    end_column: int
    function: str

    def __str__(self) -> str:
        return f"{os.path.basename(self.file_name)}:{self.line}"


class Location:
    """A stack of the user's frames, innermost first.

    The first `own` of them belong to the program that was traced; the others are those of
    whoever called its trace, and of no account where the program runs again.
    """

    __slots__ = ("_frames", "codes", "own")

    def __init__(self, codes: tuple[tuple[CodeType, int], ...], own: int | None = None):
        self.codes = codes
        self.own = len(codes) if own is None else own
        self._frames: tuple[Frame, ...] | None = None

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames, innermost first."""
        if self._frames is None:
            self._frames = tuple(frame_of(code, offset) for code, offset in self.codes)
        return self._frames

    @property
    def frame(self) -> Frame | None:
        """The innermost frame, or None if all frames were ours."""
        return self.frames[0] if self.codes else None

    def __str__(self) -> str:
        """``file.py:12 in `function```, for messages."""
        frame = self.frame
        return "an unknown location" if frame is None else self.text_of(frame)

    @staticmethod
    def text_of(frame: Frame) -> str:
        """``file.py:12 in `function```, for messages."""
        if frame.function == "<module>":
            return str(frame)
        return f"{frame} in `{frame.function}`"


UNKNOWN = Location(())


def frame_of(code: CodeType, offset: int) -> Frame:
    """The line of the program at an offset into a code object."""
    line, end_line, column, end_column = _position(code, offset // 2)
    return Frame(
        code.co_filename,
        line or code.co_firstlineno,
        end_line or line or code.co_firstlineno,
        column or 0,
        end_column or 0,
        code.co_name,
    )


def _position(code, index):
    """Where the instruction of a number is in the file: lines and columns, None where unknown."""
    unknown = (None, None, None, None)
    if index < 0 or not hasattr(code, "co_positions"):
        return unknown
    return next(itertools.islice(code.co_positions(), index, None), unknown)


class Replay:
    """Operations that were traced before and are evaluated again: a context manager.

    What they bring about is attributed to the lines where they were written: the frames of
    `location` that belong to the program, which changes with each operation, stand in for
    those above the evaluation. Frames of rules that users wrote stay in front of them.
    """

    __slots__ = ("frame", "location", "outer", "token")

    def __init__(self, location: Location = UNKNOWN):
        self.location = location
        self.frame: FrameType | None = None
        self.outer: Replay | None = None

    def __enter__(self) -> "Replay":
        self.frame = sys._getframe(1)
        self.outer = _replays.get()
        self.token = _replays.set(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        _replays.reset(self.token)
        self.frame = self.outer = None


_replays: contextvars.ContextVar[Replay | None] = contextvars.ContextVar(
    "replay", default=None
)


def capture(
    depth: int = 1,
    stop: FrameType | None = None,
    below: tuple[tuple[CodeType, int], ...] = (),
) -> Location:
    """The user's frames above the caller's `depth`-th caller.

    Args:
        depth: how many callers to leave out.
        stop: where to stop; the frames below it are known already:
        below: the entries of the user's frames from `stop` on.
    """
    frame: FrameType | None = sys._getframe(depth)
    codes: list[tuple[CodeType, int]] = []
    known = _is_internal
    replay = _replays.get()
    replaying = None if replay is None else replay.frame
    while frame is not stop and frame is not None:
        if frame is replaying and replay is not None:
            codes += replay.location.codes[: replay.location.own]
            replay = replay.outer
            replaying = None if replay is None else replay.frame
            if len(codes) >= FRAME_LIMIT:
                return Location(tuple(codes[:FRAME_LIMIT]))
        code = frame.f_code
        name = code.co_filename
        internal = known.get(name)
        if internal is None:
            internal = is_internal(name)
        if not internal:
            codes.append((code, frame.f_lasti))
            if len(codes) >= FRAME_LIMIT:
                return Location(tuple(codes[:FRAME_LIMIT]))
        frame = frame.f_back
    if frame is None:
        return Location(tuple(codes))
    return Location((*codes, *below)[:FRAME_LIMIT], len(codes))


def source_line(frame: Frame) -> str:
    """The text of the program at `frame`, or an empty string when it cannot be read."""
    return linecache.getline(frame.file_name, frame.line).strip()


def is_ours(entry: TracebackType) -> bool:
    """Whether an entry of a traceback is in an internal file."""
    return is_internal(entry.tb_frame.f_code.co_filename)


def user_frames(traceback: TracebackType | None) -> Iterator[TracebackType]:
    """The entries of a traceback that are not ours."""
    while traceback is not None:
        if not is_ours(traceback):
            yield traceback
        traceback = traceback.tb_next
