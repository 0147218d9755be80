"""Each function of sparse arrays agrees with the same function of dense ones.

Layouts, shapes, numbers of stored elements, padding and duplicates are drawn.
"""

import itertools

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import export, lax
from jax.experimental import sparse

LAYOUTS = [(0, 0), (1, 0), (0, 1), (1, 1), (3, 0)]
every_layout = pytest.mark.parametrize(("n_batch", "n_dense"), LAYOUTS)
SHAPES = [(2, 3, 4), (3, 1, 2)]


def draw(n_batch, n_dense, shape, seed=0, *, whole=False):
    """A BCOO of small numbers with padding and elements stored twice."""
    rng = np.random.default_rng([seed, n_batch, n_dense, *shape])
    n_sparse = len(shape) - n_batch - n_dense
    nse = int(rng.integers(1, 6))
    batch, sizes = shape[:n_batch], shape[n_batch : n_batch + n_sparse]
    # Rows that are all the same may be kept once.
    kept = [1 if rng.random() < 0.3 and not whole else size for size in batch]
    data = rng.integers(-3, 4, (*kept, nse, *shape[n_batch + n_sparse :]))
    indices = [rng.integers(0, size + 1, (*batch, nse)) for size in sizes]
    indices = np.stack(indices, -1) if indices else np.zeros((*batch, nse, 0), int)
    return sparse.BCOO((data.astype(np.float32), indices), shape=shape)


def check(mat, dense):
    found = mat.todense() if isinstance(mat, sparse.JAXSparse) else mat
    np.testing.assert_allclose(found, dense, rtol=1e-5, atol=1e-5)


def cases(n_batch, n_dense):
    for seed, shape in enumerate(SHAPES):
        mat = draw(n_batch, n_dense, shape, seed)
        yield mat, np.asarray(mat.todense())


def sum_by_hand(mat):
    """The dense array, element by element."""
    batch = mat.shape[: mat.n_batch]
    data = np.broadcast_to(mat.data, (*batch, *mat.data.shape[mat.n_batch :]))
    indices = np.broadcast_to(mat.indices, (*batch, *mat.indices.shape[mat.n_batch :]))
    out = np.zeros(mat.shape, mat.dtype)
    sizes = mat.shape[mat.n_batch : mat.n_batch + mat.n_sparse]
    for matrix in np.ndindex(batch):
        for value, index in zip(data[matrix], indices[matrix], strict=True):
            if all(i < size for i, size in zip(index, sizes, strict=True)):
                out[(*matrix, *index)] += value
    return out


@every_layout
def test_stored_elements_add_up(n_batch, n_dense):
    for mat, dense in cases(n_batch, n_dense):
        check(sum_by_hand(mat), dense)


@every_layout
def test_from_dense_and_back(n_batch, n_dense):
    for _, dense in cases(n_batch, n_dense):
        mat = sparse.BCOO.fromdense(dense, n_batch=n_batch, n_dense=n_dense)
        check(mat, dense)
        assert (mat.n_batch, mat.n_dense) == (n_batch, n_dense)
        more = sparse.BCOO.fromdense(
            dense, n_batch=n_batch, n_dense=n_dense, nse=mat.nse + 2
        )
        check(more, dense)


@every_layout
def test_sorting_and_summing_change_nothing(n_batch, n_dense):
    for mat, dense in cases(n_batch, n_dense):
        check(mat.sort_indices(), dense)
        check(mat.sum_duplicates(), dense)
        check(mat.sum_duplicates(nse=mat.nse + 1, remove_zeros=False), dense)


@every_layout
def test_every_other_layout_holds_the_same(n_batch, n_dense):
    mat, dense = next(cases(n_batch, n_dense))
    for new_batch, new_dense in LAYOUTS:
        moved = mat.update_layout(
            n_batch=new_batch, n_dense=new_dense, on_inefficient=None
        )
        assert (moved.n_batch, moved.n_dense) == (new_batch, new_dense)
        check(moved, dense)


@every_layout
def test_sums(n_batch, n_dense):
    for mat, dense in cases(n_batch, n_dense):
        for count in range(4):
            for axes in itertools.combinations(range(3), count):
                found = sparse.bcoo_reduce_sum(mat, axes=axes)
                check(found, dense.sum(axes))


