#!/usr/bin/env python3
"""Writes the results into the examples of docstrings (jax/_src/doc_examples), and says which names lack an example.

    python tools/doc_examples.py [MODULE ...]       fills in the results that are missing; --again replaces all
    python tools/doc_examples.py --missing          lists public names without an example

In a file a block begins with a name, or with several names that share an example: NAME in it stands for each one.
"""

import argparse
import doctest
import importlib
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs/site")]

import numpy as np  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax._src.base import doc_examples  # noqa: E402


def expanded(module: str, path: pathlib.Path) -> dict[str, str]:
    """The sessions of a file by name; names of the same object share one."""
    found: dict[str, str] = {}
    owner = importlib.import_module(module)
    for block in path.read_text().strip().split("\n\n"):
        names, session = block.split("\n", 1)
        for name in names.split():
            getattr(owner, name)  # a name that is not there is an error
            if name in found:
                raise SystemExit(f"{path.name}: {name} has two examples")
            found[name] = session.replace("NAME", name)
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


class Recorder(doctest.DocTestRunner):
    """Keeps what each line printed."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.printed: dict[int, str] = {}

    def report_success(self, out, test, example, got):
        self.printed[example.lineno] = got

    report_failure = report_success

    def report_unexpected_exception(self, out, test, example, exc_info):
        kind, error, _ = exc_info
        text = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
        self.printed[example.lineno] = (
            f"Traceback (most recent call last):\n  ...\n{text}: {str(error).splitlines()[0]}\n"
        )


def filled(name: str, session: str, again: bool) -> str:
    """The session with the results of the lines that show none."""
    known = {"jax": jax, "jnp": jnp, "np": np}
    test = doctest.DocTestParser().get_doctest(session, known, name, None, 0)
    if not again and any(example.want for example in test.examples):
        return session
    recorder = Recorder()
    recorder.run(test, out=lambda text: None)
    lines = []
    for example in test.examples:
        first, *rest = example.source.rstrip("\n").split("\n")
        lines += [f">>> {first}", *(f"... {line}" for line in rest)]
        printed = recorder.printed.get(example.lineno, "").rstrip("\n")
        lines += printed.split("\n") if printed else []
        if printed.startswith("Traceback") and "Traceback" not in example.want:
            print(f"{name}: {printed}")
    return "\n".join(lines)


def missing() -> None:
    import reference  # docs/site

    number = shown = 0
    for module, names in reference.Reference().names.items():
        texts = {n: reference.described(module, n, v) for n, v in names.items()}
        lacking = [name for name, text in texts.items() if text and ">>>" not in text]
        if lacking:
            print(f"{module}: {' '.join(lacking)}")
        number += len(texts)
        shown += sum(">>>" in text for text in texts.values())
    print(f"{shown:,} of {number:,} names have an example ({shown / number:.1%})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--missing", action="store_true")
    options = parser.parse_args()
    if options.missing:
        return missing()
    modules = options.modules or [p.stem for p in doc_examples.FOLDER.glob("*.txt")]
    for module in sorted(modules):
        path = doc_examples.FOLDER / f"{module}.txt"
        sessions = expanded(module, path)
        blocks = [
            f"{name}\n{filled(f'{module}.{name}', session, options.again)}\n"
            for name, session in sessions.items()
        ]
        path.write_text("\n".join(blocks))
        print(f"{module}: {len(blocks)} examples", file=sys.stderr)


if __name__ == "__main__":
    main()
