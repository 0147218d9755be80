"""Reads the inner loop of matrix products in the code of GPUs: what multiplies there, and whether copies run at the same time.

    python3 tests/accelerators/inner_loops.py XLA_GPU

prints a row for each type and target. The exit status is 1 where a loop has no matrix unit, or waits for what it has just
begun to copy.
"""

import dataclasses
import re
import subprocess
import sys
import tempfile

SIZE, TERMS = 512, 4096
TARGETS = ("sm_80", "sm_90a", "sm_100a", "sm_120", "gfx90a", "gfx942", "gfx1100")
# Types of the operands and of the result, and what is said of precision.
KINDS = {
    "f32": ("f32", "f32", ""),
    "tf32": ("f32", "f32", ", precision = [HIGH, HIGH]"),
    "bf16": ("bf16", "f32", ""),
    "f16": ("f16", "f32", ""),
    "f8e4m3": ("f8E4M3FN", "f32", ""),
    "f8e5m2": ("f8E5M2", "f32", ""),
    "s8": ("i8", "i32", ""),
}
PRODUCT = re.compile(r"(?:mma\.sync|wgmma\.mma_async|v_mfma|v_wmma)[\w.]*")
# A copy that goes on by itself: into memory of the block, or, on AMD's processors, into registers.
COPY = re.compile(r"cp\.async\.c[ag]|global_load_|buffer_load_|flat_load_")
STORE = re.compile(r"\bds_(?:write|store)")


@dataclasses.dataclass
class Loop:
    """The loop over the stages of a product."""

    lines: list[str]

    @property
    def products(self) -> list[str]:
        """The instructions that multiply, each once."""
        found = [name for line in self.lines for name in PRODUCT.findall(line)]
        return list(dict.fromkeys(found))

    def faults(self) -> list[str]:
        """Why copies do not run while it multiplies; empty where they do."""
        if not self.products:
            return ["nothing in it multiplies by a matrix unit"]
        if any("s_barrier" in line for line in self.lines):
            found = [fault_of_stage(stage) for stage in self.stages()]
            return [fault for fault in dict.fromkeys(found) if fault]
        copies, products = having(self.lines, COPY), having(self.lines, PRODUCT)
        if not copies or copies[0] > products[0]:
            return ["it begins no copy before it multiplies"]
        between = "\n".join(self.lines[copies[0] : products[0]])
        left = re.findall(r"cp\.async\.wait_group\s+(\d+)", between)
        return [] if left and left[-1] == "1" else ["it waits for all copies"]

    def stages(self) -> list[list[str]]:
        """AMD's rounds, which barriers divide: the compiler may have put several into one."""
        stages = [[]]
        for line in self.lines:
            if "s_barrier" in line:
                stages.append([])
            stages[-1].append(line)
        return [stage for stage in stages if having(stage, PRODUCT)]


def having(lines: list[str], pattern: re.Pattern) -> list[int]:
    """The lines that have something."""
    return [i for i, line in enumerate(lines) if pattern.search(line)]


def fault_of_stage(stage: list[str]) -> str:
    """What is loaded first is waited for behind the products, and stored there; or what is wrong."""
    products, copies = having(stage, PRODUCT), having(stage, COPY)
    begun = [copy for copy in copies if copy < products[0]]
    if not begun:
        return "it begins no copy before it multiplies"
    waited = "\n".join(stage[begun[-1] : products[0]])
    if "vmcnt" in waited or "loadcnt" in waited:
        return "it waits for what it has just begun to load"
    stores = having(stage, STORE)
    is_behind = stores and stores[0] > products[-1]
    return "" if is_behind else "it stores what is loaded before it has multiplied"


def loops(text: str) -> list[Loop]:
    """All loops of a text of PTX or of AMD's assembler: from a label to a jump back to it."""
    lines = text.splitlines()
    labels, found = {}, []
    for number, line in enumerate(lines):
        if label := re.match(r"(\$L__BB\w+|\.LBB\w+):", line):
            labels[label[1]] = number
        elif jump := re.search(r"\b(?:bra\S*|s_c?branch\S*)\s+(\S+?);?\s*$", line):
            if jump[1] in labels:
                found.append(Loop(lines[labels[jump[1]] : number + 1]))
    return found


def loop_of_product(text: str) -> Loop | None:
    """The longest of the loops that multiply: that over stages, which may have another one in it."""
    having = [loop for loop in loops(text) if loop.products]
    return max(having, key=lambda loop: len(loop.lines), default=None)


def program(kind: str) -> str:
    """A product whose operands are both along the terms."""
    operand, result, more = KINDS[kind]
    x, r = f"tensor<{SIZE}x{TERMS}x{operand}>", f"tensor<{SIZE}x{SIZE}x{result}>"
    return f"""func.func @main(%x: {x}, %y: {x}) -> {r} {{
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1]{more} : ({x}, {x}) -> {r}
  return %0 : {r}
}}
"""


def code(tool: str, kind: str, target: str) -> str:
    """What the compiler makes of a product."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(program(kind))
        file.flush()
        command = [tool, file.name, f"--target={target}"]
        return subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=300
        ).stdout


def main():
    """Prints a table."""
    wrong = 0
    print("| Type | Target | multiplied by | copies while it multiplies |")
    print("|---|---|---|---|")
    for kind in KINDS:
        for target in TARGETS:
            loop = loop_of_product(code(sys.argv[1], kind, target))
            faults = loop.faults() if loop else ["there is no loop"]
            wrong += bool(faults)
            told = ", ".join(loop.products) if loop else ""
            print(f"| {kind} | {target} | {told} | {'; '.join(faults) or 'yes'} |")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
