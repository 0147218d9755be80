"""Records against what the standard library makes of the same class."""

import copy
import dataclasses
import inspect
import pickle

import pytest

from jax._src.base import records


@records.record
class Point:
    """Two numbers and a name."""

    x: int
    y: int = 2
    name: str = "p"

    @property
    def total(self):
        """Their sum."""
        return self.x + self.y


@records.record
class Marked(Point):
    """A point with a mark."""

    mark: tuple = ()


@records.record
class Empty:
    """Nothing."""


@records.identity_record
class Key:
    """A number that is nobody else's."""

    number: int


def _as_dataclass(cls):
    """The class that the standard library makes of the same fields."""
    base = next((b for b in cls.__bases__ if b is not object), None)
    bases = (_as_dataclass(base),) if base else ()
    names = cls.__slots__
    defaults = {n: v for n, v in cls.__record_defaults__.items() if n in names}
    body = {"__annotations__": dict.fromkeys(names, "object"), **defaults}
    made = type(cls.__name__, bases, body)
    return dataclasses.dataclass(frozen=True, slots=True)(made)


CALLS = [
    (Point, (1,), {}),
    (Point, (1, 3), {"name": "q"}),
    (Point, (), {"y": 1, "x": 5}),
    (Point, (), {}),
    (Point, (1, 2, "a", 4), {}),
    (Point, (1,), {"x": 1}),
    (Point, (1,), {"z": 1}),
    (Marked, (1, 2, "a", (4,)), {}),
    (Marked, (1,), {"mark": (2,)}),
    (Empty, (), {}),
    (Empty, (1,), {}),
]


def _outcome(cls, args, kwargs):
    try:
        made, again = cls(*args, **kwargs), cls(*args, **kwargs)
    except TypeError as error:
        return str(error).split("__init__")[1]
    assert made == again and hash(made) == hash(again) and made != 0
    return repr(made)


@pytest.mark.parametrize("cls, args, kwargs", CALLS)
def test_a_record_is_made_and_compared_as_a_dataclass_is(cls, args, kwargs):
    expected = _outcome(_as_dataclass(cls), args, kwargs)
    assert _outcome(cls, args, kwargs) == expected
    assert _outcome(cls, args, kwargs) == expected  # by the compiled __init__ too


def test_fields_differ_or_classes_differ():
    assert Point(1) != Point(2)
    assert Point(1) != Marked(1)
    assert Key(1) != Key(1)
    key = Key(1)
    assert {key: 2}[key] == 2


def test_a_record_keeps_its_values():
    point = Point(1)
    for change in (
        lambda: setattr(point, "x", 2),
        lambda: setattr(point, "other", 2),
        lambda: delattr(point, "x"),
    ):
        with pytest.raises(AttributeError, match="Point.* cannot be changed"):
            change()
    assert point == Point(1, 2) and point.total == 3
    assert not hasattr(point, "__dict__")


def test_replace_makes_another():
    marked = Marked(1, mark=(3,))
    assert records.replace(marked, y=7) == Marked(1, 7, "p", (3,))
    assert marked == Marked(1, mark=(3,))
    with pytest.raises(TypeError, match="nothing"):
        records.replace(marked, nothing=1)
    assert records.fields_of(Marked) == ("x", "y", "name", "mark")


def test_the_fields_of_a_record_or_of_its_base_come_by_name():
    marked = Marked(1, mark=(3,))
    assert records.as_dict(marked) == {"x": 1, "y": 2, "name": "p", "mark": (3,)}
    assert records.as_dict(marked, Point) == {"x": 1, "y": 2, "name": "p"}
    assert records.as_dict(Empty()) == {}


@pytest.mark.parametrize("made", [Point(1), Marked(1, mark=(2,)), Empty()])
def test_records_travel(made):
    assert pickle.loads(pickle.dumps(made)) == made
    assert copy.copy(made) == made
    assert copy.deepcopy(made) == made


def test_methods_written_by_hand_stay():
    @records.record
    class Shouting:
        word: str

        def __repr__(self):
            return self.word.upper()

        def __eq__(self, other):
            return self.word.lower() == other.word.lower()

    assert repr(Shouting("a")) == "A"
    assert Shouting("a") == Shouting("A")
    assert hash(Shouting("a")) == hash(Shouting("a"))


def test_the_signature_is_known_before_the_first_record():
    @records.record
    class Pair:
        left: int
        right: int = 3

        def __call__(self, x):
            return x

    assert str(inspect.signature(Pair)) == "(left, right=3)"
    assert str(inspect.signature(Pair(1))) == "(x)"
    assert str(inspect.signature(Pair)) == "(left, right=3)"
