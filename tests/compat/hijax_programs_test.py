"""Values of types above arrays in compiled programs, loops, branches and `shard_map`."""

import dataclasses

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import hijax as hj
from jax.sharding import PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class Scaled:
    """Whole numbers of 8 bits, and what each row of them counts in."""

    whole: object
    unit: object


@dataclasses.dataclass(frozen=True)
class ScaledType(hj.HiType):
    shape: tuple

    def lo_ty(self):
        return [
            hj.ShapedArray(self.shape, np.dtype(np.int8)),
            hj.ShapedArray(self.shape[:1], np.dtype(np.float32)),
        ]

    def lower_val(self, value):
        return [value.whole, value.unit]

    def raise_val(self, whole, unit):
        return Scaled(whole, unit)

    def to_tangent_aval(self):
        return hj.ShapedArray(self.shape, np.dtype(np.float32))

    def shard(self, mesh, manual_axes, check_vma, spec):
        rows = self.shape[0] // mesh.shape["x"] if spec.whole else self.shape[0]
        return ScaledType((rows, *self.shape[1:]))

    def unshard(self, mesh, check_vma, spec):
        rows = self.shape[0] * mesh.shape["x"] if spec.whole else self.shape[0]
        return ScaledType((rows, *self.shape[1:]))


hj.register_hitype(Scaled, lambda value: ScaledType(value.whole.shape))


class Pack(hj.HiPrimitive):
    def abstract_eval(self, x):
        return ScaledType(x.shape), set()

    def to_lojax(self, x):
        unit = jnp.max(jnp.abs(x), axis=1) / 100
        return Scaled(jnp.round(x / unit[:, None]).astype(jnp.int8), unit)

    def jvp(self, primals, tangents):
        return pack(*primals), tangents[0]

    def transpose(self, ct, x):
        return [ct]


class Unpack(hj.HiPrimitive):
    def abstract_eval(self, packed):
        return hj.ShapedArray(packed.shape, np.dtype(np.float32)), set()

    def to_lojax(self, packed):
        return packed.whole * packed.unit[:, None]

    def jvp(self, primals, tangents):
        return unpack(*primals), tangents[0]

    def transpose(self, ct, packed):
        return [ct]


pack, unpack = Pack("pack").bind, Unpack("unpack").bind


@dataclasses.dataclass(frozen=True)
class Both:
    first: object
    second: object


@dataclasses.dataclass(frozen=True)
class BothType(hj.HiType):
    first: hj.ShapedArray
    second: hj.ShapedArray

    def lo_ty(self):
        return [self.first, self.second]

    def lower_val(self, value):
        return [value.first, value.second]

    def raise_val(self, first, second):
        return Both(first, second)

    def to_tangent_aval(self):
        return BothType(self.first.to_tangent_aval(), self.second.to_tangent_aval())

    def vspace_zero(self):
        return both(*(jnp.zeros(a.shape, a.dtype) for a in self.lo_ty()))

    def vspace_add(self, x, y):
        return both(first(x) + first(y), second(x) + second(y))

    def inc_rank(self, size, spec):
        return BothType(*(a.update(shape=(size, *a.shape)) for a in self.lo_ty()))

    def dec_rank(self, size, spec):
        return BothType(*(a.update(shape=a.shape[1:]) for a in self.lo_ty()))


hj.register_hitype(
    Both, lambda value: BothType(jax.typeof(value.first), jax.typeof(value.second))
)


class MakeBoth(hj.HiPrimitive):
    def abstract_eval(self, x, y):
        return BothType(x, y), set()

    def to_lojax(self, x, y):
        return Both(x, y)

    def jvp(self, primals, tangents):
        return both(*primals), both(*map(hj.instantiate_zeros, tangents))

    def transpose(self, ct, x, y):
        return [first(ct), second(ct)]


class Take(hj.HiPrimitive):
    def abstract_eval(self, value, *, which):
        return value.lo_ty()[which], set()

    def to_lojax(self, value, *, which):
        return (value.first, value.second)[which]

    def jvp(self, primals, tangents, *, which):
        return take(*primals, which=which), take(*tangents, which=which)

    def transpose(self, ct, value, *, which):
        parts = [jnp.zeros(a.shape, a.dtype) for a in value.aval.lo_ty()]
        parts[which] = hj.instantiate_zeros(ct)
        return [both(*parts)]


both, take = MakeBoth("both").bind, Take("take").bind


def first(value):
    return take(value, which=0)


def second(value):
    return take(value, which=1)


class Doubled(hj.VJPHiPrimitive):
    """The first part squared, the second three times as large."""

    def __init__(self, aval):
        self.in_avals = (aval,)
        self.out_aval = aval
        self.params = {}
        super().__init__()

    def expand(self, value):
        return both(first(value) ** 2, second(value) * 3)

    def vjp_fwd(self, nzs_in, value):
        return self(value), value

    def vjp_bwd_retval(self, value, ct):
        return (both(first(ct) * 2 * first(value), second(ct) * 3),)


