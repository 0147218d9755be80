"""Upstream's JAX on our plugin: its profile holds the operations of our programs.

Run by `ci/upstream-profile`, with upstream's release; not by pytest.
"""

import pathlib
import tempfile

import jax
import jax.numpy as jnp


def step(x):
    with jax.named_scope("layer"):
        y = jnp.tanh(x @ x)  # here
    return jnp.sum(y * x)


def events_of(path):
    """Plane, line, name and stats of all events of a profile."""
    data = jax.profiler.ProfileData.from_file(str(path))
    for plane in data.planes:
        for line in plane.lines:
            for event in line.events:
                yield plane.name, line.name, event.name, dict(event.stats), event


def check(events):
    """Whether the events are those of five runs of the step."""
    runs = [e for _, _, name, _, e in events if name.startswith("jit_step")]
    operations = [
        (plane, name, stats, event)
        for plane, _, name, stats, event in events
        if stats.get("hlo_module") == "jit_step" and "source" in stats
    ]
    text = pathlib.Path(__file__).read_text().splitlines()
    (line,) = [i for i, row in enumerate(text, 1) if row.endswith("# here")]
    products = [
        (stats, event)
        for _, name, stats, event in operations
        if "dot_general" in name and f"upstream_profile.py:{line}" in stats["source"]
    ]
    assert len(products) == 5, [name for _, name, _, _ in operations]
    for stats, event in products:
        assert stats["flops"] >= 2 * 256**3, stats
        assert "layer" in stats["tf_op"], stats
        assert event.duration_ns > 0
    return len(runs), len(operations)


def main():
    print(f"jax {jax.__version__} on {jax.devices()[0].client.platform_version[:60]}")
    fun, x = jax.jit(step), jnp.full((256, 256), 0.01)
    fun(x).block_until_ready()
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            for _ in range(5):
                fun(x).block_until_ready()
        (path,) = pathlib.Path(folder).glob("plugins/profile/*/*.xplane.pb")
        runs, operations = check(list(events_of(path)))
    print(f"the profile has {operations} operations with lines, flops and scopes")
    print(f"and {runs} spans of the program")


if __name__ == "__main__":
    main()
