"""Artifacts of upstream's 0.12: collectives whose groups are axes of a mesh, instead of lists of devices."""

import pathlib

import numpy as np
import pytest

import jax
from jax import export
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

ARTIFACT = pathlib.Path(__file__).parent / "data/of_0_12/groups_by_axes.bin"
MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
X = np.sin(np.arange(16 * 8.0, dtype=np.float32)).reshape(16, 8)
# The parts of the devices, by coordinates along x and y.
PARTS = X.reshape(4, 4, 2, 4).transpose(0, 2, 1, 3)

EXPECTED = {
    "psum": np.concatenate(list(PARTS.sum(0)), axis=1),
    "both": PARTS.sum((0, 1)),
    "gather": np.concatenate(
        [np.concatenate(list(PARTS[i]), axis=0) for i in range(4)]
    ),
    "scatter": np.concatenate(list(PARTS.sum(0)), axis=1),
    "max": PARTS.max(1).reshape(16, 4),
    # A row of each device along x comes to one: columns from all of them.
    "a2a": np.concatenate(
        [
            np.concatenate([PARTS[i, j, k : k + 1] for i in range(4)], axis=1)
            for j in range(2)
            for k in range(4)
        ],
        axis=1,
    ),
}


@pytest.fixture(scope="module")
def artifact():
    return bytearray(ARTIFACT.read_bytes())


@pytest.fixture(scope="module")
def results(artifact):
    call = export.deserialize(artifact).call
    return jax.jit(call, in_shardings=NamedSharding(MESH, P("x", "y")))(X)


@pytest.mark.parametrize("name", EXPECTED)
def test_groups_by_axes_are_the_devices_along_them(name, results):
    np.testing.assert_allclose(results[name], EXPECTED[name], rtol=1e-5, atol=1e-6)


def test_what_is_written_again_computes_the_same(artifact, results):
    again = export.deserialize(export.deserialize(artifact).serialize()).call
    out = jax.jit(again, in_shardings=NamedSharding(MESH, P("x", "y")))(X)
    np.testing.assert_array_equal(out["both"], results["both"])


def test_damaged_groups_are_refused_and_never_crash(artifact):
    """A sample of all bytes, each with another value."""
    refused = 0
    for position in range(40, len(artifact), 23):
        damaged = bytearray(artifact)
        damaged[position] ^= 0x15
        try:
            jax.jit(export.deserialize(damaged).call).lower(X)
        except Exception as error:
            assert not isinstance(error, (SystemError, MemoryError))
            refused += 1
    assert refused > 20
