"""The names of the public modules are there, or stand in docs/api_gaps.md with a reason."""

import importlib
import json
import pathlib
import re
import subprocess
import sys

import pytest

# Names that are to go warn at their first use.
pytestmark = pytest.mark.filterwarnings(r"ignore:jax\..* is deprecated; ")

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = json.loads((ROOT / "tests/surface/names.json").read_text())
TABLE = (ROOT / "docs/api_gaps.md").read_text()
GAPS = dict(re.findall(r"^\| `([\w.]+)` \| (.+) \|$", TABLE, re.MULTILINE))


def lacking(module, names):
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError:
        return {f"{module}.{name}" for name in names}
    return {f"{module}.{name}" for name in names if not hasattr(found, name)}


@pytest.mark.parametrize("module", sorted(NAMES))
def test_what_a_module_lacks_is_in_the_table(module):
    listed = {f"{module}.{name}" for name in NAMES[module]} & set(GAPS)
    assert lacking(module, NAMES[module]) == listed


def test_every_gap_is_a_public_name_and_has_a_reason():
    public = {f"{module}.{name}" for module, names in NAMES.items() for name in names}
    assert set(GAPS) <= public
    assert all(len(reason) > 20 for reason in GAPS.values())
    assert len(GAPS) == TABLE.count("\n| `")


@pytest.mark.parametrize("first", [0, 123])
def test_an_import_leaves_the_garbage_collector_as_it_was(first):
    script = f"import gc; gc.set_threshold({first}, 11, 12); import jax; print(gc.get_threshold())"
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert found.stdout == f"({first}, 11, 12)\n"
