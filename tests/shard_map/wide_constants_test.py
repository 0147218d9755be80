"""Constants of 64 bits that a part of a mapped program with 64 bits closes over."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

ROWS = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.25, 0.0, 2.0]])
X = np.array([0.5, 1.5], np.float32)


def wide_part(dtype):
    """Computes with a constant of 64 bits, and gives 32 back."""

    def part(x):
        with jax.enable_x64(True):
            matrix = jnp.asarray(ROWS, dtype)
            out = matrix @ (jnp.ones(3, dtype) * jnp.tanh(jnp.sum(x)))
        return jnp.asarray(out.real, "float32")

    return part


def solving(x):
    with jax.enable_x64(True):
        out = jnp.linalg.solve(jnp.asarray(ROWS), jnp.ones(3) * jnp.sin(x[0]))
    return jnp.asarray(out, "float32")


def drawing(dtype):
    """Draws integers: programs of random bits have numbers that 32 bits do not hold."""

    def part(x):
        with jax.enable_x64(True):
            drawn = jax.random.randint(jax.random.PRNGKey(191), (3,), 0, 161, dtype)
        return jnp.asarray(drawn, "float32") * jnp.sum(x)

    return part


PARTS = {
    "uint32 drawn": drawing("uint32"),
    "int64 drawn": drawing("int64"),
    "float64": wide_part("float64"),
    "complex128": wide_part("complex128"),
    "solve": solving,
}


def mesh():
    return jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))


def in_shard_map(part, **options):
    def one(x):
        return lax.psum(part(x[0]), "x")

    def run(x):
        mapped = jax.shard_map(
            one, mesh=mesh(), in_specs=P("x"), out_specs=P(), **options
        )
        return mapped(jnp.stack([x] * 8)) / 8

    return run


def in_pmap(part):
    return lambda x: jax.pmap(part)(jnp.stack([x] * 8))[0]


def in_scan(part):
    mapped = in_shard_map(part)
    return lambda x: lax.scan(lambda c, _: (c, mapped(x)), 0, None, length=2)[1][0]


CONSTRUCTS = {
    "shard_map": in_shard_map,
    "unchecked": lambda part: in_shard_map(part, check_vma=False),
    "pmap": in_pmap,
    "scan": in_scan,
}


def pulled_back(f):
    def run(x):
        out, pull = jax.vjp(f, x)
        return pull(jnp.ones_like(out))[0]

    return run


ENDS = {
    "call": lambda f: f,
    "jit": jax.jit,
    "vjp": pulled_back,
    "jit of vjp": lambda f: jax.jit(pulled_back(f)),
    "jit of vmap": lambda f: lambda x: jax.jit(jax.vmap(f))(x[None])[0],
    "jit of vmap of vjp": lambda f: (
        lambda x: jax.jit(jax.vmap(pulled_back(f)))(x[None])[0]
    ),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("construct", CONSTRUCTS)
@pytest.mark.parametrize("part", PARTS)
def test_constants_of_64_bits_reach_the_body_as_they_are(part, construct, end):
    found = ENDS[end](CONSTRUCTS[construct](PARTS[part]))(X)
    plain = jax.jit(pulled_back(PARTS[part]) if "vjp" in end else PARTS[part])(X)
    assert found.dtype == plain.dtype == jnp.float32
    np.testing.assert_allclose(found, plain, rtol=1e-5)
