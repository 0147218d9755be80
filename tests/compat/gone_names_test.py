"""Errors for names that modules once had say what to use instead."""

import importlib

import pytest

from jax._src.base import gone

NAMES = [(module, name) for module in gone.MODULES for name in gone._INSTEAD[module]]


@pytest.mark.parametrize(("module", "name"), sorted(NAMES))
def test_a_name_that_is_gone_says_what_to_use(module, name):
    found = importlib.import_module(module)
    assert not hasattr(found, name)
    with pytest.raises(AttributeError, match=f"{module}.{name} was deprecated"):
        getattr(found, name)


@pytest.mark.parametrize("module", sorted(gone.MODULES))
def test_other_names_are_just_not_there(module):
    with pytest.raises(
        AttributeError, match=f"module '{module}' has no attribute 'x1'"
    ):
        getattr(importlib.import_module(module), "x1")  # noqa: B009


def test_what_is_named_instead_is_there():
    named = [
        text.split(" ")[0].split("(")[0]
        for module in gone.MODULES
        for text in gone._INSTEAD[module].values()
        if text
    ]
    for text in named:
        module, _, name = text.rpartition(".")
        assert hasattr(importlib.import_module(module), name), text
