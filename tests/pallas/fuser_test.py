"""Fused kernels: what is around a fusible function becomes its, and results stay the same."""

import functools

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import fuser

A = jnp.arange(32.0).reshape(4, 8)
B = jnp.arange(8.0)
C = jnp.arange(32.0).reshape(8, 4)


@fuser.fusible
def in_blocks(x_fn, z_fn):
    """A kernel that computes its operand block by block."""
    fn, values, _ = fuser.get_fusion_values(x_fn)
    spec = pl.BlockSpec((2, 4), lambda i, j: (i, j))
    block_fn, (in_specs,), _ = fuser.pull_block_spec(fn, spec, grid_len=2)(values)

    def kernel(*refs):
        *inputs, out = refs
        indices = tuple(pl.program_id(axis) for axis in range(2))
        out[...] = block_fn(indices, (), tuple(ref[...] for ref in inputs))

    made = pl.pallas_call(
        kernel,
        grid=(2, 2),
        in_specs=list(in_specs),
        out_specs=spec,
        out_shape=x_fn.type,
        interpret=True,
    )(*values)
    return made if z_fn is None else z_fn(made)


@fuser.fusible
def times_ten(x_fn, z_fn):
    out = x_fn() * 10
    return out if z_fn is None else z_fn(out)


def plain(x):
    return x * 10


PROGRAMS = [
    lambda f, a: f(jnp.exp(a * 0.1) * 2 + 1),
    lambda f, a: f(a * B) + 1,
    lambda f, a: f(a * C.T),
    lambda f, a: f(jnp.where(a > 3, a, B)),
    lambda f, a: jax.nn.relu(f(jax.nn.silu(a) - 3.0)),
    lambda f, a: f(a**2 * jnp.float32(3)).sum(),
    lambda f, a: f(jnp.broadcast_to(B[None, :], (4, 8)) + a),
    lambda f, a: jnp.sort(f(a)[::-1], 0),
    lambda f, a: (f(a) + 1, a * 2),
    lambda f, a: (lambda y: (y, y + 2))(f(a)),
]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("kernel, same", [(in_blocks, lambda x: x), (times_ten, plain)])
def test_a_fused_program_computes_what_it_says(program, kernel, same):
    fused = fuser.fuse(functools.partial(program, kernel))
    for run in (fused, jax.jit(fused), functools.partial(program, kernel)):
        jax.tree.map(
            functools.partial(np.testing.assert_allclose, rtol=1e-6),
            run(A),
            program(same, A),
        )


def test_fused_programs_are_differentiated_and_batched():
    fused = fuser.fuse(lambda x: times_ten(jnp.sin(x)) * x)
    unfused = lambda x: plain(jnp.sin(x)) * x  # noqa: E731
    for transform in (
        lambda f: jax.grad(lambda x: f(x).sum()),
        jax.vmap,
        jax.jacfwd,
        lambda f: jax.grad(lambda x: jax.vmap(f)(x).sum()),
    ):
        got, expected = transform(fused)(B), transform(unfused)(B)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(jax.grad(lambda x: times_ten(x).sum())(B), 10)


def test_the_function_gets_the_types_of_what_is_around_it():
    seen = []

    @fuser.fusible
    def show(x_fn, z_fn):
        seen.append((x_fn.shape, x_fn.dtype, z_fn and (z_fn.in_type, z_fn.out_type)))
        return z_fn(x_fn()) if z_fn else x_fn()

    fuser.fuse(lambda x: jnp.tile(show(x.astype(jnp.int32)), 2) * 2.0)(B)
    trivial, fused = seen
    assert trivial == ((8,), np.int32, None)
    (shape, dtype, ((((operand,), by_name)), (result,))) = fused
    assert (shape, dtype, by_name) == ((8,), np.int32, {})
    assert (operand.shape, operand.dtype) == ((8,), np.int32)
    assert (result.shape, result.dtype) == ((16,), np.float32)


@functools.partial(fuser.fusible, output_fusion_prefix=(True, True))
def pair(x_fn, z_fns):
    outs = x_fn() * 10, x_fn() + 1
    pairs = zip(z_fns, outs, strict=True)
    return tuple(out if z is None else z(out) for z, out in pairs)


def test_results_have_fusions_of_their_own():
    def program(x):
        first, second = pair(x * 2)
        return jnp.sin(second), first + 1

    got, expected = fuser.fuse(program)(B), (jnp.sin(2 * B + 1), 20 * B + 1)
    jax.tree.map(np.testing.assert_allclose, got, expected)
    with pytest.raises(ValueError, match="results with different fusions"):
        fuser.fuse(lambda x: sum(pair(x)))(B)


def test_a_program_without_a_fusible_function_is_refused():
    with pytest.raises(ValueError, match="No fusible eqn found"):
        fuser.fuse(lambda x: x + 1)(B)


def test_values_are_split_off_and_blocks_go_both_ways():
    fn, values, scalars = fuser.get_fusion_values(lambda x: x * A.T + 1, C)
    assert scalars == ()
    np.testing.assert_allclose(fn(values, C), C * A.T + 1)
    spec = pl.BlockSpec((2, 4), lambda i, j: (i, j))
    transposed = fuser.push_block_spec(lambda x: jnp.exp(x).T * 2, spec)(A)
    assert transposed.block_shape == (4, 2)
    assert transposed.index_map(1, 2) == (2, 1)
    _, (own,), by_name = fuser.pull_block_spec(lambda x: x.T, spec)(C)
    assert (own.block_shape, own.index_map(1, 2), by_name) == ((4, 2), (2, 1), {})
    with pytest.raises(NotImplementedError, match="no rule for cumsum"):
        fuser.pull_block_spec(lambda x: jnp.cumsum(x, 0), spec)(A)
    with pytest.raises(NotImplementedError, match="closes over an array"):
        fuser.pull_block_spec(lambda x: x * A, spec)(A)
    scalar_of = fuser.make_scalar_prefetch_handler(1, (0, 1))
    assert scalar_of((2, 3), 5) == (5, 3)


def test_custom_fusions_keep_their_rules_and_compute_their_function():
    @fuser.custom_fusion
    def add(x, y):
        return x + y

    rule = add.def_eval_rule(lambda ctx, x, y: [x + y])
    assert add.eval_rule is rule
    np.testing.assert_array_equal(fuser.evaluate(add)(B, B), 2 * B)
    with pytest.raises(ValueError, match="Transpose is not allowed"):
        fuser.evaluate(lambda x: x.T, allow_transpose=False)(A)


def test_annotations_name_what_a_fusion_takes_and_gives():
    kind = fuser.Fusion[[], jax.Array]
    assert kind.__origin__ is fuser.Fusion
    assert hash(kind) == hash(fuser.Fusion[[], jax.Array])
