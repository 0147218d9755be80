#!/usr/bin/env bash
# HLO text numbers the parents of stack frames one higher than the bytes of the same program.
#
# jax 0.10.2, jaxlib 0.10.2. A compiled program states for each instruction the stack frame of the Python line that it
# comes from; a table lists the frames, each with the number of its parent. Expected: the text and the serialized
# HloModuleProto of one module state the same numbers, 0 for a frame without a parent. Seen: in the bytes the outermost
# frame has parent 0, its callee parent 1; in the text these are 1 and 2, so that the outermost frame names itself. Who
# reads call stacks out of `compiled.as_text()` must subtract one; who reads the bytes must not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "jax==0.10.2" "jaxlib==0.10.2"
cat > "$folder/run.py" <<'PYTHON'
import re

import jax
import jax.numpy as jnp


def inner(x):
    return jnp.sin(x)


def outer(x):
    return inner(x) + 1


compiled = jax.jit(outer).lower(1.0).compile()
text = compiled.as_text()
listed = [int(n) for n in re.findall(r"parent_frame_id=(\d+)\}", text)]


def fields(data):
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        value = varint()
        if tag & 7 == 2:
            value, at = data[at : at + value], at + value
        yield tag >> 3, value


(module,) = compiled.runtime_executable().hlo_modules()
(index,) = [v for f, v in fields(module.as_serialized_hlo_module_proto()) if f == 17]
# StackFrameIndexProto.stack_frames is field 4; StackFrame.parent_frame_id is field 2, absent where it is 0.
stored = [dict(fields(frame)).get(2, 0) for f, frame in fields(index) if f == 4]
print("jax", jax.__version__)
print("bytes", stored)
print("text ", listed)
assert len(stored) > 1 and listed == [n + 1 for n in stored], "the behaviour changed"
print("as described: the text is one higher")
PYTHON
"$folder/venv/bin/python" "$folder/run.py"
