"""`jax.debug.progress` draws one bar for a loop that `shard_map` maps over devices."""

import sys
import types

import pytest

import jax
import jax.numpy as jnp
from jax import lax


class Bar:
    """Stands for a bar of tqdm: how far it came, and whether it ended."""

    made: "list[Bar]" = []

    def __init__(self, **options):
        self.done, self.is_closed = 0, False
        self.made.append(self)

    def update(self, count):
        self.done += count

    def close(self):
        self.is_closed = True


@pytest.fixture
def bars(monkeypatch):
    fake = types.ModuleType("tqdm.auto")
    fake.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm.auto", fake)
    monkeypatch.setattr(Bar, "made", [])
    return Bar.made


def _over_devices(loop, **options):
    mesh = jax.make_mesh(
        (2, 2), ("i", "j"), axis_types=(jax.sharding.AxisType.Auto,) * 2
    )
    spec = jax.P(("i", "j"))
    run = jax.shard_map(loop, mesh=mesh, in_specs=spec, out_specs=spec, **options)
    out = jax.jit(run)(jnp.arange(4.0))
    jax.effects_barrier()
    return out


@pytest.mark.parametrize(
    "options", [{}, {"check_vma": False}, {"axis_names": {"i", "j"}}]
)
def test_one_device_draws_a_loop_that_is_mapped_over_devices(bars, options):
    def loop(x):
        def body(i, x):
            return x + jax.lax.pmean(x, "i")

        return lax.fori_loop(0, 40, jax.debug.progress(40)(body), x * 0 + 1)

    assert _over_devices(loop, **options).tolist() == [2.0**40] * 4
    (bar,) = bars
    assert bar.done == 40 and bar.is_closed


def test_each_loop_of_a_function_that_is_mapped_over_devices_has_a_bar(bars):
    def loop(x):
        for n in (3, 5):
            x, _ = lax.scan(
                jax.debug.progress(n)(lambda c, _: (c + 1, None)), x, length=n
            )
        return x

    assert _over_devices(jax.vmap(loop)).tolist() == [i + 8.0 for i in range(4)]
    assert [bar.done for bar in bars] == [3, 5]
