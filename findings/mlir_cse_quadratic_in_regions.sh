#!/usr/bin/env bash
# MLIR's pass `cse` takes quadratic time for operations that differ only inside their regions.
#
# jax 0.10.2 and jaxlib 0.10.2 (the MLIR in its wheel), on the CPU. Expected: time linear in the number of operations,
# as for operations without regions. Seen: of n `stablehlo.if` of one predicate, whose branches differ in the constant
# that they add, 1,000 take 0.2 s and 4,000 take 3.8 s; the same constants and sums without branches take 4 times as
# long for 4 times as many. The table of known operations hashes operands, attributes and result types, and leaves
# regions to the comparison: all such operations fall into one bucket, where each is compared with all others.
# Programs with many `if` or loops over the same operands meet it wherever this pass runs.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "jax==0.10.2" "jaxlib==0.10.2" "numpy==2.2.6" "scipy==1.15.3"
cd "$folder"
JAX_PLATFORMS=cpu "$folder/venv/bin/python" - <<'PYTHON'
import time

import jax
from jax._src.interpreters import mlir
from jaxlib.mlir import ir, passmanager


def program(n, has_branches):
    lines = ["func.func @main(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {"]
    total = "%x"
    for i in range(n):
        lines.append(f"%c{i} = stablehlo.constant dense<{i}.0> : tensor<f32>")
        term = f"%c{i}"
        if has_branches:
            term = f"%y{i}"
            lines.append(
                f'{term} = "stablehlo.if"(%p) ({{ %a = stablehlo.add %x, %c{i} : tensor<f32>\n'
                "stablehlo.return %a : tensor<f32> }, { stablehlo.return %x : tensor<f32> })"
                " : (tensor<i1>) -> tensor<f32>"
            )
        lines.append(f"%s{i} = stablehlo.add {total}, {term} : tensor<f32>")
        total = f"%s{i}"
    return "\n".join([*lines, f"return {total} : tensor<f32>", "}"])


def seconds(n, has_branches):
    """The least of three runs of the pass."""
    found = []
    for _ in range(3):
        with mlir.make_ir_context(), ir.Location.unknown():
            module = ir.Module.parse(program(n, has_branches))
            passes = passmanager.PassManager.parse("builtin.module(func.func(cse))")
            start = time.process_time()
            passes.run(module.operation)
            found.append(time.process_time() - start)
    return min(found)


print("jax", jax.__version__)
plain = seconds(16000, False) / seconds(4000, False)
branches = seconds(4000, True) / seconds(1000, True)
print(f"4 times as many operations: {plain:.1f} times the time without regions, {branches:.1f} times with")
assert plain < 8 < branches, "the behaviour changed"
print("as described")
PYTHON
