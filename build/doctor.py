"""Prints what this machine has: versions, skew, processor features, devices, caches."""

import os
import pathlib
import platform
import re
import subprocess

import machine

FEATURES = ("avx2", "fma", "avx512f", "avx512bw", "avx512_bf16", "amx_tile")
PROBE = """
import jax, jaxlib.version
print(f"jax {jax.__version__}, jaxlib {jaxlib.version.__version__}")
print("devices " + ", ".join(map(str, jax.devices())))
"""


def first_line(*command: str) -> str:
    try:
        answer = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return "missing"
    lines = (answer.stdout or answer.stderr).strip().splitlines()
    return lines[0] if lines else f"exit code {answer.returncode}"


def processor() -> list[str]:
    text = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", text)
    flags = set(re.search(r"flags\s*: (.*)", text)[1].split())
    cores = len(os.sched_getaffinity(0))
    return [
        f"{model[1] if model else platform.machine()}, {cores} cores",
        "has " + ", ".join(f for f in FEATURES if f in flags),
        "lacks "
        + (", ".join(f for f in FEATURES if f not in flags) or "nothing that we use"),
    ]


def folder_size(path: pathlib.Path) -> str:
    if not path.exists():
        return "absent"
    size = sum(file.lstat().st_size for file in path.rglob("*") if file.is_file())
    return f"{size / 1e9:.2f} GB"


def report(options) -> int:
    """Prints the report; the exit status is 1 when something that the build needs is missing."""
    missing = [
        name
        for name in machine.wanted_packages()
        if machine.installed_version(name) is None
    ]
    print("system     ", platform.platform())
    for line in processor():
        print("processor  ", line)
    print("packages   ", f"missing: {' '.join(missing)}" if missing else "all there")
    print("bazel      ", first_line("bazel-4", "--version"))
    print("clang      ", first_line("clang-22", "--version"))
    print(
        "llvm       ",
        os.environ.get("LLVM_ROOT") or first_line("llvm-config-22", "--version"),
    )
    try:
        print(
            "python     ",
            first_line(machine.find_python(options.python_version), "--version"),
        )
    except machine.BuildError as error:
        print("python     ", error)
        missing.append("python")
    for package in machine.locked_packages():
        if (
            version := machine.installed_version(package.name)
        ) and version != package.version:
            print(
                "skew       ",
                f"{package.name} is {version}, the lock says {package.version}",
            )
    interpreter = machine.CACHE / "environments/run/bin/python"
    if interpreter.exists():
        answer = subprocess.run(
            [interpreter, "-P", "-c", PROBE], capture_output=True, text=True
        )
        for line in (answer.stdout or answer.stderr.strip()[-300:]).splitlines():
            print("wheels     ", line)
    else:
        print(
            "wheels     ",
            "not installed yet: `build.py run digits_classifier` does that",
        )
    disk_cache = pathlib.Path.home() / ".cache/jax-bazel"
    print("disk cache ", f"{disk_cache}: {folder_size(disk_cache)}")
    print("cache      ", f"{machine.CACHE}: {folder_size(machine.CACHE)}")
    return 1 if missing else 0
