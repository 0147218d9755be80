"""Reading and writing through references in kernels."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu, triton as plgpu

X = np.arange(24, dtype=np.float32).reshape(6, 4)


def struct(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def seen(read, x=X):
    """What a kernel reads: `read` gets the reference and a traced 1."""
    one = jnp.int32(1)
    wanted = jax.eval_shape(lambda: read(jax.new_ref(jnp.asarray(x)), one))

    def kernel(ref, number, out):
        out[...] = read(ref, number[()])

    return pl.pallas_call(kernel, wanted, interpret=True)(x, one)


def left(write):
    """What is there after a kernel wrote to a copy of X: it gets a traced 1, and V."""

    def kernel(_, number, values, out):
        write(out, number[()], values[...])

    call = pl.pallas_call(
        kernel, struct(*X.shape), input_output_aliases={0: 0}, interpret=True
    )
    return call(X, jnp.int32(1), V)


READS = [
    (lambda r, i: r[2], X[2]),
    (lambda r, i: r[-1, 1], X[-1, 1]),
    (lambda r, i: r[1:5:2, ::3], X[1:5:2, ::3]),
    (lambda r, i: r[..., 0], X[..., 0]),
    (lambda r, i: r[4:100], X[4:]),
    (lambda r, i: r[i, i + 1], X[1, 2]),
    (lambda r, i: r[pl.ds(i, 3), i], X[1:4, 1]),
    (lambda r, i: r[pl.ds(i, 2, 2)], X[1:5:2]),
    (lambda r, i: r[pl.ds(2)], X[:2]),
    (lambda r, i: r[jnp.arange(3) * 2], X[::2]),
    (lambda r, i: r[jnp.arange(3), 1], X[:3, 1]),
    (lambda r, i: r[jnp.arange(3)[:, None], jnp.arange(2)], X[:3, :2]),
    (lambda r, i: r.at[1:5].at[1:3, ::2][...], X[2:4, ::2]),
    (lambda r, i: r.at[pl.ds(i, 4)].at[i][1:], X[2, 1:]),
    (lambda r, i: r.reshape(4, -1)[i], X.reshape(4, 6)[1]),
    (lambda r, i: r.T[i], X.T[1]),
    (lambda r, i: r.bitcast(jnp.int32)[i], X.view(np.int32)[1]),
    (lambda r, i: jax.ref.get(r, (slice(1, 3), 0)), X[1:3, 0]),
]


@pytest.mark.parametrize(("read", "wanted"), READS)
def test_what_is_read(read, wanted):
    found = seen(read)
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


def test_reads_beyond_the_ends_move_inside():
    assert seen(lambda r, i: r[pl.ds(i + 4, 3)]).tolist() == X[3:].tolist()
    assert seen(lambda r, i: r[i * 100, i * -2]).tolist() == X[5, 2]
    assert seen(lambda r, i: r[i + jnp.arange(3) * 3]).tolist() == X[[1, 4, 5]].tolist()


def changed(index, value):
    x = X.copy()
    x[index] = value
    return x


V = np.full((6, 4), 7, np.float32) + X
WRITES = [
    (lambda r, i, v: r.__setitem__(2, v[0]), changed(2, V[0])),
    (lambda r, i, v: r.__setitem__((i, 2), 5.0), changed((1, 2), 5)),
    (lambda r, i, v: r.__setitem__(slice(None, None, 2), v[:3]), changed(slice(0, 6, 2), V[:3])),
    (lambda r, i, v: r.__setitem__(pl.ds(i, 2), v[:2]), changed(slice(1, 3), V[:2])),
    (lambda r, i, v: r.__setitem__(pl.ds(i, 2, 2), v[:2]), changed(slice(1, 5, 2), V[:2])),
    (lambda r, i, v: r.__setitem__(jnp.arange(3) * 2, v[:3]), changed([0, 2, 4], V[:3])),
    (lambda r, i, v: r.at[2:4].at[1, :2].set(v[0, :2]), changed((3, slice(0, 2)), V[0, :2])),
    (lambda r, i, v: r.T.at[i].set(v[:, 0]), changed((slice(None), 1), V[:, 0])),
    (lambda r, i, v: r.reshape(24).at[pl.ds(i, 3)].set(v[0, :3]), changed((0, slice(1, 4)), V[0, :3])),
    (lambda r, i, v: jax.ref.addupdate(r, (slice(1, 3),), v[:2]), changed(slice(1, 3), X[1:3] + V[:2])),
    (lambda r, i, v: jax.ref.addupdate(r, (jnp.zeros(2, int),), v[:2]), changed(0, X[0] + V[0] + V[1])),
]  # fmt: skip


@pytest.mark.parametrize(("write", "wanted"), WRITES)
def test_what_is_written(write, wanted):
    np.testing.assert_array_equal(left(write), wanted)


def test_numbers_are_written_in_the_dtype_of_the_reference():
    for dtype, number in [
        (bool, True),
        ("bfloat16", 1.5),
        ("int8", 300),
        ("int32", -1),
    ]:

        def kernel(_, out, number=number):
            out[0] = number

        x = jnp.zeros(2, dtype)
        call = pl.pallas_call(kernel, x, input_output_aliases={0: 0}, interpret=True)
        wanted = np.array(number).astype(jnp.dtype(dtype))
        assert call(x).tolist() == [wanted.tolist(), 0]


def test_swaps_return_what_was_there():
    def swap(ref, i, _):
        ref[0] = jax.ref.swap(ref, i, ref[5])

    np.testing.assert_array_equal(left(swap)[:2], X[[1, 5]])


def test_masked_loads_and_stores():
    def kernel(x, out):
        i = pl.program_id(0) * 4 + jnp.arange(4)
        inside = plgpu.load(
            x.at[pl.ds(pl.program_id(0) * 4, 4)], mask=i < 6, other=-1.0
        )
        out[...] = inside
        plgpu.store(out, inside * 10, mask=i % 2 == 0)

    call = pl.pallas_call(
        kernel,
        struct(8),
        grid=2,
        in_specs=[pl.BlockSpec()],
        out_specs=pl.BlockSpec((4,), lambda i: (i,)),
        interpret=True,
    )
    assert call(jnp.arange(6.0)).tolist() == [0, 1, 20, 3, 40, 5, -10, -1]


def test_what_a_mask_leaves_out_writes_nowhere():
    def kernel(x, out):
        indices = jnp.minimum(jnp.arange(8), 5)
        plgpu.store(out.at[indices, 1], jnp.arange(8.0), mask=jnp.arange(8) < 6)

    call = pl.pallas_call(
        kernel, struct(6, 4), input_output_aliases={0: 0}, interpret=True
    )
    wanted = X.copy()
    wanted[:, 1] = np.arange(6)
    np.testing.assert_array_equal(call(X), wanted)


def test_indices_of_a_masked_store_may_be_of_few_bits():
    def kernel(indices, out):
        out[...] = jnp.zeros(200)
        plgpu.store(out.at[indices[...]], jnp.ones(3), mask=jnp.arange(3) != 1)

    found = pl.pallas_call(kernel, struct(200), interpret=True)(
        np.arange(3, dtype=np.int8)
    )
    assert np.flatnonzero(found).tolist() == [0, 2]


def test_a_masked_load_may_be_longer_than_the_array():
    def kernel(x, out):
        inside = jnp.arange(8) < 6
        values = plgpu.load(x.at[pl.ds(0, 8)], mask=inside, other=-jnp.inf)
        shares = jnp.exp(values - values.max())
        plgpu.store(out.at[pl.ds(0, 8)], shares / shares.sum(), mask=inside)

    call = pl.pallas_call(kernel, struct(6), interpret=True)
    np.testing.assert_allclose(
        call(X[0:2, :3].ravel()), jax.nn.softmax(X[0:2, :3].ravel()), 1e-6
    )


@pytest.mark.parametrize(
    ("update", "combine"),
    [
        (plgpu.atomic_add, np.add),
        (plgpu.atomic_max, np.maximum),
        (plgpu.atomic_min, np.minimum),
        (plgpu.atomic_and, np.bitwise_and),
        (plgpu.atomic_or, np.bitwise_or),
        (plgpu.atomic_xor, np.bitwise_xor),
        (plgpu.atomic_xchg, lambda old, new: new),
    ],
)
def test_atomic_updates(update, combine):
    x, y = np.array([6, 1, 12, 5], np.int32), np.array([3, 9, 10, 5], np.int32)

    def kernel(x, y, out, old):
        old[...] = update(out, (pl.ds(0, 4),), y[...])

    found, old = pl.pallas_call(
        kernel,
        [struct(4, dtype=jnp.int32)] * 2,
        input_output_aliases={0: 0},
        interpret=True,
    )(x, y)
    np.testing.assert_array_equal(found, combine(x, y))
    np.testing.assert_array_equal(old, x)


def test_compare_and_swap():
    def kernel(x, out, old):
        old[0] = plgpu.atomic_cas(out, 4, 9)
        old[1] = plgpu.atomic_cas(out, 3, 9)

    kinds = [struct(dtype=jnp.int32), struct(2, dtype=jnp.int32)]
    call = pl.pallas_call(kernel, kinds, input_output_aliases={0: 0}, interpret=True)
    found, old = call(jnp.int32(3))
    assert (found, old.tolist()) == (9, [3, 3])


def test_copies_and_semaphores():
    def kernel(x, out, counts, buffer, sem, own):
        copy = pltpu.make_async_copy(x.at[2:4], buffer, sem.at[1])
        copy.start()
        counts[0] = pl.semaphore_read(sem.at[1])
        copy.wait()
        counts[1] = pl.semaphore_read(sem.at[1])
        pl.semaphore_signal(own, 3)
        pl.semaphore_wait(own, 2)
        counts[2] = pl.semaphore_read(own)
        pltpu.sync_copy(buffer, out.at[pl.ds(0, 2)])
        chosen = pl.select_ref(counts[1], x.at[0], x.at[1])
        pltpu.sync_copy(chosen, out.at[2])

    out, counts = pl.pallas_call(
        kernel,
        (struct(3, 4), struct(3, dtype=jnp.int32)),
        scratch_shapes=[
            pltpu.VMEM((2, 4), jnp.float32),
            pltpu.SemaphoreType.DMA((2,)),
            pltpu.SemaphoreType.REGULAR,
        ],
        interpret=True,
    )(X)
    np.testing.assert_array_equal(out, X[[2, 3, 0]])
    assert counts.tolist() == [8, 0, 1]


def test_scoped_memory_lives_for_a_call():
    def kernel(x, out):
        @pl.loop(0, 6)
        def _(i):
            @pl.with_scoped(pltpu.VMEM((4,), jnp.float32))
            def row(number, memory):
                memory[...] = x[number] * 2
                out[number] = memory[...]

            row(i)

    call = pl.pallas_call(kernel, struct(6, 4), interpret=True)
    np.testing.assert_array_equal(call(X), X * 2)


def test_state_outside_of_kernels():
    found = pl.run_state(lambda r: r[1].set(r[0][...] * 2))((jnp.ones(2), jnp.zeros(2)))
    assert found[1].tolist() == [2.0, 2.0]


def test_steps_of_views_say_which_part_an_index_names():
    found = []

    def kernel(x, out):
        view = x.at[pl.ds(1, 2), 0]
        (step,) = view.transforms
        found.append(step.indices)
        found.extend(hasattr(s, "indices") for s in x.T.transforms)
        out[...] = view[...]

    call = pl.pallas_call(kernel, jax.ShapeDtypeStruct((2,), jnp.float32))
    np.testing.assert_array_equal(call(jnp.arange(6.0).reshape(3, 2)), [2, 4])
    (part, column), is_index = found
    assert (part.start, part.size, part.stride, column) == (1, 2, 1, 0)
    assert not is_index
