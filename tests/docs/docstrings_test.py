"""What docstrings become on the pages of the reference."""

import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def escape(text):
    path = ROOT / "docs/site/docstrings.py"
    spec = importlib.util.spec_from_file_location("docstrings", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.escape(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("size ``n // 2`` here", "size ``n // 2`` here"),
        ("`x + y` is", "``x + y`` is"),
        ("``f(x)``", "``f(x)``"),
        ("see `jax.grad`.", "see :py:obj:`jax.grad`."),
        ("`x`s, a`b`", ":py:obj:`x`\\ s, a\\ :py:obj:`b`"),
        ("``n``th", "``n``\\ th"),
        ("2 * x | y", "2 \\* x \\| y"),
    ],
)
def test_names_and_code_are_shown_as_they_are(text, shown):
    assert escape(text) == shown
