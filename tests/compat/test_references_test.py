"""Operations of NumPy's that test files compare `jax.lax` with, and the lists of what they are tried at."""

import numpy as np
import pytest
from jax._src.internal_test_util import lax_test_util

import jax.numpy as jnp
from jax import lax
from jax._src import lax_reference, test_util as jtu

LOOSE = {np.float32: 2e-4, np.float16: 2e-2, np.complex64: 2e-4, jnp.bfloat16: 1e-1}
RNG = np.random.RandomState(0)


class Comparison(jtu.JaxTestCase):
    def runTest(self):
        """Nothing: its comparisons are used."""


CLOSE = Comparison()


@pytest.mark.parametrize(
    "record", lax_test_util.lax_ops(), ids=lambda record: record.op
)
def test_an_operation_is_what_its_reference_is(record):
    assert record.dtypes
    operation, reference = (getattr(m, record.op) for m in (lax, lax_reference))
    for dtype in record.dtypes:
        draw = record.rng_factory(np.random.RandomState(1))
        given = [draw((3, 4), dtype) for _ in range(record.nargs)]
        if record.op in ("igamma", "igammac"):
            given = [np.asarray(x, np.float64).astype(dtype) for x in given]
        with np.errstate(all="ignore"):
            expected = reference(*given)
        found = operation(*given)
        CLOSE.assertAllClose(
            found, expected, check_dtypes=False, atol=LOOSE, rtol=LOOSE
        )


@pytest.mark.parametrize(
    "record", lax_test_util.lax_reduce_ops(), ids=lambda r: r.primitive.name
)
def test_a_fold_is_what_its_reference_is(record):
    for dtype in record.dtypes:
        if jnp.dtype(dtype).itemsize > 4:
            continue
        x = jtu.rand_default(RNG)((3, 4), dtype)
        first = np.asarray(record.init_val).astype(dtype)
        expected = lax_reference.reduce(x, first, record.reference_op, (1,))
        found = lax.reduce(x, first, record.op, (1,))
        CLOSE.assertAllClose(found, expected, atol=LOOSE, rtol=LOOSE)


@pytest.mark.parametrize("record", lax_test_util.lax_named_reduce_ops(), ids=str)
def test_a_named_fold_is_what_its_reference_is(record):
    for dtype in record.dtypes[:3]:
        x = jtu.rand_default(RNG)((3, 4), dtype)
        found, expected = record.op(x, (0,)), record.reference_op(x, axis=0)
        CLOSE.assertAllClose(
            found, expected, check_dtypes=False, atol=LOOSE, rtol=LOOSE
        )


X, K = np.float32(RNG.randn(2, 3, 9, 8)), np.float32(RNG.randn(4, 3, 3, 2))
M = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("bitcast_convert_type", (M, np.uint32)),
        ("bitcast_convert_type", (M, np.uint8)),
        ("bitcast_convert_type", (np.arange(8, dtype=np.uint8).reshape(2, 4), "int32")),
        ("broadcast", (M, (2,))),
        ("broadcast_in_dim", (M, (3, 2, 4), (0, 2))),
        ("clamp", (np.float32(2), M, np.float32(7))),
        ("clamp", (np.float32(7), M, np.float32(2))),
        ("conv", (X, K, (1, 2), "SAME")),
        ("conv", (X, K, (2, 1), "VALID")),
        (
            "conv_with_general_padding",
            (X, K, (1, 1), ((1, 0), (-1, 2)), (2, 1), (1, 3)),
        ),
        ("dot_general", (M, M, (((1,), (1,)), ((), ())))),
        ("dot_general", (X, X, (((3, 1), (3, 1)), ((0,), (0,))))),
        ("dynamic_slice", (M, (1, 1), (2, 3))),
        ("dynamic_update_slice", (M, M[:1, :2], (2, 1))),
        ("pad", (M, np.float32(9), ((1, 2, 1), (-1, 0, 2)))),
        ("pad", (M, np.float32(9), ((0, -2, 1), (1, -3, 0)))),
        ("reshape", (M, (2, 6))),
        ("rev", (M, (1,))),
        ("slice", (M, (1, 0), (3, 4), (1, 2))),
        ("sort", (-M, 1)),
        ("transpose", (M, (1, 0))),
        ("padtype_to_pads", ((9, 8), (3, 2), (2, 3), "SAME")),
        ("padtype_to_pads", ((9, 8), (3, 2), (2, 3), "SAME_LOWER")),
    ],
)
def test_a_movement_is_what_its_reference_is(name, args):
    expected = getattr(lax_reference, name)(*args)
    found = getattr(lax, name)(*args)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("padding", ["SAME", "VALID", ((1, 2), (0, 1))])
