#!/usr/bin/env bash
# SciPy's logistic function of float32 is 0 where its value is a number that float32 holds.
#
# SciPy 1.17.1, NumPy 2.2.6. Expected: expit(x) is about exp(x) far below 0, hence above 0 down to x = -103, as
# numpy.exp of float32 is (its smallest results are subnormal). Seen: expit of float32 is 0 from about -89 on, because
# exp(-x) overflows before it is inverted. In float64 the same happens from about -710 on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "scipy==1.17.1" "numpy==2.2.6"
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import scipy
import scipy.special

x = np.array([-85, -88, -89, -95, -103], np.float32)
found, wanted = scipy.special.expit(x), np.exp(x)
for one in zip(x, found, wanted, strict=True):
    print("expit({}) = {}, exp = {}".format(*one))
wide = np.array([-709.0, -711.0, -740.0])
print("float64:", scipy.special.expit(wide), np.exp(wide))
print("SciPy", scipy.__version__)
assert (wanted > 0).all() and (np.exp(wide) > 0).all()
assert ((found > 0) == [True, True, False, False, False]).all(), "the behaviour changed"
assert ((scipy.special.expit(wide) > 0) == [True, False, False]).all(), "the behaviour changed"
print("as described")
PYTHON
