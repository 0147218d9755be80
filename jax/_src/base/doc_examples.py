"""Appends an `Examples` section to the docstrings of public names that have none of their own.

The examples of a public module stand in ``jax/_src/doc_examples/<module>.txt``: a name, its interpreter session, a blank
line. `tools/doc_examples.py` writes the results into the sessions; `tests/docs/doc_examples_test.py` runs them.
"""

import contextlib
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "doc_examples"


def read(path: str | pathlib.Path) -> dict[str, str]:
    """The sessions in a file by the name that each one is about."""
    with open(path, encoding="utf-8") as file:
        blocks = file.read().strip().split("\n\n")
    return dict(block.split("\n", 1) for block in blocks)


def attach(package: str) -> None:
    """Gives the names of a package, and of its submodules that are loaded, the examples that the tables have for them."""
    loaded = sys.modules
    try:
        files = os.listdir(FOLDER)
    except OSError:  # packed into an archive, or by a tool that takes modules alone
        return
    for file in files:
        module = loaded.get(file[:-4]) if file.startswith(package) else None
        if module is not None:
            # Names that are to go are not in the dictionary before they are used.
            names = {**vars(module).get("_to_go", {}), **vars(module)}
            for name, session in read(f"{FOLDER}/{file}").items():
                _append(names.get(name), session)


def _append(value: object, session: str) -> None:
    text = value.__doc__
    # None is a name that is loaded at its first use. Under python -OO there are no docstrings; another name of the
    # object may have brought its example.
    if value is None or not text or ">>>" in text:
        return
    margin = _margin(text)
    lines = session.replace("\n", f"\n{margin}    ")
    with contextlib.suppress(TypeError, AttributeError):  # what NumPy defines
        value.__doc__ = f"{text.rstrip()}\n\n{margin}Examples:\n{margin}    {lines}\n"


def _margin(text: str) -> str:
    """The indentation that the lines of a docstring have in common, apart from the first line."""
    _, found, last = text.rpartition("\n")
    if not found or not last.strip():
        return last if found else ""
    lines = [line for line in text.split("\n")[1:] if line.strip()]
    return min((line[: len(line) - len(line.lstrip())] for line in lines), key=len)
