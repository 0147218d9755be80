"""Rows of values of types above arrays in `vmap`, and such values in `jax.export`."""

import dataclasses

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import export, lax
from jax.experimental import hijax as hj


@dataclasses.dataclass(frozen=True)
class Rows(hj.MappingSpec):
    """The batch dimension of each of the two parts; None: it is shared."""

    first: int | None = 0
    second: int | None = 0


@dataclasses.dataclass(frozen=True)
class Both:
    first: object
    second: object


def _wider(aval, at, size):
    return aval if at is None else aval.inc_rank(size, at)


def _narrower(aval, at, size):
    return aval if at is None else aval.dec_rank(size, at)


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

    def leading_axis_spec(self):
        return Rows()

    def inc_rank(self, size, spec):
        return BothType(
            _wider(self.first, spec.first, size), _wider(self.second, spec.second, size)
        )

    def dec_rank(self, size, spec):
        return BothType(
            _narrower(self.first, spec.first, size),
            _narrower(self.second, spec.second, size),
        )


hj.register_hitype(
    Both, lambda value: BothType(jax.typeof(value.first), jax.typeof(value.second))
)


class MakeBoth(hj.VJPHiPrimitive):
    def __init__(self, x, y):
        self.in_avals = (x, y)
        self.out_aval = BothType(x, y)
        self.params = {}
        super().__init__()

    def expand(self, x, y):
        return Both(x, y)

    def batch(self, axis_data, args, dims):
        return both(*args), Rows(*dims)

    def jvp(self, primals, tangents):
        return both(*primals), both(*map(hj.instantiate_zeros, tangents))

    def vjp_fwd(self, nzs_in, x, y):
        return self(x, y), None

    def vjp_bwd_retval(self, res, ct):
        return first(ct), second(ct)


class Take(hj.VJPHiPrimitive):
    def __init__(self, aval, which):
        self.in_avals = (aval,)
        self.out_aval = aval.lo_ty()[which]
        self.params = {"which": which}
        super().__init__()

    def expand(self, value):
        return (value.first, value.second)[self.which]

    def batch(self, axis_data, args, dims):
        (value,), (dim,) = args, dims
        return _take(value, self.which), (dim.first, dim.second)[self.which]

    def jvp(self, primals, tangents):
        return self(*primals), self(*tangents)

    def vjp_fwd(self, nzs_in, value):
        return self(value), None

    def vjp_bwd_retval(self, res, ct):
        parts = [jnp.zeros(a.shape, a.dtype) for a in self.in_avals[0].lo_ty()]
        parts[self.which] = ct
        return (both(*parts),)


class Scaled(hj.VJPHiPrimitive):
    """The parts twice and three times; its rows follow from the rules for one."""

    def __init__(self, aval):
        self.in_avals = (aval,)
        self.out_aval = aval
        self.params = {}
        super().__init__()

    def expand(self, value):
        return both(first(value) * 2, second(value) * 3)

    def jvp(self, primals, tangents):
        return self(*primals), self(*tangents)

    def vjp_fwd(self, nzs_in, value):
        return self(value), value

    def vjp_bwd_retval(self, value, ct):
        return (both(first(ct) * 2 + 0 * first(value), second(ct) * 3),)

    def batch_dim_rule(self, axis_data, dims):
        return dims[0]


class Tripled(hj.VJPHiPrimitive):
    """An array three times, by a value above arrays that nobody else sees."""

    def __init__(self, aval):
        self.in_avals = (aval,)
        self.out_aval = aval
        self.params = {}
        super().__init__()

    def expand(self, x):
        return first(both(x, x)) * 3

    def vjp_fwd(self, nzs_in, x):
        return self(x), None

    def vjp_bwd_retval(self, res, ct):
        return (ct * 3,)

    def batch_dim_rule(self, axis_data, dims):
        return dims[0]


class Bare(hj.HiPrimitive):
    def abstract_eval(self, value):
        return value.first, set()

    def to_lojax(self, value):
        return value.first


