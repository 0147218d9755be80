"""Kinds, limits and names of dtypes, and what becomes of the 64-bit ones."""

import ml_dtypes
import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import dtypes as public
from jax._src import dtypes
from jax._src.base import config, options


class FakeKeyDtype(dtypes.ExtendedDType):
    """Enough of an extended dtype for the queries made here."""

    type = public.prng_key

    def __init__(self, name="key<fake>"):
        self._name = name

    @property
    def name(self):
        return self._name

    @property
    def itemsize(self):
        return 8

    def physical(self, shape):
        return (*shape, 2), np.dtype("uint32")

    def __eq__(self, other):
        return isinstance(other, FakeKeyDtype) and self._name == other._name

    def __hash__(self):
        return hash(self._name)


@pytest.mark.parametrize(
    ("requested", "narrow", "wide"),
    [
        (float, "float32", "float64"),
        (int, "int32", "int64"),
        (complex, "complex64", "complex128"),
        (bool, "bool", "bool"),
        (None, "float32", "float64"),
        ("uint64", "uint32", "uint64"),
        ("bfloat16", "bfloat16", "bfloat16"),
        (np.int8, "int8", "int8"),
    ],
)
def test_canonical_dtypes_follow_the_mode(requested, narrow, wide):
    assert public.canonicalize_dtype(requested) == narrow
    with options.enable_x64(True):
        assert public.canonicalize_dtype(requested) == wide


def test_an_explicit_64_bit_dtype_warns_and_is_narrowed():
    with pytest.warns(UserWarning, match="float64.*jnp.zeros.*truncated to float32"):
        found = dtypes.check_and_canonicalize_user_dtype("float64", "zeros")
    assert found == "float32"


def test_classes_of_numbers_are_narrowed_without_a_warning():
    assert jnp.result_type(jnp.float64) == "float32"
    assert jnp.result_type(jnp.int64, jnp.int8) == "int32"
    assert jax.dtypes.result_type(jnp.complex128, 1.0) == "complex64"


def test_python_float_is_narrowed_without_a_warning():
    assert dtypes.check_and_canonicalize_user_dtype(float, "zeros") == "float32"


def test_explicit_64_bit_dtypes_can_be_errors_or_allowed():
    with options.explicit_x64_dtypes(config.ExplicitX64Mode.ERROR):
        with pytest.raises(ValueError, match="jax_enable_x64"):
            dtypes.check_and_canonicalize_user_dtype(np.int64, "zeros")
    with options.explicit_x64_dtypes(config.ExplicitX64Mode.ALLOW):
        assert dtypes.check_and_canonicalize_user_dtype(np.int64) == "int64"


@pytest.mark.parametrize("dtype", [object, "S3", "datetime64[s]"])
def test_unsupported_dtypes_are_refused(dtype):
    with pytest.raises(TypeError, match="jnp.zeros: JAX only supports number, bool"):
        dtypes.check_user_dtype_supported(dtype, "zeros")


def test_unknown_names_are_refused():
    with pytest.raises(TypeError, match="not understood"):
        public.canonicalize_dtype("flaot32")


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("bfloat16", np.floating, True),
        (ml_dtypes.float8_e5m2, np.inexact, True),
        (ml_dtypes.int4, np.signedinteger, True),
        (ml_dtypes.uint2, np.unsignedinteger, True),
        (ml_dtypes.int4, np.floating, False),
        ("bfloat16", float, False),
        (int, "int64", True),
        ("int32", int, False),
        (None, float, True),
        ("bfloat16", "bfloat16", True),
        (np.float32, public.extended, False),
        (public.prng_key, public.extended, True),
        (FakeKeyDtype(), public.prng_key, True),
        (FakeKeyDtype(), public.extended, True),
        (FakeKeyDtype(), np.generic, True),
        (FakeKeyDtype(), np.number, False),
        (FakeKeyDtype(), FakeKeyDtype(), True),
        (FakeKeyDtype(), FakeKeyDtype("key<other>"), False),
    ],
)
def test_issubdtype_knows_small_and_extended_dtypes(a, b, expected):
    assert public.issubdtype(a, b) is expected


def test_issubdtype_refuses_values():
    with pytest.raises(TypeError):
        public.issubdtype(3, int)


def test_keys_promote_with_keys_alone():
    key = FakeKeyDtype()
    assert public.result_type(key, key) is key
    with pytest.raises(ValueError, match="not a valid dtype"):
        public.result_type(key, 1)


@pytest.mark.parametrize(
    ("value", "kind"),
    [(True, bool), (1, int), (1.0, float), (1j, complex), (np.int8(3), int)],
)
def test_scalar_type_of_values(value, kind):
    assert public.scalar_type_of(value) is kind


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e5m2", "int4", "uint2"])
def test_scalar_type_of_small_dtypes(dtype):
    expected = float if "float" in dtype else int
    assert public.scalar_type_of(getattr(ml_dtypes, dtype)) is expected


def test_limits_cover_small_types():
    assert public.finfo("bfloat16").nmant == 7
    assert public.iinfo("int4").max == 7


