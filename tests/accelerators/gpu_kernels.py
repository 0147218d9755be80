"""Makes the GPU kernels of programs for every target, has the vendors' assemblers take them, and prints a table.

Arguments: the tool `xla-gpu`, a folder of StableHLO programs, and options. `ptxas` and `ld.lld` are found by PATH or by
--ptxas and --lld. With --check each program is run by the emulator too, and compared with the CPU compiler.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

NVIDIA = ("sm_80", "sm_90a", "sm_100a", "sm_120")
AMD = ("gfx90a", "gfx942", "gfx1100")


class Totals:
    """What became of the programs for one target."""

    def __init__(self):
        self.programs = self.kernels = self.registers = self.spilling = 0
        self.refused = []
        self.lacking = collections.Counter()


def run(*command):
    """Runs a command; returns its exit status, output and errors."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def assemble(options, target, code, folder, totals, name):
    """Hands code to the vendor's assembler, and notes registers and spills, or why it was refused."""
    if target in NVIDIA:
        source = folder / "k.ptx"
        source.write_text(code)
        status, output, errors = run(
            options.ptxas,
            "-v",
            f"-arch={target}",
            str(source),
            "-o",
            str(folder / "k.cubin"),
        )
        registers = re.findall(r"Used (\d+) registers", output + errors)
        spills = re.findall(r"(\d+) bytes spill stores", output + errors)
    else:
        linked = [
            options.lld,
            "-shared",
            str(folder / "k.o"),
            "-o",
            str(folder / "k.hsaco"),
        ]
        status, output, errors = run(*linked)
        registers = re.findall(r"\.vgpr_count: +(\d+)", code)
        spills = re.findall(r"\.vgpr_spill_count: +(\d+)", code)
    if status:
        totals.refused.append(f"{target} {name}: {errors.strip().splitlines()[:1]}")
    totals.kernels += len(registers)
    totals.registers = max([totals.registers, *map(int, registers)])
    totals.spilling += sum(int(count) > 0 for count in spills)


def make(options, program, target, folder, totals):
    """Makes the kernels of one program for one target."""
    status, code, errors = run(options.tool, str(program), f"--target={target}")
    totals.programs += 1
    if status:
        first = (errors.splitlines() or [f"exit status {status}"])[0]
        known = re.search(r"has no (?:kernel|code) for (.*?)(?:: |$)", first)
        if known:
            totals.lacking[known[1]] += 1
        else:
            totals.refused.append(f"{target} {program.name}: {first}")
        return
    if target in AMD:
        binary = subprocess.run(
            [options.tool, str(program), f"--target={target}", "--emit=binary"],
            capture_output=True,
            timeout=120,
        )
        (folder / "k.o").write_bytes(binary.stdout)
    if target in NVIDIA + AMD and code.strip():
        assemble(options, target, code, folder, totals, program.name)


def check(options, programs):
    """Runs programs by the emulator; returns how many agree with the CPU compiler, and what differs."""
    agree, differ = 0, []
    for program in programs:
        status, _, errors = run(options.tool, str(program), "--emit=check")
        if not status:
            agree += 1
        elif "has no kernel" not in errors and "has no code" not in errors:
            differ.append(
                f"{program.name}: {errors.strip() or f'exit status {status}'}"
            )
    return agree, differ


def main():
    """Prints the table; the exit status is 1 where anything was refused or differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--lld", default="ld.lld-22")
    parser.add_argument("--target", action="append")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    programs = sorted(options.folder.glob("*.mlir"))
    wrong = []
    lacking = collections.Counter()
    print(
        "| Target | Programs | with kernels | Kernels | refused | most registers | spill |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|")
    for target in options.target or (*NVIDIA, *AMD, "spirv"):
        totals = Totals()
        with tempfile.TemporaryDirectory() as folder:
            for program in programs:
                make(options, program, target, pathlib.Path(folder), totals)
        made = totals.programs - sum(totals.lacking.values())
        known = (totals.kernels, len(totals.refused), totals.registers, totals.spilling)
        print(
            f"| {target} | {totals.programs} | {made} | "
            + " | ".join(map(str, known))
            + " |",
            flush=True,
        )
        wrong += totals.refused
        lacking = totals.lacking
    for name, count in lacking.most_common():
        print(f"no kernel yet: {name}, in {count} programs")
    if options.check:
        agree, differ = check(options, programs)
        print(
            f"{agree} programs give what the CPU compiler gives, {len(differ)} do not"
        )
        wrong += differ
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