@every_layout
def test_slices_and_reversals(n_batch, n_dense):
    for mat, dense in cases(n_batch, n_dense):
        starts = [min(1, s - 1) for s in mat.shape]
        found = sparse.bcoo_slice(
            mat, start_indices=starts, limit_indices=mat.shape, strides=(2, 1, 2)
        )
        check(found, dense[starts[0] :: 2, starts[1] :, starts[2] :: 2])
        sizes = [max(1, s - 1) for s in mat.shape]
        found = sparse.bcoo_dynamic_slice(mat, [jnp.int32(9), 1, 0], sizes)
        check(found, lax.dynamic_slice(dense, [9, 1, 0], sizes))
        check(sparse.bcoo_rev(mat, (0, 2)), dense[::-1, :, ::-1])
        check(mat[..., None, :], dense[..., None, :])


@every_layout
def test_indexing(n_batch, n_dense):
    mat, dense = next(cases(n_batch, n_dense))
    indices = np.array([1, 0, 1])
    for index in [
        0,
        (-1, 2),
        (slice(None), 1),
        (Ellipsis, slice(None, None, -1)),
        (indices,),
        (slice(None), indices),
        (indices, indices),
        (slice(None), slice(None), indices),
        np.array([True, False]),
    ]:
        check(mat[index], dense[index])
    for row, expected in zip(mat, dense, strict=True):
        check(row, expected)


@every_layout
def test_shapes(n_batch, n_dense):
    for mat, dense in cases(n_batch, n_dense):
        new = (*mat.shape[:n_batch], 1, *mat.shape[n_batch:])
        check(mat.reshape(new), dense.reshape(new))
        if (n_batch, n_dense) in [(0, 0), (3, 0), (0, 3)]:
            check(mat.reshape(-1), dense.reshape(-1))
            check(mat.transpose((2, 0, 1)), dense.transpose((2, 0, 1)))
        grown = sparse.bcoo_broadcast_in_dim(
            mat, shape=(2, *mat.shape), broadcast_dimensions=(1, 2, 3)
        )
        check(grown, np.broadcast_to(dense, (2, *mat.shape)))
        ones = tuple(d for d in range(3) if mat.shape[d] == 1)
        check(sparse.bcoo_squeeze(mat, dimensions=ones), dense.squeeze(ones))


@every_layout
def test_concatenation(n_batch, n_dense):
    for seed, shape in enumerate(SHAPES):
        for axis in range(3 - n_dense):
            other = list(shape)
            other[axis] += 1
            a = draw(n_batch, n_dense, shape, seed)
            b = draw(n_batch, n_dense, tuple(other), seed + 9)
            found = sparse.bcoo_concatenate([a, b], dimension=axis)
            check(found, np.concatenate([a.todense(), b.todense()], axis))


@every_layout
def test_products_with_dense_arrays(n_batch, n_dense):
    rng = np.random.default_rng(1)
    for mat, dense in itertools.islice(cases(n_batch, n_dense), 1):
        for axis in range(3):
            rhs = rng.standard_normal((mat.shape[axis], 5)).astype(np.float32)
            numbers = (([axis], [0]), ([], []))
            found = sparse.bcoo_dot_general(mat, rhs, dimension_numbers=numbers)
            check(found, lax.dot_general(dense, rhs, numbers))
            numbers = (([1], [axis]), ([], []))
            found = sparse.bcoo_dot_general(rhs.T, mat, dimension_numbers=numbers)
            check(found, lax.dot_general(rhs.T, dense, numbers))
        for batch, contracted in itertools.permutations(range(3), 2):
            sizes = (3, mat.shape[contracted], mat.shape[batch])
            rhs = rng.standard_normal(sizes).astype(np.float32)
            numbers = (([contracted], [1]), ([batch], [2]))
            found = sparse.bcoo_dot_general(mat, rhs, dimension_numbers=numbers)
            check(found, lax.dot_general(dense, rhs, numbers))
        both = (([0, 2], [1, 0]), ([], []))
        rhs = rng.standard_normal((mat.shape[2], mat.shape[0])).astype(np.float32)
        found = sparse.bcoo_dot_general(mat, rhs, dimension_numbers=both)
        check(found, lax.dot_general(dense, rhs, both))


