"""Dtypes that libraries define by rules: what moves, converts, adds up; what is refused."""

import dataclasses
import pickle

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src import dtypes, earray
from jax._src.core import avals as core
from jax.experimental import EArray, primal_tangent_dtype

INT32, FLOAT32 = np.dtype(np.int32), np.dtype(np.float32)
LIMIT = 100


class CappedRules:
    """Whole numbers, whose sums in cotangents stop at a limit."""

    @staticmethod
    def physical_element_aval(dtype):
        return core.ShapedArray((), INT32)

    @staticmethod
    def convert_from(dtype, other):
        return other == INT32

    @staticmethod
    def convert_to(other, dtype):
        return other == INT32

    @staticmethod
    def full(shape, fill_value, dtype):
        return stored(lax.full(shape, fill_value, INT32), dtype)

    @staticmethod
    def tangent_dtype(dtype):
        return dtype

    @staticmethod
    def add(dtype, x, y):
        return stored(lax.min(held(x) + held(y), jnp.int32(LIMIT)), dtype)

    @staticmethod
    def zero(dtype):
        return stored(np.int32(0), dtype)


class PairRules:
    """Two floats per element; cotangents add up to the greater of both."""

    @staticmethod
    def physical_element_aval(dtype):
        return core.ShapedArray((2,), FLOAT32)

    @staticmethod
    def convert_from(dtype, other):
        return other == FLOAT32

    @staticmethod
    def convert_to(other, dtype):
        return other == FLOAT32

    @staticmethod
    def full(shape, fill_value, dtype):
        return stored(lax.full((*shape, 2), fill_value, FLOAT32), dtype)

    @staticmethod
    def tangent_dtype(dtype):
        return dtype

    @staticmethod
    def add(dtype, x, y):
        return stored(lax.max(held(x), held(y)), dtype)

    @staticmethod
    def zero(dtype):
        return stored(np.full(2, -np.inf, np.float32), dtype)


class GridRules(PairRules):
    """Six floats per element, along two axes."""

    @staticmethod
    def full(shape, fill_value, dtype):
        return stored(lax.full((*shape, 2, 3), fill_value, FLOAT32), dtype)

    @staticmethod
    def zero(dtype):
        return stored(np.full((2, 3), -np.inf, np.float32), dtype)

    @staticmethod
    def physical_element_aval(dtype):
        return core.ShapedArray((2, 3), FLOAT32)


class ListedRules:
    """What nothing converts to or from, and what has no tangents."""

    @staticmethod
    def physical_element_aval(dtype):
        return core.ShapedArray((), INT32)

    @staticmethod
    def full(shape, fill_value, dtype):
        return dtype.wrap(lax.full(shape, fill_value, INT32))


class measure(dtypes.extended):
    """The scalar class of the dtypes below."""


@dataclasses.dataclass(frozen=True)
class Dtype(dtypes.ExtendedDType):
    tag: str
    _rules: type
    type: type = measure
    name = property(lambda self: self.tag)


CAPPED, PAIR = Dtype("capped", CappedRules), Dtype("pair", PairRules)
GRID, LISTED = Dtype("grid", GridRules), Dtype("listed", ListedRules)
NUMBERS = {
    CAPPED: np.arange(6, dtype=np.int32).reshape(2, 3),
    PAIR: np.arange(12, dtype=np.float32).reshape(2, 3, 2),
    GRID: np.arange(36, dtype=np.float32).reshape(2, 3, 2, 3),
}
every_dtype = pytest.mark.parametrize("dtype", NUMBERS, ids=lambda d: d.name)


def stored(numbers, dtype):
    return lax.convert_element_type(numbers, dtype)


def held(x):
    return lax.convert_element_type(x, x.dtype.physical(())[1])


def values(dtype):
    return stored(jnp.asarray(NUMBERS[dtype]), dtype)


INDICES = np.array([1, 0])

