"""Writes `sharded.zip` beside this file with upstream's JAX 0.10.2 on eight CPU devices.

Run from an empty folder in an environment with ``jax==0.10.2`` and `flatbuffers`, with
``XLA_FLAGS=--xla_force_host_platform_device_count=8``:
python make_sharded.py CASES_FOLDER TARGET_FOLDER
"""

import pathlib
import sys
import zipfile

import numpy as np

import jax
from jax import export

sys.path.insert(0, sys.argv[1])
import sharded_cases

assert jax.__version__ == "0.10.2", jax.__version__
grid = np.array(jax.devices()).reshape(4, 2)
mesh = jax.sharding.Mesh(grid, ("x", "y"))
explicit = jax.make_mesh((4, 2), ("x", "y"))
target = pathlib.Path(sys.argv[2]) / "sharded.zip"
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
    for name, (function, types) in sharded_cases.all_cases(jax, mesh, explicit).items():
        with jax.set_mesh(explicit if name == "explicit" else mesh):
            exported = export.export(function)(*types)
            file.writestr(f"{name}.bin", bytes(exported.serialize(vjp_order=1)))
