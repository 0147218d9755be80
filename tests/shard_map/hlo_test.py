"""Programs for several devices as HLO: collectives and shardings as tools look for them."""

import re

import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
X = jnp.ones((8, 8))

# What each device runs, and the line that the program has.
COLLECTIVES = {
    "psum": (lambda a: lax.psum(a, "x"), r"all-reduce\(.*replica_groups=\{\{0,2,4,6\}"),
    "all_gather": (
        lambda a: lax.all_gather(a, "y"),
        r"all-gather\(.*replica_groups=\{\{0,1\},.*dimensions=\{0\}",
    ),
    "psum_scatter": (
        lambda a: lax.psum_scatter(a, "y", tiled=True),
        r"reduce-scatter\(.*replica_groups=\{\{0,1\},.*dimensions=\{0\}.*to_apply=",
    ),
    "all_to_all": (
        lambda a: lax.all_to_all(a, "y", 0, 1, tiled=True),
        r"all-to-all\(.*dimensions=\{0\}",
    ),
    "ppermute": (
        lambda a: lax.ppermute(a, "y", [(0, 1)]),
        r"collective-permute\(.*source_target_pairs=\{\{0,1\},\{2,3\},\{4,5\},\{6,7\}\}",
    ),
}


@pytest.mark.parametrize("name", COLLECTIVES)
def test_collectives_are_in_both_texts(name):
    run, line = COLLECTIVES[name]
    mapped = jax.shard_map(
        run, mesh=MESH, in_specs=P("x"), out_specs=P(("x", "y")), check_vma=False
    )
    lowered = jax.jit(mapped).lower(X)
    for text in (lowered.as_text("hlo"), lowered.compile().as_text()):
        assert re.search(line, text), text
        assert "num_partitions=8" in text


def test_shardings_of_arguments_constraints_and_results():
    def constrained(x):
        return (
            lax.with_sharding_constraint(x * 2, NamedSharding(MESH, P(None, "y"))) + 1
        )

    rows = NamedSharding(MESH, P("x"))
    fun = jax.jit(constrained, in_shardings=rows, out_shardings=rows)
    text = fun.lower(X).as_text("hlo")
    split = r"sharding=\{devices=\[4,1,2\]<=\[8\] last_tile_dim_replicate\}"
    columns = r"sharding=\{devices=\[1,2,4\]<=\[4,2\]T\(1,0\) last_tile_dim_replicate\}"
    assert re.search(r"parameter\(0\), " + split, text), text
    assert re.search(r'custom_call_target="Sharding", ' + columns, text), text
    assert re.search(r"ROOT .*" + split, text), text