def both(x, y):
    return MakeBoth(jax.typeof(x), jax.typeof(y))(x, y)


def _take(value, which):
    return Take(jax.typeof(value), which)(value)


def first(value):
    return _take(value, 0)


def second(value):
    return _take(value, 1)


def scaled(value):
    return Scaled(jax.typeof(value))(value)


def tripled(x):
    return Tripled(jax.typeof(x))(x)


bare = Bare("bare_first")


def f(value):
    return first(value) * 2 + second(value).sum()


def _mapped(fun, out_axes=0, spec=Rows(), size=4):
    return jax.vmap(fun, in_axes=(spec,), out_axes=out_axes, axis_size=size)


def _parts(result):
    return [
        np.asarray(part).tolist()
        for leaf in jax.tree.leaves(result)
        for part in ([leaf.first, leaf.second] if isinstance(leaf, Both) else [leaf])
    ]


line, block = np.arange(4, dtype=np.float32), np.arange(12, dtype=np.float32)
block = block.reshape(4, 3)
rows = both(jnp.asarray(line), jnp.asarray(block))
columns = both(jnp.asarray(line), jnp.asarray(block.T))
grid = both(jnp.arange(6.0).reshape(2, 3), jnp.ones((2, 3)))
F = (line * 2 + block.sum(1)).tolist()
LINE, BLOCK = line.tolist(), block.tolist()
TAKEN = np.where(line > 1, line, line * 2).tolist()


def _with_rule(fun):
    fun = jax.custom_vjp(fun)
    fun.defvjp(
        lambda b: (first(b) ** 2, b),
        lambda b, ct: (both(ct * 2 * first(b), 0 * second(b)),),
    )
    return fun


def _grown(carry, _):
    return both(first(carry) + 1, second(carry)), None


MAPPED = {
    "an argument": (lambda: _mapped(f)(rows), [F]),
    "for all arguments": (lambda: jax.vmap(f, in_axes=Rows(), axis_size=4)(rows), [F]),
    "the size by an array": (lambda: jax.vmap(lambda b, y: f(b) * y, (Rows(), 0))(rows, line), [(np.array(F) * line).tolist()]),
    "along other axes": (lambda: _mapped(f, spec=Rows(0, 1))(columns), [F]),
    "shared in part": (lambda: _mapped(f, spec=Rows(None, 0))(both(jnp.float32(1), jnp.asarray(block))), [(2 + block.sum(1)).tolist()]),
    "in trees": (lambda: jax.vmap(lambda d: first(d["b"]) + d["y"], ({"b": Rows(), "y": 0},))({"b": rows, "y": line}), [(2 * line).tolist()]),
    "the same for all": (lambda: jax.vmap(lambda b, y: first(b) + y, (None, 0))(both(jnp.float32(1), jnp.ones(2)), line), [(1 + line).tolist()]),
    "a result": (lambda: jax.vmap(lambda x: both(x, x * 2), out_axes=Rows())(line), [LINE, (2 * line).tolist()]),
    "a result beside an array": (lambda: _mapped(lambda b: (b, first(b)), (Rows(), 0))(rows), [LINE, BLOCK, LINE]),
    "a result that is the same for all": (lambda: jax.vmap(lambda x: rows, out_axes=None)(line), [LINE, BLOCK]),
    "jit inside": (lambda: _mapped(jax.jit(f))(rows), [F]),
    "jit that returns one": (lambda: _mapped(jax.jit(lambda b: both(first(b), second(b))), Rows())(rows), [LINE, BLOCK]),
    "jit of it": (lambda: jax.jit(_mapped(jax.jit(f)))(rows), [F]),
    "jvp inside": (lambda: _mapped(lambda b: jax.jvp(f, (b,), (b,)))(rows), [F, F]),
    "grad of it": (lambda: jax.grad(lambda b: _mapped(f)(b).sum())(rows), [[2.0] * 4, [[1.0] * 3] * 4]),
    "rows of rows": (lambda: _mapped(_mapped(first, size=3), size=2)(grid), [[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]]),
    "custom_vjp": (lambda: _mapped(_with_rule(lambda b: first(b) ** 2))(rows), [(line**2).tolist()]),
    "scan, closed over": (lambda: _mapped(lambda b: lax.scan(lambda c, _: (c + first(b), None), 0.0, None, length=3)[0])(rows), [(3 * line).tolist()]),
    "scan, carried": (lambda: _mapped(lambda b: first(lax.scan(_grown, b, None, length=3)[0]))(rows), [(line + 3).tolist()]),
    "while, closed over": (lambda: _mapped(lambda b: lax.while_loop(lambda c: c < first(b), lambda c: c + first(b), 0.0))(rows), [LINE]),
    "while, carried": (lambda: _mapped(lambda b: first(lax.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, _grown(c[1], 0)[0]), (0, b))[1]))(rows), [(line + 2).tolist()]),
    "cond for all": (lambda: _mapped(lambda b: lax.cond(True, first, lambda b: first(b) * 2, b))(rows), [LINE]),
    "cond by rows": (lambda: _mapped(lambda b: lax.cond(first(b) > 1, first, lambda b: first(b) * 2, b))(rows), [TAKEN]),
    "by batch_dim_rule": (lambda: _mapped(scaled, Rows())(rows), [(2 * line).tolist(), (3 * block).tolist()]),
    "its grad": (lambda: jax.grad(lambda b: _mapped(lambda b: first(scaled(b)))(b).sum())(rows), [[2.0] * 4, [[0.0] * 3] * 4]),
    "its jvp": (lambda: _mapped(lambda b: jax.jvp(scaled, (b,), (b,))[1], Rows())(rows), [(2 * line).tolist(), (3 * block).tolist()]),
}  # fmt: skip


