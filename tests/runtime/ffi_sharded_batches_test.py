"""Calls of native functions over batches that are sharded over eight devices."""

import re

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

MESH = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
RANDOM = np.random.RandomState(0)
A = RANDOM.randn(8, 5, 5).astype(np.float32)
S = A @ A.transpose(0, 2, 1) + 5 * np.eye(5, dtype=np.float32)
B = RANDOM.randn(8, 5, 3).astype(np.float32)

CASES = {
    "cholesky": (jnp.linalg.cholesky, S),
    "qr": (jnp.linalg.qr, A),
    "svd": (jnp.linalg.svd, A),
    "eigh": (jnp.linalg.eigh, S),
    "eig": (jnp.linalg.eig, A),
    "lu": (jax.scipy.linalg.lu_factor, A),
    "det": (jnp.linalg.det, A),
    "solve": (lambda a: jnp.linalg.solve(a, B), A),
    "triangular": (
        lambda a: jax.scipy.linalg.solve_triangular(a, B, lower=True),
        S,
    ),
    "schur": (jax.lax.linalg.schur, A),
    "tridiagonal": (jax.lax.linalg.tridiagonal, S),
}


def gathers(f, *args):
    text = jax.jit(f).lower(*args).compile().as_text()
    return re.findall("all.gather|all.to.all|all.reduce", text)


@pytest.mark.parametrize("name", CASES)
def test_each_device_takes_its_matrices(name):
    f, matrices = CASES[name]
    rows = NamedSharding(MESH, P("x"))
    there = jax.device_put(matrices, rows)
    assert not gathers(f, there)
    found, wanted = jax.jit(f)(there), jax.jit(f)(matrices)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        assert one.sharding.is_equivalent_to(rows, one.ndim)
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-4)


def factor(matrix):
    kinds = [
        jax.ShapeDtypeStruct(matrix.shape, matrix.dtype),
        jax.ShapeDtypeStruct((), "int32"),
    ]
    call = jax.ffi.ffi_call("lapack_spotrf_ffi", kinds, vmap_method="broadcast_all")
    return call(matrix, uplo=np.uint8(ord("L")))[0]


def test_rows_of_a_registered_target_are_divided_and_others_gathered():
    jnp.linalg.cholesky(S[0])  # has the routines installed
    there = jax.device_put(S, NamedSharding(MESH, P("x")))
    mapped = lambda x: jax.vmap(factor)(x)  # noqa: E731
    assert gathers(mapped, there)
    jax.ffi.register_ffi_target_as_batch_partitionable("lapack_spotrf_ffi")
    jax.clear_caches()
    again = lambda x: jax.vmap(factor)(x)  # noqa: E731
    assert not gathers(again, there)
    out = jax.jit(again)(there)
    assert out.sharding.is_equivalent_to(there.sharding, 3)
    np.testing.assert_allclose(out, again(S), rtol=1e-5)
    # The axes of one matrix are no batch.
    columns = jax.device_put(S[0, :4, :4], NamedSharding(MESH, P(None, "x")))
    assert gathers(factor, columns)


def test_names_of_targets_are_strings():
    with pytest.raises(TypeError, match="no name"):
        jax.ffi.register_ffi_target_as_batch_partitionable(3)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: jax.device_put(x, jax.memory.Space.Host),
        lambda x: jax.device_put(x, jax.memory.Space.Device) * 2,
        lambda x: jax.lax.cond(
            x[0] > 0,
            lambda v: jax.device_put(v, jax.memory.Space.Device),
            lambda v: v,
            x,
        ),
    ],
)
def test_moves_between_memories_bind_results_to_their_devices(f):
    x = jnp.ones(8)
    assert not x.committed
    assert jax.jit(f)(x).committed
    assert not jax.jit(lambda v: v * 2)(x).committed