@every_layout
def test_elementwise(n_batch, n_dense):
    rng = np.random.default_rng(2)
    for (mat, dense), shape in zip(cases(n_batch, n_dense), SHAPES, strict=True):
        for sizes in [(), shape[2:], (shape[0], 1, 1), shape]:
            other = rng.standard_normal(sizes).astype(np.float32)
            check(mat * other, dense * other)
        check(mat / (other + 9), dense / (other + 9))
        check(mat + dense, dense + dense)
        check(mat + mat - 2 * mat, 0 * dense)
        check(mat**2, dense**2)
        check(abs(-mat), abs(dense))
        check(sparse.sparsify(jnp.sin)(mat), np.sin(dense))
        check(mat.astype(np.int32), dense.astype(np.int32))
        check(sparse.bcoo_multiply_sparse(mat, mat), dense * dense)
        taken = sparse.bcoo_extract(mat.sum_duplicates(), rng.random(shape))
        assert taken.shape == shape


GROWING = [
    [(3, 1, 2), (3, 4, 2)],
    [(1, 4, 1), (3, 4, 2)],
    [(3, 1, 2), (1, 4, 1)],
    [(1, 1, 1), (2, 3, 4)],
    [(0, 1, 2), (1, 3, 1)],
]


@every_layout
@pytest.mark.parametrize("shapes", GROWING, ids=str)
def test_sizes_of_1_grow_in_products(n_batch, n_dense, shapes):
    for seed in range(4):
        pairs = [draw(n_batch, n_dense, shape, seed) for shape in shapes]
        for left, right in (pairs, pairs[::-1]):
            wanted = np.asarray(left.todense()) * np.asarray(right.todense())
            for found in (sparse.bcoo_multiply_sparse(left, right), left * right):
                assert found.shape == wanted.shape
                check(found, wanted)
    with pytest.raises(NotImplementedError, match="different shapes"):
        left + right
    if n_batch == 0 and n_dense == 0:
        row, dense = draw(0, 0, shapes[1][1:]), np.asarray(right.todense())
        check(right * row, dense * np.asarray(row.todense()))
        check(right + np.ones(shapes[0]), dense + np.ones(shapes[0]))


@pytest.mark.parametrize("n_batch", [0, 1])
def test_products_of_two_sparse_arrays(n_batch):
    a, b = draw(n_batch, 0, (2, 3, 4), 3), draw(n_batch, 0, (2, 5, 4), 4)
    numbers = (([2], [2]), ([0], [0]) if n_batch else ([], []))
    found = sparse.bcoo_dot_general(a, b, dimension_numbers=numbers)
    assert isinstance(found, sparse.BCOO)
    check(found, lax.dot_general(a.todense(), b.todense(), numbers))
    small = draw(0, 0, (3, 2), 5)
    crowded = small @ small.T
    assert crowded.nse <= 9
    check(crowded, small.todense() @ small.todense().T)
    vector = small[:, 0]
    check(vector @ small, vector.todense() @ small.todense())
    check(vector @ vector, vector.todense() @ vector.todense())


@pytest.mark.parametrize("n_batch", [1, 2, 3])
def test_vmap_is_a_loop(n_batch):
    mat = draw(n_batch, 0, (2, 3, 4), 6, whole=True)
    double = jax.vmap(lambda m: 2 * m)(mat)
    assert double.n_batch == n_batch
    check(double, 2 * mat.todense())
    if n_batch < 3:
        v = np.arange(4, dtype=np.float32)
        check(jax.vmap(lambda m: m @ v)(mat), mat.todense() @ v)
    check(
        jax.vmap(lambda m: m.todense(), out_axes=1)(mat), mat.todense().swapaxes(0, 1)
    )
    same = jax.vmap(lambda m, x: (m, x), in_axes=(None, 0), out_axes=(None, 0))
    check(same(mat, jnp.ones(5))[0], mat.todense())


@every_layout
def test_jit_takes_and_returns_them(n_batch, n_dense):
    mat, dense = next(cases(n_batch, n_dense))
    found = jax.jit(lambda m: (3 * m).sum_duplicates(nse=m.nse))(mat)
    check(found, 3 * dense)
    check(jax.jit(sparse.todense)(mat), dense)


