"""Runs the kernels that one project ships, and prints a line of JSON for each case.

python -m tests.third_party_kernels.worker PROJECT FOLDER interpreted|compiled [--only TEXT]
"""

import argparse
import contextlib
import importlib
import json
import sys
import time

import jax
from tests.third_party_kernels import case, shipped

# Some kernels copy between devices.
DEVICES = 4


def main() -> None:
    """Runs them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("project")
    parser.add_argument("folder")
    parser.add_argument("mode", choices=("interpreted", "compiled"))
    parser.add_argument("--only", default="", help="cases whose name has this text")
    given = parser.parse_args()
    del sys.argv[1:]  # Packages read their own flags there.
    if given.project == "upstream":
        shipped.use(given.folder)
    else:
        sys.path.insert(0, given.folder)
    module = importlib.import_module(f"tests.third_party_kernels.{given.project}_cases")
    if hasattr(jax.config, "jax_recompilations_until_warning"):  # Upstream has none.
        jax.config.update("jax_recompilations_until_warning", 0)
    jax.config.update("jax_num_cpu_devices", DEVICES)
    for number, one in enumerate(module.cases()):
        if given.only not in one.name:
            continue
        began = time.monotonic()
        # Kernels print; the lines of this program are its own.
        with contextlib.redirect_stdout(sys.stderr):
            why = case.reason(one, given.mode == "interpreted")
        seconds = round(time.monotonic() - began, 2)
        print(
            json.dumps({"case": one.name, "reason": why, "seconds": seconds}),
            flush=True,
        )
        if number % 20 == 19:
            jax.clear_caches()


if __name__ == "__main__":
    main()
