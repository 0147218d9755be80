"""Mistakes in kernels and their specifications are explained."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu, triton as plgpu

ARRAY = jnp.arange(8.0)
NUMBER = jnp.float32(2)
INDICES = jnp.array([0, 1])


def struct(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def copy(x, out):
    out[...] = x[...]


def blocks(n, index_map=lambda i: (i,)):
    return pl.BlockSpec((n,), index_map)


def call(kernel=copy, out=struct(8), args=(ARRAY,), **options):
    options = {"interpret": True, **options}
    return pl.pallas_call(kernel, out, **options)(*args)


def on_blocks(spec, **options):
    return call(grid=2, in_specs=[spec], out_specs=blocks(4), **options)


def writes(value):
    """A kernel that writes what `value` makes of its argument."""

    def kernel(x, out):
        out[...] = value(x)

    return kernel


CASES = [
    (lambda: on_blocks(pl.BlockSpec((4, 4))), ValueError, r"float32\[8\].*\n.*\(4, 4\)"),
    (lambda: on_blocks(pl.BlockSpec(("a",))), ValueError, "'a'"),
    (lambda: on_blocks(blocks(4, lambda i: (i, 0))), ValueError, r"args\[0\].*too many"),
    (lambda: on_blocks(blocks(4, lambda i: i * 1.0)), ValueError, "no index"),
    (lambda: on_blocks(blocks(4, lambda i: INDICES[i])), ValueError, "captures"),
    (lambda: on_blocks(blocks(4, lambda: 0)), TypeError, "argument"),
    (lambda: on_blocks(pl.BlockSpec((pl.BoundedSlice(4),), lambda i: i)), ValueError, "bounded"),
    (lambda: on_blocks(pl.ANY), AttributeError, "no pl.BlockSpec"),
    (lambda: call(in_specs=[blocks(4)] * 2), ValueError, "another tree"),
    (lambda: call(in_specs=blocks(4)), ValueError, "no sequence"),
    (lambda: call(out_specs=[blocks(4)] * 2), ValueError, "out_specs is another tree"),
    (lambda: call(grid=2, grid_spec=pl.GridSpec(2)), ValueError, "given +grid"),
    (lambda: call(grid=(2.0,)), ValueError, "2.0"),
    (lambda: call(out=3), ValueError, "ShapeDtypeStruct"),
    (lambda: call(lambda x, out: x[...]), ValueError, "returned something"),
    (lambda: call(writes(lambda x: x[...] + ARRAY)), ValueError, r"float32\[8\]"),
    (lambda: call(writes(lambda x: x[...] + NUMBER)), ValueError, "captures"),
    (lambda: call(writes(lambda x: x[...] * np.arange(8.0))), ValueError, "captures"),
    (lambda: call(writes(lambda x: x[:4])), ValueError, "nothing spreads"),
    (lambda: call(writes(lambda x: 0.0)), ValueError, "nothing spreads"),
    (lambda: call(writes(lambda x: x[...] > 0)), ValueError, r"written to +float32\[8\]"),
    (lambda: call(writes(lambda x: x)), ValueError, "reference was written"),
    (lambda: call(writes(jnp.sum)), TypeError, "array is needed"),
    (lambda: call(writes(lambda x: x[0, 0])), ValueError, "as many indices"),
    (lambda: call(writes(lambda x: x[..., ...])), ValueError, "One `...`"),
    (lambda: call(writes(lambda x: x[::-1])), ValueError, "ascend"),
    (lambda: call(writes(lambda x: x[pl.ds(6, 4)])), ValueError, "inside the array"),
    (lambda: call(writes(lambda x: x[[0]])), ValueError, "Lists"),
    (lambda: call(writes(lambda x: x[x[...] > 0])), IndexError, "Booleans"),
    (lambda: call(writes(lambda x: x[x[...]])), ValueError, "hold integers"),
    (lambda: call(writes(lambda x: x.reshape(3, 3)[...])), ValueError, "number of elements"),
    (lambda: call(writes(lambda x: pl.program_id(0))), ValueError, "axes of the grid +0"),
    (lambda: call(writes(lambda x: pl.num_programs(3)), grid=2), ValueError, "axis +3"),
    (lambda: call(lambda x: None), TypeError, "argument"),
    (lambda: call(lambda x, out: pl.when(x[...] > 0)(lambda: None)), TypeError, "scalar|pred"),
    (lambda: call(input_output_aliases={1: 0}), ValueError, "arguments +1"),
    (lambda: call(input_output_aliases={0: 1}), ValueError, "results +1"),
    (lambda: call(out=struct(4), input_output_aliases={0: 0}), ValueError, "differ in shape"),
    (lambda: call(scratch_shapes=[struct(2)]), AttributeError, "no type of memory"),
    (lambda: call(args=(jax.new_ref(ARRAY),)), TypeError, "reference was passed"),
    (lambda: for_cuda(), ValueError, "on platform: cuda"),
    (lambda: call(lambda x, o: pl.semaphore_signal(o)), ValueError, "no semaphore"),
    (lambda: call(lambda x, o: pltpu.sync_copy(x.at[0], o)), ValueError, "different types"),
    (lambda: call(lambda x, o: pl.select_ref(0, x)), ValueError, "two or more"),
    (lambda: call(writes(lambda x: plgpu.load(x, mask=jnp.ones(3, bool)))), ValueError, "mask"),
    (lambda: call(lambda x, o: plgpu.store(o, x[:4])), ValueError, "does not fit"),
    (lambda: call(writes(lambda x: plgpu.dot(x[...], x[...]))), ValueError, "no matrix"),
    (lambda: call(writes(lambda x: plgpu.approx_tanh(x[...]))), NotImplementedError, "GPUs"),
    (lambda: pl.program_id(0), AssertionError, "outside of a kernel"),
    (lambda: pl.next_power_of_2(-1), ValueError, "-1"),
    (lambda: pl.CostEstimate(1.0, 0, 0), ValueError, "flops +1.0"),
    (lambda: pltpu.InterpretParams(num_cores_or_threads=0), ValueError, "no core"),
    (lambda: pltpu.roll(ARRAY, -1, 0), ValueError, "negative"),
    (lambda: pltpu.bitcast(ARRAY, jnp.int32), ValueError, "do not fit"),
    (lambda: pltpu.einshape("ab->a", jnp.ones((2, 2))), ValueError, "open"),
]  # fmt: skip


def for_cuda():
    f = jax.jit(lambda: call(interpret=False))
    return f.trace().lower(lowering_platforms=("cuda",))


@pytest.mark.parametrize(("wrong", "kind", "text"), CASES)
def test_a_mistake_is_explained(wrong, kind, text):
    with pytest.raises(kind, match=text):
        wrong()


def test_semaphores_are_one_and_of_a_kind():
    def array(out, sem):
        pl.semaphore_signal(sem)

    def regular(out, sem):
        pltpu.async_copy(out.at[0:2], out.at[2:4], sem.at[0])

    scratch = [pltpu.SemaphoreType.REGULAR((2,))]
    for kernel, text in [(array, "no semaphore"), (regular, "not for copies")]:
        with pytest.raises(ValueError, match=text):
            call(kernel, args=(), scratch_shapes=scratch)


def test_a_kernel_is_not_differentiated_backwards():
    with pytest.raises(ValueError, match=r"kernel +copy\n.*forwards alone"):
        jax.grad(lambda x: call(args=(x,)).sum())(ARRAY)


@pytest.mark.parametrize("has_grid", [False, True])
def test_blocks_of_symbolic_sizes_are_refused(has_grid):
    def copied(x):
        n = x.shape[0]
        spec = pl.BlockSpec((n // 2, 8), lambda i: (i, 0))
        options = {"grid": (2,), "in_specs": [spec], "out_specs": spec}
        return pl.pallas_call(
            lambda x, out: out.__setitem__(..., x[...]),
            out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
            interpret=True,
            **(options if has_grid else {}),
        )(x)

    spec = jax.ShapeDtypeStruct(jax.export.symbolic_shape("n, 8"), jnp.float32)
    rule = "does not support dynamically-shaped blocks"
    with pytest.raises(ValueError, match=rule):
        jax.export.export(jax.jit(copied))(spec)
