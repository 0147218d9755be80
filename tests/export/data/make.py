"""Writes the artifacts beside this file and `expected.npz`, with upstream's JAX 0.10.2.

Run from an empty folder in an environment with ``jax==0.10.2``, ``flatbuffers`` and
`cases.py` from the folder above:  python make.py CASES_FOLDER TARGET_FOLDER
"""

import pathlib
import sys

import numpy as np

import jax
from jax import export

sys.path.insert(0, sys.argv[1])
import cases

target = pathlib.Path(sys.argv[2])
assert jax.__version__ == "0.10.2", jax.__version__
cases.register(jax)
expected = {}
for case in cases.all_cases(jax):
    args = case.args()
    exported = export.export(jax.jit(case.function), platforms=case.platforms)(*args)
    data = exported.serialize(vjp_order=case.vjp_order)
    (target / f"{case.name}.bin").write_bytes(data)
    for part, value in cases.results(jax, case, exported.call).items():
        expected[f"{case.name}/{part}"] = value
np.savez_compressed(target / "expected.npz", **expected)
