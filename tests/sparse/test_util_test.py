"""What the public test utilities make and compare."""

import numpy as np
import pytest

import jax.numpy as jnp
from jax.experimental import sparse
from jax.experimental.sparse import test_util as st


def rng():
    return np.random.RandomState(0)


@pytest.mark.parametrize(("n_batch", "n_dense"), [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_random_bcoo_arrays(n_batch, n_dense):
    make = st.rand_bcoo(rng(), nse=0.3, n_batch=n_batch, n_dense=n_dense)
    x = make((4, 5, 3), jnp.float32)
    assert st.is_sparse(x) and isinstance(x, sparse.BCOO) and x.shape == (4, 5, 3)
    assert (x.n_batch, x.n_dense, x.n_sparse) == (
        n_batch,
        n_dense,
        3 - n_batch - n_dense,
    )
    sizes = x.shape[n_batch : 3 - n_dense]
    assert x.nse == int(np.ceil(0.3 * np.prod(sizes)))
    assert (np.asarray(x.indices) < np.array(sizes)).all()


def test_random_bcsr_arrays():
    x = st.rand_bcsr(rng(), nse=4, n_batch=1)((2, 3, 5), jnp.float32)
    assert isinstance(x, sparse.BCSR) and (x.nse, x.n_batch) == (4, 1)
    assert (np.asarray(x.indptr)[:, 0] == 0).all()
    assert (np.diff(np.asarray(x.indptr)) >= 0).all() and x.todense().shape == (2, 3, 5)
    with pytest.raises(ValueError, match="random BCSR array cannot have these axes"):
        st.rand_bcsr(rng())((2, 3, 5), jnp.float32)
    with pytest.raises(ValueError, match="random BCOO array cannot have these axes"):
        st.rand_bcoo(rng(), n_batch=2)((3,), jnp.float32)


def test_random_arrays_of_few_elements():
    x = st.rand_sparse(rng(), nse=0.25)((4, 4), np.float32)
    assert isinstance(x, np.ndarray) and (x != 0).sum() == 4
    y = st.rand_sparse(rng(), nse=3, post=jnp.asarray)((5,), np.int32)
    assert (y != 0).sum() <= 3 and y.dtype == jnp.int32


def test_layouts_and_subsets():
    assert list(st.iter_subsets("ab")) == [(), ("a",), ("b",), ("a", "b")]
    found = list(st.iter_sparse_layouts((2, 3)))
    assert found[0] == st.SparseLayout(n_batch=0, n_dense=0, n_sparse=2)
    assert len(found) == 6 and all(sum(layout) == 2 for layout in found)
    assert len(list(st.iter_sparse_layouts((2, 3), min_n_batch=1))) == 3
    assert list(st.iter_bcsr_layouts((2, 3, 4))) == [(0, 1, 2), (1, 0, 2)]
    product = st.BatchedDotGeneralProperties((2,), (2,), 0, 0, (((0,), (0,)), ((), ())))
    assert product.lhs_shape == (2,)


class Case(st.SparseTestCase):
    """Its tests are run by the test below: some must fail."""

    __test__ = False

    def test_agrees(self):
        make = st.rand_bcoo(self.rng())
        args = lambda: [make((3, 4), jnp.float32), jnp.ones((4, 2))]
        self._CheckAgainstDense(jnp.matmul, lambda x, y: x @ y, args)
        self._CheckGradsSparse(jnp.matmul, lambda x, y: x @ y, args)

    def test_differs(self):
        args = lambda: [st.rand_bcoo(self.rng())((3, 4), jnp.float32)]
        self._CheckAgainstDense(jnp.negative, lambda x: x, args)

    def test_differs_in_dtype(self):
        self.assertAllClose(jnp.ones(2), jnp.ones(2, int))

    def test_differs_in_derivative(self):
        args = lambda: [st.rand_bcoo(self.rng())((3,), jnp.float32)]
        self._CheckGradsSparse(lambda x: 2 * x, lambda x: x, args, argnums=[0])


def test_a_case_compares_sparse_with_dense():
    case = Case("test_agrees")
    case.test_agrees()
    for name in ("test_differs", "test_differs_in_dtype", "test_differs_in_derivative"):
        with pytest.raises(AssertionError):
            getattr(Case(name), name)()
    first, second = case.rng().rand(), Case("test_agrees").rng().rand()
    assert first == second != Case("test_differs").rng().rand()
