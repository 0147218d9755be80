"""Callbacks that run programs themselves, called from programs for one device and for several."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P


def _jitted(x):
    return jax.jit(lambda v: jnp.sin(v) + v @ v)(x)


def _on_the_last_device(x):
    return jnp.cumsum(jax.device_put(np.asarray(x), jax.devices()[-1]))


def _over_all_devices(x):
    mesh = jax.make_mesh((jax.device_count(),), ("y",), axis_types=(AxisType.Auto,))
    rows = jax.device_put(np.ones((jax.device_count(), 2)), NamedSharding(mesh, P("y")))
    return x + jax.jit(lambda r: r.sum())(rows)


HOSTS = {
    "one operation": lambda x: x + 1,
    "a jitted function": _jitted,
    "another device": _on_the_last_device,
    "all devices": _over_all_devices,
}


@pytest.mark.parametrize("kind", ["alone", "pmap", "shard_map", "with a sum after"])
@pytest.mark.parametrize("host", HOSTS)
def test_a_callback_runs_programs_on_devices_that_its_program_holds(host, kind):
    count = 1 if kind == "alone" else jax.device_count()
    rows = np.arange(2.0 * count, dtype="float32").reshape(count, 2)

    def one(x):
        told = jax.ShapeDtypeStruct(x.shape, x.dtype)
        out = jax.pure_callback(HOSTS[host], told, jnp.cos(x))
        return out + lax.psum(out, "x") if kind == "with a sum after" else out

    if kind == "pmap":
        f = jax.pmap(one)
    else:
        mesh = jax.make_mesh((count,), ("x",), axis_types=(AxisType.Auto,))
        body = lambda r: one(r[0])[None]  # noqa: E731
        f = jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"))
        f = jax.jit(f)
    wanted = np.stack([HOSTS[host](jnp.cos(r)) for r in rows])
    if kind == "with a sum after":
        wanted = wanted + wanted.sum(0)
    for _ in range(2):
        np.testing.assert_allclose(f(rows), wanted, rtol=1e-5)
