"""What the start of a job costs, by counts that are the same on every machine: modules, calls, waits, processes."""

import json

from tests.testing import processes

COUNTED = """
import json, os, sys, time
# Nearly every program has loaded these; `import jax` alone does without.
import locale, pathlib, queue, resource, selectors, signal, socket, subprocess, urllib.parse
import jax
from jax._src import distributed
before, slept, calls = set(sys.modules), [], []
sleep = time.sleep
time.sleep = lambda s: (slept.append(s), sleep(s))[1]
jax.distributed.initialize()
from jax._src.distributed.client.client import Client
call = Client._call
Client._call = lambda self, name, *rest, **named: (
    calls.append(name), call(self, name, *rest, **named)
)[1]
jax.devices()
state = distributed.global_state
answer = {"loaded": sorted(set(sys.modules) - before), "slept": slept, "calls": calls}
if state.service is not None:
    with open(f"/proc/{state.service.pid}/maps") as file:
        answer["mapped"] = [line.split("/")[-1].strip() for line in file if "/" in line]
    with open(f"/proc/{state.service.pid}/stat") as file:
        answer["parent"] = int(file.read().rsplit(")", 1)[1].split()[1]) == os.getpid()
print(json.dumps(answer))
"""
# Each takes longer to load than a job takes to start.
SLOW = {"cryptography", "encodings.idna", "importlib.metadata"}


def test_a_start_loads_asks_and_waits_for_little():
    found = []
    for ended in processes.run(COUNTED, 2):
        assert (ended.status, ended.err) == (0, "")
        found.append(json.loads(ended.out))
    # Process 0 has loaded the service's, too, for the child.
    for answer, ours in zip(found, (43, 33), strict=True):
        loaded = set(answer["loaded"])
        assert not loaded & SLOW
        assert sum(name.startswith("jax.") for name in loaded) <= ours, loaded
        assert len(loaded) <= ours + 100, loaded  # those of gRPC, protobuf and asyncio
        # Never longer than between two looks whether the service listens.
        assert max(answer["slept"], default=0.0) <= 0.1
    first, second = found
    # It knows when the service listens, for it started that.
    assert first["slept"] == []
    assert first["parent"]
    # The child was forked: it has gRPC's core without having imported anything itself.
    assert any(name.startswith("cygrpc") for name in first["mapped"])
    # Its own address, that of the other, then the whole and the secret for all.
    assert len(first["calls"]) <= 4, first["calls"]
    assert len(second["calls"]) <= 3, second["calls"]
