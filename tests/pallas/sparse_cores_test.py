"""What kernels for sparse cores are written with, and what refuses to run without them."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu, tpu_sc as plsc

X = np.arange(8, dtype=np.float32)
AT = np.array([3, 1, 1, 6], np.int32)
MASK = np.array([True, True, True, False])


def run(kernel, *args, out=X):
    shape = jax.ShapeDtypeStruct(out.shape, out.dtype)
    return np.asarray(pl.pallas_call(kernel, shape)(*args))


def test_elements_are_gathered_and_scattered_at_index_arrays():
    def kernel(x, at, mask, out):
        out[...] = jnp.zeros_like(out)
        found = plsc.load_gather(x, [at[...]], mask=mask[...])
        plsc.store_scatter(out, [at[...]], found + 1, mask=mask[...])
        plsc.addupdate_scatter(out, [at[...]], found, mask=mask[...])
        plsc.addupdate(out, jnp.ones_like(out))

    wanted = np.array([1, 5, 1, 8, 1, 1, 1, 1], np.float32)
    np.testing.assert_array_equal(run(kernel, X, AT, MASK), wanted)


def test_running_sums_and_maxima_leave_masked_elements_out():
    def kernel(x, mask, sums, largest):
        sums[...] = plsc.cumsum(x[...], mask=mask[...])
        largest[...] = plsc.cummax(x[...], mask=mask[...])

    x, mask = X[:4][::-1].copy(), np.array([False, True, True, False])
    shapes = [jax.ShapeDtypeStruct((4,), jnp.float32)] * 2
    sums, largest = pl.pallas_call(kernel, shapes)(x, mask)
    np.testing.assert_array_equal(sums, [0, 2, 3, 3])
    np.testing.assert_array_equal(largest, [-np.inf, 2, 2, 2])


def test_bits_are_read_along_the_last_axis():
    bits = plsc.bitcast(X, jnp.int16)
    np.testing.assert_array_equal(bits, X.view(np.int16))
    np.testing.assert_array_equal(plsc.bitcast(bits, jnp.float32), X)


def test_a_parallel_loop_takes_all_iterations():
    def kernel(x, out):
        out[...] = jnp.zeros_like(out)

        @plsc.parallel_loop(0, 8, 2)
        def _(i):
            out[pl.ds(i, 1)] = x[pl.ds(i, 1)] + 1

    wanted = np.where(np.arange(8) % 2 == 0, X + 1, 0)
    np.testing.assert_array_equal(run(kernel, X), wanted)


def test_meshes_name_their_cores():
    mesh = plsc.VectorSubcoreMesh(core_axis_name="c", subcore_axis_name="s")
    assert dict(mesh.shape) == {"c": 2, "s": 16} and mesh.size == 32
    assert mesh.dimension_semantics == ("core_parallel", "subcore_parallel")
    assert dict(plsc.ScalarSubcoreMesh(axis_name="c", num_cores=3).shape) == {"c": 3}

    def double(x, out):
        i = jax.lax.axis_index("c") * 4 + jax.lax.axis_index("s")
        out[pl.ds(i, 1)] = x[pl.ds(i, 1)] * 2

    small = plsc.VectorSubcoreMesh(
        core_axis_name="c", subcore_axis_name="s", num_cores=2, num_subcores=4
    )
    np.testing.assert_array_equal(pl.kernel(double, X, mesh=small)(X), X * 2)


@pytest.mark.parametrize(
    "call",
    [
        plsc.subcore_barrier,
        plsc.get_sparse_core_info,
        lambda: plsc.scan_count(X),
        lambda: plsc.pack(X, X, format=plsc.PackFormat.INTERLEAVED),
        lambda: pltpu.prng_seed(0),
    ],
)
def test_instructions_of_hardware_say_so_by_name(call):
    with pytest.raises(NotImplementedError, match="UNIMPLEMENTED") as caught:
        call()
    assert "works on" in str(caught.value)
    assert "sparse_cores_test.py" in str(caught.value)


def test_kinds_of_buffers_say_in_which_direction_they_are_copied():
    both = pltpu.BufferType.INPUT_OUTPUT
    assert both.is_input and both.is_output
    assert not pltpu.BufferType.MANUAL.is_input
