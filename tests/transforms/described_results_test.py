"""What stages say of results: weak types while tracing, shardings and layouts once compiled."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P


def test_only_a_traced_program_has_weak_results():
    traced = jax.jit(lambda x: x).trace(1.0)
    assert traced.out_info.weak_type
    assert not traced.lower().out_info.weak_type
    assert not traced.lower().compile().out_info.weak_type


def test_a_compiled_program_says_where_its_results_are():
    mesh = jax.make_mesh((1,), ("x",), devices=jax.devices()[:1])
    sharding = NamedSharding(mesh, P("x"))
    compiled = jax.jit(lambda x: {"twice": x * 2}, out_shardings=sharding)
    found = compiled.lower(jnp.ones((4, 3))).compile()
    assert found.out_info["twice"].sharding == sharding
    assert found.out_info["twice"].format == found.output_formats["twice"]
    alone = jax.jit(lambda x: (x, None)).lower(jnp.ones(3)).compile().out_info
    assert alone[1] is None
    assert alone[0].sharding == jnp.ones(3).sharding


def test_the_results_of_a_program_are_arguments_of_the_next():
    first = jax.jit(lambda x: jnp.sin(x)).lower(jnp.ones(3)).compile()
    second = jax.jit(lambda x: x + 1).lower(first.out_info).compile()
    assert second(first(jnp.ones(3))).shape == (3,)


def test_random_keys_are_described_too():
    compiled = jax.jit(jax.random.split).lower(jax.random.key(0)).compile()
    assert compiled.out_info.shape == (2,)
    assert jnp.issubdtype(compiled.out_info.dtype, jax.dtypes.prng_key)
