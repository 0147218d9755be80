"""Derivatives with respect to stored elements, and to dense sides of products."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import sparse

DENSE = np.array([[0, 1, 0], [2, 0, 3]], np.float32)
VECTOR = np.array([1, -2, 0.5], np.float32)
FORMATS = [sparse.BCOO, sparse.BCSR, sparse.COO, sparse.CSR, sparse.CSC]


def loss(mat, v):
    return ((mat @ v) ** 2).sum()


@pytest.mark.parametrize("kind", FORMATS)
def test_gradients_are_those_of_the_stored_elements(kind):
    mat = kind.fromdense(DENSE)
    value, (of_mat, of_vector) = sparse.value_and_grad(loss, (0, 1))(mat, VECTOR)
    expected = jax.grad(loss, (0, 1))(jnp.asarray(DENSE), VECTOR)
    assert isinstance(of_mat, kind)
    np.testing.assert_allclose(value, loss(DENSE, VECTOR))
    np.testing.assert_allclose(of_mat.todense(), np.where(DENSE, expected[0], 0))
    np.testing.assert_allclose(of_vector, expected[1])


@pytest.mark.parametrize("jacobian", [sparse.jacfwd, sparse.jacrev])
def test_jacobians_have_batches(jacobian):
    mat = sparse.BCOO.fromdense(DENSE)
    found = jacobian(lambda m: m @ VECTOR)(mat)
    expected = jax.jacfwd(lambda m: m @ VECTOR)(jnp.asarray(DENSE))
    assert (found.n_batch, found.shape) == (1, (2, 2, 3))
    np.testing.assert_allclose(found.todense(), np.where(DENSE, expected, 0))


def test_derivatives_of_duplicates_and_padding():
    indices = np.array([[1, 1], [0, 1], [1, 1], [5, 5]])

    def f(data):
        mat = sparse.BCOO((data, indices), shape=(2, 3))
        return (mat.sum_duplicates(nse=3) @ VECTOR).sum() + (mat.todense() ** 2).sum()

    data = jnp.array([1.0, 2, 3, 4])
    forward = jax.jacfwd(f)(data)
    np.testing.assert_allclose(jax.grad(f)(data), forward, rtol=1e-6)
    np.testing.assert_allclose(forward, [6.0, 2.0, 6.0, 0.0])


def test_products_of_sparse_arrays_differentiate_backwards():
    mat = sparse.BCOO.fromdense(DENSE)

    def f(data):
        m = sparse.BCOO((data, mat.indices), shape=mat.shape)
        return ((m @ m.T).todense() ** 2).sum()

    def dense(x):
        return ((x @ x.T) ** 2).sum()

    expected = jax.grad(dense)(jnp.asarray(DENSE))[DENSE != 0]
    np.testing.assert_allclose(jax.grad(f)(mat.data), expected)


def test_second_derivatives():
    mat = sparse.BCOO.fromdense(DENSE)

    def f(data):
        return loss(sparse.BCOO((data, mat.indices), shape=mat.shape), VECTOR)

    hessian = jax.hessian(f)(mat.data)
    expected = 2 * np.outer([-2, 0, 0], [-2, 0, 0]) + 2 * np.outer(
        [0, 1, 0.5], [0, 1, 0.5]
    )
    np.testing.assert_allclose(hessian, expected)


def test_aux_and_trees():
    mat = sparse.BCOO.fromdense(DENSE)
    tree = {"m": mat, "v": jnp.asarray(VECTOR)}
    found, aux = sparse.grad(lambda t: (loss(t["m"], t["v"]), 7), has_aux=True)(tree)
    assert aux == 7
    assert found["m"].nse == mat.nse
    with pytest.raises(TypeError):
        sparse.grad(lambda m: m @ VECTOR)(mat)
