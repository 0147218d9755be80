#!/usr/bin/env bash
# JAX 0.10.2's cbrt of every float32 below the smallest normal number is the same negative number, whatever its sign.
#
# jax 0.10.2, jaxlib 0.10.2 on the CPU. Expected of `jnp.cbrt(jnp.float32(1e-40))`: 4.64e-14, a normal number, or 0 where
# such operands are read as zero. Seen: -5.595e-16 for 1e-39, 1e-44 and -1e-40 alike, so the cube root of a positive number is
# negative, and that of -1e-40 eighty times too small; cbrt(0) is 0 and cbrt(2e-38) is right. float64 is right far below.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "jax==0.10.2" "jaxlib==0.10.2" "numpy==2.2.6"
cd "$folder"
JAX_PLATFORMS=cpu "$folder/venv/bin/python" - <<'PYTHON'
import jax
import jax.numpy as jnp
import numpy as np

print("jax", jax.__version__)
for x in (1e-39, 1e-40, 1e-44, -1e-40):
    root = float(jnp.cbrt(jnp.float32(x)))
    print(f"cbrt({x}) {root:.4g}, NumPy {np.cbrt(np.float64(np.float32(x))):.4g}")
    assert -6e-16 < root < -5e-16, "the behaviour changed"
assert float(jnp.cbrt(jnp.float32(0))) == 0, "the behaviour changed"
assert abs(float(jnp.cbrt(jnp.float32(2e-38))) / 2e-38 ** (1 / 3) - 1) < 1e-6, "the behaviour changed"
with jax.enable_x64(True):
    assert abs(float(jnp.cbrt(jnp.float64(1e-300))) / 1e-100 - 1) < 1e-12, "the behaviour changed"
print("as described")
PYTHON
