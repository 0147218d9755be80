"""Arrays made like others have the devices to which those were put."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

LIKE = {
    "jnp.empty_like": jnp.empty_like,
    "jnp.full_like": lambda x, **options: jnp.full_like(x, 3, **options),
    "jnp.ones_like": jnp.ones_like,
    "jnp.zeros_like": jnp.zeros_like,
    "lax.full_like": lambda x, **options: jax.lax.full_like(x, 3, **options),
}
AXIS_TYPES = (jax.sharding.AxisType.Auto, jax.sharding.AxisType.Explicit)


@pytest.mark.parametrize("axis_type", AXIS_TYPES, ids=str)
@pytest.mark.parametrize("dtype", [None, "int32"])
@pytest.mark.parametrize("name", LIKE)
def test_what_is_made_like_an_array_has_its_devices(name, dtype, axis_type):
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(axis_type,) * 2)
    x = jax.device_put(np.ones((8, 4), "f4"), jax.NamedSharding(mesh, jax.P("x", "y")))
    options = {} if dtype is None else {"dtype": dtype}
    for shape in ({}, {"shape": (8, 4)}):
        made = LIKE[name](x, **options, **shape)
        assert made.sharding == x.sharding and made.committed
        assert made.addressable_shards[0].data.shape == (2, 2)


@pytest.mark.parametrize("name", LIKE)
def test_another_shape_is_not_sharded(name):
    mesh = jax.make_mesh((8,), "x", axis_types=AXIS_TYPES[:1])
    x = jax.device_put(np.ones((8, 4), "f4"), jax.NamedSharding(mesh, jax.P("x")))
    assert not LIKE[name](x, shape=(4, 4)).committed
    alone = jax.device_put(x, jax.devices()[3])
    made = LIKE[name](alone, shape=(4, 4))
    assert made.devices() == {jax.devices()[3]} and made.committed
