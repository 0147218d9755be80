"""Writes `groups_by_axes.bin` beside this file with upstream's JAX 0.12.0.1 on eight CPU devices."""

import pathlib

import jax
import jax.numpy as jnp
from jax import export, lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

assert jax.__version__ == "0.12.0.1", jax.__version__
mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def collectives(x):
    return {
        "psum": lax.psum(x, "x"),
        "both": lax.psum(x, ("y", "x")),
        "gather": lax.all_gather(x, "y", tiled=True),
        "scatter": lax.psum_scatter(x, "x", tiled=True),
        "max": lax.pmax(x, "y"),
        "a2a": lax.all_to_all(x, "x", 0, 1, tiled=True),
    }


out_specs = {
    "psum": P(None, "y"),
    "both": P(),
    "gather": P(("x",), None),
    "scatter": P("x", "y"),
    "max": P("x"),
    "a2a": P(None, ("y", "x")),
}
function = jax.jit(
    jax.shard_map(
        collectives,
        mesh=mesh,
        in_specs=P("x", "y"),
        out_specs=out_specs,
        check_vma=False,
    ),
    in_shardings=NamedSharding(mesh, P("x", "y")),
)
written = export.export(function)(jnp.zeros((16, 8))).serialize()
pathlib.Path(__file__).with_name("groups_by_axes.bin").write_bytes(written)
