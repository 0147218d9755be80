#!/usr/bin/env bash
# safetensors.numpy writes bfloat16 and float8 arrays, and cannot read the file that it wrote.
#
# safetensors 0.8.0, ml_dtypes 0.6.0, NumPy 2.4.6. Expected: what `save` accepts `load` gives back. Seen: `save` takes an
# array of bfloat16 or float8_e4m3fn and writes "BF16" or "F8_E4M3" into the header, as the format says; `load` of these
# bytes raises KeyError: 'BF16'. The bytes are right: the header's offsets and ml_dtypes read them in three lines.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "safetensors==0.8.0" "ml_dtypes==0.6.0" "numpy==2.4.6"
"$folder/venv/bin/python" - <<'PYTHON'
import importlib.metadata
import json
import struct

import ml_dtypes
import numpy as np
from safetensors.numpy import load, save

print("safetensors", importlib.metadata.version("safetensors"))
for dtype, name in ((ml_dtypes.bfloat16, "BF16"), (ml_dtypes.float8_e4m3fn, "F8_E4M3"), (np.float16, "F16")):
    array = np.array([1, -2.5, 7], dtype)
    data = save({"x": array})
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])["x"]
    begin, end = header["data_offsets"]
    by_hand = np.frombuffer(data[8 + length + begin : 8 + length + end], dtype)
    try:
        outcome = str(load(data)["x"].dtype)
    except KeyError as error:
        outcome = f"KeyError: {error}"
    print(f"{np.dtype(dtype)}: written as {header['dtype']}, read by hand {by_hand}, load: {outcome}")
    assert header["dtype"] == name and (by_hand == array).all(), "the behaviour changed"
    assert outcome == ("float16" if dtype is np.float16 else f"KeyError: '{name}'"), "the behaviour changed"
print("as described")
PYTHON
