"""Makes the GPU kernels of programs for every target, has the vendors' assemblers take them, and prints tables.

Arguments: the tool `xla-gpu`, a folder of StableHLO programs, and options. Programs and kernels of one text count once.
`ptxas` (as many as are named), `ld.lld` and `llvm-readobj` are found by PATH or by options. With --check each program is
run by the emulator too, and compared with the CPU compiler.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile

NVIDIA = ("sm_80", "sm_90a", "sm_100a", "sm_120")
AMD = ("gfx90a", "gfx942", "gfx1100")
TOGETHER = 1000  # programs that one process of the tool takes
ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, timeout=1200):
    """Runs a command; returns its exit status, output and errors."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    return done.returncode, done.stdout, done.stderr


def distinct(folder):
    """The programs of a folder, one of each text."""
    texts = {}
    for path in sorted(folder.glob("**/*.mlir")):
        texts.setdefault(hashlib.sha256(path.read_bytes()).digest(), path)
    return list(texts.values())


class Collected:
    """What the tool made: records of programs and of kernels, and files of code."""

    def __init__(self):
        self.programs, self.kernels, self.lacking, self.failed = [], {}, [], []
        self.files = []  # target, path, prefix of the kernels' names

    def add(self, folder, number, output):
        """Takes the lines of one process, whose files are in `folder`."""
        for line in output.splitlines():
            record = json.loads(line)
            if "lacks" in record:
                self.lacking.append(record)
            elif "failed" in record:
                self.failed.append(record)
            elif "steps" in record:
                self.programs.append(record)
            else:
                self.kernels[f"{number}.{record['kernel']}"] = record
        for path in sorted(folder.glob("*/*")):
            self.files.append((path.parent.name, path, f"{number}."))


def collect(options, folder):
    """Runs the tool on all programs, some at a time."""
    collected = Collected()
    programs = distinct(options.folder)[:: options.every]
    targets = ",".join(options.target or (*NVIDIA, *AMD))
    for number, first in enumerate(range(0, len(programs), TOGETHER)):
        listed = folder / f"programs{number}"
        listed.write_text("\n".join(map(str, programs[first : first + TOGETHER])))
        out = folder / str(number)
        command = [options.tool, f"@{listed}", "--emit=collect"]
        status, output, errors = run(
            *command, f"--target={targets}", f"--out={out}", timeout=7200
        )
        if status:
            collected.failed.append({"program": str(listed), "failed": errors[:300]})
            output = output[: output.rfind("\n") + 1]
        collected.add(out, number, output)
    return collected


def by_ptxas(text):
    """Reads registers, bytes of spills and of shared memory of each kernel from what ptxas prints."""
    found, name = {}, None
    for line in text.splitlines():
        if match := re.search(r"Compiling entry function '(\w+)'", line):
            name = match[1]
            found[name] = {"registers": 0, "spills": 0, "shared": 0}
        elif match := re.search(r"(\d+) bytes spill stores", line):
            found[name]["spills"] = int(match[1])
        elif match := re.search(r"Used (\d+) registers", line):
            found[name]["registers"] = int(match[1])
            shared = re.search(r"(\d+) bytes smem", line)
            found[name]["shared"] = int(shared[1]) if shared else 0
    return found


def by_notes(text):
    """Reads registers, bytes of spills and of shared memory of each kernel from the notes in AMD's code."""
    found = {}
    for kernel in re.split(r"^ *- \.agpr_count|^ *- \.args", text, flags=re.M)[1:]:
        numbers = dict(re.findall(r"^ *\.(\w+): +(\w+)$", kernel, flags=re.M))
        found[numbers["name"]] = {
            "registers": int(numbers["vgpr_count"]),
            "spills": int(numbers["vgpr_spill_count"]),
            "shared": int(numbers["group_segment_fixed_size"]),
        }
    return found


def assemble(options, target, path, ptxas):
    """Hands a file to the vendor's assembler; returns what it says of the kernels, or the error."""
    made = path.with_suffix(".bin")
    if target in NVIDIA:
        status, output, errors = run(
            ptxas, "-v", f"-arch={target}", str(path), "-o", str(made)
        )
        return by_ptxas(output + errors), errors if status else ""
    status, _, errors = run(options.lld, "-shared", str(path), "-o", str(made))
    if status:
        return {}, errors
    status, notes, errors = run(options.readobj, "--notes", str(made))
    return by_notes(notes), errors if status else ""


class Column:
    """What one assembler said for one target."""

    def __init__(self):
        self.kernels, self.refused = {}, []


