"""The user's frames as MLIR locations."""

import re
from typing import Any

from jax._src.base import options, source
from jax._src.lib.mlir import ir


class Locations:
    """Makes locations for one module; equal source locations are made once."""

    def __init__(self) -> None:
        self._frames: dict[tuple[int, int], Any] = {}
        self._stacks: dict[tuple, Any] = {}
        self._named: dict[tuple, Any] = {}
        self._limit = max(0, options.traceback_in_locations_limit.value)
        if not options.include_full_tracebacks_in_locations.value:
            self._limit = min(self._limit, 1)
        dropped = options.hlo_source_file_canonicalization_regex.value
        self._dropped = re.compile(dropped) if dropped else None

    def _file(self, name: str) -> str:
        """The name of a file without what `jax_hlo_source_file_…_regex` matches."""
        return self._dropped.sub("", name) if self._dropped else name

    def _frame(self, code: Any, offset: int) -> Any:
        key = (id(code), offset)
        found = self._frames.get(key)
        if found is None:
            frame = source.frame_of(code, offset)
            line = ir.Location.file(
                self._file(frame.file_name), frame.line, frame.column
            )
            found = self._frames[key] = ir.Location.name(frame.function, childLoc=line)
        return found

    def of(self, location: source.Location, name: str) -> Any:
        """The location of an operation called `name`, traced at `location`."""
        codes = location.codes[: self._limit]
        key = tuple([(id(code), offset) for code, offset in codes])
        found = self._named.get((key, name))
        if found is not None:
            return found
        stack = self._stacks.get(key)
        if stack is None:
            frames = [self._frame(code, offset) for code, offset in codes]
            if not frames:
                stack = ir.Location.unknown()
            elif len(frames) == 1:
                stack = frames[0]
            else:
                stack = ir.Location.callsite(frames[0], frames[1:])
            self._stacks[key] = stack
        found = self._named[(key, name)] = ir.Location.name(name, childLoc=stack)
        return found
