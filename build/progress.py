"""One line that says how far a build is: C++ files compiled, files to do, time left."""

import json
import pathlib
import re
import shutil
import time
from collections.abc import Iterable
from typing import TextIO

COMPILATIONS = ("CppCompile", "CppPrecompile")
# Bazel's own progress: `[1,234 / 2,345] Compiling x.cpp; 3s local`, `Loading: 3 packages loaded`.
ACTIONS = re.compile(r"\[([\d,]+) / ([\d,]+)\] ?(.*)")
# What Bazel says of itself in every build.
ROUTINE = re.compile(
    r"(Loading|Analyzing): "
    r"|INFO: (Invocation ID|Analyzed|Found|Elapsed|\d+ process|Build completed|Build Event)"
)
# Lines are written this often to a terminal, and to a log.
TERMINAL_SECONDS, LOG_SECONDS = 0.5, 30
# Files that must be compiled before their speed says something.
ENOUGH = 8


class Events:
    """What Bazel has compiled, from the file of events that it writes (--build_event_publish_all_actions)."""

    def __init__(self, path: pathlib.Path):
        self.path = path
        self.position = 0
        self.rest = b""

    def compiled(self) -> int:
        """The number of files compiled since the last call; those that Bazel took from its cache count, too."""
        if not self.path.exists():
            return 0
        with self.path.open("rb") as file:
            file.seek(self.position)
            new = file.read()
        self.position += len(new)
        *lines, self.rest = (self.rest + new).split(b"\n")
        actions = (json.loads(line).get("action") for line in lines)
        return sum(bool(a) and a.get("type") in COMPILATIONS for a in actions)


def duration(seconds: float) -> str:
    """A time to come as a person says it: `40 s`, `3 min`, `1 h 20 min`."""
    if seconds < 55:
        return f"{max(5, round(seconds / 5) * 5)} s"
    minutes = round(seconds / 60)
    return (
        f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
    )


class Progress:
    """Turns Bazel's output into one line of progress; whatever is no progress passes through.

    `files` is the number of C++ files in the whole build, those that are up to date included.
    """

    def __init__(self, out: TextIO, events: Events, files: int, clock=time.monotonic):
        self.out = out
        self.events = events
        self.files = files
        self.clock = clock
        self.compiled = 0
        self.first: float | None = None  # when the first file was seen compiled
        self.before = 0  # files compiled by then
        self.actions_before = 0  # actions of all kinds done by then
        self.actions_done = 0
        self.actions_left: int | None = None
        self.doing = ""
        self.shown: float | None = None
        self.on_terminal = out.isatty()

    def to_do(self) -> int:
        """Files not yet compiled: no more than the actions of all kinds that Bazel has left."""
        left = max(0, self.files - self.compiled)
        return left if self.actions_left is None else min(left, self.actions_left)

    def may_be_fewer(self) -> bool:
        """Whether files are up to date or in the cache, which Bazel finds out one by one: it has fewer actions left."""
        return (self.actions_left or 0) < self.files - self.compiled

    def seconds_left(self) -> float | None:
        """At the speed of this build so far; None until enough files show it."""
        done = self.compiled - self.before
        if self.first is None or done < ENOUGH:
            return None
        spent = self.clock() - self.first
        if self.may_be_fewer() and self.actions_left is not None:
            actions = max(1, self.actions_done - self.actions_before)
            return spent / actions * self.actions_left
        return spent / done * self.to_do()

    def text(self) -> str:
        if self.actions_left is None:
            return "looking at what has changed"
        to_do, left = self.to_do(), self.seconds_left()
        bound = "at most " if self.may_be_fewer() else ""
        parts = [f"{self.compiled} C++ files compiled", f"{bound}{to_do} to do"]
        if not to_do:
            parts = [parts[0], "linking and packing"]
        elif left is not None:
            parts.append(f"about {duration(left)} left")
        return ", ".join(parts)

    def read_all(self, lines: Iterable[str]) -> None:
        """Takes Bazel's output to its end."""
        for line in lines:
            self.read(line)
        self.clear()

    def read(self, line: str) -> None:
        """Takes a line of Bazel's."""
        line = line.rstrip("\n")
        if match := ACTIONS.match(line):
            done, total = (int(number.replace(",", "")) for number in match.group(1, 2))
            self.actions_left, self.actions_done = total - done, done
            self.doing = match[3].split(";")[0]
            self.compiled += self.events.compiled()
            if self.first is None and self.compiled:
                self.first, self.before = self.clock(), self.compiled
                self.actions_before = done
        elif not ROUTINE.match(line):
            self.clear()
            self.out.write(line + "\n")
            self.shown = None if self.on_terminal else self.shown
        self.show()

    def show(self) -> None:
        """Writes the line where its time has come."""
        now, wait = self.clock(), TERMINAL_SECONDS if self.on_terminal else LOG_SECONDS
        if self.shown is not None and now - self.shown < wait:
            return
        self.shown = now
        line = f"build: {self.text()}"
        if self.on_terminal:
            line = f"{line}  {self.doing}" if self.doing else line
            width = shutil.get_terminal_size().columns - 1
            self.out.write("\r\x1b[K" + line[:width])
        else:
            self.out.write(line + "\n")
        self.out.flush()

    def clear(self) -> None:
        """Takes the line off a terminal."""
        if self.on_terminal:
            self.out.write("\r\x1b[K")
        self.out.flush()
