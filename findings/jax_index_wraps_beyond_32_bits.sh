#!/usr/bin/env bash
# JAX 0.10.2 takes an index beyond 32 bits modulo 2**32 without a word, with the modes that are about bounds as well.
#
# jax 0.10.2, jaxlib 0.10.2 on the CPU, NumPy 2.2.6. Expected of an index 2**40 into three elements: `.set` drops it,
# `.get(mode="fill", fill_value=-1)` gives -1, as both do for 2**30. Seen: `.set` writes element 0, and `.get` reads it.
# Indices are 32-bit unless an axis is longer, so the number is cut to its low 32 bits before its bounds are looked at.
# Programs that make indices as Python integers (hashes, offsets into files) overwrite the beginning of an array.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "jax==0.10.2" "jaxlib==0.10.2" "numpy==2.2.6" "scipy==1.15.3"
cd "$folder"
JAX_PLATFORMS=cpu "$folder/venv/bin/python" - <<'PYTHON'
import jax
import jax.numpy as jnp

x = jnp.arange(3)
found = {
    power: (x.at[2**power].set(7).tolist(), int(x.at[2**power].get(mode="fill", fill_value=-1)))
    for power in (30, 40)
}
print("jax", jax.__version__)
for power, (written, read) in found.items():
    print(f"index 2**{power}: set gives {written}, get gives {read}")
assert found[30] == ([0, 1, 2], -1), "the behaviour changed"
assert found[40] == ([7, 1, 2], 0), "the behaviour changed"
print("as described")
PYTHON
