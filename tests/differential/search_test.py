"""The search notices an executor that dies or hangs, and says which program it was."""

import os
import signal
import subprocess
import sys

import pytest

from tests.differential import generate, search
from tests.testing import patience

WORKER = """
import pathlib, sys, time
from tests.differential import search
journal = search.Journal(pathlib.Path(sys.argv[1]))
journal.read()
journal.begin(int(sys.argv[2]), sys.argv[3])
{}
"""


def start(tmp_path, action, seed=7, executor="native"):
    line = [sys.executable, "-c", WORKER.format(action)]
    line += [str(tmp_path), str(seed), executor]
    return subprocess.Popen(line, env={**os.environ, "PYTHONPATH": ":".join(sys.path)})


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("pass", ""),
        ("sys.exit(3)", "ended with status 3"),
        ("import os; os.abort()", "ended with SIGABRT"),
        ("time.sleep(600)", "was stopped after"),
    ],
)
def test_how_a_worker_ends_is_said(tmp_path, monkeypatch, action, expected):
    monkeypatch.setattr(search, "POLL_SECONDS", 0.05)
    if "sleep" in action:
        monkeypatch.setattr(search, "LIMIT_SECONDS", 3)
    journal = search.Journal(tmp_path)
    journal.begin(7, "native")
    ending = search._ending(start(tmp_path, action), journal)
    assert ending.startswith(expected) and bool(ending) == bool(expected)
    assert (journal.seed, journal.executor) == (7, "native")


@pytest.mark.parametrize(
    ("executor", "count"),
    [("native", search.UNEXPLAINED), ("xla", "crashed: xla")],
)
def test_a_death_is_counted_and_the_search_goes_on(
    tmp_path, monkeypatch, executor, count
):
    actions = {4: "import os; os.abort()", 5: "journal.counts['programs'] += 5"}

    def popen(line):
        seed = int(line[line.index("--seed") + 1])
        action = actions[seed] + "; journal.end(9)" * (seed == 5)
        return start(tmp_path, action, seed, executor)

    class Fake:
        Popen = staticmethod(popen)
        TimeoutExpired = subprocess.TimeoutExpired

    monkeypatch.setattr(search, "subprocess", Fake)
    journal = search.guarded("no plugin", 4, 6, tmp_path, ("native",))
    assert journal.counts == {count: 1, "programs": 6}
    assert journal.crashes == [4]
    kept = tmp_path / "4.mlir"
    assert kept.exists() == (executor == "native")
    if kept.exists():
        text = kept.read_text()
        assert text.startswith("// native: ended with SIGABRT")
        assert text.endswith(generate.generate(4).text)


def test_a_search_that_is_stopped_says_how_far_it_came(tmp_path):
    line = [sys.executable, "-m", "tests.differential.search", "--plugin"]
    line += [os.path.abspath(os.environ["CPU_PLUGIN"]), "--count", "1000000"]
    line += ["--out", str(tmp_path), "--executors", "native", "reference"]
    process = subprocess.Popen(
        line,
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    journal = search.Journal(tmp_path)

    def is_under_way():
        assert process.poll() is None
        return journal.read() and journal.counts["programs"] > 2

    patience.wait_for(is_under_way)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=patience.LIMIT_S)
    assert process.returncode != 0
    assert "ended early, after seed" in output and " programs\n" in output
