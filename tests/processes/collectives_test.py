"""Programs over several processes compute, bit for bit, what one process does."""

import numpy as np
import pytest

from tests.processes import jobs

# Sizes for which all operands go to all, and such for which only what is needed does.
PROGRAMS = """
def values(shape, seed):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)

size = client.device_count()
half = [list(range(0, size, 2)), list(range(1, size, 2))]
cases = {
    "sum": lambda x: lax.psum(x, "i"),
    "largest": lambda x: lax.pmax(x, "i"),
    "sum in groups": lambda x: lax.psum(x, "i", axis_index_groups=half),
    "gather": lambda x: lax.all_gather(x, "i", tiled=True)[: x.shape[0]],
    "gather columns": lambda x: lax.all_gather(x, "i", axis=1, tiled=True)[:, ::size],
    "scatter": lambda x: jnp.tile(lax.psum_scatter(x, "i", tiled=True), (size, 1)),
    "scatter columns": lambda x: jnp.tile(
        lax.psum_scatter(x, "i", scatter_dimension=1, tiled=True), (1, size)),
    "exchange": lambda x: lax.all_to_all(x, "i", 0, 0, tiled=True),
    "exchange columns": lambda x: lax.all_to_all(
        lax.all_to_all(x, "i", 0, 1, tiled=True), "i", 1, 0, tiled=True) * 2,
    "ring": lambda x: lax.ppermute(x, "i", [(k, (k + 1) % size) for k in range(size)]),
    "some": lambda x: lax.ppermute(x, "i", [(0, size - 1)]),
    "loop": lambda x: lax.fori_loop(0, 5, lambda k, y: lax.psum(y, "i") / size + x, x),
}
found = {}
for shape in [(4 * size, size), (256 * size, 16 * size)]:
    together = lambda x: {name: function(x) for name, function in cases.items()}
    results = jax.jit(jax.shard_map(together, mesh=mesh, in_specs=P("i"),
                                    out_specs=P("i"), check_vma=False))(
        put(values((shape[0] * size, shape[1]), 3)))
    for name, y in results.items():
        found[f"{name} {shape}"] = np.concatenate(local(y))
# Divided by the compiler.
a, b = put(values((8 * size, 16), 1)), put(values((16, 8 * size), 2), P(None, "i"))
y = jax.jit(lambda a, b: jnp.tanh(a @ b).sum(0), out_shardings=NamedSharding(mesh, P()))(a, b)
found["product"] = local(y)[0]
np.savez(f"{sys.argv[4]}/{process}.npz", **found)
"""


@pytest.mark.parametrize("count, devices", [(2, 2), (3, 1)])
def test_results_are_those_of_one_process(count, devices, tmp_path):
    one, several = tmp_path / "one", tmp_path / "several"
    one.mkdir(), several.mkdir()
    jobs.run(jobs.JAX + PROGRAMS, one, count=1, devices=count * devices)
    jobs.run(jobs.JAX + PROGRAMS, several, count=count, devices=devices)
    wanted = np.load(one / "0.npz")
    parts = [np.load(several / f"{process}.npz") for process in range(count)]
    for name in wanted:
        if name == "product":
            got = [part[name] for part in parts]
            assert all(np.array_equal(wanted[name], one) for one in got), name
        else:
            got = np.concatenate([part[name] for part in parts])
            assert np.array_equal(wanted[name], got), name
