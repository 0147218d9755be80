"""Products of operands that differ in dtype: each keeps its own, and nothing of it is lost in the sums."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

MATRICES = (((1,), (0,)), ((), ()))
X = np.array([[300, 4, 1]])
Y = np.array([[2], [3], [7]])
SMALL = np.array([[3, 4, 1]])

# dtypes of both operands, and of the product where none is requested
PRODUCTS = [
    ("float8_e4m3fn", "float8_e5m2", "float8_e5m2"),
    ("float8_e5m2", "float8_e4m3fn", "float8_e5m2"),
    ("float8_e4m3fnuz", "float8_e4m3fn", "float8_e4m3fn"),
    ("float8_e5m2", "bfloat16", "bfloat16"),
    ("float16", "bfloat16", "bfloat16"),
    ("bfloat16", "float32", "float32"),
    ("int8", "uint8", "int8"),
    ("int4", "uint8", "uint8"),
    ("uint8", "int32", "int32"),
    ("bool", "int4", "int4"),
    ("int32", "float8_e4m3fn", "float8_e4m3fn"),
    ("complex64", "float16", "complex64"),
]


def product(x, y, preferred=None):
    return jax.jit(
        lambda x, y: lax.dot_general(x, y, MATRICES, preferred_element_type=preferred)
    )(x, y)


def as_dtype(x, dtype):
    return jnp.asarray(x).astype(dtype)


@pytest.mark.parametrize(("left", "right", "expected"), PRODUCTS)
def test_the_wider_dtype_is_the_products(left, right, expected):
    x, y = as_dtype(np.ones((2, 3)), left), as_dtype(np.ones((3, 2)), right)
    out = product(x, y)
    assert out.dtype == jnp.dtype(expected)
    np.testing.assert_array_equal(np.asarray(out).astype(complex), 3)
    jaxpr = jax.make_jaxpr(lambda x, y: lax.dot_general(x, y, MATRICES))(x, y)
    assert [str(eqn.primitive) for eqn in jaxpr.eqns] == ["dot_general"]


@pytest.mark.parametrize(
    ("left", "right", "preferred"),
    [
        ("int16", "uint8", "float32"),
        ("int32", "int8", "float32"),
        ("int32", "int8", "complex64"),
        ("int16", "float16", "float32"),
        ("bfloat16", "float32", "int32"),
        ("float8_e5m2", "bfloat16", "int32"),
        ("bfloat16", "float8_e5m2", "int32"),
        ("complex64", "float16", "float32"),
    ],
)
def test_no_operand_is_cut_to_the_other_ones_dtype(left, right, preferred):
    x, y = as_dtype(X, left), as_dtype(Y, right)
    exact = np.asarray(x).astype(complex) @ np.asarray(y).astype(complex)
    out = product(x, y, preferred)
    assert out.dtype == jnp.dtype(preferred)
    np.testing.assert_array_equal(np.asarray(out).astype(complex), exact)


@pytest.mark.parametrize("other", ["int8", "uint8", "float32", "bool"])
def test_booleans_are_ones_and_zeros(other):
    x, y = as_dtype(SMALL, other), as_dtype(Y, "bool")
    exact = np.asarray(x).astype(np.float64).sum()
    for pair in ((x, y), (y.T, x.T)):
        assert product(*pair, "float32").item() == exact
        assert jnp.matmul(*pair, preferred_element_type="float32").item() == exact


PRODUCTS_OF_NUMPY = {
    "dot": jnp.dot,
    "einsum": lambda x, y, **given: jnp.einsum("ij,jk", x, y, **given),
    "inner": lambda x, y, **given: jnp.inner(x, y.T, **given),
    "matmul": jnp.matmul,
    "tensordot": lambda x, y, **given: jnp.tensordot(x, y, 1, **given),
    "vecdot": lambda x, y, **given: jnp.vecdot(x, y.T, **given),
}


@pytest.mark.parametrize("name", PRODUCTS_OF_NUMPY)
def test_operands_of_numpys_products_are_not_promoted_where_sums_are_given_a_dtype(
    name,
):
    function = PRODUCTS_OF_NUMPY[name]
    x, y = as_dtype(SMALL, "float8_e4m3fn"), as_dtype(Y, "float8_e5m2")
    assert function(x, y, preferred_element_type="float32").item() == 25
    with pytest.raises(jax.dtypes.TypePromotionError):
        function(x, y)
    with pytest.raises(TypeError, match="preferred_element_type"):
        function(X, as_dtype(Y, "int8"), preferred_element_type="int16")


@pytest.mark.parametrize(
    "subscripts",
    ["ij->i", "ij->", "ii->", "ij,kl->", "ij,k->k", "ij,->i", "ij,jk,kl->"],
)
@pytest.mark.parametrize(
    ("value", "dtype", "preferred"),
    [
        (1, "bool", "int32"),
        (3, "int4", "int32"),
        (100, "int8", "int32"),
        (100, "uint8", "float32"),
        (2.0**14, "float16", "float32"),
        (0.25, "float32", "int32"),
        (2.0, "bfloat16", "complex64"),
    ],
)
def test_sums_before_the_products_of_an_einsum_have_the_dtype_requested(
    subscripts, value, dtype, preferred
):
    terms = subscripts.split("->")[0].split(",")
    arrays = [as_dtype(np.full((4,) * len(term), value), dtype) for term in terms]
    exact = np.einsum(subscripts, *[np.asarray(x).astype(np.float64) for x in arrays])
    found = jnp.einsum(subscripts, *arrays, preferred_element_type=preferred)
    np.testing.assert_array_equal(found, as_dtype(exact, preferred))


def test_derivatives_have_the_dtypes_of_the_operands():
    x, y = as_dtype(SMALL, "float8_e4m3fn"), as_dtype(Y, "float8_e5m2")
    _, pull_back = jax.vjp(lambda x, y: product(x, y, "float32"), x, y)
    of_x, of_y = pull_back(jnp.ones((1, 1)))
    assert (of_x.dtype, of_y.dtype) == (x.dtype, y.dtype)
    np.testing.assert_array_equal(of_x.astype("float32"), Y.T)
    np.testing.assert_array_equal(of_y.astype("float32"), SMALL.T)


@pytest.mark.parametrize(
    ("subscripts", "sizes", "axes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)], (((1,), (0,)), ((), ()))),
        ("ij,jk->ki", [(3, 4), (2, 3)], (((0,), (1,)), ((), ()))),
        ("ij,j->i", [(2, 3), (3,)], (((1,), (0,)), ((), ()))),
        ("j,ij->i", [(3,), (2, 3)], (((0,), (1,)), ((), ()))),
        ("bij,bkj->bik", [(5, 2, 3), (5, 4, 3)], (((2,), (2,)), ((0,), (0,)))),
        ("ij,bjk->bik", [(5, 3, 4), (2, 3)], (((1,), (1,)), ((), ()))),
        ("ij,ij->ji", [(2, 3), (2, 3)], (((), ()), ((1, 0), (1, 0)))),
    ],
)
def test_the_product_of_an_einsum_may_be_another_function(subscripts, sizes, axes):
    """Quantized products of libraries: each operand has a scale of its own, by its index."""
    seen = []

    def scaled(x, y, dimensions, precision, preferred_element_type):
        seen.append((x.shape, y.shape, dimensions, precision, preferred_element_type))
        return lax.dot_general(
            x, y, dimensions, preferred_element_type=preferred_element_type
        )

    letters = dict(zip("bijk", (5, 2, 3, 4), strict=True))
    x, y = (
        jnp.ones([letters[letter] for letter in term])
        for term in subscripts.split("->")[0].split(",")
    )
    out = jnp.einsum(subscripts, x, y.astype("bfloat16"), _dot_general=scaled)
    assert seen == [(*sizes, axes, None, np.float32)]
    np.testing.assert_array_equal(out, jnp.einsum(subscripts, x, y))


# From the one that reaches least to the one that reaches furthest.
ORDER = (
    *("bool", "uint4", "int4", "uint8", "int8", "uint16", "int16", "uint32", "int32"),
    *("float4_e2m1fn", "float8_e3m4", "float8_e4m3b11fnuz", "float8_e4m3fnuz"),
    *("float8_e4m3fn", "float8_e5m2", "float16", "float8_e8m0fnu", "bfloat16"),
    *("float32", "complex64"),
)


def few(values, dtype):
    # Powers of two alone have no zero.
    return as_dtype(np.maximum(values, dtype == "float8_e8m0fnu"), dtype)


@pytest.mark.parametrize("preferred", [None, "float32"])
@pytest.mark.parametrize("one", ORDER)
def test_no_pair_of_dtypes_loses_a_part(one, preferred):
    for other in ORDER[ORDER.index(one) + 1 :]:
        for left, right in [(one, other), (other, one)]:
            x = few(np.array([[1, 2, 0], [1, 4, 2]]), left)
            y = few(np.array([[1, 2], [1, 0], [0, 1]]), right)
            found = lax.dot_general(x, y, MATRICES, preferred_element_type=preferred)
            assert found.dtype == (preferred or other), (left, right)
            exact = (np.asarray(x).astype(complex) @ np.asarray(y).astype(complex)).real
            np.testing.assert_array_equal(
                found, as_dtype(exact, found.dtype), f"{left} {right}"
            )


@pytest.mark.parametrize(
    ("left", "right"),
    [("float8_e4m3", "float8_e4m3fnuz"), ("float8_e5m2", "float8_e5m2fnuz")],
)
def test_of_dtypes_that_reach_as_far_neither_is_the_products(left, right):
    x, y = as_dtype(SMALL, left), as_dtype(Y, right)
    for preferred in (None, "float32"):
        with pytest.raises(TypeError, match="neither dtype reaches further"):
            lax.dot_general(x, y, MATRICES, preferred_element_type=preferred)
