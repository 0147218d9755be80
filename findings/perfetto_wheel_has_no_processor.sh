#!/usr/bin/env bash
# Perfetto's wheel holds no trace processor: the first query fetches an executable from the web.
#
# perfetto 0.59.1, protobuf 7.35.1. Expected: `pip install perfetto` brings what TraceProcessor(trace=file) runs, for
# the wheel is one for every platform and names no other download. Seen: the wheel is 350 kB of Python; the first
# TraceProcessor looks up `trace_processor_shell` in a manifest and downloads it, so a test in a sandbox without network,
# or a pinned and hashed set of wheels, has no SQL over its traces. TraceProcessorConfig(bin_path=) takes a copy.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "perfetto==0.59.1" "protobuf==7.35.1"
export HOME="$folder/home"
mkdir -p "$HOME"
"$folder/venv/bin/python" - "$folder/empty.pftrace" <<'PYTHON'
import importlib.metadata
import pathlib
import subprocess
import sys
import urllib.request

from perfetto.trace_processor import TraceProcessor

files = [file for file in importlib.metadata.files("perfetto") if file.name.startswith("trace_processor_shell") and file.suffix != ".pyc"]
print("perfetto", importlib.metadata.version("perfetto"), " in the wheel:", [str(file) for file in files])
pathlib.Path(sys.argv[1]).write_bytes(b"")
wanted = []


class Offline(Exception):
    pass


def refuse(url, *arguments, **options):
    wanted.append(getattr(url, "full_url", url))
    raise Offline


urllib.request.urlretrieve = urllib.request.urlopen = refuse
calls = []
run = subprocess.check_call


def seen(command, *arguments, **options):
    calls.append(command)
    raise Offline


subprocess.check_call = subprocess.check_output = seen
try:
    TraceProcessor(trace=sys.argv[1])
except Offline:
    pass
fetched = [str(one) for one in wanted] + [" ".join(map(str, one)) for one in calls]
print("without the network it asks for:", [text.rsplit("/", 1)[-1] for text in fetched])
assert [file.name for file in files] == ["trace_processor_shell.py"], "the behaviour changed"
assert fetched and "trace_processor_shell" in fetched[0], "the behaviour changed"
print("as described")
PYTHON
