"""Copies and signals between devices, whose kernels run the same program."""

import functools

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

DMA, REGULAR = pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR
MODES = [False, True]
pytestmark = pytest.mark.skipif(jax.device_count() < 4, reason="needs four devices")


def on_ring(
    kernel, x, *, interpret, axes=("x",), sizes=(4,), out=None, scratch=(DMA, DMA)
):
    """Runs a kernel on each part of an array along the first axis."""
    mesh = jax.make_mesh(sizes, axes)

    @jax.jit
    @functools.partial(
        jax.shard_map, mesh=mesh, in_specs=P(axes), out_specs=P(axes), check_vma=False
    )
    def run(part):
        return pl.pallas_call(
            kernel,
            jax.ShapeDtypeStruct(out or part.shape, part.dtype),
            in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
            out_specs=pl.BlockSpec(memory_space=pl.ANY),
            scratch_shapes=list(scratch),
            interpret=interpret,
        )(part)

    return np.asarray(run(jax.device_put(x, jax.NamedSharding(mesh, P(axes)))))


X = np.arange(64, dtype=np.float32).reshape(16, 4)


@pytest.mark.parametrize("interpret", MODES)
@pytest.mark.parametrize("shift", [1, 2, 3])
def test_a_copy_goes_to_the_device_that_is_named(interpret, shift):
    def kernel(x, out, send, receive):
        to = lax.rem(lax.axis_index("x") + shift, 4)
        pltpu.async_remote_copy(x, out, send, receive, device_id=(to,)).wait()

    got = on_ring(kernel, X, interpret=interpret)
    np.testing.assert_array_equal(got, np.roll(X, 4 * shift, 0))


@pytest.mark.parametrize("interpret", MODES)
@pytest.mark.parametrize("kind", ["tuple", "dict", "logical"])
def test_devices_of_a_mesh_of_two_axes_are_named(interpret, kind):
    def kernel(x, out, send, receive):
        row, column = lax.axis_index("x"), lax.axis_index("y")
        there = 1 - column
        options = {
            "tuple": {"device_id": (row, there)},
            "dict": {"device_id": {"y": there}},
            "logical": {
                "device_id": row * 2 + there,
                "device_id_type": pl.DeviceIdType.LOGICAL,
            },
        }[kind]
        pltpu.async_remote_copy(x, out, send, receive, **options).wait()

    got = on_ring(kernel, X, interpret=interpret, axes=("x", "y"), sizes=(2, 2))
    parts = X.reshape(2, 2, 4, 4)
    np.testing.assert_array_equal(got.reshape(2, 2, 4, 4), parts[:, ::-1])


@pytest.mark.parametrize("interpret", MODES)
def test_the_sender_says_which_part_is_written(interpret):
    """All gather on a ring: what arrived is sent on."""

    def kernel(x, out, send, receive, local):
        me = lax.axis_index("x")
        pltpu.async_copy(x, out.at[me], local).wait()

        def step(i, carry):
            slot = lax.rem(me - i + 4, 4)
            pltpu.async_remote_copy(
                out.at[slot],
                out.at[slot],
                send.at[i],
                receive.at[i],
                device_id=lax.rem(me + 1, 4),
                device_id_type=pl.DeviceIdType.LOGICAL,
            ).wait()
            return carry

        lax.fori_loop(0, 3, step, 0)

    scratch = (DMA((3,)), DMA((3,)), DMA)
    got = on_ring(kernel, X, interpret=interpret, out=(4, 4, 4), scratch=scratch)
    np.testing.assert_array_equal(got.reshape(4, 16, 4), np.broadcast_to(X, (4, 16, 4)))


@pytest.mark.parametrize("interpret", MODES)
def test_all_devices_may_send_parts_to_one(interpret):
    def kernel(x, out, send, receive):
        me = lax.axis_index("x")
        out[...] = jnp.zeros_like(out)
        row = pl.ds(me, 1)
        made = pltpu.make_async_remote_copy(
            x.at[pl.ds(0, 1), :], out.at[row, :], send, receive, device_id=(0,)
        )
        made.start()
        made.wait_send()

    got = on_ring(kernel, X, interpret=interpret)
    np.testing.assert_array_equal(got[:4], X[::4])
    np.testing.assert_array_equal(got[4:], 0)


@pytest.mark.parametrize("interpret", MODES)
def test_signals_are_counted_where_they_arrive(interpret):
    def kernel(x, out, sem):
        me = lax.axis_index("x")
        barrier = pltpu.get_barrier_semaphore()
        for by in (1, 3):
            pl.semaphore_signal(barrier, 1, device_id=(lax.rem(me + by, 4),))
        both = pl.semaphore_read(barrier)
        pl.semaphore_wait(barrier, 2)
        pl.semaphore_signal(sem, me, device_id=(3,))
        counts = jnp.stack(
            [both, pl.semaphore_read(barrier), pl.semaphore_read(sem), me]
        )
        out[...] = jnp.broadcast_to(counts.astype(x.dtype), out.shape)

    got = on_ring(kernel, X, interpret=interpret, scratch=(REGULAR,))
    expected = [[2, 0, 6 if me == 3 else 0, me] for me in range(4)]
    np.testing.assert_array_equal(got[::4], expected)


def test_other_devices_are_those_of_a_mesh():
    def alone(x, out, send, receive):
        pltpu.async_remote_copy(x, out, send, receive, device_id=(0,)).wait()

    with pytest.raises(ValueError, match="the kernel runs on one"):
        pl.pallas_call(
            alone, jax.ShapeDtypeStruct((4,), jnp.float32), scratch_shapes=[DMA, DMA]
        )(jnp.zeros(4))

    def two(x, out, send, receive):
        pltpu.async_remote_copy(x, out, send, receive, device_id=(0, 1)).wait()

    with pytest.raises(ValueError, match="this names no device"):
        on_ring(two, X, interpret=True)

    def other_core(x, out, send, receive):
        pl.semaphore_signal(send, core_index=1)

    with pytest.raises(NotImplementedError, match="another core is named"):
        on_ring(other_core, X, interpret=True)