def test_short_names():
    names = "bool u4 i8 i64 f8_e4m3fn bf16 f32 c128".split()
    found = "bool uint4 int8 int64 float8_e4m3fn bfloat16 float32 complex128".split()
    assert [
        dtypes.short_dtype_name(np.dtype(getattr(ml_dtypes, n, n))) for n in found
    ] == names


def test_widths_in_bits():
    bits = {"bool": 8, "int4": 4, "uint1": 1, "float6_e2m3fn": 6, "complex64": 64}
    for name, width in bits.items():
        assert public.itemsize_bits(getattr(ml_dtypes, name, name)) == width


@pytest.mark.parametrize(
    ("function", "dtype", "expected"),
    [
        (dtypes.to_inexact_dtype, "int64", "float64"),
        (dtypes.to_inexact_dtype, "bool", "float32"),
        (dtypes.to_inexact_dtype, "float16", "float16"),
        (dtypes.to_complex_dtype, "float64", "complex128"),
        (dtypes.to_complex_dtype, "bfloat16", "complex64"),
        (dtypes.to_floating_dtype, "complex64", "float32"),
        (dtypes.to_numeric_dtype, "bool", "int32"),
    ],
)
def test_conversions_between_kinds(function, dtype, expected):
    assert function(dtype) == expected


def test_python_ints_that_do_not_fit_are_refused():
    with pytest.raises(OverflowError, match="int32"):
        dtypes.coerce_to_array(2**40)
    with options.enable_x64(True):
        assert dtypes.coerce_to_array(2**40).dtype == "int64"


@pytest.mark.parametrize(
    ("value", "weak"),
    [(1, True), (1.0, True), (1j, True), (True, False), (np.float32(1), False)],
)
def test_weakness_of_scalars(value, weak):
    assert dtypes.is_weakly_typed(value) is weak


@pytest.mark.parametrize("name", ["int2", "uint2", "int4", "uint4"])
def test_views_of_narrow_integers_count_their_bits(name):
    dtype = jnp.dtype(name)
    per_byte = 8 // dtypes.itemsize_bits(dtype)
    x = jnp.array([[0x1B, -7], [3, 100]], jnp.int8)
    parts = x.view(dtype)
    assert parts.shape == (2, 2 * per_byte)
    numbers = parts.astype(np.int32) % (1 << 8 // per_byte)
    weights = (1 << 8 // per_byte) ** np.arange(per_byte)
    bytes_ = (np.asarray(numbers).reshape(2, 2, -1) * weights).sum(-1)
    np.testing.assert_array_equal(bytes_.astype(np.uint8).view(np.int8), x)
    np.testing.assert_array_equal(parts.view(np.int8), x)
    np.testing.assert_array_equal(parts.view(np.int16), np.asarray(x).view(np.int16))
    with pytest.raises(ValueError, match="does not divide into wider elements"):
        jnp.zeros(3, dtype).view(np.int8)


OF_ONE_BIT = {
    "zeros": lambda dtype: jnp.zeros(3, dtype),
    "full": lambda dtype: jnp.full(2, 0, dtype),
    "arange": lambda dtype: jnp.arange(0, 1, dtype=dtype),
    "array": lambda dtype: jnp.array([0, 0], dtype),
    "of NumPy": lambda dtype: jnp.asarray(np.zeros(2, dtype)),
    "converted": lambda dtype: jnp.arange(2).astype(dtype),
    "bits": lambda dtype: jax.lax.bitcast_convert_type(jnp.int8(1), dtype),
    "iota": lambda dtype: jax.lax.iota(dtype, 2),
    "random": lambda dtype: jax.random.randint(jax.random.key(0), (2,), 0, 1, dtype),
    "argument": lambda dtype: jax.jit(lambda x: x)(np.zeros(2, dtype)),
    "lowered": lambda dtype: jax.jit(jnp.add).lower(
        *[jax.ShapeDtypeStruct((2,), dtype)] * 2
    ),
}


@pytest.mark.parametrize("dtype", ["int1", "uint1"])
@pytest.mark.parametrize("name", OF_ONE_BIT)
def test_integers_of_one_bit_are_types_without_arrays(name, dtype):
    one_bit = np.dtype(getattr(ml_dtypes, dtype))
    with pytest.raises(TypeError, match="is no dtype of arrays on a device"):
        OF_ONE_BIT[name](one_bit)
    assert public.iinfo(one_bit).bits == 1
    shape = jax.ShapeDtypeStruct((2,), one_bit)
    assert jax.eval_shape(jnp.add, shape, shape).dtype == one_bit


@pytest.mark.parametrize("dtype", ["int2", "uint2", "int4", "uint4", "int8", "uint8"])
def test_numbers_beside_narrow_integers_are_literals(dtype):
    shape = jax.ShapeDtypeStruct((2,), dtype)
    short = dtype[0] + dtype.lstrip("uint")
    found = str(jax.make_jaxpr(lambda x: 1 + x)(shape))
    assert (
        found
        == f"{{ lambda ; a:{short}[2]. let b:{short}[2] = add 1:{short}[] a in (b,) }}"
    )
