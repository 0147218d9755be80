"""Shardings in compilers' terms: text, bytes, and names of mesh axes."""

import itertools

import pytest

from jax._src.base import errors
from jax._src.core import hlo_sharding as hlo

AXES = (("x", 2), ("y", 1), ("z", 3), ("w", 2))


def placements(ndim=2):
    """Every way to lay the axes of a mesh over the axes of an array."""
    names = [name for name, _ in AXES]
    for order in itertools.permutations(names, 3):
        for first, second in itertools.combinations_with_replacement(range(4), 2):
            yield order[:first], order[first:second]


@pytest.mark.parametrize(
    ("entries", "text", "data"),
    [
        (
            (("y",), ("x",)),
            "{devices=[2,4]<=[4,2]T(1,0)}",
            "08031a0202044a02040252020100",
        ),
        ((("x",), ("y",)), "{devices=[4,2]<=[8]}", None),
        ((("y", "x"),), "{devices=[8]<=[4,2]T(1,0)}", None),
        ((("y",),), "{devices=[2,4]<=[4,2]T(1,0) last_tile_dim_replicate}", None),
        (((), ()), "{replicated}", ""),
    ],
)
def test_specs_become_what_compilers_write(entries, text, data):
    made = hlo.of_axes((("x", 4), ("y", 2)), entries)
    assert str(made) == text
    if data is not None:
        assert hlo.to_bytes(made).hex() == data


def test_every_placement_survives_text_bytes_and_names():
    for entries in placements():
        made = hlo.of_axes(AXES, entries)
        assert hlo.parse(str(made)) == made
        assert hlo.from_bytes(hlo.to_bytes(made)) == made
        named = hlo.entries_on(AXES, made, 2)
        assert hlo.of_axes(AXES, (*named, *((),) * (2 - len(named)))) == made
        assert not any("y" in entry for entry in named)


@pytest.mark.parametrize(
    "text",
    [
        "{maximal device=3}",
        "{manual}",
        "{unreduced}",
        "{devices=[2,2]0,2,1,3}",
        "{{replicated}, {devices=[2,1,2]<=[4] last_tile_dims={manual, replicated}}}",
        "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}",
    ],
)
def test_other_shardings_survive_text_and_bytes(text):
    made = hlo.parse(text)
    assert str(made) == text
    assert str(hlo.from_bytes(hlo.to_bytes(made))) == text


def test_lists_and_permutations_that_say_the_same_are_alike():
    listed = hlo.parse("{devices=[2,2]0,2,1,3}")
    assert hlo.placed_alike(listed, hlo.parse("{devices=[2,2]<=[2,2]T(1,0)}"), 4)
    assert not hlo.placed_alike(listed, hlo.parse("{devices=[2,2]<=[4]}"), 4)
    # Which of those that hold the same comes first is no matter.
    swapped = hlo.parse("{devices=[2,2]1,0,2,3 last_tile_dim_replicate}")
    plain = hlo.parse("{devices=[2,2]<=[4] last_tile_dim_replicate}")
    assert hlo.placed_alike(swapped, plain, 4)


def test_parts_of_axes_have_no_names():
    half = hlo.parse("{devices=[2,2]<=[4] last_tile_dim_replicate}")
    with pytest.raises(errors.IndivisibleError, match="axes of a mesh"):
        hlo.entries_on((("x", 4),), half, 1)


@pytest.mark.parametrize("wrong", ["", "{devices=[2]}", "{devices=[2]<=[2]T}", "{a}"])
def test_text_that_says_nothing_is_refused(wrong):
    with pytest.raises(ValueError, match="no sharding"):
        hlo.parse(wrong)


@pytest.mark.parametrize("wrong", [b"\x08", b"\x08\x63", b"\x1a\x05\x01", b"\x0d\x01"])
def test_malformed_bytes_are_refused(wrong):
    with pytest.raises(ValueError, match="malformed"):
        hlo.from_bytes(wrong)
