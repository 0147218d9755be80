#!/usr/bin/env bash
# Conversion to the exponent-only 8-bit type of ml_dtypes does not go to the nearest power at its lower end.
#
# ml_dtypes 0.6.0, NumPy 2.2.6. float8_e8m0fnu holds powers of two from 2**-127 to 2**127. Expected: a float32 number
# goes to the nearest of them. Seen: 0.74 * 2**-126 goes up to 2**-126, though 2**-127 is nearer; the same significand one
# power higher goes down, to the nearest. Numbers below 2**-126 are subnormal in float32, which seems to be the border.
# Block scales of microscaling formats made on the host differ there from scales that are rounded by arithmetic.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "ml_dtypes==0.6.0" "numpy==2.2.6"
"$folder/venv/bin/python" - <<'PYTHON'
import math

import ml_dtypes
import numpy as np

found = {}
for power in (-126, -125, -100):
    x = np.float32(math.ldexp(0.74, power))
    found[power] = int(math.log2(float(x.astype(ml_dtypes.float8_e8m0fnu)))) - power
    print(f"0.74 * 2**{power} goes to 2**{power + found[power]}")
print("ml_dtypes", ml_dtypes.__version__)
# The nearest power of two to 0.74 is 1/2 (distance 0.24), not 1 (distance 0.26).
assert found == {-126: 0, -125: -1, -100: -1}, "the behaviour changed"
print("as described")
PYTHON
