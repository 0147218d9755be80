"""The process in which the coordination service runs. Started by path, not imported: see `hosting`.

It loads neither the front end nor NumPy, so that it starts in a tenth of a second; process 0 forks instead where
that is safe (`forking`). What it is to do comes as one line of JSON on its standard input, after that one line
for each process whose end its parent saw; it answers with one line on its standard output. When the input ends
its parent is gone, and it ends as soon as nobody is connected any more.
"""

import importlib
import json
import os
import sys
import types
from pathlib import Path

_SOURCES = Path(__file__).resolve().parents[2]


def _skip_package_init() -> None:
    """Makes the packages above ours known without running them: their `__init__` modules import all of jax."""
    for name, folder in (("jax", _SOURCES.parent), ("jax._src", _SOURCES)):
        package = types.ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package


if __name__ == "__main__":
    plan = json.loads(sys.stdin.buffer.readline())
    # Packages are where the parent found them.
    sys.path[:] = plan["path"]
    _skip_package_init()
    importlib.import_module("jax._src.distributed.service.service_main").main(plan)
    # gRPC's threads need not be waited for.
    sys.stdout.flush()
    os._exit(0)
