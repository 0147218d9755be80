"""Products in groups, and products of numbers with scales, against loops in NumPy."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax


def values(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype("f4")


def rows_by_loop(lhs, rhs, sizes):
    out = np.zeros((lhs.shape[0], rhs.shape[2]), "f4")
    start = 0
    for group, size in enumerate(sizes):
        out[start : start + size] = lhs[start : start + size] @ rhs[group]
        start += size
    return out


@pytest.mark.parametrize("sizes", [(1, 2, 2), (0, 6, 0), (2, 2, 2), (0, 0, 0)])
def test_each_group_of_rows_is_multiplied_by_its_matrix(sizes):
    lhs, rhs = values(6, 4), values(3, 4, 5, seed=1)
    found = lax.ragged_dot(lhs, rhs, jnp.array(sizes))
    np.testing.assert_allclose(found, rows_by_loop(lhs, rhs, sizes), rtol=1e-5)


def test_contracted_groups_are_summed_on_their_own():
    lhs, rhs, sizes = values(5, 3), values(5, 4, seed=1), (2, 3)
    numbers = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])
    found = lax.ragged_dot_general(lhs, rhs, jnp.array(sizes), numbers)
    wanted = [lhs[:2].T @ rhs[:2], lhs[2:].T @ rhs[2:]]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_sizes_may_differ_between_rows_of_the_batch():
    lhs, rhs = values(2, 4, 3), values(2, 2, 3, 5, seed=1)
    sizes = np.array([[1, 2], [3, 1]])
    numbers = lax.RaggedDotDimensionNumbers((((2,), (2,)), ((0,), (0,))), [1], [1])
    found = lax.ragged_dot_general(lhs, rhs, sizes, numbers)
    wanted = [rows_by_loop(*row) for row in zip(lhs, rhs, sizes, strict=True)]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_ragged_dot_has_derivatives_and_rows():
    lhs, rhs, sizes = values(6, 2), values(3, 2, 2, seed=1), jnp.array([1, 2, 2])
    weights = values(6, 2, seed=2)
    loss = lambda a, b: (lax.ragged_dot(a, b, sizes) * weights).sum()  # noqa: E731
    by_lhs, by_rhs = jax.jit(jax.grad(loss, (0, 1)))(lhs, rhs)
    group = np.array([0, 1, 1, 2, 2])
    wanted = np.stack([weights[i] @ rhs[g].T for i, g in enumerate(group)])
    np.testing.assert_allclose(by_lhs[:5], wanted, rtol=1e-5)
    np.testing.assert_array_equal(by_lhs[5], 0)
    np.testing.assert_allclose(by_rhs[1], lhs[1:3].T @ weights[1:3], rtol=1e-5)
    rows = jax.vmap(lax.ragged_dot, in_axes=(0, None, None))(
        jnp.stack([lhs, 2 * lhs]), rhs, sizes
    )
    np.testing.assert_allclose(rows[1], 2 * rows[0], rtol=1e-6)


def by_einsum(lhs, rhs, sizes, offset=0):
    """The ragged product by a product with all matrices, of which each row takes its own."""
    group = jnp.sum(jnp.arange(lhs.shape[0])[:, None] >= jnp.cumsum(sizes), axis=1)
    group = jnp.where(jnp.arange(lhs.shape[0]) < jnp.sum(sizes), group - offset, -1)
    chosen = jax.nn.one_hot(group, rhs.shape[0], dtype=lhs.dtype)
    return jnp.einsum("mk,gkn,mg->mn", lhs, rhs, chosen)


@pytest.mark.parametrize("offset, shape", [(0, (1,)), (2, ()), (4, (1,)), (5, ())])
def test_rhs_may_have_the_matrices_of_some_groups(offset, shape):
    lhs, rhs, sizes = values(9, 4), values(2, 4, 5, seed=1), jnp.array([2, 1, 0, 3, 2])
    ragged = jax.jit(lambda a, b, o: lax.ragged_dot(a, b, sizes, group_offset=o))
    at = jnp.full(shape, offset)
    wanted = by_einsum(lhs, rhs, sizes, offset)
    np.testing.assert_allclose(ragged(lhs, rhs, at), wanted, rtol=1e-5, atol=1e-6)
    weights = values(9, 5, seed=2)
    found = jax.grad(lambda a, b: (ragged(a, b, at) * weights).sum(), (0, 1))(lhs, rhs)
    wanted = jax.grad(
        lambda a, b: (by_einsum(a, b, sizes, offset) * weights).sum(), (0, 1)
    )(lhs, rhs)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "mapped", [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 1), (1, 1, 1, 1)]
)
def test_rows_of_every_operand(mapped):
    rows = (
        values(3, 6, 4),
        values(3, 2, 4, 5, seed=1),
        jnp.array([[1, 2, 3], [0, 4, 1], [6, 0, 0]]),
        jnp.array([[0], [1], [0]]),
    )
    axes = tuple(0 if m else None for m in mapped)
    args = [x if m else x[1] for x, m in zip(rows, mapped, strict=True)]

    def loss(a, b, sizes, offset):
        out = lax.ragged_dot(a, b, sizes, group_offset=offset)
        return jnp.sin(out).sum(), out

    def wanted(a, b, sizes, offset):
        out = by_einsum(a, b, sizes, offset[0])
        return jnp.sin(out).sum(), out

    found, expected = (
        jax.vmap(jax.value_and_grad(f, (0, 1), has_aux=True), axes)(*args)
        for f in (loss, wanted)
    )
    for one, other in zip(
        jax.tree.leaves(found), jax.tree.leaves(expected), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_second_derivatives_of_contracted_groups():
    lhs, rhs, sizes = values(5, 3), values(5, 2, seed=1), jnp.array([2, 3])
    numbers = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])

    def found(a, b):
        return (lax.ragged_dot_general(a, b, sizes, numbers) ** 2).sum()

    def wanted(a, b):
        return ((a[:2].T @ b[:2]) ** 2).sum() + ((a[2:].T @ b[2:]) ** 2).sum()

    for make in (jax.grad, jax.hessian):
        np.testing.assert_allclose(
            make(found)(lhs, rhs), make(wanted)(lhs, rhs), rtol=1e-4, atol=1e-4
        )


@pytest.mark.parametrize("offset", [np.zeros(2, int), np.array([0.5])])
def test_an_offset_is_one_integer(offset):
    with pytest.raises(TypeError, match="group_offset is not one integer"):
        lax.ragged_dot(
            np.ones((6, 2)),
            np.ones((3, 2, 2)),
            np.array([1, 2, 2]),
            group_offset=offset,
        )


def test_an_offset_needs_an_axis_of_groups():
    numbers = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])
    with pytest.raises(TypeError, match="rhs has no axis of groups"):
        lax.ragged_dot_general(
            np.ones((5, 3)), np.ones((5, 2)), np.array([2, 3]), numbers, group_offset=1
        )


@pytest.mark.parametrize(
    ("rhs", "sizes", "fact"),
    [
        (np.ones((4, 2, 2)), np.array([1, 2, 2]), "size to be 3, got 4"),
        (np.ones((3, 2, 2)), np.array([1.0, 2, 2]), "subtype of np.integer"),
        (np.ones((3, 2, 2)), np.ones((2, 3), int), "group_sizes to have shape"),
    ],
)
def test_what_does_not_fit_is_refused(rhs, sizes, fact):
    with pytest.raises(TypeError, match=fact):
        lax.ragged_dot(np.ones((6, 2)), rhs, sizes)


def test_each_scale_counts_for_a_block_of_the_contracted_axis():
    lhs = jnp.asarray(values(2, 32), jnp.float8_e4m3fn)
    rhs = jnp.asarray(values(32, 3, seed=1), jnp.float8_e4m3fn)
    scale = jnp.asarray([[2.0, 4.0], [1.0, 0.5]], jnp.float8_e8m0fnu)
    found = lax.scaled_dot(lhs, rhs, lhs_scale=scale, preferred_element_type="float32")
    wide = np.repeat(np.asarray(scale, "f4"), 16, axis=1)
    wanted = (np.asarray(lhs, "f4") * wide) @ np.asarray(rhs, "f4")
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    assert lax.scaled_dot(lhs, rhs).dtype == jnp.bfloat16


def test_a_scale_that_does_not_divide_is_refused():
    with pytest.raises(TypeError, match="scale of lhs does not fit"):
        lax.scaled_dot(np.ones((2, 32)), np.ones((32, 3)), lhs_scale=np.ones((2, 5)))
