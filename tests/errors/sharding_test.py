"""Mistakes with meshes, specs and axes raise what upstream raises, and say what is wrong."""

import json
import pathlib
import re

import pytest

from tests.errors import sharding_cases

TABLE = json.loads(
    pathlib.Path(__file__).with_name("sharding_mistakes.json").read_text()
)
UPSTREAM = {name: kind for kind, names in TABLE.items() for name in names}
CASES = sharding_cases.cases()

# What upstream's own checks did not see: it fails somewhere inside.
ACCIDENTS = {"AttributeError", "KeyError", "IndexError", "AssertionError"}
DOCUMENTED = {"ValueError", "TypeError", "NameError", "NotImplementedError"}

# Upstream's exception, ours, the cases, and why.
DIFFERENCES = [
    ("NotImplementedError", "NameError", "ppermute", "no such axis; eager: no rule"),
    ("NotImplementedError", "TypeError", "ppermute.* a set", "no name; eager: no rule"),
    ("ValueError", "DuplicateSpecError", "shard_map", "one class for doubled axes"),
    ("ValueError", "TypeError", "shard_map.* (a string|a number)", "no spec at all"),
    ("ValueError", "IndivisibleError", "explicit", "a ValueError, too"),
    ("ValueError", "IndivisibleError", "does not divide", "a ValueError, too"),
    ("ValueError", "NameError", "p.* one axis . both", "the axis is not manual"),
    ("ValueError", "fine", "in vmap . doubled", "a row is taken twice"),
    ("AssertionError", "fine", "ppermute . in vmap . x", "rows without source: zeros"),
    ("fine", "ValueError", "zeros . .*unconstrained", "where it is must be known"),
    ("fine", "ValueError", "pcast to nothing . .*None", "there is no such state"),
    ("fine", "ValueError", "psum_scatter . in vmap", "one row is no part of eight"),
]


def is_known(name, theirs, ours):
    if theirs in ACCIDENTS and ours in DOCUMENTED:
        return True
    return any(
        (theirs, ours) == pair and re.search(pattern, name)
        for *pair_, pattern, _ in DIFFERENCES
        for pair in [tuple(pair_)]
    )


@pytest.fixture(scope="module")
def errors():
    return {name: sharding_cases.outcome(call) for name, call in CASES.items()}


def kind_of(error):
    return "fine" if error is None else type(error).__name__


def test_exceptions_are_upstreams(errors):
    assert set(UPSTREAM) == set(errors)
    assert len(errors) > 2800
    wrong = {
        name: (UPSTREAM[name], kind_of(error))
        for name, error in errors.items()
        if UPSTREAM[name] != kind_of(error)
        and not is_known(name, UPSTREAM[name], kind_of(error))
    }
    assert not wrong


def test_there_are_few_differences(errors):
    found = [n for n, error in errors.items() if UPSTREAM[n] != kind_of(error)]
    assert len(found) < 370
    with_reasons = [n for n in found if UPSTREAM[n] not in ACCIDENTS]
    assert len(with_reasons) < 70


@pytest.mark.parametrize("mesh", ["auto", "explicit"])
@pytest.mark.parametrize(
    "mistake", ["unknown axis", "doubled axis", "does not divide", "too long"]
)
def test_messages_show_the_mesh_and_the_spec(errors, mesh, mistake):
    calls = [*sharding_cases.OF_SHARDINGS, *sharding_cases.OF_SPECS]
    calls.remove("arange out_sharding")  # One axis: specs of two are too long.
    found = {c: errors[f"{c} | {mesh} | {mistake}"] for c in calls}
    messages = {c: str(e) for c, e in found.items() if e is not None}
    assert len(messages) > 8
    silent = [
        c
        for c, text in messages.items()
        if "'x': 4" not in text
        and "axis_names=('x', 'y')" not in text
        # Whether a spec fits an array in length does not hang on the mesh.
        and mistake != "too long"
    ]
    assert not silent
    assert not [c for c, text in messages.items() if "P(" not in text]


def test_no_axis_at_all_moves_nothing():
    lax, x = sharding_cases.lax, sharding_cases.jnp.asarray(sharding_cases.X)
    for collective in (lax.psum, lax.pmax, lax.all_gather, lax.psum_scatter):
        assert (collective(x, ()) == x).all()
    with pytest.raises(ValueError, match="no axis"):
        lax.ppermute(x, (), [(0, 0)])
