"""The elementary functions are as exact as docs/accuracy.md says."""

import os
import pathlib

import pypjrt
import pytest

from tests.plugin import accuracy

STATED = {
    cells[0].strip("`"): dict(zip(accuracy.KINDS, cells[1:], strict=True))
    for line in pathlib.Path(os.environ["ACCURACY"]).read_text().splitlines()
    if line.startswith("| `")
    for cells in [[cell.strip() for cell in line.strip("|").split("|")]]
}


@pytest.fixture(scope="module")
def shared_client(plugin):
    with pypjrt.Client.create(plugin) as made:
        yield made


@pytest.mark.parametrize("kind", accuracy.KINDS)
@pytest.mark.parametrize("op", [*accuracy.ONE, *accuracy.TWO])
def test_error_is_at_most_what_is_stated(shared_client, op, kind):
    stated = STATED[op.split(".")[1]][kind]
    found = accuracy.worst(shared_client, op, kind)
    if not found:
        pytest.skip(
            "measured in MathTest" if stated != "–" else "nothing to compare with"
        )
    error, at = found
    assert error <= float(stated), f"at {at}"


def test_elementary_functions_of_f32_are_within_two_units():
    assert all(
        float(STATED[op.split(".")[1]]["f32"]) <= 2.0
        for op in [*accuracy.ONE, *accuracy.TWO]
        if op not in accuracy.BY_SCIPY
    )
