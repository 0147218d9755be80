"""Names that modules once had, and names that are to go, say what to use instead."""

import importlib
import subprocess
import sys
import warnings

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


TO_GO = [(m, name) for m in sorted(gone.MODULES_TO_WARN_OF) for name in gone.to_go(m)]

# In a process of its own: a name warns once.
EACH_WARNS_ONCE = """
import importlib, warnings
from jax._src.base import gone
for module in sorted(gone.MODULES_TO_WARN_OF):
    found = importlib.import_module(module)
    for name in gone.to_go(module):
        assert name not in vars(found), (module, name)
        seen = []
        for _ in range(2):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                value = getattr(found, name)
            seen += caught
            assert value is getattr(found, name)
        (one,) = seen
        assert one.category is DeprecationWarning, (module, name)
        assert str(one.message) == gone.warning(module, name)
        assert one.filename == "<string>", (module, name, one.filename)
print("each warned once")
"""

FROM_IMPORTS = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from jax.core import ShapedArray
    from jax.experimental import pjit, shard_map
    assert not caught, caught[0]
    from jax.core import DropVar
    from jax.experimental.shard_map import shard_map
    from jax.scipy.special import lpmn
print([str(w.message).split(" is ")[0] for w in caught])
"""


def in_a_process_of_its_own(program):
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
    )
    assert not done.returncode, done.stderr
    return done.stdout.strip()


def test_each_name_that_is_to_go_warns_once():
    assert len(TO_GO) > 50
    assert in_a_process_of_its_own(EACH_WARNS_ONCE) == "each warned once"


def test_importing_from_a_module_warns_of_what_is_to_go_alone():
    assert in_a_process_of_its_own(FROM_IMPORTS) == str(
        [
            "jax.core.DropVar",
            "jax.experimental.shard_map.shard_map",
            "jax.scipy.special.lpmn",
        ]
    )


@pytest.mark.parametrize(("module", "name"), TO_GO)
def test_what_takes_the_place_of_a_name_is_there(module, name):
    _, use, instead = gone.warning(module, name).partition("; use ")
    if not use:
        assert gone.warning(module, name).endswith("nothing takes its place.")
        return
    path = instead.split(" instead")[0].split(",")[0].split("(")[0]
    steps = path.split(".")
    for last in range(len(steps), 0, -1):
        try:
            found = importlib.import_module(".".join(steps[:last]))
            break
        except ModuleNotFoundError:
            continue
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for step in steps[last:]:
            found = getattr(found, step)


def test_names_that_are_to_go_may_be_replaced(monkeypatch):
    import jax.core

    monkeypatch.setitem(vars(jax.core), "gensym", "replaced")
    assert jax.core.gensym == "replaced"
