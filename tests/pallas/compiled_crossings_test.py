"""Compiled kernels under transformations, in control flow, over devices and in exported programs."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

X = np.arange(64, dtype=np.float32).reshape(16, 4) / 16


def grouped(x):
    """A kernel whose steps run together: rows with their sums."""

    def kernel(x, out):
        out[...] = x[...] * 2 + jnp.sum(x[...], axis=-1, keepdims=True)

    rows = pl.BlockSpec((2, x.shape[1]), lambda i: (i, 0))
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=x.shape[0] // 2,
        in_specs=[rows],
        out_specs=rows,
    )(x)


def plain_grouped(x):
    return x * 2 + jnp.sum(x, axis=-1, keepdims=True)


def in_order(x):
    """A kernel whose steps follow each other: running sums of rows."""

    def kernel(x, out, total):
        @pl.when(pl.program_id(0) == 0)
        def _():
            total[...] = jnp.zeros_like(total)

        total[...] += x[...]
        out[...] = total[...]

    row = pl.BlockSpec((1, x.shape[1]), lambda i: (i, 0))
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=x.shape[0],
        in_specs=[row],
        out_specs=row,
        scratch_shapes=[pltpu.VMEM((1, x.shape[1]), x.dtype)],
    )(x)


def plain_in_order(x):
    return jnp.cumsum(x, axis=0)


KERNELS = [(grouped, plain_grouped), (in_order, plain_in_order)]
both = pytest.mark.parametrize(("kernel", "plain"), KERNELS)


def close(found, wanted):
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), found, wanted
    )


@both
def test_over_batches_of_batches(kernel, plain):
    batch = np.stack([X, X + 1, X * 3])
    close(jax.jit(jax.vmap(kernel))(batch), jax.vmap(plain)(batch))
    twice = np.stack([batch, -batch])
    close(jax.vmap(jax.vmap(kernel))(twice), jax.vmap(jax.vmap(plain))(twice))
    moved = np.moveaxis(batch, 0, 2)
    found = jax.vmap(kernel, in_axes=2, out_axes=1)(moved)
    close(found, jax.vmap(plain, in_axes=2, out_axes=1)(moved))


@both
def test_forward_derivatives(kernel, plain):
    close(jax.jvp(kernel, (X,), (X * X,)), jax.jvp(plain, (X,), (X * X,)))
    close(
        jax.jit(jax.vmap(lambda t: jax.jvp(kernel, (X,), (t,))[1]))(np.stack([X, -X])),
        jax.vmap(lambda t: jax.jvp(plain, (X,), (t,))[1])(np.stack([X, -X])),
    )
    small = X[:4, :2]
    close(jax.jacfwd(kernel)(small), jax.jacfwd(plain)(small))


@both
def test_in_loops_and_branches(kernel, plain):
    def scanned(f):
        return lax.scan(lambda c, s: (f(c) * s, jnp.sum(c)), X, jnp.full(3, 0.25))

    close(jax.jit(scanned, static_argnums=0)(kernel), scanned(plain))

    def looped(f):
        return lax.fori_loop(0, 3, lambda i, c: f(c) / 8, X)

    close(jax.jit(looped, static_argnums=0)(kernel), looped(plain))

    def chosen(x, which):
        return lax.cond(which, kernel, lambda x: x, x)

    close(jax.vmap(chosen)(np.stack([X, X]), np.array([True, False])), [plain(X), X])
    until = lax.while_loop(lambda c: jnp.sum(c) < 1e4, kernel, X + 1)
    close(until, lax.while_loop(lambda c: jnp.sum(c) < 1e4, plain, X + 1))


@both
def test_a_users_rule_makes_reverse_derivatives(kernel, plain):
    @jax.custom_vjp
    def f(x):
        return kernel(x)

    f.defvjp(lambda x: (kernel(x), x), lambda x, ct: jax.vjp(plain, x)[1](ct))

    def loss(f, x):
        carry, _ = lax.scan(lambda c, _: (f(c) / 8, None), x, length=2)
        return jnp.sum(jnp.sin(carry))

    wanted = jax.grad(lambda x: loss(plain, x))(X)
    close(jax.jit(jax.grad(lambda x: loss(f, x)))(X), wanted)
    close(jax.grad(lambda x: loss(jax.checkpoint(f), x))(X), wanted)
    batch = np.stack([X, X + 1])
    close(
        jax.vmap(jax.grad(lambda x: loss(f, x)))(batch),
        jax.vmap(jax.grad(lambda x: loss(plain, x)))(batch),
    )
    with pytest.raises(ValueError, match="derivatives forwards alone"):
        jax.grad(lambda x: jnp.sum(kernel(x)))(X)


@both
def test_on_the_part_of_each_device(kernel, plain):
    count = 2 if jax.device_count() >= 2 else 1
    mesh = jax.make_mesh(
        (count,),
        ("d",),
        axis_types=(jax.sharding.AxisType.Auto,),
        devices=jax.devices()[:count],
    )
    specs = {"mesh": mesh, "in_specs": P("d"), "out_specs": P("d")}
    found = jax.jit(jax.shard_map(kernel, **specs, check_vma=False))(X)
    close(found, jax.shard_map(plain, **specs)(X))
    assert found.sharding.num_devices == count


@both
def test_exported_and_loaded(kernel, plain):
    exported = jax.export.export(jax.jit(kernel))(
        jax.ShapeDtypeStruct(X.shape, X.dtype)
    )
    loaded = jax.export.deserialize(exported.serialize())
    close(jax.jit(loaded.call)(X), plain(X))


def test_grids_and_batches_of_symbolic_sizes():
    def doubled(x):
        def kernel(x, out):
            out[...] = x[...] * 2

        rows = pl.BlockSpec((2, 4), lambda i: (i, 0))
        return pl.pallas_call(
            kernel,
            jax.ShapeDtypeStruct(x.shape, x.dtype),
            grid=x.shape[0] // 2,
            in_specs=[rows],
            out_specs=rows,
        )(x)

    (n,) = jax.export.symbolic_shape("n")
    shape = jax.ShapeDtypeStruct((2 * n, 4), np.float32)
    exported = jax.export.export(jax.jit(doubled))(shape)
    for rows in (2, 16):
        close(exported.call(X[:rows]), X[:rows] * 2)
    batch = jax.ShapeDtypeStruct((n, 16, 4), np.float32)
    exported = jax.export.export(jax.jit(jax.vmap(grouped)))(batch)
    close(exported.call(np.stack([X, -X])), plain_grouped(np.stack([X, -X])))


def test_donated_operands_become_results():
    def kernel(x, out):
        out[...] = x[...] + 1

    rows = pl.BlockSpec((4, 4), lambda i: (i, 0))
    call = pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(X.shape, X.dtype),
        grid=4,
        in_specs=[rows],
        out_specs=rows,
        input_output_aliases={0: 0},
    )
    given = jnp.asarray(X)
    kept = jax.jit(call)(given)
    close([kept, given], [X + 1, X])
    close(jax.jit(call, donate_argnums=0)(given), X + 1)
    assert given.is_deleted()