# Name: (of values of shape (2, 3), of the numbers behind in NumPy's words).
MOVES = {
    "reshape": (
        lambda x: jnp.reshape(x, (3, 2)),
        lambda n: n.reshape(3, 2, *n.shape[2:]),
    ),
    "lax.reshape": (
        lambda x: lax.reshape(x, (6,)),
        lambda n: n.reshape(6, *n.shape[2:]),
    ),
    "ravel": (lambda x: x.ravel(), lambda n: n.reshape(6, *n.shape[2:])),
    "expand_dims": (lambda x: jnp.expand_dims(x, 1), lambda n: n[:, None]),
    "squeeze": (lambda x: jnp.squeeze(x[:1]), lambda n: n[0]),
    "broadcast_to": (
        lambda x: jnp.broadcast_to(x, (2, 2, 3)),
        lambda n: np.stack([n, n]),
    ),
    "broadcast_in_dim": (
        lambda x: lax.broadcast_in_dim(x, (2, 4, 3), (0, 2)),
        lambda n: np.stack([n] * 4, 1),
    ),
    "transpose": (lambda x: x.T, lambda n: n.swapaxes(0, 1)),
    "moveaxis": (lambda x: jnp.moveaxis(x, 0, 1), lambda n: n.swapaxes(0, 1)),
    "rev": (lambda x: lax.rev(x, (1,)), lambda n: n[:, ::-1]),
    "flip": (jnp.flip, lambda n: n[::-1, ::-1]),
    "roll": (lambda x: jnp.roll(x, 1, 0), lambda n: n[::-1]),
    "repeat": (lambda x: jnp.repeat(x, 2, axis=0), lambda n: np.repeat(n, 2, 0)),
    "tile": (lambda x: jnp.tile(x, (2, 1)), lambda n: np.concatenate([n, n])),
    "concatenate": (lambda x: jnp.concatenate([x, x], 1), lambda n: np.hstack([n, n])),
    "stack": (lambda x: jnp.stack([x, x]), lambda n: np.stack([n, n])),
    "pad": (
        lambda x: lax.pad(x, x[0, 1], ((1, 0, 0), (0, 0, 0))),
        lambda n: np.concatenate([np.stack([n[0, 1]] * 3)[None], n]),
    ),
    "slice": (lambda x: lax.slice(x, (0, 1), (2, 3)), lambda n: n[:, 1:]),
    "dynamic_slice": (
        lambda x: lax.dynamic_slice(x, (0, 1), (2, 2)),
        lambda n: n[:, 1:],
    ),
    "dynamic_update_slice": (
        lambda x: lax.dynamic_update_slice(x, x[:1], (1, 0)),
        lambda n: n[[0, 0]],
    ),
    "a row": (lambda x: x[1], lambda n: n[1]),
    "an element": (lambda x: x[0, 1], lambda n: n[0, 1]),
    "steps": (lambda x: x[::-1, ::2], lambda n: n[::-1, ::2]),
    "an ellipsis": (lambda x: x[..., 0], lambda n: n[:, 0]),
    "indices": (lambda x: x[INDICES], lambda n: n[INDICES]),
    "take": (lambda x: jnp.take(x, INDICES, axis=0), lambda n: n[INDICES]),
    "set": (lambda x: x.at[0].set(x[1]), lambda n: n[[1, 1]]),
    "set indices": (lambda x: x.at[INDICES].set(x), lambda n: n[INDICES]),
    "where": (
        lambda x: jnp.where(np.array([True, False, True]), x, x[::-1]),
        lambda n: np.stack([n[:, 0], n[::-1, 1], n[:, 2]], 1),
    ),
    "select": (lambda x: lax.select(False, x, x[::-1]), lambda n: n[::-1]),
    "split": (lambda x: jnp.split(x, 3, axis=1)[2], lambda n: n[:, 2:]),
    "unstack": (lambda x: jnp.unstack(x)[1], lambda n: n[1]),
    "copy": (jnp.copy, lambda n: n),
    "device_put": (jax.device_put, lambda n: n),
    "optimization_barrier": (lax.optimization_barrier, lambda n: n),
    "zeros_like": (jnp.zeros_like, np.zeros_like),
    "full_like": (lambda x: lax.full_like(x, 5), lambda n: np.full_like(n, 5)),
    "full of one": (
        lambda x: lax.full((4,), x[0, 1]),
        lambda n: np.stack([n[0, 1]] * 4),
    ),
    "vmap": (jax.vmap(lambda row: row[::-1]), lambda n: n[:, ::-1]),
    "vmap, axes": (
        jax.vmap(lambda row: row, in_axes=1, out_axes=0),
        lambda n: n.swapaxes(0, 1),
    ),
    "vmap of conversions": (
        jax.vmap(lambda row: stored(held(row), row.dtype), in_axes=1),
        lambda n: n.swapaxes(0, 1),
    ),
    "vmap of indices": (
        lambda x: jax.vmap(lambda i: x[i])(INDICES),
        lambda n: n[INDICES],
    ),
    "scan, carry": (
        lambda x: lax.scan(lambda c, _: (c[::-1], None), x, None, length=3)[0],
        lambda n: n[::-1],
    ),
    "scan, rows": (
        lambda x: lax.scan(lambda c, row: (c, row[::-1]), 0, x)[1],
        lambda n: n[:, ::-1],
    ),
    "while": (
        lambda x: lax.while_loop(
            lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1][::-1]), (0, x)
        )[1],
        lambda n: n[::-1],
    ),
    "cond": (
        lambda x: lax.cond(jnp.array(False), lambda y: y[0], lambda y: y[1], x),
        lambda n: n[1],
    ),
    "vmap of cond": (
        lambda x: jax.vmap(lambda p: lax.cond(p, lambda: x[0], lambda: x[1]))(
            np.array([False, True])
        ),
        lambda n: n[::-1],
    ),
    "checkpoint": (jax.checkpoint(lambda x: x[1]), lambda n: n[1]),
    "a reference": (lambda x: jax.new_ref(x)[...], lambda n: n),
    "jvp": (lambda x: jax.jvp(lambda y: y[1], (x,), (x,))[1], lambda n: n[1]),
    "linearize": (
        lambda x: jax.linearize(lambda y: y.T, x)[1](x),
        lambda n: n.swapaxes(0, 1),
    ),
}


