"""docs/compiler/ops_types.md says what the plugin does with each operation and type."""

import os
import pathlib

import pytest

from tests.plugin import ops_types

EXAMPLES = ops_types.examples(os.environ["OPERATIONS"].split(":"))
DECLARED = ops_types.registered(os.environ["DECLARATIONS"].split(":"))
WRITTEN = {
    line.split("`")[1]: line
    for line in pathlib.Path(os.environ["OPS_TYPES"]).read_text().splitlines()
    if line.startswith("| `")
}


@pytest.fixture(scope="module")
def runners(plugin):
    with (
        ops_types.Runner(plugin, "native") as compiler,
        ops_types.Runner(plugin, "reference") as interpreter,
    ):
        yield [compiler, interpreter]


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_the_table_is_true(runners, name):
    assert ops_types.row(runners, name, EXAMPLES[name]) == WRITTEN.get(name)


def test_the_table_has_no_other_lines():
    assert set(WRITTEN) == set(EXAMPLES)


def test_every_operation_of_the_dialects_has_a_line():
    assert len(DECLARED) > 150
    assert {name.split(",")[0] for name in EXAMPLES} == DECLARED