def doubled(value):
    return Doubled(jax.typeof(value))(value)


def _parts(result):
    """What a tree of results is made of, as lists."""
    return [
        np.asarray(part).tolist()
        for leaf in jax.tree.leaves(result)
        for part in (
            jax.typeof(leaf).lower_val(leaf) if jax.typeof(leaf).is_high else [leaf]
        )
    ]


x = jnp.array([[1.0, 2.0, 100.0], [4.0, 0.0, -200.0]])
q = pack(x)
one, two = jnp.float32(1), jnp.float32(2)
pair = both(two, jnp.arange(3.0))
rows = both(jnp.arange(4.0), jnp.arange(12.0).reshape(4, 3))
X = x.tolist()
Q = [[[1, 2, 100], [2, 0, -100]], [1.0, 2.0]]


def grown(carry, y):
    return both(first(carry) * y, second(carry)), first(carry)


def of_custom_vjp():
    f = jax.custom_vjp(lambda value: first(value) ** 2)
    f.defvjp(
        lambda value: (first(value) ** 2, value),
        lambda value, ct: (both(ct * 2 * first(value), ct * 0),),
    )
    return lambda t: f(both(t, t))


def of_custom_jvp():
    f = jax.custom_jvp(lambda value: first(value) ** 2)
    f.defjvp(lambda p, t: (first(p[0]) ** 2, 2 * first(p[0]) * first(t[0])))
    return lambda t: f(both(t, t))


def loss(x):
    return (unpack(pack(x)) ** 2).sum()


def through_scan(t):
    return lax.scan(grown, both(t, t), jnp.arange(1.0, 4.0))[1].sum()


def through_cond(t):
    chosen = lax.cond(
        t > 0, lambda b: both(first(b) * 2, second(b)), lambda b: b, both(t, t)
    )
    return first(chosen)