@every_dtype
@pytest.mark.parametrize("name", MOVES)
def test_elements_are_moved(name, dtype):
    moves, expected = MOVES[name]
    for function in (moves, jax.jit(moves)):
        found = function(values(dtype))
        assert isinstance(found, earray.EArray)
        assert found.dtype == dtype
        np.testing.assert_array_equal(held(found), expected(NUMBERS[dtype]))


@every_dtype
def test_elements_are_equal_in_all_their_parts(dtype):
    x = values(dtype)
    changed = stored(
        held(x).at[(0, 1, *(1 for _ in dtype.physical(())[0]))].set(-1), dtype
    )
    same = np.ones((2, 3), bool)
    same[0, 1] = False
    for wrapped in (lambda f: f, jax.jit):
        np.testing.assert_array_equal(wrapped(lax.eq)(x, changed), same)
        np.testing.assert_array_equal(wrapped(lambda a, b: a != b)(x, changed), ~same)
    assert jnp.array_equal(x, x)


@every_dtype
def test_elements_are_compared_with_rows_and_columns(dtype):
    row, column = values(dtype)[:1], values(dtype)[:, :1]
    parts = tuple(range(2, held(row).ndim))
    same = np.all(held(row) == held(column), axis=parts)
    for wrapped in (lambda f: f, jax.jit):
        np.testing.assert_array_equal(wrapped(lax.eq)(row, column), same)
        np.testing.assert_array_equal(wrapped(lambda a, b: a != b)(column, row), ~same)
    assert lax.eq(row[:0], row).shape == (0, 3)
    with pytest.raises(TypeError, match="lax.ne got incompatible shapes"):
        lax.ne(row[:, :2], row)


def loss(kept):
    """A function whose derivative in its second argument is what `kept` says."""

    @jax.custom_vjp
    def scaled(a, measures):
        return 2.0 * a

    scaled.defvjp(
        lambda a, measures: (2.0 * a, measures),
        lambda measures, ct: (2.0 * ct, kept(measures)),
    )
    return scaled


same, turned = loss(lambda m: m), loss(lambda m: m[::-1])


def both(n, dtype):
    """What the rules make of the sum of numbers and the same in turned order."""
    total = (
        np.minimum(n + n[::-1], LIMIT) if dtype == CAPPED else np.maximum(n, n[::-1])
    )
    return total


