"""Programs compiled by one process are taken from a folder by the next."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from jax._src.runtime.compilation import cache_folders
from tests.testing import patience

# Compiles and runs a program, and prints what the cache told.
SCRIPT = """
import json, os, sys, warnings
import numpy as np
import jax

events, notes = [], []
jax.monitoring.register_event_listener(lambda name, **_: events.append(name))
jax.monitoring.register_event_duration_secs_listener(
    lambda name, seconds, **_: events.append(name)
)
warnings.showwarning = lambda message, *_: notes.append(str(message))
table = np.arange(4000, dtype=np.float32)


def scaled(x):
    y = jax.numpy.sin(x) * table
    return y, jax.numpy.cumsum(y)


before_script
outs = jax.jit(scaled)(np.ones(4000, np.float32))
sums = [float(np.asarray(out, np.float64).sum()) for out in outs]
cache = [name.rsplit("/", 1)[1] for name in events if "compilation_cache" in name]
print(json.dumps({"sums": sums, "events": cache, "notes": notes}))
"""


def start(folder, before="", **settings):
    environment = {
        **os.environ,
        "JAX_COMPILATION_CACHE_DIR": str(folder),
        "JAX_ENABLE_COMPILATION_CACHE": "true",
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        **settings,
    }
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.replace("before_script", before)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    out, err = process.communicate(timeout=patience.LIMIT_S)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def run(folder, before="", **settings):
    return finish(start(folder, before, **settings))


def entries(folder):
    return sorted(folder.glob("*-cache"))


def entry_of(folder):
    (path,) = folder.glob("jit_scaled-*-cache")
    return path


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    folder = tmp_path_factory.mktemp("template")
    return folder, run(folder)


@pytest.fixture
def filled(template, tmp_path):
    """A folder that one process has filled, and what that process told."""
    shutil.copytree(template[0], tmp_path, dirs_exist_ok=True)
    return tmp_path, template[1]


def test_a_second_process_hits(filled):
    folder, first = filled
    names = entries(folder)
    second = run(folder)
    assert "cache_misses" in first["events"]
    assert "cache_hits" not in first["events"]
    assert "cache_misses" not in second["events"]
    count = second["events"].count
    assert count("cache_hits") == count("compile_requests_use_cache") > 0
    assert count("compile_time_saved_sec") == count("cache_retrieval_time_sec")
    assert count("tasks_using_cache") == 1
    assert second["sums"] == first["sums"]
    assert entries(folder) == names
    assert not first["notes"] and not second["notes"]


def test_a_line_more_in_the_source_is_the_same_program(filled):
    folder, _ = filled
    assert "cache_misses" not in run(folder, before="\n\n\n")["events"]


def test_another_program_is_another_entry(filled):
    folder, _ = filled
    before = "inner = scaled\ndef scaled(x):\n    return inner(x + 1)"
    assert "cache_misses" in run(folder, before)["events"]


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "garbage"])
def test_a_damaged_entry_is_replaced_by_compiling(filled, damage):
    folder, first = filled
    path = entry_of(folder)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 64
    path.write_bytes(
        {"flip": data, "cut": data[:-9], "empty": b"", "garbage": b"x" * 99}[damage]
    )
    second = run(folder)
    assert second["sums"] == first["sums"]
    assert len(second["notes"]) == 1
    assert "jit(scaled)" in second["notes"][0]
    assert run(folder)["events"].count("cache_misses") == 0


def test_an_entry_of_another_processor_or_build_is_ignored(filled):
    folder, _ = filled
    here = entry_of(folder)
    there = folder / "there"
    # The variable narrows the instruction set, so the key is another...
    run(there, XLA_CPU_FEATURES="baseline")
    assert here.name != entry_of(there).name
    # ... and an entry that came under a wrong name says itself what it is.
    here.write_bytes(entry_of(there).read_bytes())
    told = run(folder)
    assert len(told["notes"]) == 1 and "it was made by" in told["notes"][0]


def test_unusable_entries_raise_where_the_user_wants_that(filled):
    folder, _ = filled
    entry_of(folder).write_bytes(b"")
    process = start(folder, JAX_RAISE_PERSISTENT_CACHE_ERRORS="true")
    _, err = process.communicate(timeout=patience.LIMIT_S)
    assert process.returncode != 0 and "persistent compilation cache" in err


def test_writers_at_once(tmp_path):
    told = [finish(p) for p in [start(tmp_path) for _ in range(4)]]
    assert all(t["sums"] == told[0]["sums"] and not t["notes"] for t in told)
    assert not list(tmp_path.glob(".new-*"))
    assert run(tmp_path)["events"].count("cache_misses") == 0


def test_a_folder_that_cannot_be_written(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    told = run(file / "below")
    assert told["notes"] and "jit(scaled)" in " ".join(told["notes"])
    assert "cache_hits" not in told["events"]


@pytest.mark.parametrize(
    "settings",
    [
        {"JAX_ENABLE_COMPILATION_CACHE": "false"},
        {"JAX_COMPILATION_CACHE_DIR": ""},
        {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "1000"},
        {"JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "100000000"},
        {"JAX_COMPILATION_CACHE_MAX_SIZE": "10"},
    ],
)
def test_nothing_is_kept(tmp_path, settings):
    told = run(tmp_path, **settings)
    assert not entries(tmp_path)
    assert "cache_misses" not in told["events"]


def test_callbacks_are_not_kept(tmp_path):
    before = """
echo = lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct((3,), np.float32), x)
jax.jit(echo)(np.ones(3, np.float32))
"""
    run(tmp_path, before)
    assert not list(tmp_path.glob("jit_echo*")) and entries(tmp_path)


def test_the_oldest_entries_make_room(filled):
    folder, _ = filled
    old = entry_of(folder)
    os.utime(old, (1, 1))
    size = sum(path.stat().st_size for path in entries(folder))
    more = "jax.jit(lambda x: jax.numpy.cos(x) + x)(np.ones(5))"
    run(folder, more, JAX_COMPILATION_CACHE_MAX_SIZE=str(size))
    assert sum(path.stat().st_size for path in entries(folder)) <= size


def test_set_cache_dir(tmp_path):
    before = "import jax.experimental.compilation_cache.compilation_cache as c\n"
    before += f"c.reset_cache(); c.set_cache_dir({str(tmp_path)!r})"
    run("", before)
    assert entry_of(tmp_path)


def test_a_store_that_nobody_knows_is_explained():
    # With fsspec, which knows no such scheme, and without it.
    with pytest.raises(RuntimeError, match="cannot reach its folder") as told:
        cache_folders.folder_at("nosuch://bucket/folder")
    assert "pip install fsspec s3fs" in str(told.value)
