"""The line of progress that build/build.py shows while Bazel compiles."""

import io
import json
import sys

import pytest

from tests.house import tree

sys.path.insert(0, str(tree.ROOT / "build"))

import progress  # noqa: E402


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Build:
    """A build of so many files, which a test drives."""

    def __init__(self, folder, files, out):
        self.events = folder / "events.json"
        self.clock = Clock()
        self.out = out
        self.progress = progress.Progress(
            out, progress.Events(self.events), files, self.clock
        )

    def compile(self, number, kind="CppCompile"):
        with self.events.open("a") as file:
            for _ in range(number):
                file.write(json.dumps({"id": {}, "action": {"type": kind}}) + "\n")

    def say(self, line, seconds=60.0):
        """Bazel writes a line after so many seconds; returns what that adds to the output."""
        self.clock.now += seconds
        before = len(self.out.getvalue())
        self.progress.read(line + "\n")
        return self.out.getvalue()[before:]


def test_a_log_has_files_done_files_to_do_and_time_left(tmp_path):
    build = Build(tmp_path, 300, io.StringIO())
    assert build.say("Loading: 0 packages loaded") == (
        "build: looking at what has changed\n"
    )
    build.compile(2)
    assert build.say("[10 / 900] Compiling a.cpp; 3s local") == (
        "build: 2 C++ files compiled, 298 to do\n"
    )
    build.compile(100)
    assert build.say("[120 / 900] Compiling b.cpp; 3s local", 200) == (
        "build: 102 C++ files compiled, 198 to do, about 7 min left\n"
    )
    build.compile(198)
    build.compile(1, "CppLink")
    assert build.say("[880 / 900] Linking x.so; 3s local", 400) == (
        "build: 300 C++ files compiled, linking and packing\n"
    )


def test_a_log_gets_a_line_every_half_minute_and_all_that_is_no_progress(tmp_path):
    build = Build(tmp_path, 10, io.StringIO())
    assert build.say("[1 / 20] Compiling a.cpp")
    assert build.say("[2 / 20] Compiling b.cpp", 1) == ""
    assert build.say("a.cpp:1:1: error: no such thing", 1) == (
        "a.cpp:1:1: error: no such thing\n"
    )
    assert build.say("[3 / 20] Compiling c.cpp", 30).startswith("build: ")


def test_a_terminal_gets_one_line_drawn_again(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    build = Build(tmp_path, 10, Terminal())
    first = build.say("[1 / 20] Compiling a_name_that_is_rather_long.cpp; 1s")
    assert first.startswith("\r\x1b[Kbuild: 0 C++ files compiled, 10 to do  Compiling")
    assert "\n" not in first and len(first.removeprefix("\r\x1b[K")) == 59
    error = build.say("a.cpp:1:1: error: no such thing", 0.0)
    assert error.startswith("\r\x1b[Ka.cpp:1:1: error: no such thing\n\r\x1b[Kbuild: ")
    build.progress.clear()
    assert build.out.getvalue().endswith("\r\x1b[K")


def test_files_that_are_up_to_date_are_not_to_do(tmp_path):
    build = Build(tmp_path, 300, io.StringIO())
    assert "at most 7 to do" in build.say("[893 / 900] Compiling a.cpp")


def test_time_left_of_a_build_that_is_mostly_in_the_cache_is_that_of_its_actions(
    tmp_path,
):
    build = Build(tmp_path, 1000, io.StringIO())
    build.compile(1)
    build.say("[300 / 700] Compiling a.cpp")
    build.compile(8)
    # Eight files took a minute, and 292 others were found done meanwhile.
    assert build.say("[600 / 700] Compiling b.cpp") == (
        "build: 9 C++ files compiled, at most 100 to do, about 20 s left\n"
    )


def test_an_event_half_written_is_read_when_it_is_whole(tmp_path):
    path = tmp_path / "events.json"
    events = progress.Events(path)
    assert events.compiled() == 0
    whole = json.dumps({"action": {"type": "CppCompile"}})
    path.write_text(whole + "\n" + whole[:12])
    assert events.compiled() == 1
    path.write_text(whole + "\n" + whole + "\n")
    assert events.compiled() == 1


@pytest.mark.parametrize(
    "seconds, text",
    [(1, "5 s"), (42, "40 s"), (58, "1 min"), (400, "7 min"), (4800, "1 h 20 min")],
)
def test_durations_as_a_person_says_them(seconds, text):
    assert progress.duration(seconds) == text
