"""`lax.ragged_all_to_all` against a model in NumPy, on one device and on several."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

DTYPES = ["float32", "bfloat16", "int8", "complex64", "bool"]


def exchanged(operand, output, starts, sends, offsets):
    """What each device has after all slices were sent, by device."""
    devices = len(operand)
    found = output.copy()
    for sender in range(devices):
        for slice_, (start, size, to) in enumerate(
            zip(starts[sender], sends[sender], offsets[sender], strict=True)
        ):
            receiver = slice_ // (len(starts[sender]) // devices)
            rows = operand[sender, start : start + size]
            found[receiver, to : to + size] = rows
    return found


def problem(devices, per_device, seed, dtype="float32", row=(2,)):
    """Slices that fit and do not overlap, neither where they leave nor where they arrive."""
    random = np.random.default_rng(seed)
    count, rows = devices * per_device, 4 * devices * per_device
    sends = random.integers(0, 4, (devices, count))
    starts = np.stack([4 * random.permutation(count) for _ in range(devices)])
    # Each slice has four rows of its receiver's for itself.
    offsets = np.empty((devices, count), int)
    for sender in range(devices):
        for slice_ in range(count):
            offsets[sender, slice_] = 4 * (sender * per_device + slice_ % per_device)
    receives = np.stack(
        [
            sends.reshape(devices, devices, per_device)[:, receiver].ravel()
            for receiver in range(devices)
        ]
    )
    operand = random.integers(1, 100, (devices, rows, *row)).astype(dtype)
    output = np.zeros((devices, rows, *row)).astype(dtype)
    sizes = [x.astype("int32") for x in (starts, sends, offsets, receives)]
    return operand, output, *sizes


def mapped(devices):
    mesh = jax.make_mesh(
        (devices,), ("x",), axis_types=(AxisType.Auto,), devices=jax.devices()[:devices]
    )

    def one(*args):
        rows = [x[0] for x in args]
        return lax.ragged_all_to_all(*rows, axis_name="x")[None]

    return jax.shard_map(one, mesh=mesh, in_specs=P("x"), out_specs=P("x"))


@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
@pytest.mark.parametrize("per_device", [1, 3])
@pytest.mark.parametrize("devices", [1, 2, 8])
def test_slices_arrive_where_their_sender_says(devices, per_device, outer):
    args = problem(devices, per_device, seed=devices + per_device)
    np.testing.assert_array_equal(outer(mapped(devices))(*args), exchanged(*args[:5]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("devices", [1, 8])
def test_rows_of_each_dtype_are_exchanged(devices, dtype):
    for row in ((), (3, 2)):
        args = problem(devices, 2, 5, jnp.dtype(dtype), row)
        found = jax.jit(mapped(devices))(*args)
        np.testing.assert_array_equal(found, exchanged(*args[:5]))


@pytest.mark.parametrize("devices", [1, 2, 8])
def test_cotangents_go_back_the_way_the_rows_came(devices):
    operand, output, *sizes = problem(devices, 2, 7)
    weights = np.random.default_rng(1).normal(size=output.shape).astype("float32")

    def value(operand, output):
        return jnp.sum(mapped(devices)(operand, output, *sizes) * weights)

    found = jax.jit(jax.grad(value, (0, 1)))(operand, output)
    wanted, kept = returned(operand, weights, *sizes[:3])
    np.testing.assert_allclose(found[0], wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(found[1], kept)


def returned(operand, weights, starts, sends, offsets):
    """The cotangents of operand and output, slice by slice."""
    devices, slices = starts.shape
    found, kept = np.zeros_like(operand), weights.copy()
    for sender in range(devices):
        for slice_ in range(slices):
            size, receiver = sends[sender, slice_], slice_ // (slices // devices)
            start, to = starts[sender, slice_], offsets[sender, slice_]
            found[sender, start : start + size] += weights[receiver, to : to + size]
            kept[receiver, to : to + size] = 0
    return found, kept


# Where slices begin among 4 rows of each: all at one row, half over each other, a few.
OVERLAPS = {
    "the same rows": lambda starts: starts * 0 + 1,
    "half of the rows": lambda starts: starts // 2,
    "on one device": lambda starts: np.where(
        np.arange(len(starts))[:, None], starts, 0
    ),
    "none": lambda starts: starts,
}


@pytest.mark.parametrize("overlap", OVERLAPS)
@pytest.mark.parametrize("per_device", [1, 3])
@pytest.mark.parametrize("devices", [1, 2, 8])
def test_rows_sent_more_than_once_get_the_sum_of_their_cotangents(
    devices, per_device, overlap
):
    operand, output, starts, sends, *others = problem(devices, per_device, 11)
    starts = OVERLAPS[overlap](starts).astype("int32")
    offsets, receives = others
    weights = np.random.default_rng(2).normal(size=output.shape).astype("float32")
    run = mapped(devices)

    def value(operand):
        return jnp.sum(run(operand, output, starts, sends, offsets, receives) * weights)

    found = jax.jit(jax.grad(value))(operand)
    wanted, _ = returned(operand, weights, starts, sends, offsets)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_the_derivative_of_a_sum_of_cotangents_is_exact():
    operand, output, starts, sends, offsets, receives = problem(2, 2, 13)
    run = mapped(2)

    def forward(operand):
        return run(operand, output, starts * 0, sends, offsets, receives)

    cubes = jax.grad(lambda operand: jnp.sum(forward(operand) ** 3))
    _, found = jax.jvp(jax.jit(cubes), (operand,), (operand,))
    # A gradient of degree 2 changes by twice itself along its argument.
    np.testing.assert_allclose(found, 2 * cubes(operand), rtol=1e-5)


@pytest.mark.parametrize("devices", [1, 2])
def test_slices_outside_of_the_arrays_are_refused(devices):
    operand, output, starts, sends, offsets, receives = problem(devices, 1, 3)
    sends[0, 0], offsets[0, 0] = 3, len(output[0]) - 1
    args = operand, output, starts, sends, offsets, receives
    with pytest.raises(jax.errors.JaxRuntimeError, match="outside of the arrays"):
        np.asarray(jax.jit(mapped(devices))(*args))
