"""The pages about errors show what is raised: their programs run, their messages are compared.

`WRITE_PAGES=1` in the environment writes today's messages into the pages instead; read
the difference before committing it.
"""

import os
import pathlib
import re
import sys

import pytest

import jax
from jax._src.base import options

PAGES = pathlib.Path(__file__).parents[2] / "docs" / "errors"
EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```\n", re.DOTALL)
# Facts that differ from machine to machine.
VARYING = [
    (re.compile(r"\d+ of \d+ are in use"), "… of … are in use"),
    (re.compile(r"present +\w.*"), "present …"),
    (re.compile(r"Var\(id=\d+\)"), "Var(id=…)"),
    (re.compile(r"(?<=arrays that are alive:\n)(  .*\n)+"), "  …\n"),
]


def pages():
    return sorted(p for p in PAGES.glob("*.md") if p.name != "README.md")


def examples():
    for page in pages():
        for number, match in enumerate(EXAMPLE.finditer(page.read_text())):
            yield pytest.param(match[1], match[2], id=f"{page.stem}-{number}")


def shown(program):
    """The last lines of what Python prints for the error of a program."""
    file = "example.py"
    try:
        exec(compile(program, file, "exec"), {"__name__": "__main__"})
    except Exception as error:
        kind = type(error)
        module = "" if kind.__module__ == "builtins" else kind.__module__ + "."
        return steady(f"{module}{kind.__qualname__}: {error}\n")
    return "nothing is raised\n"


def steady(text):
    for pattern, common in VARYING:
        text = pattern.sub(common, text)
    return text


@pytest.mark.parametrize(("program", "message"), list(examples()))
def test_the_message_on_the_page_is_the_message_raised(program, message):
    # As without the tests, which are not warned.
    with options.recompilations_until_warning(5):
        assert shown(program) == message


def test_every_error_class_has_a_page():
    classes = {n for n in vars(jax.errors) if n[0].isupper()}
    assert classes - {page.stem for page in pages()} == set()


# Classes to catch others by, and one that is raised only by exporting.
NEVER_SHOWN = {"JAXIndexError", "JAXTypeError", "InconclusiveDimensionOperation"}


def test_every_error_class_is_shown():
    shown_classes = {
        match[2].partition(":")[0].removeprefix("jax.errors.")
        for page in pages()
        for match in EXAMPLE.finditer(page.read_text())
    }
    classes = {n for n in vars(jax.errors) if n[0].isupper()}
    assert classes - shown_classes == NEVER_SHOWN
    assert "jax.dtypes.TypePromotionError" in shown_classes
    assert any(name.endswith("checkify.JaxRuntimeError") for name in shown_classes)


def test_the_index_names_every_page():
    index = (PAGES / "README.md").read_text()
    assert [p.name for p in pages() if f"({p.name})" not in index] == []


if os.environ.get("WRITE_PAGES"):
    for page in pages():
        text = page.read_text()
        page.write_text(
            EXAMPLE.sub(
                lambda m: f"```python\n{m[1]}```\n\n```text\n{shown(m[1])}```\n", text
            )
        )
    sys.exit("pages written")
