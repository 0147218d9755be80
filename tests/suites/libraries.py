"""Packages of others that are imported, and small programs with them, on our wheels or on a source tree.

Which module of which package is imported stands in `modules.txt`, versions and hashes in
`third_party/python/libraries_lock.txt`. A program in `programs/` names its package in its first line; after its code
stands, as a comment, what it printed with upstream's release.
"""

import dataclasses
import os
import pathlib
import re
import subprocess
import tempfile

FOLDER = pathlib.Path(__file__).parent
MODULES = FOLDER / "modules.txt"
PROGRAMS = FOLDER / "programs"

# A module or a program that takes longer has failed.
LIMIT_S = 600
# Numbers that programs print may differ by so much of their size, and by so much near 0.
RELATIVE, ABSOLUTE = 1e-3, 1e-5

_HEADER = re.compile(r'"""(\S+) (\d\S*): ')
_PRINTED = "\n# Upstream prints:\n"
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?=j\b|(?![\w]))"
)


def modules(table: pathlib.Path = MODULES) -> list[tuple[str, str]]:
    """Package and module of each line that is not a comment."""
    lines = table.read_text().splitlines()
    pairs = [line.split() for line in lines if line.strip() and line[0] != "#"]
    return [(package, module) for package, module in pairs]


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    file: pathlib.Path
    package: str
    version: str
    # What it printed with upstream's release.
    printed: str


def read_program(file: pathlib.Path) -> Program:
    """The program in `file`.

    Raises:
        ValueError: its first line or its last comment is not of the form that programs have.
    """
    text = file.read_text()
    header = _HEADER.match(text)
    if header is None:
        raise ValueError(f'{file} does not begin with """PACKAGE VERSION: ')
    if text.count(_PRINTED) != 1:
        raise ValueError(f"{file} has not one comment {_PRINTED.strip()!r}")
    lines = text.split(_PRINTED)[1].splitlines()
    if not lines or any(not line.startswith("#") for line in lines):
        raise ValueError(f"{file}: after {_PRINTED.strip()!r} comments alone may stand")
    printed = "\n".join(line[1:].removeprefix("   ") for line in lines)
    return Program(file, header[1], header[2], printed)


def programs(only: str = "") -> list[Program]:
    """The programs whose names have `only`, in order."""
    # Bazel adds an `__init__.py` to folders of sources.
    files = sorted(file for file in PROGRAMS.glob("*.py") if file.stem != "__init__")
    return [read_program(file) for file in files if only in file.stem]


def difference(printed: str, wanted: str) -> str:
    """Where two outputs differ, numbers within the tolerances and spaces aside; "" where they do not."""
    got, expected = _pieces(printed), _pieces(wanted)
    for (text, number), (wanted_text, wanted_number) in zip(
        got, expected, strict=False
    ):
        if number is None or wanted_number is None:
            if text != wanted_text:
                return f"{text!r}, not {wanted_text!r}"
        elif not _is_close(number, wanted_number):
            return f"{text}, not {wanted_text}"
    if len(got) != len(expected):
        longer = max(got, expected, key=len)
        extra = " ".join(text for text, _ in longer[min(len(got), len(expected)) :])
        return f"{'more' if longer is got else 'less'} output: {extra[:200]}"
    return ""


def _is_close(a, b):
    return a == b or abs(a - b) <= RELATIVE * max(abs(a), abs(b)) + ABSOLUTE


def _pieces(text):
    """Words and numbers in order, each with its value, which words have not."""
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", text)
    pieces, end = [], 0
    for match in _NUMBER.finditer(text):
        pieces += [(word, None) for word in _words(text[end : match.start()])]
        pieces.append((match[0], float(match[0])))
        end = match.end()
    return pieces + [(word, None) for word in _words(text[end:])]


def _words(text):
    # Where arrays break their lines is as wide as their numbers are.
    return re.findall(r"[^\s\[\](),]+|[\[\](),]", text)


def run(python, arguments, folder: pathlib.Path) -> tuple[str, str]:
    """What a process of `python` printed with the packages in `folder`, and why it failed, or ""."""
    paths = [os.environ.get("PYTHONPATH", ""), str(folder)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        "JAX_PLATFORMS": "cpu",
        "MPLBACKEND": "Agg",
    }
    with tempfile.TemporaryDirectory() as current:
        try:
            answer = subprocess.run(
                [python, "-P", "-W", "ignore", *arguments],
                capture_output=True,
                text=True,
                cwd=current,
                env=environment,
                timeout=LIMIT_S,
            )
        except subprocess.TimeoutExpired:
            return "", f"stopped after {LIMIT_S} s"
    return answer.stdout, reason(answer.stderr) if answer.returncode else ""


def reason(log: str) -> str:
    """The line of a log that names the exception, or its last one."""
    lines = [line for line in log.strip().splitlines() if line.strip()]
    named = [
        line for line in lines if re.match(r"[\w.]+(Error|Exception|Exit)\b", line)
    ]
    return (named or lines or ["no message"])[-1][:300]


def import_reason(python, module: str, folder: pathlib.Path) -> str:
    """Why a module could not be imported, or ""."""
    return run(python, ["-c", f"import {module}"], folder)[1]


def program_reason(python, program: Program, folder: pathlib.Path) -> str:
    """Why a program failed or what it printed otherwise, or ""."""
    printed, failed = run(python, [program.file], folder)
    return failed or difference(printed, program.printed)