@pytest.mark.parametrize("name", MAPPED)
def test_rows_of_values_above_arrays_are_mapped(name):
    run, expected = MAPPED[name]
    assert _parts(run()) == expected


def test_a_mapped_function_sees_the_type_of_one_row():
    seen = []
    _mapped(lambda b: seen.append(jax.typeof(b)) or first(b))(rows)
    assert [a.shape for a in seen[0].lo_ty()] == [(), (3,)]


def _refused():
    def stacked(b):
        return lax.scan(lambda c, _: (c, both(c, c)), first(b), None, length=2)[1]

    def by_rows(b):
        return lax.while_loop(lambda b: first(b) < 9, lambda b: _grown(b, 0)[0], b)

    def chosen(b):
        return lax.cond(first(b) > 1, lambda b: b, lambda b: _grown(b, 0)[0], b)

    sliced = _mapped(
        lambda b: lax.scan(lambda c, x: (c, first(x)), 0.0, b, length=2)[1],
        spec=Rows(1, 1),
    )
    deep = both(jnp.ones((2, 4)), jnp.ones((2, 4)))
    wrong = NotImplementedError
    return {
        "an integer": (lambda: jax.vmap(f)(rows), ValueError, "rank should be at least 1"),
        "by keyword": (lambda: jax.vmap(lambda *, b: f(b), axis_size=4)(b=rows), ValueError, "a MappingSpec of its type"),
        "no size": (lambda: jax.vmap(f, in_axes=Rows())(rows), ValueError, "give axis_size"),
        "an array": (lambda: jax.vmap(jnp.sin, in_axes=Rows(), axis_size=4)(line), TypeError, "for an array"),
        "an array as result": (lambda: jax.vmap(jnp.sin, out_axes=Rows())(line), ValueError, "Give the axis as an integer"),
        "an integer for a result": (lambda: _mapped(lambda b: b)(rows), ValueError, "no numbered axes"),
        "None for a result": (lambda: _mapped(lambda b: b, None)(rows), ValueError, "got axis spec None but output was batched"),
        "other rows": (lambda: _mapped(lambda b: b, Rows(0, 1))(rows), ValueError, "batched on axis Rows.first=0, second=0"),
        "no rows": (lambda: jax.vmap(lambda x: rows, out_axes=Rows())(line), ValueError, "neither moved nor repeated"),
        "no rule": (lambda: _mapped(bare.bind)(rows), wrong, "'bare_first'"),
        "slices": (lambda: sliced(deep), wrong, "lax.scan over slices"),
        "stacked": (lambda: _mapped(stacked, Rows())(rows), wrong, "lax.scan that stacks"),
        "a loop for each": (lambda: _mapped(by_rows, Rows())(rows), wrong, "lax.while_loop by rows"),
        "a branch for each": (lambda: _mapped(chosen, Rows())(rows), wrong, "lax.cond by rows"),
        "twice by rules for one": (lambda: _mapped(_mapped(scaled, Rows(), size=3), Rows(), size=2)(grid), wrong, "must implement `batch`"),
    }  # fmt: skip


