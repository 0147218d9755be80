"""QR factors by the two calls that need no handler: what LAPACK gives, on one device and on several."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

SHAPES = [(1, 1), (5, 3), (3, 5), (4, 4), (2, 3, 4), (2, 3, 4, 2), (0, 3), (3, 0)]
SHAPES += [(0, 2, 2), (7, 1), (1, 7), (40, 33)]
TYPES = [np.float32, np.float64, np.complex64, np.complex128]


def factors(a):
    """`Qr`: R and the vectors of reflections in one, and their factors."""
    shape = (*a.shape[:-2], min(a.shape[-2:]))
    results = [jax.ShapeDtypeStruct(s, a.dtype) for s in (a.shape, shape)]
    return jax.ffi.ffi_call("Qr", results)(a)


def product(a, taus):
    """The first columns of the product of reflections."""
    kind = jax.ShapeDtypeStruct(a.shape, a.dtype)
    name = "ProductOfElementaryHouseholderReflectors"
    return jax.ffi.ffi_call(name, kind)(a, taus)


def numbers(shape, dtype, seed=0):
    drawn = np.random.default_rng(seed).standard_normal((2, *shape))
    is_complex = np.issubdtype(dtype, np.complexfloating)
    return (drawn[0] + 1j * drawn[1] if is_complex else drawn[0]).astype(dtype)


def tolerance(dtype):
    return 60 * float(np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_factors_are_those_of_lapack(shape, dtype):
    with jax.enable_x64(True):
        a = numbers(shape, dtype)
        packed, taus = jax.jit(factors)(a)
        expected, expected_taus = np.linalg.qr(a, mode="raw")
        assert packed.dtype == taus.dtype == dtype
        bound = tolerance(dtype)
        np.testing.assert_allclose(packed, expected.swapaxes(-1, -2), bound, bound)
        np.testing.assert_allclose(taus, expected_taus, bound, bound)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [s for s in SHAPES if s[-2] >= s[-1]])
def test_the_product_of_reflections_turns_r_back(shape, dtype):
    with jax.enable_x64(True):
        a = numbers(shape, dtype, 1)
        packed, taus = jax.jit(factors)(a)
        q = jax.jit(product)(packed, taus)
        r = jnp.triu(packed)[..., : shape[-1], :]
        bound = tolerance(dtype)
        np.testing.assert_allclose(q @ r, a, bound, bound)
        expected = np.broadcast_to(np.eye(shape[-1]), r.shape)
        np.testing.assert_allclose(q.mT.conj() @ q, expected, bound, bound)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_large_and_small_numbers_neither_overflow_nor_vanish(scale):
    a = numbers((6, 4), np.float32, 2) * np.float32(scale)
    packed, _ = factors(a)
    expected = np.linalg.qr(a.astype(np.float64), mode="raw")[0].T
    np.testing.assert_allclose(np.triu(packed), np.triu(expected), 1e-5, 1e-6 * scale)


def test_a_column_that_needs_no_reflection_keeps_its_sign():
    a = np.array([[-2.0, 1.0], [0.0, 3.0], [0.0, 0.0]], np.float32)
    packed, taus = factors(a)
    assert packed.tolist() == a.tolist() and taus.tolist() == [0.0, 0.0]


def test_not_a_number_spreads():
    packed, taus = factors(np.array([[1.0, 2.0], [np.nan, 1.0]], np.float32))
    assert np.isnan(packed).any() and np.isnan(taus).any()


def test_matrices_are_factored_on_the_devices_that_have_them():
    mesh = jax.make_mesh((4,), ("x",))
    a = numbers((8, 5, 3), np.float32, 3)
    placed = jax.device_put(a, jax.NamedSharding(mesh, P("x")))
    packed, taus = jax.jit(factors)(placed)
    one, one_taus = jax.jit(factors)(a)
    np.testing.assert_allclose(packed, one, 1e-6, 1e-6)
    np.testing.assert_allclose(taus, one_taus, 1e-6, 1e-6)
    assert packed.sharding.is_equivalent_to(placed.sharding, packed.ndim)
