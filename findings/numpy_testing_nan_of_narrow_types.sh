#!/usr/bin/env bash
# np.testing.assert_array_equal says that a bfloat16 array with a NaN does not equal itself.
#
# NumPy 2.4.6, ml_dtypes 0.6.0. Expected: NaNs in the same positions are equal there, as documented, for every type that
# has them. Seen: `assert_array_equal(x, x)` fails for bfloat16 and both kinds of float8, whether NumPy files the type
# under kind "V" or "f"; `assert_allclose(x, x)` passes, and `assert_array_max_ulp(x, x)` raises TypeError. So a test of
# equal bits has to compare views as integers, and one of values to cast to float32 first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "ml_dtypes==0.6.0" "numpy==2.4.6"
"$folder/venv/bin/python" - <<'PYTHON'
import ml_dtypes
import numpy as np

print("numpy", np.__version__, " ml_dtypes", ml_dtypes.__version__)


def holds(check, array):
    try:
        check(array, array)
    except (AssertionError, TypeError) as error:
        return type(error).__name__
    return "passes"


rows = {}
for dtype in (np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn):
    array = np.array([1, np.nan]).astype(dtype)
    rows[np.dtype(dtype).name] = [
        holds(check, array) for check in (np.testing.assert_array_equal, np.testing.assert_allclose, np.testing.assert_array_max_ulp)
    ]
    print(np.dtype(dtype).name, "kind", np.dtype(dtype).kind, rows[np.dtype(dtype).name])
assert rows.pop("float16") == ["passes"] * 3, "the behaviour changed"
assert all(row == ["AssertionError", "passes", "TypeError"] for row in rows.values()), "the behaviour changed"
print("as described")
PYTHON
