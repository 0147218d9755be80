#!/usr/bin/env python3
"""Writes the tables of files in the READMEs of the large folders, from the files' own first sentences.

    python tools/folder_maps.py          rewrites the tables
    python tools/folder_maps.py --check  says which are out of date, and fails if any is

A table stands behind the line `<!-- files -->`, to the end of the README. Python files
are described by the first sentence of their docstring, C++ ones by their header line.
"""

import argparse
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARK = "<!-- files -->"
HEADER_LINE = re.compile(r"//===- \S+ - (.*?) *-*(?:\*- C\+\+ -\*-)?=*//")


def python_summary(path: pathlib.Path) -> str:
    """The first sentence of a module's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=\.) ", paragraph)[0].rstrip(".")


def native_summary(path: pathlib.Path) -> str:
    """What the header line of a C++ file says; "" without one."""
    found = HEADER_LINE.match(path.read_text().partition("\n")[0])
    return found[1] if found else ""


def rows(folder: pathlib.Path) -> list[tuple[str, str]]:
    """Each file and sub-package of a folder with its summary, sorted; tests and build files are left out."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.is_dir() and (path / "__init__.py").exists():
            found[f"{path.name}/"] = python_summary(path / "__init__.py")
        elif path.suffix == ".py" and path.stem != "__init__":
            if not path.name.endswith("_gen.py"):
                found[path.name] = python_summary(path)
        elif path.suffix in (".h", ".cpp") and not path.stem.endswith("Test"):
            # A header and its source are one row, which the header describes.
            old = found.pop(f"{path.stem}.cpp", "")
            name = f"{path.stem}.{{h,cpp}}" if old or _has_both(path) else path.name
            found[name] = (
                native_summary(path.with_suffix(".h"))
                if _has_both(path)
                else native_summary(path)
            )
    return sorted(found.items(), key=lambda row: row[0].lower())


def _has_both(path: pathlib.Path) -> bool:
    return path.with_suffix(".h").exists() and path.with_suffix(".cpp").exists()


def written(readme: pathlib.Path) -> str:
    """The README with the table as it should be."""
    before = readme.read_text().partition(MARK)[0]
    lines = ["| File | What is in it |", "|---|---|"]
    for name, summary in rows(readme.parent):
        lines.append(f"| `{name}` | {summary.replace('|', chr(92) + '|')} |")
    return f"{before}{MARK}\n\n" + "\n".join(lines) + "\n"


def readmes() -> list[pathlib.Path]:
    """The READMEs that have a table."""
    found = [p for top in ("jax", "xla") for p in (ROOT / top).rglob("README.md")]
    return sorted(p for p in found if MARK in p.read_text())


def stale() -> list[pathlib.Path]:
    """The READMEs whose table is not what the files say."""
    return [path for path in readmes() if path.read_text() != written(path)]


def main() -> None:
    """Rewrites the tables, or checks them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    for path in (late := stale()):
        print(path.relative_to(ROOT))
        if not options.check:
            path.write_text(written(path))
    sys.exit(bool(late) and options.check)


if __name__ == "__main__":
    main()
