#!/usr/bin/env bash
# Sums and means of bfloat16 arrays in NumPy stop where 1 no longer changes the sum: the mean of 1,000 ones is 0.256.
#
# ml_dtypes 0.6.0, NumPy 2.4.6. Expected: as for float16, which NumPy adds in pairs and whose means it computes in float32.
# Seen: a registered type has neither. Each partial sum is rounded to 8 bits of significand, one after the other, so the
# sum of 1,000 ones is 256 and their mean 0.256 in bfloat16, 16 and 0.0156 in float8_e4m3fn, with no warning; `var` of
# equal values is not 0. In bfloat16 `dot` and `linalg.norm` accumulate in float32 and are right. Say `dtype=np.float32`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "ml_dtypes==0.6.0" "numpy==2.4.6"
"$folder/venv/bin/python" - <<'PYTHON'
import ml_dtypes
import numpy as np

print("ml_dtypes", ml_dtypes.__version__, " numpy", np.__version__)
seen = {}
for dtype in (np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn):
    ones = np.ones(1000, dtype)
    row = ones.sum(), ones.mean(), ones.var(), ones.sum(dtype=np.float32), np.dot(ones, ones)
    seen[dtype.__name__] = [float(value) for value in row]
    print(f"{dtype.__name__}: sum, mean, var, sum(dtype=float32), dot of 1,000 ones: {seen[dtype.__name__]}")
assert seen["float16"][:3] == [1000, 1, 0], "the behaviour changed"
assert seen["bfloat16"][0] == 256 and seen["bfloat16"][1] < 0.26 and seen["bfloat16"][2] > 0, "the behaviour changed"
assert seen["float8_e4m3fn"][0] == 16, "the behaviour changed"
assert seen["bfloat16"][3:] == [1000, 1000], "the behaviour changed"
print("as described")
PYTHON