# Name: (of a number and values, the derivative in the values from their numbers).
DERIVATIVES = {
    "one use": (same, lambda n, d: n),
    "two uses": (lambda a, m: same(a, m) + turned(a, m), both),
    "no use": (
        lambda a, m: a,
        lambda n, d: np.broadcast_to(held(d._rules.zero(d)), n.shape),
    ),
    "moved": (
        lambda a, m: same(a, m[::-1].T.reshape(6)),
        lambda n, d: n,
    ),
    "conversions": (
        lambda a, m: same(a, m) + turned(a, lax.transpose(m.T, (1, 0))),
        both,
    ),
    "a scan's constant": (
        lambda a, m: lax.scan(lambda c, _: (same(c, m), None), a, None, length=2)[0],
        lambda n, d: np.minimum(2 * n, LIMIT) if d == CAPPED else n,
    ),
    "a scan's rows": (
        lambda a, m: lax.scan(lambda c, row: (same(c, row), None), a, m)[0],
        lambda n, d: n,
    ),
    "a branch": (
        lambda a, m: lax.cond(a > 0, same, lambda a, m: a, a, m),
        lambda n, d: n,
    ),
    "checkpoint": (jax.checkpoint(same), lambda n, d: n),
    "mapped": (
        lambda a, m: jax.vmap(same, in_axes=(0, None))(jnp.full(3, a), m).sum(),
        lambda n, d: np.minimum(3 * n, LIMIT) if d == CAPPED else n,
    ),
    "repeated": (
        lambda a, m: same(a, jnp.broadcast_to(m, (3, 2, 3))),
        lambda n, d: np.minimum(3 * n, LIMIT) if d == CAPPED else n,
    ),
}


@every_dtype
@pytest.mark.parametrize("name", DERIVATIVES)
def test_cotangents_add_up_by_the_rules(name, dtype):
    function, expected = DERIVATIVES[name]
    numbers = NUMBERS[dtype] * NUMBERS[dtype].dtype.type(15)
    gradient = jax.grad(function, 1, allow_int=True)
    for wrapped in (gradient, jax.jit(gradient)):
        found = wrapped(2.0, stored(numbers, dtype))
        assert found.dtype == dtype
        np.testing.assert_array_equal(held(found), expected(numbers, dtype))


def test_derivatives_pass_through_conversions():
    def total(x):
        measures = stored(x, PAIR)
        return same(2.0, measures) + turned(2.0, measures)

    numbers = NUMBERS[PAIR]
    for gradient in (jax.grad(total), jax.jit(jax.grad(total))):
        np.testing.assert_array_equal(
            gradient(numbers), np.maximum(numbers, numbers[::-1])
        )
    back = jax.grad(lambda x: 2.0 * held(stored(x, PAIR)).sum())(numbers)
    np.testing.assert_array_equal(back, np.full_like(numbers, 2.0))


def test_whole_numbers_have_no_derivative_through_conversions():
    gradient = jax.grad(lambda x: same(2.0, stored(x, CAPPED)), allow_int=True)
    assert gradient(NUMBERS[CAPPED]).dtype == jax.dtypes.float0


def test_derivatives_in_values_have_to_be_requested():
    with pytest.raises(TypeError, match="capped"):
        jax.grad(same, 1)(2.0, values(CAPPED))


def test_without_a_rule_there_are_no_tangents():
    x = LISTED._rules.full((3,), 7, LISTED)
    assert x.aval.to_tangent_aval().dtype == jax.dtypes.float0
    assert (
        jax.grad(lambda a, m: a, 1, allow_int=True)(1.0, x).dtype == jax.dtypes.float0
    )


def test_conversions_are_primitives_of_their_own():
    program = jax.make_jaxpr(lambda n: held(stored(n, PAIR)))(NUMBERS[PAIR])
    names = [eqn.primitive.name for eqn in program.eqns]
    assert names == ["to_edtype", "from_edtype"]
    assert "b:pair[2,3] = to_edtype[" in str(program)


