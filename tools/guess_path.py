#!/usr/bin/env python3
"""Can a stranger guess where a name is defined from file names alone?

    python tools/guess_path.py                     where each name is
    python tools/guess_path.py --sheet 40 --seed 7  a sample without the answers, below the list of files
    python tools/guess_path.py --score GUESSES      lines `name<TAB>path[<TAB>path...]`, scored

The names stand in `guess_path_names.tsv`.  A Python name is resolved by importing it; a
feature of the compiler or of the native library (and a Python name that is made by a
call) by the one file that holds the text which its row names, so that a renamed file
needs no change here.  The score counts the first
guess and any of the first three; a path may be given without its suffix.
"""

import argparse
import functools
import importlib
import inspect
import pathlib
import random
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
NAMES = HERE / "guess_path_names.tsv"
SOURCES = (".py", ".cpp", ".td", ".def", ".h")


@functools.cache
def tracked():
    """The sources that Git tracks, or without Git those below the root, but for tests, corpora and other people's code."""
    command = ["git", "ls-files"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if listing.returncode == 0:
        paths = listing.stdout.split()
    else:
        folders = [
            ROOT / name
            for name in ("jax", "jaxlib", "xla", "jax_plugins", "build", "tools")
        ]
        paths = [
            str(path.relative_to(ROOT))
            for folder in folders
            for path in sorted(folder.rglob("*"))
        ]
    left_out = re.compile(r"(^|/)(tests?|corpus|third_party|findings)/")
    return [
        path for path in paths if path.endswith(SOURCES) and not left_out.search(path)
    ]


def python_file(name):
    """The file that defines a public Python name, relative to the root."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for part in parts[end:]:
            found = getattr(found, part)
        break
    else:
        raise LookupError(f"{name} cannot be imported")
    for code in _codes(found):
        path = pathlib.Path(code.co_filename).resolve()
        if (
            "<locals>" in code.co_qualname.rpartition(".")[0]
            and code.co_name != parts[-1]
        ):
            break  # made by a factory: its assignment is in the file
        if path.is_relative_to(ROOT):
            return path.relative_to(ROOT).as_posix()
    return _defining_file(parts)


def _codes(found):
    """The code objects that belong to a function, a class or an object which wraps one."""
    found = inspect.unwrap(found)
    if inspect.isfunction(found):
        yield found.__code__
    elif inspect.isclass(found):
        for member in vars(found).values():
            if inspect.isfunction(member) and member.__qualname__.startswith(
                found.__qualname__ + "."
            ):
                yield member.__code__


def _defining_file(parts):
    """The Python file that defines a name at its left margin: a function or class before an assignment."""
    below = f"jax/_src/{parts[1]}"
    for form in (r"(?:def|class) {}\b", r"(?:\w+, )*{}(?:, \w+)*(?:: [^=]+)? = "):
        pattern = re.compile("^" + form.format(parts[-1]), re.MULTILINE)
        found = [
            path
            for path in tracked()
            if path.startswith(below) and pattern.search(_text(path))
        ]
        if len(found) == 1:
            return found[0]
    raise LookupError(
        f"{'.'.join(parts)} is assigned in {len(found)} files: {', '.join(found)}"
    )


def file_that_holds(text, folders):
    """The one source below some folders that holds a text."""
    found = [
        path
        for path in tracked()
        if path.startswith(folders) and not path.endswith(".h") and text in _text(path)
    ]
    if len(found) != 1:
        raise LookupError(f"{text!r} stands in {len(found)} files: {', '.join(found)}")
    return found[0]


@functools.cache
def _text(path):
    return (ROOT / path).read_text()


def answers():
    """Each name or feature with its path, in the order of the table."""
    table = {}
    for line in NAMES.read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, text = line.partition("\t")
            folders = ("jax/_src/",) if name.startswith("jax.") else ("xla/", "jaxlib/")
            table[name] = file_that_holds(text, folders) if text else python_file(name)
    return table


def score(guesses, table):
    """Prints the wrong guesses and the shares that were right at the first and in three."""
    first = third = 0
    for name, paths in guesses.items():
        right = table[name]
        hits = [path in (right, right.rpartition(".")[0]) for path in paths[:3]]
        first += hits[:1] == [True]
        third += any(hits)
        if hits[:1] != [True]:
            print(f"{name}: {right}, guessed {', '.join(paths)}")
    print(
        f"first guess {first} of {len(guesses)} ({first / len(guesses):.1%}), within three {third}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--sheet", type=int, metavar="COUNT", help="print a sample without the answers"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--score", type=pathlib.Path, metavar="GUESSES")
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    table = answers()
    if arguments.score:
        lines = (
            line.split("\t")
            for line in arguments.score.read_text().splitlines()
            if line.strip()
        )
        score(
            {name.strip(): [path.strip() for path in paths] for name, *paths in lines},
            table,
        )
    elif arguments.sheet:
        print("\n".join(tracked()), end="\n\n")
        print(
            "\n".join(
                random.Random(arguments.seed).sample(sorted(table), arguments.sheet)
            )
        )
    else:
        for name, path in table.items():
            print(f"{name:40} {path}")


if __name__ == "__main__":
    main()
