"""Arrays whose parts have still to be summed: how they come about, move, and are read."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

VALUES = np.arange(64, dtype="f4").reshape(8, 8)
MESH = jax.make_mesh((2, 2, 2), ("x", "y", "z"), axis_types=(AxisType.Explicit,) * 3)

DUE = [
    P(unreduced={"x"}),
    P("x", unreduced={"y"}),
    P(None, "y", unreduced={"x"}),
    P("z", unreduced={"x", "y"}),
    P(("x", "z"), unreduced={"y"}),
    P(unreduced={"x", "y", "z"}),
    P("x", unreduced={"y"}, reduced={"z"}),
]
WHOLE = [P(), P("x"), P("y", "x"), P(("x", "y")), P("z", reduced={"x"})]


@pytest.fixture(autouse=True)
def on_the_mesh():
    with jax.set_mesh(MESH):
        yield


def sum_of_parts(x):
    """The value that the parts make up: each is added where it belongs."""
    total = np.zeros(x.shape, x.dtype)
    mesh, spec = x.sharding.mesh, x.sharding.spec
    cuts = NamedSharding(mesh, P(*spec.partitions)).devices_indices_map(x.shape)
    # Devices that differ along other axes alone hold the same summand.
    kept = {*spec.names, *spec.unreduced}
    first = mesh.devices[
        tuple(slice(None if n in kept else 1) for n in mesh.axis_names)
    ]
    for part in x._arrays:
        if part.device in first.flat:
            total[cuts[part.device]] += np.asarray(part)
    return total


def parts_of_all(spec):
    """A sum to which every device has something to add, equal where it must be."""
    sharding = NamedSharding(MESH, spec)
    shape = sharding.shard_shape(VALUES.shape)
    kept = [name in {*spec.names, *spec.unreduced} for name in MESH.axis_names]
    parts = [
        jax.device_put(
            np.full(shape, 1 + np.dot(kept, (1, 3, 9) * np.array(index)), "f4"), device
        )
        for index, device in np.ndenumerate(MESH.devices)
    ]
    return jax.make_array_from_single_device_arrays(VALUES.shape, sharding, parts)


MOVES = {
    "device_put": jax.device_put,
    "device_put, sharding": lambda x, s: jax.device_put(x, NamedSharding(MESH, s)),
    "reshard": jax.reshard,
    "reshard in jit": lambda x, s: jax.jit(lambda y: jax.reshard(y, s))(x),
    "device_put in jit": lambda x, s: jax.jit(lambda y: jax.device_put(y, s))(x),
    "out_shardings": lambda x, s: jax.jit(lambda y: y, out_shardings=s)(x),
}


@pytest.mark.parametrize("spec", DUE, ids=repr)
@pytest.mark.parametrize("way", MOVES)
def test_a_value_becomes_a_sum_and_a_value_again(way, spec):
    move = MOVES[way]
    for start in (VALUES, jax.device_put(VALUES, P("x", "y"))):
        summands = move(start, spec)
        assert summands.sharding.spec.unreduced == spec.unreduced
        np.testing.assert_array_equal(sum_of_parts(summands), VALUES)
        np.testing.assert_array_equal(move(summands, P("x")), VALUES)


@pytest.mark.parametrize("to", [*WHOLE, *DUE], ids=repr)
@pytest.mark.parametrize("start", DUE[1:5:2], ids=repr)
def test_sums_that_are_computed_move(start, to):
    """Summands that are all different from zero."""
    made = parts_of_all(start)
    expected = sum_of_parts(made)
    moved = jax.device_put(made, to)
    assert moved.sharding.spec == to
    np.testing.assert_array_equal(sum_of_parts(moved), expected)
    np.testing.assert_array_equal(jax.device_put(made, jax.devices()[3]), expected)


@pytest.mark.parametrize("dtype", ["int32", "bool", "bfloat16", "complex64"])
def test_values_of_every_dtype_become_sums(dtype):
    x = jax.device_put(VALUES.astype(dtype), P("x", unreduced={"y"}))
    assert x.dtype == dtype
    parts = [np.asarray(part) for part in x._arrays]
    assert not any(parts[i].any() for i in (2, 3, 6, 7))
    np.testing.assert_array_equal(parts[0], VALUES[:4].astype(dtype))


@pytest.mark.parametrize(
    "spec", [P(unreduced={"x"}), P("x", unreduced={"y"})], ids=repr
)
def test_no_device_has_the_value_of_a_sum(spec):
    x = jax.device_put(VALUES, spec)
    for read in (np.asarray, lambda a: a.tolist(), list):
        with pytest.raises(NotImplementedError, match="have still to be summed"):
            read(x)
    with pytest.raises(NotImplementedError, match="have still to be summed"):
        x.sharding.devices_indices_map(x.shape)
    assert not x.is_fully_replicated
    assert repr(x).startswith("Array(shape=(8, 8), dtype=float32, sharding=NamedShard")
    assert str(x) == repr(x)


@pytest.mark.parametrize("spec", DUE[:6], ids=repr)
@pytest.mark.parametrize("wrap", [jax.jit, lambda f: f], ids=["jit", "eager"])
def test_a_body_gets_summands_and_makes_them(wrap, spec):
    axes = tuple(spec.unreduced)
    body = lambda x: lax.psum(x, axes)  # noqa: E731
    whole = P(*spec.partitions)
    total = wrap(jax.shard_map(body, in_specs=spec, out_specs=whole))
    np.testing.assert_array_equal(
        total(parts_of_all(spec)), sum_of_parts(parts_of_all(spec))
    )
    double = wrap(jax.shard_map(lambda x: x + x, in_specs=spec, out_specs=spec))
    found = double(parts_of_all(spec))
    np.testing.assert_array_equal(
        sum_of_parts(found), 2 * sum_of_parts(parts_of_all(spec))
    )
    np.testing.assert_array_equal(
        jax.reshard(found, P()), 2 * sum_of_parts(parts_of_all(spec))
    )


def test_gradients_of_what_devices_share_are_sums():
    def loss(w, x):
        body = lambda w, x: lax.psum(((x * w) ** 2).sum(), "x")  # noqa: E731
        specs = P(reduced={"x"}), P("x")
        return jax.shard_map(body, in_specs=specs, out_specs=P())(w, x)

    w = jax.device_put(jnp.ones(8), P(reduced={"x"}))
    gradient = jax.jit(jax.grad(loss))(w, jax.device_put(VALUES, P("x")))
    assert str(jax.typeof(gradient)) == "float32[8]{U:x}"
    np.testing.assert_allclose(jax.reshard(gradient, P()), (2 * VALUES**2).sum(0))
