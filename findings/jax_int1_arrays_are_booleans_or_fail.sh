#!/usr/bin/env bash
# JAX 0.10.2 offers jnp.int1 and jnp.uint1, whose arrays of one element read as booleans and whose longer ones fail.
#
# jax 0.10.2, jaxlib 0.10.2 on the CPU, NumPy 2.2.6. Expected of `jnp.asarray([0, 0, 0], jnp.int1)`: three zeros, as int2
# and int4 give. Seen: with one element, the dtype is int1 and NumPy's copy is of dtype bool; with three, a
# JaxRuntimeError "RuntimeProgramInputMismatch": the program that converts expects a bool for each element (3 bytes) where
# the array from the host holds its bits packed (1 byte). jnp.issubdtype says that both are integers, so
# code that goes through all of JAX's integer dtypes meets this at run time only.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "jax==0.10.2" "jaxlib==0.10.2" "numpy==2.2.6" "scipy==1.15.3"
cd "$folder"
JAX_PLATFORMS=cpu "$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
import jax
import jax.numpy as jnp
import numpy as np

print("jax", jax.__version__)
assert jnp.issubdtype(jnp.int1, jnp.integer), "the behaviour changed"
for name in ("int1", "uint1", "int2", "int4"):
    dtype = getattr(jnp, name)
    one = jnp.asarray([0], dtype)
    print(f"{name}: one element is {one.dtype}, NumPy's copy is {np.asarray(one).dtype}")
    assert one.dtype == dtype
    assert (np.asarray(one).dtype == bool) == (name in ("int1", "uint1")), "the behaviour changed"
    try:
        seen = np.asarray(jnp.asarray([0, 0, 0], dtype)).tolist()
    except jax.errors.JaxRuntimeError as error:
        seen = "RuntimeProgramInputMismatch" if "RuntimeProgramInputMismatch" in str(error) else str(error)
    print(f"{name}: three elements give {seen}")
    expected = "RuntimeProgramInputMismatch" if name in ("int1", "uint1") else [0, 0, 0]
    assert seen == expected, "the behaviour changed"
print("as described")
PYTHON
