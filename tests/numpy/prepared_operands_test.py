"""Operands of `jax.numpy` are prepared once, as a call enters: types alone decide what becomes of them."""

import itertools
import sys

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src import dtypes
from jax._src.base import config, options
from jax._src.numpy import operands

DTYPES = (
    "bool",
    "int8",
    "uint16",
    "int32",
    "bfloat16",
    "float16",
    "float32",
    "complex64",
)
WIDE = ("int64", "uint64", "float64", "complex128")
NUMBERS = (True, 3, 2.5, 1j)
PROMOTIONS = {
    operands.Promotion.COMMON: lambda d: d,
    operands.Promotion.NUMERIC: dtypes.to_numeric_dtype,
    operands.Promotion.INEXACT: dtypes.to_inexact_dtype,
    operands.Promotion.COMPLEX: dtypes.to_complex_dtype,
}


def _values(names):
    arrays = [jnp.ones((2,), name) for name in names]
    return [*arrays, *NUMBERS, jnp.asarray(2.5), jnp.asarray(2)]


def _promotes_as_its_types_say(promotion, pair):
    wanted, weak = dtypes.result_type(*pair, return_weak_type_flag=True)
    wanted = PROMOTIONS[promotion](wanted)
    made = operands.prepare("add", promotion, pair)
    traced = jax.eval_shape(lambda *xs: operands.prepare("add", promotion, xs), *pair)
    for x in (*made, *traced):
        assert (x.dtype, x.weak_type) == (wanted, weak), (promotion, pair)


@pytest.mark.parametrize("promotion", PROMOTIONS, ids=str)
def test_types_alone_decide_to_which_dtype_operands_are_promoted(promotion):
    for pair in itertools.product(_values(DTYPES), repeat=2):
        _promotes_as_its_types_say(promotion, pair)
    for x in _values(DTYPES):
        _promotes_as_its_types_say(promotion, (x, x))


@pytest.mark.parametrize("promotion", PROMOTIONS, ids=str)
def test_64_bits_count_from_the_moment_an_option_allows_them(promotion):
    pair = jnp.ones((2,), "int32"), 2.5
    narrow = operands.prepare("add", promotion, pair)
    with jax.enable_x64(True):
        for wide in itertools.product(_values((*DTYPES, *WIDE)), repeat=2):
            _promotes_as_its_types_say(promotion, wide)
    again = operands.prepare("add", promotion, pair)
    assert [x.dtype for x in again] == [x.dtype for x in narrow]


def test_a_promotion_that_an_option_refuses_is_refused_though_it_was_made_before():
    x, y = jnp.ones((2,), "int32"), jnp.ones((2,), "float32")
    jnp.add(x, y), jnp.matmul(x, y), jnp.where(True, x, y)
    with jax.numpy_dtype_promotion("strict"):
        for refused in (jnp.add, jnp.arctan2, lambda a, b: jnp.where(True, a, b)):
            with pytest.raises(dtypes.TypePromotionError):
                refused(x, y)
    assert jnp.add(x, y).dtype == "float32"


def test_functions_name_themselves_where_an_operand_is_none():
    for name in ("add", "arctan2", "fmod", "equal", "bitwise_and", "left_shift"):
        with pytest.raises(TypeError, match=name):
            getattr(jnp, name)([1], 2)
        with pytest.raises(TypeError, match=name):
            getattr(jnp, name)(jnp.arange(3), jnp.arange(4))
    for name in ("exp", "fabs", "square", "frexp"):
        with pytest.raises(TypeError, match=name):
            getattr(jnp, name)(None)


def test_a_product_looks_at_its_operands_a_few_times_only():
    x, y = jnp.ones((3, 4)), jnp.ones((4, 5))
    looks = []

    def watch(frame, event, _):
        name = frame.f_code.co_name
        is_look = name in (
            "check_arraylike",
            "to_array",
            "dtype",
            "result_type",
            "convert",
        )
        if event == "call" and is_look:
            looks.append(name)

    def product(a, b):
        sys.setprofile(watch)
        try:
            return jnp.matmul(a, b)
        finally:
            sys.setprofile(None)

    jax.make_jaxpr(product)(x, y)
    assert 0 < len(looks) <= 12, looks


def test_what_an_option_decides_is_computed_again_after_a_change():
    computed = []

    @config.of_options
    def wide():
        computed.append(1)
        return options.enable_x64.value

    assert wide() is wide() is False and len(computed) == 1
    with jax.enable_x64(True):
        assert wide() is wide() is True and len(computed) == 2
    assert wide() is False


def test_parts_and_shapes_are_the_same_eagerly_and_under_jit():
    x, keys = jnp.arange(24.0).reshape(2, 3, 4), jax.random.split(jax.random.key(0), 4)
    at = jnp.array([[1, -1], [0, 5]])
    for part in (
        lambda a: a[1], lambda a: a[-1], lambda a: a[0, 1:], lambda a: a[:, ::-2],
        lambda a: a[None, ..., 1], lambda a: a[7], lambda a: a[at], lambda a: a[:0],
        lambda a: a.reshape(-1), lambda a: a.reshape(4, -1), lambda a: jnp.reshape(a, [6, 4]),
        lambda a: jnp.squeeze(a[None], 0), lambda a: jnp.expand_dims(a, (0, -1)),
        lambda a: jnp.concatenate([a, 2 * a], 1), lambda a: jnp.split(a, (1,), 1)[1],
        lambda a: jnp.flip(a, (0, 2)), lambda a: a.T, lambda a: jnp.tensordot(a, a.T, 1),
        lambda a: a.at[-1].set(2), lambda a: a.at[at].add(1.5), lambda a: a**3,
        jnp.ones_like, lambda a: jnp.where(a > 3, a, 0), lambda a: jnp.astype(a, int),
    ):  # fmt: skip
        eager, compiled = part(x), jax.jit(part)(x)
        assert (eager.dtype, eager.weak_type) == (compiled.dtype, compiled.weak_type)
        np.testing.assert_array_equal(eager, compiled)
    assert keys[1] == jax.random.split(jax.random.key(0), 4)[1]
    assert keys.reshape(2, 2)[1, 0] == keys[2]


@pytest.mark.parametrize(
    "call",
    [
        lambda n: jnp.tensordot(jnp.eye(2), jnp.eye(2), ((n,), (0,))),
        lambda n: jnp.squeeze(jnp.ones((1, 2)), (n,)),
        lambda n: jnp.flip(jnp.ones((1, 2)), (n,)),
        lambda n: jnp.sum(jnp.ones((1, 2)), axis=(n,)),
    ],
)
def test_axes_in_a_tuple_are_whole_numbers_whatever_was_called_before(call):
    call(0)
    with pytest.raises(TypeError):
        call(0.0)


def test_arrays_made_in_one_call_obey_the_context():
    for make in (
        lambda: jnp.zeros(3), lambda: jnp.ones_like(jnp.zeros(3)), lambda: jnp.full(3, 2.5),
    ):  # fmt: skip
        make()
        with jax.transfer_guard("disallow"), pytest.raises(jax.errors.JaxRuntimeError):
            make()
    with jax.enable_x64(True):
        assert jnp.zeros(3).dtype == jnp.asarray(2.5).dtype == "float64"
        assert jnp.arange(3).dtype == jnp.asarray(np.arange(3)).dtype == "int64"
    assert jnp.zeros(3).dtype == jnp.asarray(np.zeros(3)).dtype == "float32"
