#!/usr/bin/env bash
# h5py stores bfloat16, float8 and int4 arrays without a word, and gives back bytes without a type.
#
# h5py 3.16.0, ml_dtypes 0.6.0, NumPy 2.4.6. Expected: an error, as for other types that HDF5 has no name for, or a type
# of HDF5 with the right exponent and significand, which the format can describe. Seen: the dataset is an opaque type of
# the same width (its tag empty), reads as dtype V2 or V1, and arithmetic on it fails only then; `view` with the type that
# somebody remembers brings the values back. zarr 3.1.6 refuses such arrays when they are created.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "h5py==3.16.0" "zarr==3.1.6" "ml_dtypes==0.6.0" "numpy==2.4.6"
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys

import h5py
import ml_dtypes
import numpy as np
import zarr

print("h5py", h5py.__version__, " zarr", zarr.__version__)
for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4):
    array = np.array([1, 2, -3]).astype(dtype)
    name = np.dtype(dtype).name
    with h5py.File(f"{sys.argv[1]}/{name}.h5", "w") as file:
        file["x"] = array
    with h5py.File(f"{sys.argv[1]}/{name}.h5") as file:
        kind, tag, read = file["x"].id.get_type(), file["x"].id.get_type().get_tag(), file["x"][...]
    print(f"{name}: {type(kind).__name__}, tag {tag!r}, read as {read.dtype}, viewed {read.view(dtype)}")
    assert isinstance(kind, h5py.h5t.TypeOpaqueID) and read.dtype.kind == "V", "the behaviour changed"
    assert read.dtype != np.dtype(dtype) and (read.view(dtype) == array).all(), "the behaviour changed"
try:
    zarr.create_array(f"{sys.argv[1]}/x.zarr", shape=(3,), dtype=ml_dtypes.bfloat16)
except ValueError as error:
    print("zarr:", str(error).splitlines()[0])
else:
    raise AssertionError("the behaviour changed")
print("as described")
PYTHON
