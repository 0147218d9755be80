"""Python functions that fill the memory of their results."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import buffer_callback as bc

X = jnp.arange(6.0).reshape(2, 3)
LIKE_X = jax.ShapeDtypeStruct(X.shape, X.dtype)


def scale(ctx, out, x, *, by):
    assert ctx.stage == bc.ExecutionStage.EXECUTE
    np.multiply(x, np.asarray(by), out=np.asarray(out["y"]))


CALL = bc.buffer_callback(scale, {"y": LIKE_X})


@pytest.mark.parametrize("f", [CALL, jax.jit(CALL)])
def test_results_are_what_was_written(f):
    found = f(X, by=3.0)
    np.testing.assert_array_equal(found["y"], 3 * np.asarray(X))


@pytest.mark.parametrize(
    "method", ["sequential", "sequential_unrolled", "expand_dims", "broadcast_all"]
)
def test_rows(method):
    def double(ctx, out, x):
        np.asarray(out)[...] = 2 * np.asarray(x)

    row = jax.ShapeDtypeStruct((3,), X.dtype)
    f = bc.buffer_callback(double, row, vmap_method=method)
    np.testing.assert_array_equal(jax.vmap(f)(X), 2 * X)
    np.testing.assert_array_equal(jax.jit(jax.vmap(f))(X), 2 * X)


def test_buffers_report_their_memory():
    seen = []

    def look(ctx, out, x):
        seen.append((out.writeable, x.writeable, x.shape, x.ndim, x.dtype.name))
        np.testing.assert_array_equal(np.from_dlpack(out), np.asarray(out))
        with pytest.raises(ValueError, match="read-only"):
            np.asarray(x)[...] = 1
        with pytest.raises(ValueError, match="FFI GPU context is not available"):
            ctx.stream  # noqa: B018
        assert repr(x) == "Buffer(in, float32[2, 3])"
        assert np.asarray(x, dtype=np.int32).dtype == np.int32
        assert not hasattr(x, "__cuda_array_interface__")
        np.asarray(out)[...] = 0

    jax.block_until_ready(bc.buffer_callback(look, LIKE_X)(X))
    assert seen == [(True, False, (2, 3), 2, "float32")]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    "dtype",
    ["bool", "int8", "uint16", "int64", "float16", "bfloat16", "float64", "complex64"],
)
def test_numpy_arrays_come_as_they_are_and_64_bits_narrowed(dtype, compiled):
    data = np.arange(12).reshape(3, 4).astype(jnp.dtype(dtype))

    def copy(ctx, out, given):
        assert np.asarray(given).dtype == np.asarray(out).dtype
        np.asarray(out)[...] = np.asarray(given)

    f = bc.buffer_callback(copy, jax.ShapeDtypeStruct(data.shape, data.dtype))
    found = (jax.jit(f) if compiled else f)(data)
    assert found.dtype == jax.dtypes.canonicalize_dtype(data.dtype)
    np.testing.assert_array_equal(found, data)


def test_a_result_begins_with_the_argument_whose_memory_it_takes():
    def add_one(ctx, out, x):
        np.asarray(out)[...] += 1

    f = bc.buffer_callback(add_one, LIKE_X, input_output_aliases={0: 0})
    np.testing.assert_array_equal(f(X), X + 1)
    for aliases, message in (
        ({1: 0}, "names what is not there"),
        ({0: 1}, "names what is not there"),
    ):
        with pytest.raises(ValueError, match=message):
            bc.buffer_callback(add_one, LIKE_X, input_output_aliases=aliases)(X)
    with pytest.raises(ValueError, match="Shape and dtype must be equal"):
        f(X[0])


def test_a_call_with_effects_is_made_though_nobody_looks():
    seen = []

    def note(ctx, out, x):
        seen.append(float(np.asarray(x)))

    f = bc.buffer_callback(note, (), has_side_effect=True)
    jax.jit(lambda x: (f(x), x)[1])(2.0)
    jax.effects_barrier()
    assert seen == [2.0]


def test_mistakes_are_explained():
    returning = bc.buffer_callback(lambda ctx, out, x: 3, LIKE_X)
    with pytest.raises(jax.errors.JaxRuntimeError, match="returned a value"):
        jax.block_until_ready(returning(X))
    with pytest.raises(ValueError, match="do not support JVP"):
        jax.grad(lambda x: CALL(x, by=1.0)["y"].sum())(X)