@pytest.mark.parametrize("number", [3, np.int32(3), np.array(3, np.int32)])
def test_numbers_convert(number):
    assert held(stored(number, CAPPED)) == 3
    assert held(jnp.asarray(number, dtype=CAPPED)) == 3


def test_made_of_one_number():
    for made in (jnp.full((2,), 3, PAIR), lax.full((2,), 3, PAIR)):
        np.testing.assert_array_equal(held(made), np.full((2, 2), 3.0))
    np.testing.assert_array_equal(held(jnp.ones((2,), CAPPED)), [1, 1])


@every_dtype
def test_arrays_describe_themselves(dtype):
    x = values(dtype)
    assert isinstance(x, jax.Array)
    assert (x.shape, x.ndim, x.size, len(x)) == ((2, 3), 2, 6, 2)
    assert x.nbytes == NUMBERS[dtype].nbytes
    assert str(x.aval) == str(jax.typeof(x)) == f"{dtype.name}[2,3]"
    assert x.devices() == {jax.devices()[0]}
    assert not x.is_deleted()
    assert jnp.issubdtype(x.dtype, jax.dtypes.extended)
    assert not jnp.issubdtype(x.dtype, jax.dtypes.prng_key)
    assert jnp.result_type(x, x) == dtype
    assert dtype.name in repr(x)
    assert jax.device_get(x) is x


@every_dtype
def test_arrays_are_pickled(dtype):
    x = pickle.loads(pickle.dumps(values(dtype)))
    assert x.dtype == dtype
    np.testing.assert_array_equal(held(x), NUMBERS[dtype])


@every_dtype
def test_types_stand_for_arrays(dtype):
    like = jax.ShapeDtypeStruct((2, 3), dtype)
    assert jax.eval_shape(lambda x: x[0], like) == jax.ShapeDtypeStruct((3,), dtype)
    compiled = jax.jit(lambda x: x[0]).lower(like).compile()
    np.testing.assert_array_equal(held(compiled(values(dtype))), NUMBERS[dtype][0])


@every_dtype
def test_arrays_are_constants_of_programs(dtype):
    x = values(dtype)
    np.testing.assert_array_equal(held(jax.jit(lambda: x[1])()), NUMBERS[dtype][1])


@every_dtype
def test_arrays_are_exported(dtype):
    x = values(dtype)
    found = jax.export.export(jax.jit(lambda y: y[1]))(x).call(x)
    np.testing.assert_array_equal(held(found), NUMBERS[dtype][1])


@every_dtype
def test_arrays_are_placed(dtype):
    mesh = jax.make_mesh((1,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))
    sharding = jax.sharding.NamedSharding(mesh, jax.P("rows"))
    x = jax.device_put(values(dtype), sharding)
    assert x.sharding.is_equivalent_to(sharding, 2)
    turned = jax.jit(lambda y: y[::-1], in_shardings=sharding, out_shardings=sharding)(
        x
    )
    assert turned.sharding.is_equivalent_to(sharding, 2)
    np.testing.assert_array_equal(held(turned), NUMBERS[dtype][::-1])


def test_what_is_given_away_was_a_copy():
    numbers = jnp.asarray(NUMBERS[CAPPED])
    x = stored(numbers, CAPPED)
    jax.jit(lambda y: y[::-1], donate_argnums=0)(x)
    assert not numbers.is_deleted()