def test_users_settings_change_nothing():
    mat = draw(1, 1, (2, 3, 4))
    with jax.numpy_rank_promotion("raise"), jax.numpy_dtype_promotion("strict"):
        check(mat * jnp.ones((2, 3, 4)), mat.todense())
        check(mat.sum_duplicates(), mat.todense())
        check(mat[0].T if mat.n_dense > 1 else mat[0], mat.todense()[0])
        check(mat.update_layout(n_batch=0, n_dense=0), mat.todense())
        flat = mat.update_layout(n_batch=0, n_dense=0)
        check(
            flat.reshape(6, 4) @ jnp.ones((4, 2)),
            mat.todense().reshape(6, 4) @ np.ones((4, 2)),
        )
        check(flat[:, 1:, ::2], mat.todense()[:, 1:, ::2])


# Functions of one BCOO, applied where a size is symbolic.
SYMBOLIC = {
    "grown in front": lambda m: sparse.bcoo_broadcast_in_dim(
        m, shape=(2, *m.shape), broadcast_dimensions=tuple(range(1, m.ndim + 1))
    ),
    "grown in the middle": lambda m: sparse.bcoo_broadcast_in_dim(
        m,
        shape=(m.shape[0], 1, *m.shape[1:]),
        broadcast_dimensions=(0, *range(2, m.ndim + 1)),
    ),
    "reshaped": lambda m: sparse.bcoo_reshape(m, new_sizes=(1, *m.shape)),
    "reversed": lambda m: sparse.bcoo_rev(m, dimensions=(0, 1)),
    "summed": lambda m: sparse.bcoo_sum_duplicates(m, nse=4),
    "squared": lambda m: sparse.bcoo_multiply_sparse(m, m),
    "all sparse": lambda m: m.update_layout(n_batch=0, n_dense=0),
    "batch": lambda m: m.update_layout(n_batch=1, n_dense=0, on_inefficient=None),
    "dense": lambda m: m.update_layout(n_batch=0, n_dense=1, on_inefficient=None),
    "first": lambda m: m[0],
    "rest": lambda m: m[1:],
    "some": lambda m: m[jnp.array([1, 0])],
    "empty": lambda m: sparse.empty(m.shape),
}
PRODUCTS = {
    "times dense": lambda m: m @ jnp.ones((m.shape[-1], 2)),
    "dense times": lambda m: jnp.ones((2, m.shape[0])) @ m,
    "times sparse": lambda m: sparse.bcoo_dot_general(
        m, m, dimension_numbers=(((1,), (1,)), ((), ()))
    ),
    "BCSR times dense": lambda m: (
        sparse.BCSR.fromdense(m.todense(), nse=4) @ jnp.ones((m.shape[1], 2))
    ),
    "CSR times dense": lambda m: (
        sparse.CSR.fromdense(m.todense(), nse=4) @ jnp.ones((m.shape[1], 2))
    ),
}


@pytest.mark.parametrize(
    ("shape", "n_batch", "n_dense"),
    [("n, 3", 0, 0), ("3, n", 1, 0), ("3, n", 0, 1)],
)
@pytest.mark.parametrize("name", [*SYMBOLIC, *PRODUCTS])
def test_a_size_may_be_symbolic(name, n_batch, n_dense, shape):
    if n_dense and name in PRODUCTS:
        pytest.skip("products are of matrices without dense dimensions")

    def function(x):
        mat = sparse.BCOO.fromdense(x, nse=4, n_batch=n_batch, n_dense=n_dense)
        found = (SYMBOLIC | PRODUCTS)[name](mat)
        return found if isinstance(found, jax.Array) else found.todense()

    symbols = export.symbolic_shape(shape, constraints=["n >= 2"])
    argument = jax.ShapeDtypeStruct(symbols, np.float32)
    exported = export.export(jax.jit(function))(argument)
    x = np.zeros((4, 3) if shape == "n, 3" else (3, 4), np.float32)
    x[0, 1], x[1, 0], x[1, -1] = 2, -3, 4
    np.testing.assert_array_equal(exported.call(x), function(x))


def test_a_batch_grows_in_front_of_dense_dimensions():
    x = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    for n_dense, shape, dims in ((1, (2, 5, 3), (0, 2)), (0, (2, 3, 5), (0, 1))):
        mat = sparse.BCOO.fromdense(x, n_batch=2 - n_dense, n_dense=n_dense)
        found = sparse.bcoo_broadcast_in_dim(
            mat, shape=shape, broadcast_dimensions=dims
        )
        assert found.n_batch == 3 - n_dense
        check(found, lax.broadcast_in_dim(x, shape, dims))
