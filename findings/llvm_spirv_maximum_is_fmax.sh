#!/usr/bin/env bash
# LLVM's SPIR-V back end makes OpenCL's fmax of llvm.maximum, so a NaN is lost that the operation has to pass on.
#
# llvmlite 0.46.0, which holds LLVM 20.1.8; llc of LLVM 22.1.8 gives the same text. LLVM's reference says of `llvm.maximum` that a NaN
# operand makes the result NaN, and of `llvm.maxnum` that the other operand is the result; OpenCL's fmax is the latter. Expected for
# `llvm.maximum`: a comparison and a selection, or an error. Seen: both become the same instruction, without a warning, so on an
# OpenCL device the maximum of NaN and 1 is 1; minima are fmin likewise.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "llvmlite==0.46.0"
"$folder/venv/bin/python" - <<'PYTHON'
import re

import llvmlite.binding as llvm

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
PROGRAM = """
define spir_kernel void @k(ptr addrspace(1) %p, float %x, float %y) {{
  %result = call float @llvm.{name}.f32(float %x, float %y)
  store float %result, ptr addrspace(1) %p
  ret void
}}
declare float @llvm.{name}.f32(float, float)
"""


def instruction_of(name):
    target = llvm.Target.from_triple("spirv64-unknown-unknown")
    module = llvm.parse_assembly(PROGRAM.format(name=name))
    text = target.create_target_machine().emit_assembly(module)
    return re.search(r"OpExtInst %\d+ %\d+ (\w+)", text)[1]


print("LLVM", ".".join(map(str, llvm.llvm_version_info)))
for name, seen in {"maximum": "fmax", "maxnum": "fmax", "minimum": "fmin", "minnum": "fmin"}.items():
    print(f"llvm.{name}: {instruction_of(name)}")
    assert instruction_of(name) == seen, "the behaviour changed"
print("as described")
PYTHON