REFUSED = {
    "another dtype": (
        lambda: stored(np.float32(1), CAPPED),
        ValueError,
        "do not convert",
    ),
    "back to another": (
        lambda: lax.convert_element_type(values(CAPPED), np.float32),
        ValueError,
        "do not convert",
    ),
    "from one to another": (
        lambda: stored(values(CAPPED), PAIR),
        ValueError,
        "held first",
    ),
    "no rule": (lambda: stored(np.int32(1), LISTED), ValueError, "do not convert"),
    "no element": (
        lambda: stored(np.zeros((2, 3), np.float32), PAIR),
        ValueError,
        r"float32\[2\]",
    ),
    "numpy": (
        lambda: np.asarray(values(CAPPED)),
        TypeError,
        "cannot be converted to a NumPy",
    ),
    "sums": (lambda: values(CAPPED) + values(CAPPED), TypeError, "lax.add"),
    "minus": (lambda: -values(PAIR), TypeError, "lax.neg"),
    "order": (lambda: lax.lt(values(PAIR), values(PAIR)), TypeError, "lax.lt"),
    "sort": (lambda: jnp.sort(values(CAPPED)), TypeError, "no order"),
    "sort beside": (
        lambda: lax.sort([np.zeros((2, 3)), values(PAIR)], num_keys=1),
        TypeError,
        "several numbers",
    ),
    "clamp": (lambda: lax.clamp(*[values(CAPPED)] * 3), TypeError, "lax.clamp"),
    "total": (lambda: jnp.sum(values(CAPPED)), TypeError, "lax.reduce_sum"),
    "fold": (
        lambda: lax.reduce(values(PAIR), values(PAIR)[0, 0], lambda a, b: a, (0, 1)),
        TypeError,
        "lax.reduce does not accept dtype",
    ),
    "fold windows": (
        lambda: lax.reduce_window(
            values(PAIR), values(PAIR)[0, 0], lambda a, b: a, (1, 2), (1, 1), "VALID"
        ),
        TypeError,
        "lax.reduce_window does not accept dtype",
    ),
    "scan in pairs": (
        lambda: lax.associative_scan(lambda a, b: a, values(PAIR)),
        TypeError,
        "lax.associative_scan does not accept dtype",
    ),
    "bits of": (
        lambda: lax.bitcast_convert_type(values(CAPPED), np.uint32),
        TypeError,
        "no +bits to share",
    ),
    "bits as": (
        lambda: lax.bitcast_convert_type(NUMBERS[CAPPED], CAPPED),
        TypeError,
        "extended",
    ),
    "bits": (lambda: values(CAPPED).view(np.uint32), TypeError, "no bits"),
    "add to": (lambda: values(CAPPED).at[0].add(1), TypeError, "no numbers"),
    "set to a number": (lambda: values(CAPPED).at[0].set(1), ValueError, "alone"),
    "join with numbers": (
        lambda: jnp.concatenate([NUMBERS[CAPPED], values(CAPPED)]),
        ValueError,
        "capped",
    ),
    "no rule to fill": (
        lambda: lax.full((2,), 1, Dtype("bare", object)),
        NotImplementedError,
        "have no full",
    ),
    "truth": (lambda: bool(values(CAPPED)), TypeError, "neither true nor false"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_rules_do_not_allow_is_refused(name):
    attempt, kind, message = REFUSED[name]
    with pytest.raises(kind, match=message):
        attempt()


def test_numbers_whose_tangents_have_another_dtype():
    dtype = primal_tangent_dtype("int8", jnp.bfloat16)
    assert dtype == primal_tangent_dtype(np.int8, "bfloat16")
    assert dtype != primal_tangent_dtype(np.int8, np.float32)
    assert str(dtype) == "PrimalTangentDType{i8/bf16}" and dtype.itemsize == 1
    assert primal_tangent_dtype("int8", "bfloat16", "weights").name == "weights"
    assert jnp.issubdtype(dtype, jax.dtypes.extended)

    @jax.custom_vjp
    def scaled(x, weights):
        return x * held(weights).sum()

    scaled.defvjp(
        lambda x, w: (scaled(x, w), (x, w)),
        lambda kept, ct: (ct, jnp.full(kept[1].shape, ct * kept[0], jnp.bfloat16)),
    )
    weights = stored(np.array([1, 2, -5], np.int8), dtype)
    assert isinstance(weights, EArray) and weights.aval.str_short() == f"{dtype}[3]"
    for f in (scaled, jax.jit(scaled)):
        assert f(3.0, weights[1:]) == -9
        _, pull_back = jax.vjp(f, 3.0, weights)
        (of_weights,) = pull_back(1.0)[1:]
        assert of_weights.dtype == jnp.bfloat16 and of_weights.tolist() == [3.0] * 3
    assert weights.aval.to_tangent_aval().dtype == jnp.bfloat16
    with pytest.raises(ValueError, match="do not convert"):
        stored(np.zeros(2, np.float32), dtype)
    with pytest.raises(TypeError, match="lax.add"):
        weights + weights