PROGRAMS = {
    "an argument": (lambda: jax.jit(unpack)(q), [X]),
    "a result": (lambda: jax.jit(pack)(x), Q),
    "passed through": (lambda: jax.jit(lambda q: q)(q), Q),
    "inside": (lambda: jax.jit(lambda x: unpack(pack(x)))(x), [X]),
    "closed over": (lambda: jax.jit(lambda y: unpack(q) * y)(one), [X]),
    "a constant result": (lambda: jax.jit(lambda y: (y, q))(one), [1.0, *Q]),
    "a call inside": (lambda: jax.jit(lambda q: jax.jit(unpack)(q) * 1)(q), [X]),
    "in trees": (lambda: jax.jit(lambda d: [d["q"], d["y"]])({"q": q, "y": one}), [*Q, 1.0]),
    "by keyword": (lambda: jax.jit(lambda *, q: unpack(q))(q=q), [X]),
    "beside a static": (lambda: jax.jit(lambda n, q: unpack(q) * n, static_argnums=0)(1, q), [X]),
    "compiled ahead": (lambda: jax.jit(unpack).lower(q).compile()(q), [X]),
    "compiled ahead, a result": (lambda: jax.jit(pack).lower(x).compile()(x), Q),
    "grad of jit": (lambda: jax.grad(jax.jit(loss))(x), [(2 * x).tolist()]),
    "jit of grad": (lambda: jax.jit(jax.grad(loss))(x), [(2 * x).tolist()]),
    "grad in it": (lambda: jax.jit(jax.grad(lambda q: (unpack(q) ** 2).sum()))(q), [(2 * x).tolist()]),
    "jvp in it": (lambda: jax.jvp(lambda b: first(b) * 2, (pair,), (pair,)), [4.0, 4.0]),
    "linearize in it": (lambda: jax.linearize(lambda b: first(b) * 2, pair)[1](pair), [4.0]),
    "jvp of jit": (lambda: jax.jvp(jax.jit(unpack), (q,), (x,)), [X, X]),
    "checkpoint": (lambda: jax.jit(jax.grad(jax.checkpoint(loss)))(x), [(2 * x).tolist()]),
    "custom_vjp": (lambda: jax.jit(jax.grad(of_custom_vjp()))(two), [4.0]),
    "custom_jvp": (lambda: jax.jit(jax.grad(of_custom_jvp()))(two), [4.0]),
    "a class": (lambda: jax.jit(doubled)(pair), [4.0, [0.0, 3.0, 6.0]]),
    "grad of a class": (lambda: jax.jit(jax.grad(lambda b: first(doubled(b))))(both(two, one)), [4.0, 0.0]),
    "carried": (lambda: lax.scan(grown, both(two, one), jnp.arange(1.0, 4.0)), [12.0, 1.0, [2.0, 2.0, 4.0]]),
    "stacked": (lambda: lax.scan(lambda c, y: (c, both(y, c)), one, jnp.arange(3.0)), [1.0, [0.0, 1.0, 2.0], [1.0] * 3]),
    "slices of it": (lambda: lax.scan(lambda c, b: (c + first(b), None), one, rows, length=4)[0], [7.0]),
    "scan, closed over": (lambda: lax.scan(lambda c, y: (c + first(pair), None), one, None, length=3)[0], [7.0]),
    "grad of scan": (lambda: jax.grad(through_scan)(two), [4.0]),
    "jit of grad of scan": (lambda: jax.jit(jax.grad(through_scan))(two), [4.0]),
    "jvp of scan": (lambda: jax.jvp(through_scan, (two,), (one,)), [8.0, 4.0]),
    "map": (lambda: lax.map(lambda y: both(y, y * 2), jnp.arange(3.0)), [[0.0, 1.0, 2.0], [0.0, 2.0, 4.0]]),
    "cond": (lambda: lax.cond(True, lambda q: q, lambda q: q, q), Q),
    "jit of cond": (lambda: jax.jit(lambda p: lax.cond(p, unpack, lambda q: unpack(q) * 0, q))(True), [X]),
    "switch": (lambda: lax.switch(1, [lambda b: second(b), lambda b: second(b) + 1], pair), [[1.0, 2.0, 3.0]]),
    "grad of cond": (lambda: jax.jit(jax.grad(through_cond))(two), [2.0]),
    "while": (lambda: lax.while_loop(lambda b: first(b) < 9, lambda b: both(first(b) * 2, second(b)), both(one, two)), [16.0, 2.0]),
    "while, closed over": (lambda: jax.jit(lambda y: lax.while_loop(lambda c: c < 9 * first(pair), lambda c: c * first(pair), y))(one), [32.0]),
    "fori": (lambda: lax.fori_loop(0, 3, lambda i, b: both(first(b) * 2, second(b)), both(one, two)), [8.0, 2.0]),
    "vmap beside it": (lambda: jax.vmap(lambda b, y: y * first(b), in_axes=(None, 0))(pair, jnp.arange(3.0)), [[0.0, 2.0, 4.0]]),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_computes_with_values_above_arrays(name):
    run, expected = PROGRAMS[name]
    for got, wanted in zip(_parts(run()), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_what_is_compiled_takes_the_arrays_of_a_value():
    text = jax.jit(unpack).lower(q).as_text()
    assert "tensor<2x3xi8>" in text and "tensor<2xf32>" in text
    assert jax.jit(pack).trace(x).out_info == ScaledType((2, 3))
    assert jax.eval_shape(pack, x) == ScaledType((2, 3))
    assert jax.eval_shape(unpack, ScaledType((2, 3))).shape == (2, 3)
    jaxpr = jax.make_jaxpr(jax.jit(pack))(x)
    assert jaxpr.jaxpr.is_high and not jax.make_jaxpr(jnp.sin)(1.0).jaxpr.is_high
    assert "ScaledType(shape=(2, 3)) = pack" in str(jaxpr)


def test_a_jitted_function_is_traced_once_per_type():
    traced = []

    @jax.jit
    def f(q):
        traced.append(1)
        return unpack(q)

    assert (f(q) * 2).tolist() == f(pack(x * 2)).tolist()
    assert len(traced) == 1
    f(pack(x[:1]))
    assert len(traced) == 2


@dataclasses.dataclass(frozen=True)
class ByRows(hj.HiPspec):
    whole: bool = True

    def to_lo(self):
        return (P("x"), P("x")) if self.whole else (P(), P())


@pytest.mark.parametrize("check_vma", [True, False])
def test_shard_map_splits_a_value_as_its_spec_says(check_vma):
    kinds = (jax.sharding.AxisType.Auto,)
    mesh = jax.make_mesh((1,), ("x",), kinds)

    def over(f, in_specs, out_specs):
        return jax.shard_map(
            f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=check_vma
        )

    assert over(unpack, ByRows(), P("x"))(q).tolist() == X
    assert jax.jit(over(unpack, (ByRows(),), P("x")))(q).tolist() == X
    assert _parts(over(pack, P("x"), ByRows())(x)) == Q
    assert over(lambda y: unpack(q) * y, P(), P())(one).tolist() == X
    with pytest.raises(NotImplementedError, match="HiPspec and must define `to_lo`"):
        over(unpack, hj.HiPspec(), P("x"))(q)


def test_what_has_no_rule_for_such_values_says_so():
    with pytest.raises(NotImplementedError, match="'pack'"):
        jax.vmap(pack)(x[None])
    with pytest.raises(ValueError, match="rank should be at least 1"):
        jax.vmap(first)(rows)
    with pytest.raises(TypeError):
        jax.jit(jnp.sin)(q)
