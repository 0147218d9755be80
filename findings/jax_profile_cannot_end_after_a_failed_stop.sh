#!/usr/bin/env bash
# JAX 0.10.2: when `stop_trace` cannot write its folder, no profile can be taken any more in this process.
#
# jax 0.10.2, jaxlib 0.10.2 on the CPU. Expected: `stop_trace` raises where the folder cannot be made, and the profile
# has ended, so that `start_trace` with another folder works. Seen: `stop_trace` raises FAILED_PRECONDITION; after it
# `start_trace` raises "Profile has already been started", and `stop_trace` fails again with the old folder. A training
# job with a mistyped folder loses its profile and every later one; `start_trace` itself never looks at the folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "jax==0.10.2" "jaxlib==0.10.2" "numpy==2.2.6" "scipy==1.15.3"
cd "$folder"
JAX_PLATFORMS=cpu "$folder/venv/bin/python" - <<'PYTHON'
import pathlib

import jax


def outcome(call, *arguments):
    """What a call raised, in one line; empty: nothing."""
    try:
        call(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return ""


print("jax", jax.__version__)
pathlib.Path("file").write_text("no folder")
found = [
    outcome(jax.profiler.start_trace, "file/profile"),
    outcome(jax.profiler.stop_trace),
    outcome(jax.profiler.start_trace, "good"),
    outcome(jax.profiler.stop_trace),
]
for name, what in zip(("start", "stop", "start elsewhere", "stop"), found):
    print(f"{name}: {what or 'fine'}")
assert not found[0], "the behaviour changed"
assert "FAILED_PRECONDITION" in found[1] and found[3] == found[1], "the behaviour changed"
assert "already been started" in found[2], "the behaviour changed"
print("as described")
PYTHON
