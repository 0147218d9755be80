"""Methods of universal functions, beside NumPy's: reductions, their steps, parts, indices."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

INTS = np.array([[7, 3, 5], [1, 2, 3]], np.int32)
FLOATS = np.array([[1.0, 0.5, -1.0], [2.0, 0.25, 3.0]], np.float32)
MASK = np.array([[True, False, True], [False, True, True]])
BITS = ["bitwise_and", "bitwise_or", "bitwise_xor"]
ON_FLOATS = ["subtract", "logaddexp", "logaddexp2", "add", "multiply", "maximum"]


def agree(found, wanted):
    assert found.shape == np.shape(wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("name", [*BITS, "logical_xor"])
@pytest.mark.parametrize("axis", [0, -1, (0, 1), None])
@pytest.mark.parametrize("keepdims", [False, True])
def test_whole_numbers_are_reduced(name, axis, keepdims):
    found = getattr(jnp, name).reduce(jnp.array(INTS), axis=axis, keepdims=keepdims)
    wanted = getattr(np, name).reduce(INTS, axis=axis, keepdims=keepdims)
    agree(found, wanted)
    assert found.dtype == wanted.dtype


@pytest.mark.parametrize("name", BITS)
def test_bits_are_reduced_with_masks_and_initial_values(name):
    for kwargs in ({"where": MASK}, {"initial": 12}, {"where": MASK, "initial": 9}):
        found = getattr(jnp, name).reduce(jnp.array(INTS), axis=1, **kwargs)
        agree(found, getattr(np, name).reduce(INTS, axis=1, **kwargs))
    empty = getattr(jnp, name).reduce(jnp.zeros((0, 2), jnp.uint8))
    assert (
        empty.tolist() == getattr(np, name).reduce(np.zeros((0, 2), np.uint8)).tolist()
    )
    with pytest.raises(ValueError, match="neither whole numbers nor booleans"):
        getattr(jnp, name).reduce(jnp.ones(2))


@pytest.mark.parametrize("name", ON_FLOATS)
@pytest.mark.parametrize("axis", [0, 1])
def test_floats_are_reduced_and_accumulated(name, axis):
    ours, theirs = getattr(jnp, name), getattr(np, name)
    agree(ours.reduce(jnp.array(FLOATS), axis=axis), theirs.reduce(FLOATS, axis=axis))
    found = ours.accumulate(jnp.array(FLOATS), axis=axis)
    agree(found, theirs.accumulate(FLOATS, axis=axis))
    indices = np.array([0, 1, 1])
    found = ours.reduceat(jnp.array(FLOATS), jnp.array(indices), axis=axis)
    agree(found, theirs.reduceat(FLOATS, indices, axis=axis))


def test_steps_have_the_dtype_of_the_function():
    found = jnp.logaddexp.reduce(jnp.array([1, 0, 1]))
    np.testing.assert_allclose(found, np.logaddexp.reduce([1.0, 0.0, 1.0]), rtol=1e-6)
    line = jnp.frompyfunc(lambda a, b: a * 2.5 + b, 2, 1)
    assert line.reduce(jnp.arange(4)) == 14.25
    assert line.accumulate(jnp.arange(4)).tolist() == [0, 1, 4.5, 14.25]
    assert jnp.logical_xor.reduce(jnp.array([2, 0, 3])).dtype == bool
    # As sums, they are of the default integers at least.
    assert jnp.add.reduce(jnp.array([1, 2], jnp.int8)).dtype == jnp.int32


def test_reductions_of_nothing_are_the_identity_in_the_shape_of_the_result():
    line = jnp.frompyfunc(lambda a, b: a * 2 + b, 2, 1, identity=3)
    assert line.reduce(jnp.zeros((0, 2))).tolist() == [3, 3]
    assert jnp.logaddexp.reduce(jnp.zeros(0)) == -np.inf
    with pytest.raises(ValueError, match="no identity"):
        jnp.subtract.reduce(jnp.zeros(0))
    with pytest.raises(ValueError, match="no identity"):
        jnp.subtract.reduce(jnp.ones(3), where=jnp.arange(3) > 5)
    found = jnp.subtract.reduce(jnp.arange(4), initial=10, where=jnp.arange(4) > 1)
    assert found == 5


def test_functions_without_an_order_take_no_pair_of_axes():
    with pytest.raises(NotImplementedError, match="several axes"):
        jnp.subtract.reduce(jnp.ones((2, 3)), axis=(0, 1))


def test_truths_are_reduced_with_initial_values():
    assert jnp.logical_or.reduce(jnp.zeros(3), initial=True)
    assert not jnp.logical_and.reduce(jnp.ones(3), initial=False)


@pytest.mark.parametrize(
    ("name", "a", "indices", "b"),
    [
        ("bitwise_xor", np.arange(5), np.array([3, 2, 2]), np.array([1, 2, 5])),
        ("subtract", FLOATS, np.array([0, 0]), np.float32(2)),
        ("logaddexp", FLOATS, (np.array([0, 1]), np.array([1, 1])), np.float32(2)),
        ("logical_or", np.array([True, False]), np.array([1]), True),
    ],
)
def test_elements_at_indices_change(name, a, indices, b):
    wanted = a.copy()
    getattr(np, name).at(wanted, indices, b)
    indices = jax.tree.map(jnp.array, indices)
    agree(getattr(jnp, name).at(jnp.array(a), indices, b, inplace=False), wanted)


def test_parts_begin_at_elements():
    with pytest.raises(ValueError, match="no vector of whole numbers"):
        jnp.add.reduceat(jnp.arange(5), 0)
    with pytest.raises(IndexError, match="the axis is empty"):
        jnp.add.reduceat(jnp.zeros(0), jnp.array([0]))


def test_folds_are_traced_and_differentiated():
    assert jax.jit(jnp.subtract.reduce)(jnp.arange(4)) == -6
    rows = jax.vmap(jnp.subtract.reduce)(jnp.arange(6).reshape(2, 3))
    assert rows.tolist() == [-3, -6]
    slope = jax.grad(jnp.logaddexp.reduce)(jnp.array([1.0, 2.0]))
    np.testing.assert_allclose(slope, jax.nn.softmax(jnp.array([1.0, 2.0])), rtol=1e-6)


WITHOUT_CONSTANTS = {
    "bits": lambda x: jnp.bitwise_and.reduce(x.astype(int)),
    "logaddexp": jnp.logaddexp.reduce,
    "truths": lambda x: x.astype(bool),
    "truths of bytes": lambda x: x.astype(jnp.int8).astype(bool),
    "nearest": lambda x: jax.image.resize(x, (6,), "nearest"),
    "fit": lambda x: jnp.polyfit(x, x, 1),
}


@pytest.mark.parametrize("name", WITHOUT_CONSTANTS)
def test_no_constant_of_ours_is_moved_at_call_time(name):
    x = jnp.arange(3.0)
    with jax.transfer_guard("disallow"):
        WITHOUT_CONSTANTS[name](x)


def test_functions_of_scalars_are_given_scalars():
    seen = []

    def combine(x, y):
        seen.append((np.shape(x), np.shape(y)))
        return x + 2 * y

    made = jnp.frompyfunc(combine, 2, 1)
    a, b = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    np.testing.assert_array_equal(made(a, b), a + 2 * b)
    np.testing.assert_array_equal(made.outer(b, b), b[:, None] + 2 * b)
    np.testing.assert_array_equal(
        made.reduce(b, where=np.array([True, False, True]), initial=1.0), 5
    )
    np.testing.assert_array_equal(
        made.at(b, np.array([1]), 2.0, inplace=False), [0, 5, 2]
    )
    np.testing.assert_array_equal(made.accumulate(b), [0, 2, 6])
    np.testing.assert_array_equal(made.reduceat(b, np.array([0, 2])), [2, 2])
    assert set(seen) == {((), ())}


@pytest.mark.parametrize("name", ["nin", "nout", "nargs", "identity", "_func"])
def test_what_a_ufunc_is_does_not_change(name):
    for made in (jnp.add, jnp.frompyfunc(lambda x, y: x + y, 2, 1)):
        getattr(made, name)
        with pytest.raises(AttributeError):
            setattr(made, name, None)
