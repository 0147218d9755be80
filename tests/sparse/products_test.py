"""Products with dense arrays, in every format, by the kernel and without it, against SciPy's dense ones."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import export, lax
from jax.experimental import sparse

FORMATS = [sparse.BCOO, sparse.BCSR, sparse.CSR, sparse.CSC, sparse.COO]
DTYPES = [np.float32, np.complex64, np.float16, np.int32]
TOLERANCE = {np.float16: 3e-2}


def drawn(shape, dtype, seed):
    random = np.random.default_rng(seed)
    values = random.integers(-4, 5, shape)
    if dtype is np.complex64:
        values = values + 1j * random.integers(-4, 5, shape)
    return values.astype(dtype)


def matrix(shape, dtype, seed=0, kept=0.2):
    values = drawn(shape, dtype, seed)
    values[np.random.default_rng(seed + 1).random(shape) > kept] = 0
    return values


def close(found, wanted, dtype):
    assert found.dtype == dtype
    tolerance = TOLERANCE.get(dtype, 1e-6)
    np.testing.assert_allclose(np.asarray(found), wanted, tolerance, tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("shape", [(7, 5), (1, 40), (300, 4), (0, 4)])
def test_products_are_those_of_dense_matrices(kind, dtype, shape):
    dense = matrix(shape, dtype)
    # More room than elements: what is left over is padding.
    room = int((dense != 0).sum()) + 3 * bool(dense.size)
    stored = kind.fromdense(jnp.asarray(dense), nse=room)
    product = jax.jit(lambda mat, other: mat @ other)
    for rest in [(), (1,), (3,), (70,)]:
        other = drawn((shape[1], *rest), dtype, 5)
        close(product(stored, jnp.asarray(other)), dense @ other, dtype)
    if kind is not sparse.BCSR:
        other = drawn((shape[0], 3), dtype, 6)
        close(product(stored.T, jnp.asarray(other)), dense.T @ other, dtype)


def elements_of(dense):
    """What is not zero, in order of rows, and where it stands."""
    rows, columns = np.nonzero(dense)
    return dense[rows, columns], np.stack([rows, columns], 1).astype(np.int32)


@pytest.mark.parametrize("order", ["sorted", "reversed", "shuffled"])
@pytest.mark.parametrize("width", [None, 4])
def test_the_order_of_elements_does_not_matter(order, width):
    dense = matrix((2000, 50), np.float32, kept=0.9)
    data, indices = elements_of(dense)
    permutation = np.arange(len(data))
    if order == "reversed":
        permutation = permutation[::-1]
    if order == "shuffled":
        permutation = np.random.default_rng(3).permutation(permutation)
    stored = sparse.BCOO(
        (jnp.asarray(data[permutation]), jnp.asarray(indices[permutation])),
        shape=dense.shape,
        indices_sorted=order == "sorted",
    )
    other = drawn((50,) if width is None else (50, width), np.float32, 7)
    close(jax.jit(lambda m, x: m @ x)(stored, other), dense @ other, np.float32)
    turned = drawn((2000,) if width is None else (2000, width), np.float32, 8)
    close(jax.jit(lambda m, x: m.T @ x)(stored, turned), dense.T @ turned, np.float32)


def test_elements_that_occur_twice_are_added_and_those_outside_left_out():
    data = jnp.array([1.0, 2.0, 4.0, 8.0, 16.0])
    indices = jnp.array([[1, 0], [1, 0], [0, 9], [7, 1], [2, -3]])
    mat = sparse.BCOO((data, indices), shape=(3, 2))
    found = jax.jit(lambda m, x: m @ x)(mat, jnp.array([1.0, 100.0]))
    np.testing.assert_array_equal(found, [0, 3, 0])


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("kind", FORMATS)
def test_products_are_mapped_and_differentiated(kind, wide):
    with jax.enable_x64(wide):
        dtype = np.float64 if wide else np.float32
        dense = matrix((6, 4), dtype)
        stored = kind.fromdense(
            jnp.asarray(dense), index_dtype=np.int64 if wide else np.int32
        )
        rows = jnp.asarray(drawn((5, 4), dtype, 9))
        mapped = jax.jit(jax.vmap(lambda x: stored @ x))(rows)
        close(mapped, np.asarray(rows) @ dense.T, dtype)

        def loss(data, x):
            leaves, structure = jax.tree.flatten(stored)
            return (jax.tree.unflatten(structure, [data, *leaves[1:]]) @ x**2).sum()

        x = rows[0]
        to_data, to_x = jax.jit(jax.grad(loss, (0, 1)))(stored.data, x)
        close(to_x, 2 * dense.sum(0) * np.asarray(x), dtype)
        given = [stored.data + 1e-2 * to_data, stored.data]
        rise = float(loss(given[0], x) - loss(given[1], x))
        np.testing.assert_allclose(rise, 1e-2 * float((to_data**2).sum()), rtol=1e-2)


def test_a_program_has_the_kernel_where_one_device_runs_it():
    mat = sparse.BCSR.fromdense(jnp.asarray(matrix((8, 8), np.float32)))
    other = jnp.ones(8)
    lowered = jax.jit(lambda m, x: m @ x).lower(mat, other)
    assert '"jax.sparse_product"' in lowered.as_text()

    def of_buffers(data, indices, indptr, x):
        return sparse.BCSR((data, indices, indptr), shape=(8, 8)) @ x

    # Bytes for others hold what it stands for.
    arrays = (mat.data, mat.indices, mat.indptr, other)
    exported = export.export(jax.jit(of_buffers))(*arrays)
    again = export.deserialize(exported.serialize())
    np.testing.assert_array_equal(again.call(*arrays), mat @ other)


def test_the_kernel_is_not_called_by_hand():
    call = jax.ffi.ffi_call(
        "xla.sparse_product", jax.ShapeDtypeStruct((3,), np.float32)
    )
    four = [jnp.ones(2), jnp.zeros(2, int), jnp.zeros(2, int), jnp.ones(3)]
    with pytest.raises(Exception, match="xla.sparse_product"):
        jax.jit(call)(*four)


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"form": "nonsense"},
        {"form": "rows"},  # with two entries for the ends of three rows
        {"form": "coordinates", "first_column": 5},
        {"form": "coordinates", "second_column": -1},
    ],
)
def test_other_composites_of_that_name_are_what_their_decompositions_compute(
    attributes,
):
    def decomposition(data, first, second, dense, **attributes):
        return dense * 7

    arrays = jnp.ones(2), jnp.zeros(2, int), jnp.zeros(2, int), jnp.ones(3)
    call = lax.composite(decomposition, "jax.sparse_product", version=1)
    found = jax.jit(lambda *xs: call(*xs, **attributes))(*arrays)
    np.testing.assert_array_equal(found, [7, 7, 7])


def from_end(kind):
    """A matrix with negative indices, and the dense one that it stands for."""
    data = jnp.array([1.0, 2.0, 3.0])
    if kind is sparse.BCOO:
        pairs = jnp.array([[0, 1], [-1, 2], [1, -2]])
        return kind((data, pairs), shape=(3, 4))
    if kind is sparse.COO:
        return kind((data, jnp.array([0, -1, 1]), jnp.array([1, 2, -2])), shape=(3, 4))
    columns, begins = jnp.array([1, -2, -2]), jnp.array([0, 1, 2, 3])
    if kind is sparse.CSC:
        return kind((data, columns, begins), shape=(4, 3))
    return kind((data, columns, begins), shape=(3, 4))


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("width", [None, 1, 5])
def test_negative_indices_count_from_the_end(kind, width):
    mat = from_end(kind)
    dense = mat.todense()
    assert np.count_nonzero(dense) == 3
    shape = mat.shape[1:] if width is None else (mat.shape[1], width)
    other = drawn(shape, np.float32, 3)
    for call in (lambda m, x: m @ x, jax.jit(lambda m, x: m @ x)):
        np.testing.assert_array_equal(call(mat, other), dense @ other)
    turned = drawn(mat.shape[:1], np.float32, 4)
    if kind is not sparse.BCSR:  # It has no transpose.
        np.testing.assert_array_equal(mat.T @ turned, dense.T @ turned)


def test_negative_indices_count_from_the_end_without_a_kernel():
    mat = from_end(sparse.BCOO)
    dense = mat.todense()
    for made, wanted in [
        (mat.sum_duplicates(), dense),
        (mat @ sparse.BCOO.fromdense(jnp.eye(4)), dense),
        (mat * sparse.BCOO.fromdense(dense), dense * dense),
        (mat.reshape(2, 6), dense.reshape(2, 6)),
        (mat[1:, 1:3], dense[1:, 1:3]),
        (mat.T, dense.T),
        (mat.sum(0), dense.sum(0)),
    ]:
        np.testing.assert_array_equal(made.todense(), wanted)