@pytest.mark.parametrize("fold", [lax.add, lax.max, lambda x, y: x + y * 0.5])
def test_windows_are_folded(padding, fold):
    first = np.float32(-np.inf if fold is lax.max else 0)
    of_numpy = {lax.add: np.add, lax.max: np.maximum}.get(fold, fold)
    found = lax.reduce_window(M, first, fold, (2, 2), (1, 2), padding)
    if fold not in (lax.add, lax.max):
        pytest.skip("the order of a fold that is not associative is not fixed")
    expected = lax_reference.reduce_window(
        M, first, of_numpy, (2, 2), (1, 2), padding, None
    )
    np.testing.assert_allclose(found, expected)


def test_a_named_convolution_and_groups_of_rows():
    names = ("NHWC", "HWIO", "NWHC")
    x, k = X.transpose(0, 2, 3, 1), K.transpose(2, 3, 1, 0)
    args = x, k, (1, 1), "SAME", (1, 1), (1, 1), names
    np.testing.assert_allclose(
        lax.conv_general_dilated(*args),
        lax_reference.conv_general_dilated(*args),
        rtol=1e-4,
        atol=1e-4,
    )
    groups = np.array([2, 0, 1], np.int32)
    lhs, rhs = np.float32(RNG.randn(5, 3)), np.float32(RNG.randn(3, 3, 2))
    found = lax_reference.ragged_dot(lhs, rhs, groups)
    np.testing.assert_allclose(lax.ragged_dot(lhs, rhs, groups), found, rtol=1e-4)
    assert not found[3:].any()


def test_sorted_pairs_and_the_greatest_elements():
    keys = RNG.randint(0, 5, (3, 6)).astype(np.int32)
    order = np.arange(18).reshape(3, 6)
    for axis in (0, 1):
        for one, other in zip(
            lax.sort_key_val(keys, order, axis),
            lax_reference.sort_key_val(keys, order, axis),
            strict=True,
        ):
            np.testing.assert_array_equal(one, other)
    for one, other in zip(
        lax.top_k(keys, 3), lax_reference.top_k(keys, 3), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_batch_axes_are_put_and_taken():
    shapes = lax_test_util.all_bdims((2,), ())
    assert list(shapes) == [(None, 0), (0, None), (0, 0), (1, None), (1, 0)]
    assert lax_test_util.add_bdim(5, 1, (2, 3)) == (2, 5, 3)
    assert lax_test_util.add_bdim(5, None, (2, 3)) == (2, 3)
    of_one = lax_test_util.args_slicer([M, M], [1, None])
    np.testing.assert_array_equal(of_one(2)[0], M[:, 2])
    np.testing.assert_array_equal(of_one(2)[1], M)


def test_functions_are_computed_with_mpmath():
    mpmath = pytest.importorskip("mpmath")
    exact = jtu.numpy_with_mpmath(mpmath, extra_prec_multiplier=1)
    x = np.float32([0.25, -0.5, 3.0, np.inf, 1e-40])
    for name in ("exp", "sin", "arctan", "square", "exp2", "tanh"):
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(x.astype(np.float64)).astype(np.float32)
        found = getattr(exact, name)(x)
        assert found.dtype == np.float32
        tiny = np.finfo(np.float32).tiny
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=tiny)
    z = jtu.complex_plane_sample(np.complex128, 3)
    for name in ("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"):
        found = getattr(exact, name)(z)
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(z)
        finite = np.isfinite(expected)
        np.testing.assert_allclose(found[finite], expected[finite], 1e-12, 1e-30)
    value = np.float32(1 + 2**-20)
    both = exact.normalize(np.float32(1), value, value)
    assert both[0] == both[1]
