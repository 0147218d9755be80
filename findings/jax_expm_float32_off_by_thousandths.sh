#!/usr/bin/env bash
# jax.scipy.linalg.expm of the float32 matrix of 0 to 8 is wrong by 0.2 %, where SciPy's float32 is right to 2e-6.
#
# jax 0.10.2, SciPy 1.17.1, NumPy 2.4.6. Expected: scaling and squaring in float32 loses some units of the last place, as SciPy's
# does. Seen: the largest error is 2.2e-3 of the largest element for [[0, 1, 2], [3, 4, 5], [6, 7, 8]]: 48033 in the first one, where
# exp gives 47929. In float64 the same call is right to 1e-13, and most float32 matrices of this size to 1e-6.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "jax==0.10.2" "jaxlib==0.10.2" "scipy==1.17.1" "numpy==2.4.6"
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import jax
import numpy as np
import scipy.linalg

matrix = np.arange(9).reshape(3, 3)
exact = scipy.linalg.expm(matrix.astype("float64"))


def error(computed):
    return float(np.abs(np.asarray(computed, "float64") - exact).max() / exact.max())


narrow = error(jax.scipy.linalg.expm(matrix.astype("float32")))
scipys = error(scipy.linalg.expm(matrix.astype("float32")))
with jax.enable_x64(True):
    wide = error(jax.scipy.linalg.expm(matrix.astype("float64")))
print(f"jax {jax.__version__}: float32 {narrow:.1e}, float64 {wide:.1e}; SciPy: float32 {scipys:.1e}")
assert 1e-3 < narrow < 4e-3 and wide < 1e-11 and scipys < 1e-5, "the behaviour changed"
print("as described")
PYTHON
