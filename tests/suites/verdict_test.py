"""The comparison of two runs counts what it should."""

import json
import subprocess
import sys

from tests.suites import recording, verdict

PASSED, FAILED, SKIPPED = ("passed", ""), ("failed", "E\nmore"), ("skipped", "")


def test_what_fails_there_too_does_not_count():
    found = verdict.judge({"a": PASSED, "b": FAILED}, {"a": PASSED, "b": FAILED})
    assert (found.there, found.here, found.losses) == (1, 1, ())
    assert found.is_good


def test_tests_that_fail_are_skipped_or_missing_here_are_lost():
    peer = dict.fromkeys("abcd", PASSED)
    found = verdict.judge(peer, {"a": PASSED, "b": FAILED, "c": SKIPPED})
    assert found.losses == (
        ("b", "failed: E"),
        ("c", "skipped: "),
        ("d", "not reached: "),
    )
    assert found.here == 1 and not found.is_good


def test_a_half_of_a_hundredth_may_fail():
    peer = dict.fromkeys(map(str, range(200)), PASSED)
    assert verdict.judge(peer, peer | {"7": FAILED}).is_good
    assert not verdict.judge(peer, peer | {"7": FAILED, "8": FAILED}).is_good


def test_a_run_in_which_nothing_passes_shows_nothing():
    assert not verdict.judge({}, {}).is_good
    assert not verdict.judge({"a": FAILED}, {"a": PASSED}).is_good


def test_runs_are_recorded(tmp_path):
    suite, record = tmp_path / "some_test.py", tmp_path / "record"
    suite.write_text(
        "import unittest\n"
        "class Some(unittest.TestCase):\n"
        "  def test_a(self): pass\n"
        "  def test_b(self): assert 1 == 2\n"
        "  def test_c(self): self.skipTest('why')\n"
        "  def tearDown(self): assert 'test_d' not in self.id()\n"
        "  def test_d(self): pass\n"
    )
    plugin = ["-p", "tests.suites.recording", "--record", record]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *plugin, suite]
    subprocess.run([*command, "--rootdir", tmp_path], capture_output=True)
    ends = verdict.read([record])
    outcomes = {test.split("_")[-1]: outcome for test, (outcome, _) in ends.items()}
    assert outcomes == {"a": "passed", "b": "failed", "c": "skipped", "d": "failed"}
    assert any("1 == 2" in reason for _, reason in ends.values())


def test_files_that_do_not_import_have_failed(tmp_path):
    report = type("Report", (), dict(failed=True, nodeid="x_test.py", longrepr="E"))
    recording.Recorder(tmp_path / "record").pytest_collectreport(report)
    line = json.loads((tmp_path / "record").read_text())
    assert line == ["x_test.py", "failed", "E"]
