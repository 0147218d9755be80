"""Profiles of several processes, each with a file of its own, are one view."""

import gzip
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SCRIPT = ROOT / "ci/merged-profile"

CHILD = """
import sys
import jax, jax.numpy as jnp
from jax._src.profiler import recording
folder, host = sys.argv[1:]
recording.host_name = lambda: host
options = jax.profiler.ProfileOptions()
options.session_id = "run"
with jax.profiler.trace(folder, profiler_options=options):
    with jax.profiler.TraceAnnotation("step of " + host):
        jax.jit(lambda x: jnp.sin(x) @ x)(jnp.ones((64, 64))).block_until_ready()
"""


def test_each_process_writes_its_file_and_one_view_has_all(tmp_path):
    if not SCRIPT.exists():
        pytest.skip("runs in a source tree alone")
    children = [
        subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path), host])
        for host in ("first", "second")
    ]
    assert [child.wait() for child in children] == [0, 0]
    folder = tmp_path / "plugins/profile/run"
    files = {path.name for path in folder.glob("*.xplane.pb")}
    assert files == {"first.xplane.pb", "second.xplane.pb"}
    path = os.pathsep.join(filter(None, [*sys.path, os.environ.get("PYTHONPATH")]))
    ran = subprocess.run(
        [sys.executable, SCRIPT, folder],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "of 2 hosts" in ran.stdout
    assert any(
        line.startswith("dot_general") and line.endswith("2")
        for line in ran.stdout.splitlines()
    )
    merged = json.loads(gzip.decompress((folder / "merged.trace.json.gz").read_bytes()))
    events = merged["traceEvents"]
    names = {e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert {"first /host:CPU", "second /host:CPU"} <= names
    spans = {e["name"]: e for e in events if e["ph"] == "X"}
    assert spans["step of first"]["pid"] != spans["step of second"]["pid"]
