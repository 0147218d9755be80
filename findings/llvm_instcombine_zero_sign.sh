#!/usr/bin/env bash
# LLVM's instruction combining changes -0.0 into +0.0 where a maximum with 0 is chosen by a comparison of a widened float.
#
# llvmlite 0.46.0, which holds LLVM 20.1.8; the opt of LLVM 22.1.8 gives the same text. The function widens a float to y
# and computes select(y > 0, 0, y), then select(y > 0, y, that), without fast-math flags. Expected: for -0.0 the
# comparison is false, so the result is -0.0, as it is before the pass. Seen: the pass moves the widening behind the
# selections and turns the inner comparison round into x >= 0 (`fcmp oge`), which holds for -0.0 too: the result is +0.0.
# Activations such as ELU, whose negative part is guarded by such a selection, lose the sign of zero that way.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "llvmlite==0.46.0"
"$folder/venv/bin/python" - <<'PYTHON'
import ctypes
import math

import llvmlite.binding as llvm

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
PROGRAM = """
define double @f(float %x) {
  %y = fpext float %x to double
  %is_positive = fcmp ogt double %y, 0.0
  %below = select i1 %is_positive, double 0.0, double %y
  %result = select i1 %is_positive, double %y, double %below
  ret double %result
}
"""


def sign_of_zero(combine):
    module = llvm.parse_assembly(PROGRAM)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine()
    if combine:
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
        passes = llvm.create_new_module_pass_manager()
        passes.add_instruction_combine_pass()
        passes.run(module, builder)
        print(module)
        assert "fcmp oge" in str(module), "the behaviour changed"
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    f = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_float)(engine.get_function_address("f"))
    return math.copysign(1, f(-0.0))


print("LLVM", *llvm.llvm_version_info)
before, after = sign_of_zero(False), sign_of_zero(True)
print(f"f(-0.0) has the sign {before:+.0f} before the pass and {after:+.0f} after it")
assert (before, after) == (-1, 1), "the behaviour changed"
print("as described")
PYTHON
