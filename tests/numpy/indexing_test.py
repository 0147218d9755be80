"""Indexing agrees with NumPy inside bounds, and keeps its promises outside of them."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src.base import options

X = np.arange(60, dtype="f4").reshape(3, 4, 5)
MASK = X[..., 0] % 2 == 0
P, Q = np.array([0, 2, -1]), np.array([[1], [3]])

INDICES = {
    "number": 1,
    "negative": -1,
    "numbers": (1, -2, 3),
    "slice": slice(1, 3),
    "slices": (slice(1), slice(1, None)),
    "steps": (slice(None), slice(None, None, 2), slice(None, None, -1)),
    "empty slice": slice(2, 1),
    "number and slice": (1, slice(1, 3)),
    "ellipsis": (Ellipsis, 2),
    "ellipsis between": (1, Ellipsis, slice(2)),
    "new axes": (None, 1, None, slice(2), None),
    "array": P,
    "two arrays": (P, P),
    "broadcast arrays": (P, Q),
    "array and slice": (slice(1, 3), P),
    "array and number": (1, P),
    "separated arrays": (P, slice(None), P),
    "separated number": (1, slice(None), P),
    "array and new axis": (P, None, slice(2)),
    "slice between": (P, slice(1, 3), P),
    "steps and array": (slice(None, None, -1), P, slice(None, None, 2)),
    "mask": MASK,
    "mask of one axis": (slice(None), np.array([True, False, True, True])),
    "mask and array": (np.array([True, False, True]), np.array([1, 2])),
    "full mask": X > 30,
    "true": True,
    "empty array": np.array([], int),
    "scalar array": np.array(1),
    "list": ([0, 1], slice(None)),
}


@pytest.mark.parametrize("name", INDICES)
def test_reading_agrees_with_numpy(name):
    index = INDICES[name]
    np.testing.assert_array_equal(np.asarray(jnp.asarray(X)[index]), X[index])


@pytest.mark.parametrize("name", [n for n in INDICES if n != "true"])
def test_writing_agrees_with_numpy(name):
    index = INDICES[name]
    expected = X.copy()
    expected[index] = -1
    np.testing.assert_array_equal(jnp.asarray(X).at[index].set(-1), expected)


@pytest.mark.parametrize("name", [n for n in INDICES if n != "true"])
def test_adding_agrees_with_numpy(name):
    index = INDICES[name]
    expected = X.copy()
    np.add.at(expected, index, 2)
    np.testing.assert_array_equal(jnp.asarray(X).at[index].add(2), expected)


@pytest.mark.parametrize("name", [n for n in INDICES if "mask" not in n])
def test_reading_is_the_same_under_jit(name):
    index = INDICES[name]
    np.testing.assert_array_equal(jax.jit(lambda x: x[index])(X), X[index])


def test_traced_indices_read_like_known_ones():
    found = jax.jit(lambda x, i, j: (x[i], x[:, i, j], x[i, 1:3]))(X, -1, 2)
    for got, want in zip(found, (X[-1], X[:, -1, 2], X[-1, 1:3]), strict=True):
        np.testing.assert_array_equal(got, want)


def test_indices_out_of_bounds_follow_the_mode():
    x = jnp.arange(3.0)
    assert x[7] == 2 and x[-9] == 0
    assert jnp.isnan(x.at[7].get(mode="fill"))
    assert x.at[7].get(mode="fill", fill_value=-1) == -1
    np.testing.assert_array_equal(x.at[7].set(9.0), [0, 1, 2])
    np.testing.assert_array_equal(x.at[7].set(9.0, mode="clip"), [0, 1, 9])


@pytest.mark.parametrize("mode", ["drop", "clip"])
@pytest.mark.parametrize("start", [-3, -1, 0, 2, 3, 4, 9])
def test_a_window_out_of_bounds_is_dropped_or_moved(start, mode):
    x = np.arange(24.0).reshape(6, 4)
    expected = x.copy()
    if mode == "clip" or 0 <= start <= 3:
        first = min(max(start, 0), 3)
        expected[first : first + 3, 1:3] = -1

    def write(at):
        return jnp.asarray(x).at[jax.ds(at, 3), 1:3].set(-1.0, mode=mode)

    np.testing.assert_array_equal(write(start), expected)
    np.testing.assert_array_equal(jax.jit(write)(start), expected)


def test_stretches_are_written_by_one_window():
    def write(x, i):
        return x.at[1:-1, i, 2:4].add(1.0)

    jaxpr = jax.make_jaxpr(write)(jnp.zeros((6, 5, 7)), jnp.array([3, 0]))
    (scatter,) = [e for e in jaxpr.eqns if e.primitive.name == "scatter-add"]
    # A row of three starts for each of the two indices.
    assert [v.aval.shape for v in scatter.invars[1:]] == [(2, 3), (4, 2, 2)]


def test_updates_of_every_kind():
    x = jnp.arange(1.0, 4.0)
    np.testing.assert_array_equal(x.at[1].multiply(3), [1, 6, 3])
    np.testing.assert_array_equal(x.at[1].divide(2), [1, 1, 3])
    np.testing.assert_array_equal(x.at[1].power(3), [1, 8, 3])
    np.testing.assert_array_equal(x.at[1].min(1), [1, 1, 3])
    np.testing.assert_array_equal(x.at[1].max(5), [1, 5, 3])
    np.testing.assert_array_equal(x.at[1].subtract(5), [1, -3, 3])
    np.testing.assert_array_equal(x.at[-1].apply(jnp.square), [1, 2, 9])
    # Without wrapping, a negative index is out of bounds: nothing is written.
    for name, argument in (("apply", jnp.square), ("divide", 2), ("set", 7)):
        update = getattr(x.at[-1], name)
        np.testing.assert_array_equal(update(argument, wrap_negative_indices=False), x)


def test_an_unknown_option_of_an_update_is_refused_by_name():
    with pytest.raises(TypeError, match=r"IndexUpdateRef.add.*'sorted'"):
        jnp.arange(3).at[0].add(1, sorted=True)


def test_derivative_of_reading_adds_up():
    grad = jax.grad(lambda x: x[jnp.array([0, 0, 2])].sum())(jnp.arange(3.0))
    np.testing.assert_array_equal(grad, [2, 0, 1])


def test_vmap_over_indices():
    found = jax.vmap(lambda x, i: x[i], (None, 0))(jnp.arange(5.0), jnp.array([3, 1]))
    np.testing.assert_array_equal(found, [3, 1])


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        ([0, 1], TypeError, "non-tuple sequence"),
        (range(2), TypeError, "non-tuple sequence"),
        ("a", TypeError, "does not support string indexing"),
        (1.0, TypeError, "float"),
        ((0, 0, 0, 0), IndexError, "Too many"),
        ((Ellipsis, Ellipsis), IndexError, "ellipsis"),
        (np.array([True, False]), IndexError, "boolean index did not match"),
        (slice(None, None, 0), ValueError, "zero"),
    ],
)
def test_bad_indices_are_explained(index, error, message):
    with pytest.raises(error, match=message):
        jnp.asarray(X)[index]


def test_traced_masks_and_bounds_are_explained():
    with pytest.raises(jax.errors.NonConcreteBooleanIndexError, match="jnp.where"):
        jax.jit(lambda x, m: x[m])(X, MASK)
    with pytest.raises(IndexError, match="dynamic_slice"):
        jax.jit(lambda x, i: x[:i])(X, 2)


def test_assignment_is_refused_with_the_way_out():
    with pytest.raises(TypeError, match=r"x\.at\[i\]\.set"):
        jnp.zeros(3)[0] = 1


@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("mode", [None, "clip", "fill"])
@pytest.mark.parametrize("wraps", [None, False])
def test_taking_along_an_axis_out_of_bounds(axis, mode, wraps):
    x = np.arange(1.0, 13).reshape(3, 4)
    indices = np.array([0, -1, 2, 9, -9, 1, -2, 3, 0, 7, 2, -3])
    indices = indices if axis is None else indices.reshape(3, 4)
    found = jnp.take_along_axis(
        jnp.asarray(x), jnp.asarray(indices), axis, mode, wrap_negative_indices=wraps
    )
    line = x.ravel() if axis is None else x
    size = line.shape[axis or 0]
    counted = (
        np.where(indices < 0, indices + size, indices) if wraps is None else indices
    )
    inside = np.clip(counted, 0, size - 1)
    expected = np.take_along_axis(line, inside, axis or 0)
    if mode != "clip":
        expected = np.where(inside == counted, expected, np.nan)
    np.testing.assert_array_equal(found, expected)


def test_taking_along_an_axis_reads_by_one_number_per_index():
    def take(x, i):
        return jnp.take_along_axis(x, i, axis=1)

    x, i = jnp.ones((5, 7, 2)), jnp.zeros((5, 3, 2), "int32")
    jaxpr = str(jax.make_jaxpr(take)(x, i))
    assert "i32[5,3,2,1]" in jaxpr and "i32[5,3,2,3]" not in jaxpr


def test_separated_arrays_of_indices_come_first():
    x = np.arange(120).reshape(2, 3, 4, 5)
    a, b = np.array([0, 2]), np.array([[1], [4]])
    for index in ((slice(None), a, slice(None), b), (slice(None), a, None, 1)):
        np.testing.assert_array_equal(jnp.asarray(x)[index], x[index])


def test_indices_beyond_32_bits_are_out_of_bounds():
    x = jnp.arange(5)
    far = np.array([2**32 + 1, 1, -(2**40)])
    found = x.at[far].get(mode="fill", fill_value=-7)
    np.testing.assert_array_equal(found, [-7, 1, -7])
    assert x.at[-(2**32) + 1].get(mode="fill", fill_value=-7) == -7
    np.testing.assert_array_equal(x.at[-(2**32) + 1].set(9, mode="drop"), x)


def test_narrow_indices_count_from_the_end_of_long_axes():
    x = np.arange(40_000)
    for dtype in (np.int8, np.int16):
        indices = np.array([-1, -128, 100], dtype)
        np.testing.assert_array_equal(jnp.asarray(x)[jnp.asarray(indices)], x[indices])


@pytest.mark.parametrize(
    ("index", "is_refused"),
    [
        (5, True),
        ((0, -4), True),
        ((slice(None), np.int64(3)), True),
        ((np.array([0, 1]), 3), True),
        ((1, None, -3), False),
        (np.array([0, 5]), False),
        (slice(0, 9), False),
    ],
)
def test_known_indices_are_checked_where_requested(index, is_refused):
    x = jnp.ones((2, 3))
    usual = x[index]
    read = [
        lambda x: x[index],
        jax.jit(lambda x: x[index]),
        lambda x: x.at[index].get(),
    ]
    with options.check_static_indices(True):
        for get in read:
            if is_refused:
                with pytest.raises(IndexError, match="out of bounds"):
                    get(x)
            else:
                assert get(x).shape == usual.shape
        assert x.at[index].get(mode="clip").shape == usual.shape
        assert x.at[index].set(2.0).shape == x.shape


SCALAR_MASKS = [
    "False", "True", "0, False", "False, 0", "True, 0", "False, True", "True, True",
    "False, :", ":, False", "None, False", "False, None", "..., False", "True, :, True",
    "P, True", "P, :, True", "0, :, True", "1, True, :, None", "np.True_",
    "np.array(False)", "np.array(True), 0", "[0, 1], True",
]  # fmt: skip


@pytest.mark.parametrize("text", SCALAR_MASKS)
def test_boolean_scalars_are_indices_as_in_numpy(text):
    names = {"P": P, "np": np}

    class Read:
        def __getitem__(self, index):
            return index

    index = eval(f"read[{text}]", names, {"read": Read()})
    wanted = X[index]
    for get in (lambda x: x[index], jax.jit(lambda x: x[index])):
        found = get(jnp.asarray(X))
        assert found.shape == wanted.shape
        np.testing.assert_array_equal(found, wanted)
    changed = X.copy()
    changed[index] = 9
    np.testing.assert_array_equal(jnp.asarray(X).at[index].set(9), changed)


FAR = 2**40
BEYOND = {
    "one axis": lambda x: x[FAR],
    "negative": lambda x: x[-FAR],
    "first": lambda x: x[FAR, 0],
    "last": lambda x: x[0, FAR],
    "with a slice": lambda x: x[1:, FAR],
    "with an array": lambda x: x[jnp.array([0]), FAR],
    "with a new axis": lambda x: x[None, 2**31],
    "after an ellipsis": lambda x: x[..., -(2**31) - 1],
    "get": lambda x: x.at[FAR].get(),
    "a promise": lambda x: x.at[FAR].get(mode="promise_in_bounds"),
}


@pytest.mark.parametrize("name", BEYOND)
@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_numbers_that_no_index_has_room_for_are_refused(name, outer):
    with pytest.raises(OverflowError, match=r"Python int .* too large to convert"):
        outer(BEYOND[name])(jnp.ones((2, 3)))


@pytest.mark.parametrize("mode", ["fill", "drop", "clip"])
def test_modes_say_what_numbers_out_of_all_bounds_mean(mode):
    x = jnp.arange(3)
    how = {"mode": mode} | ({} if mode == "clip" else {"fill_value": -1})
    assert x.at[FAR].get(**how) == (2 if mode == "clip" else -1)
    with jax.enable_x64(True):
        assert x[FAR] == 2
        with pytest.raises(OverflowError, match="int64"):
            x[2**63]


@pytest.mark.parametrize(
    "shape", [(64,), (65,), (200,), (130, 2), (70, 300, 40), (65, 0)]
)
def test_iteration_over_a_long_array_gives_its_parts(shape):
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    found = list(jnp.asarray(x))
    assert len(found) == shape[0]
    np.testing.assert_array_equal(np.stack(found), x)
    assert all(
        isinstance(part, jax.Array) and part.shape == shape[1:] for part in found
    )


def test_iteration_over_many_keys_gives_keys():
    keys = jax.random.split(jax.random.key(0), 70)
    found = list(keys)
    assert len(found) == 70 and found[69] == keys[69]