@pytest.mark.parametrize("name", _refused())
def test_rows_that_nobody_knows_are_refused(name):
    run, kind, says = _refused()[name]
    with pytest.raises(kind, match=says):
        run()


def test_values_above_arrays_inside_of_an_operation_are_lowered():
    two = jnp.float32(2)
    assert jax.jit(tripled)(two) == 6
    assert jax.jit(jax.vmap(tripled))(line).tolist() == (3 * line).tolist()
    assert jax.grad(jax.jit(tripled))(two) == 3
    assert lax.scan(lambda c, _: (tripled(c), None), two, None, length=3)[0] == 54


pair = both(jnp.float32(2), jnp.arange(3.0))


def test_exported_programs_take_and_return_the_arrays_of_a_value():
    exported = export.export(jax.jit(lambda d: (d, f(d["p"]))))({"p": pair, "q": 3.0})
    assert [a.shape for a in exported.in_avals] == [(), (3,), ()]
    assert [a.shape for a in exported.out_avals] == [(), (3,), (), ()]
    told = {"p": [0, 0], "q": 0}
    assert exported.in_tree == jax.tree.structure(((told,), {}))
    assert exported.out_tree == jax.tree.structure((told, 0))
    given = {"p": [np.float32(2), np.arange(3, dtype=np.float32)], "q": 5.0}
    for program in (exported, export.deserialize(exported.serialize())):
        assert _parts(program.call(given)) == [2.0, [0.0, 1.0, 2.0], 5.0, 7.0]
    with pytest.raises(ValueError, match=r"args\[0\]\['p'\] +a leaf when called"):
        exported.call({"p": pair, "q": 5.0})


def test_exported_programs_have_values_above_arrays_inside():
    def inside(x):
        return first(both(x, x)) * first(pair)

    exported = export.export(jax.jit(inside))(jnp.float32(3))
    again = export.deserialize(exported.serialize(vjp_order=1))
    assert again.call(jnp.float32(3)) == 6
    assert again.vjp().call(jnp.float32(3), jnp.float32(1)) == (2,)
    assert jax.grad(exported.call)(jnp.float32(3)) == 2
    by_type = export.export(jax.jit(first))(jax.typeof(pair))
    assert by_type.call([np.float32(2), np.zeros(3, np.float32)]) == 2
    (size,) = export.symbolic_shape("n")
    any_size = export.export(jax.jit(inside))(jax.ShapeDtypeStruct((size,), "float32"))
    assert any_size.call(line).tolist() == (2 * line).tolist()


def test_a_sharding_for_a_value_above_arrays_is_refused():
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    with pytest.raises(
        NotImplementedError, match="sharding is given for a value above"
    ):
        jax.jit(first, in_shardings=sharding)(pair)
    with pytest.raises(
        NotImplementedError, match="sharding is given for a value above"
    ):
        jax.jit(lambda x: both(x, x), out_shardings=sharding)(jnp.float32(1))
