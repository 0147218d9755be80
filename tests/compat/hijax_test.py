"""Types above arrays: a pair, its primitives, and what goes through them."""

import dataclasses

import pytest

import jax
import jax.numpy as jnp
from jax.experimental import hijax as hj


@dataclasses.dataclass(frozen=True)
class Pair:
    first: object
    second: object


@dataclasses.dataclass(frozen=True, eq=False)
class PairType(hj.HiType):
    entry: hj.ShapedArray

    def to_tangent_aval(self):
        return PairType(self.entry.to_tangent_aval())

    def vspace_zero(self):
        return make_pair.bind(*[jnp.zeros(self.entry.shape, self.entry.dtype)] * 2)

    def vspace_add(self, x, y):
        return sum_of.bind(x, y)


hj.register_hitype(Pair, lambda pair: PairType(jax.typeof(pair.first)))


class MakePair(hj.HiPrimitive):
    def abstract_eval(self, x, y):
        return PairType(x), set()

    def to_lojax(self, x, y):
        return Pair(x, y)

    def jvp(self, primals, tangents):
        tangents = map(hj.instantiate_zeros, tangents)
        return make_pair.bind(*primals), make_pair.bind(*tangents)


class First(hj.HiPrimitive):
    def abstract_eval(self, pair):
        return pair.entry, set()

    def to_lojax(self, pair):
        return pair.first

    def jvp(self, primals, tangents):
        return first.bind(*primals), first.bind(*tangents)


class SumOf(hj.HiPrimitive):
    def abstract_eval(self, one, other):
        return one, set()

    def to_lojax(self, one, other):
        return Pair(one.first + other.first, one.second + other.second)


make_pair = MakePair("make_pair")
sum_of = SumOf("sum_of")
first = First("first")


def test_a_value_of_a_type_above_arrays_has_that_type():
    pair = make_pair.bind(jnp.ones(2), jnp.zeros(2))
    assert isinstance(pair, Pair)
    assert jax.typeof(pair) == PairType(hj.ShapedArray((2,), jnp.float32))
    assert first.bind(pair).tolist() == [1.0, 1.0]


def test_forward_differentiation_passes_through():
    def f(x):
        return first.bind(make_pair.bind(x**2, x)) * 3

    out, tangent = jax.jvp(f, (2.0,), (1.0,))
    assert (out, tangent) == (12.0, 12.0)


def test_a_primitive_without_rules_says_so():
    bare = hj.HiPrimitive("bare")
    with pytest.raises(NotImplementedError, match="defines no to_lojax"):
        bare.bind(1.0)
    with pytest.raises(NotImplementedError, match="'bare'"):
        jax.jvp(bare.bind, (1.0,), (1.0,))


class Counted(jax.core.Tracer):
    def __init__(self, aval):
        super().__init__(None, aval)


def test_types_give_members_to_traced_values():
    class Named(PairType):
        title = hj.aval_property(lambda tracer: f"pair of {tracer.aval.entry}")
        scaled = hj.aval_method(lambda tracer, by: (tracer, by))

    tracer = Counted(Named(hj.ShapedArray((2,), jnp.float32)))
    assert tracer.title == "pair of float32[2]"
    assert tracer.scaled(3) == (tracer, 3)
    assert tracer.entry == hj.ShapedArray((2,), jnp.float32)
    # Rules of containers are methods of the type.
    seen = []

    class Container(Named):
        def _getitem(self, value, key):
            return value, key

        def _setitem(self, value, key, new):
            seen.append((value, key, new))

        def _iter(self, value):
            return iter([value])

        def _len(self, value):
            return 5

    box = Counted(Container(hj.ShapedArray((2,), jnp.float32)))
    assert box["a"] == (box, "a")
    box["a"] = 3
    assert seen == [(box, "a", 3)]
    assert (list(box), len(box)) == ([box], 5)
    assert not hasattr(tracer, "nothing")
    with pytest.raises(AttributeError, match="no attribute nothing: its type, .*Named"):
        _ = tracer.nothing


def test_types_of_arrays_have_the_members_of_arrays():
    aval = jax.typeof(jnp.ones((2, 3)))
    assert isinstance(aval.sum, hj.aval_method) and isinstance(aval.T, hj.aval_property)
    assert type(aval).sum.fun(jnp.ones(3)) == 3.0
    assert type(aval).T.fget(jnp.ones((2, 3))).shape == (3, 2)
    # What a type knows itself it answers itself.
    assert (aval.shape, aval.size, aval.itemsize, aval.nbytes) == ((2, 3), 6, 4, 24)
    for name in (
        "all",
        "at",
        "astype",
        "item",
        "mT",
        "real",
        "reshape",
        "to_device",
        "view",
    ):
        assert isinstance(getattr(aval, name), hj.aval_method | hj.aval_property)


def test_zeros_and_sums_of_tangents_are_those_of_the_type():
    pair = make_pair.bind(jnp.ones(2), jnp.zeros(2))
    zero = hj.instantiate_zeros(hj.Zero(jax.typeof(pair)))
    assert isinstance(zero, Pair) and zero.first.tolist() == [0.0, 0.0]
    total = jax.interpreters.ad.add_tangents(pair, pair)
    assert isinstance(total, Pair) and total.first.tolist() == [2.0, 2.0]
    with pytest.raises(NotImplementedError, match="HiType does not define vspace_zero"):
        hj.HiType().vspace_zero()
