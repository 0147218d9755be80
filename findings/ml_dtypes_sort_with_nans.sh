#!/usr/bin/env bash
# NumPy's sort leaves bfloat16 arrays that hold a NaN in disorder, and median answers with a number.
#
# ml_dtypes 0.6.0, NumPy 2.4.6. Expected: what NumPy documents and does for its own floating-point types, NaNs at the end
# and the rest in order, for a registered type compares with `<` as they do. Seen: numbers on both sides of a NaN are not
# compared with each other, so `sort([3, nan, 2, nan, 1, 0, 5])` gives [3, nan, 2, nan, 0, 1, 5]; `unique` and
# `searchsorted` work on such arrays, and `median([1, nan, 3, 2, 0])` is 0 where float16 has nan. `max` and `argmax` are
# right. So NumPy is no oracle for sorts of 16-bit and 8-bit types: sort the values as float32.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "ml_dtypes==0.6.0" "numpy==2.4.6"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import ml_dtypes
import numpy as np

print("ml_dtypes", ml_dtypes.__version__, " numpy", np.__version__)
values = [3, np.nan, 2, np.nan, 1, 0, 5]
own = np.sort(np.array(values, np.float16)).astype(np.float32)
ordered = True
for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e5m2):
    result = np.sort(np.array(values, dtype)).astype(np.float32)
    print(f"sort of {dtype.__name__}: {result}; of float16: {own}")
    ordered &= np.array_equal(result, own, equal_nan=True)
few = [1, np.nan, 3, 2, 0]
median, expected = np.median(np.array(few, ml_dtypes.bfloat16)), np.median(np.array(few, np.float16))
print(f"median of {few}: {median} as bfloat16, {expected} as float16")
assert not ordered and not np.isnan(np.float32(median)) and np.isnan(expected), "the behaviour changed"
print("as described")
PYTHON