def assemble_all(options, collected):
    """Columns by target and assembler."""
    columns = collections.defaultdict(Column)
    work = [
        (target, path, prefix, ptxas)
        for target, path, prefix in collected.files
        for ptxas in (options.ptxas if target in NVIDIA else [None])
    ]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        answers = pool.map(lambda w: assemble(options, w[0], w[1], w[3]), work)
        for (target, path, prefix, ptxas), (known, error) in zip(
            work, answers, strict=True
        ):
            column = columns[target, ptxas]
            column.kernels |= {prefix + name: facts for name, facts in known.items()}
            if error:
                column.refused.append(f"{target} {path}: {error.strip()[:300]}")
    return columns


def version_of(options, ptxas):
    """Which assembler it is."""
    if ptxas is None:
        return (
            "lld " + re.search(r"LLD (\d+\.\d+)", run(options.lld, "--version")[1])[1]
        )
    return "ptxas " + re.search(r"release (\d+\.\d+)", run(ptxas, "--version")[1])[1]


def print_targets(options, columns):
    """A row for each target and assembler."""
    print("| Target | Assembler | Kernels | refused | most registers | spill |")
    print("|---|---|--:|--:|--:|--:|")
    for (target, ptxas), column in columns.items():
        facts = column.kernels.values()
        cells = [
            target,
            version_of(options, ptxas),
            len(facts),
            len(column.refused),
            max((k["registers"] for k in facts), default=0),
            sum(k["spills"] > 0 for k in facts),
        ]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def lengths(collected):
    """Lines of PTX of each kernel, for sm_90a."""
    found = {}
    for target, path, prefix in collected.files:
        if target == "sm_90a":
            for name, body in re.findall(
                r"\.entry (\w+)\((.*?)^}", path.read_text(), flags=re.M | re.S
            ):
                found[prefix + name] = body.count("\n")
    return found


def model():
    """benchmarks/gpu_model.py"""
    path = ROOT / "benchmarks/gpu_model.py"
    spec = importlib.util.spec_from_file_location("gpu_model", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["gpu_model"] = module
    spec.loader.exec_module(module)
    return module


def print_largest(collected, columns, count):
    """A row for each of the kernels with the most lines."""
    times = model()
    newest = {target: column for (target, _), column in columns.items()}
    of_length = {}  # kernels of one operation and length differ in their shapes alone
    for name, lines in lengths(collected).items():
        of_length.setdefault((collected.kernels[name]["operation"], lines), name)
    largest = [(name, lines) for (_, lines), name in of_length.items()]
    largest = sorted(largest, key=lambda item: -item[1])[:count]
    names = " | ".join(newest)
    print(f"| Kernel of | lines of PTX | {names} | spills | shared | H100 |")
    print("|---|--:|" + "--:|" * (len(newest) + 3))
    for name, lines in largest:
        record = collected.kernels[name]
        facts = [column.kernels.get(name) for column in newest.values()]
        parts = times.kernel_parts(times.MACHINES[0], record)
        cells = [
            record["operation"].removeprefix("stablehlo."),
            lines,
            *(known["registers"] if known else "-" for known in facts),
            max(known["spills"] for known in facts if known),
            max(known["shared"] for known in facts if known),
            times.seconds_text(max(parts.values())),
        ]
        print("| " + " | ".join(map(str, cells)) + " |")


def print_counts(collected):
    """How much of the programs has kernels."""
    launches, host = 0, collections.Counter()
    whole = 0
    for program in collected.programs:
        launches += sum("kernel" in step for step in program["steps"])
        left = [step["host"] for step in program["steps"] if "host" in step]
        host.update(left)
        whole += not left
    print(
        f"{len(collected.programs)} programs, {len(collected.kernels)} kernels of different texts; "
        f"{launches} steps are kernels, {host.total()} are computed on the host; "
        f"{whole} programs are kernels alone; {len(collected.failed)} are not planned"
    )
    for name, times in host.most_common():
        print(f"on the host: {name}, {times} times")


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
    """Prints the tables; the exit status is 1 where anything was refused or differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ptxas", action="append")
    parser.add_argument("--lld", default="ld.lld-22")
    parser.add_argument("--readobj", default="llvm-readobj-22")
    parser.add_argument("--target", action="append")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--largest", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    options.ptxas = options.ptxas or ["ptxas"]
    with tempfile.TemporaryDirectory() as folder:
        collected = collect(options, pathlib.Path(folder))
        print_counts(collected)
        columns = assemble_all(options, collected)
        print_targets(options, columns)
        print_largest(collected, columns, options.largest)
    wrong = [refused for column in columns.values() for refused in column.refused]
    for record in collected.lacking:
        print(f"no code for {record['target']}: {record['lacks'].splitlines()[0]}")
    for record in collected.failed:
        print(f"{record['program']}: {record['failed'].splitlines()[0]}")
    if options.check:
        agree, differ = check(options, distinct(options.folder)[:: options.every])
        print(
            f"{agree} programs give what the CPU compiler gives, {len(differ)} do not"
        )
        wrong += differ
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
