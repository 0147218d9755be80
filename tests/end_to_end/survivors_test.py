"""The example that loses a process, from end to end: a short run of its three jobs."""

import importlib.util
import json
import pathlib
import subprocess
import sys

import pytest

from tests.testing import processes

FOLDER = pathlib.Path(__file__).resolve().parent
EXAMPLE = FOLDER.parents[1] / "examples" / "survivors.py"
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
STEPS, KILL, AT = 12, 1, 7


def run(*arguments):
    return subprocess.run(
        [sys.executable, str(EXAMPLE), *arguments],
        env=processes.environment(),
        capture_output=True,
        text=True,
        timeout=1500,
    )


@pytest.fixture(scope="module")
def left(tmp_path_factory):
    """The folder that a short run leaves, and what it told."""
    folder = tmp_path_factory.mktemp("survivors") / "out"
    where = ["--kill", str(KILL), "--at", str(AT), "--output", str(folder)]
    told = run("--processes", "3", "--steps", str(STEPS), *where)
    assert told.returncode == 0, told.stdout + told.stderr
    return folder, told.stdout


def blocks_of(folder, job):
    lines = (folder / f"{job}.jsonl").read_text().splitlines()
    blocks = [json.loads(line) for line in lines]
    return [(b["first"], len(b["losses"]), b["processes"]) for b in blocks]


def test_leaves_a_picture_and_what_each_job_did(left):
    folder, told = left
    kinds = ("calm", "go on", "restart")
    files = {f"{job}.{kind}" for job in kinds for kind in ("npz", "jsonl")}
    assert {path.name for path in folder.iterdir()} == {*files, "survivors.png"}
    assert (folder / "survivors.png").read_bytes().startswith(PNG_SIGNATURE)
    assert "widest difference" in told


def test_the_survivors_compute_the_rest(left):
    folder, told = left
    assert blocks_of(folder, "calm") == [
        (0, 5, [0, 1, 2]), (5, 5, [0, 1, 2]), (10, 2, [0, 1, 2]),
    ]  # fmt: skip
    assert blocks_of(folder, "go on") == [
        (0, 5, [0, 1, 2]), (5, 5, [0, 2]), (10, 2, [0, 2]),
    ]  # fmt: skip
    assert told.count(f"lost process [{KILL}] after step 5: going on") == 2


def test_fewer_processes_go_on_from_the_checkpoint(left):
    assert blocks_of(left[0], "restart") == [
        (0, 5, [0, 1, 2]), (5, 5, [0, 1]), (10, 2, [0, 1]),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--processes", "3", "--kill", "3"], "there is no process 3 of 3"),
        (["--at", "80"], "or no step 80 of 80"),
        (["--processes", "6"], "5 processes cannot share a batch of 144"),
        (["--processes", "one"], "'one' is not a whole number"),
    ],
)
def test_mistakes_are_explained(arguments, text, capsys):
    spec = importlib.util.spec_from_file_location("survivors", EXAMPLE)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    with pytest.raises(SystemExit) as ended:
        program.parse_options(arguments)
    assert ended.value.code == 2
    assert text in capsys.readouterr().err
