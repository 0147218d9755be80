"""Arrays from one sharding to another."""

import itertools
import os

import numpy as np
import pytest

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P, SingleDeviceSharding

VALUES = np.arange(64, dtype="f4").reshape(8, 8)
# Devices of another client share no memory: it may reuse what is donated and not its own.
SHARES = os.environ.get("TEST_PLUGIN") != "real"


def shardings():
    devices = np.array(jax.devices())
    grid = Mesh(devices.reshape(4, 2), ("x", "y"))
    line = Mesh(devices[::-1], "z")
    half = Mesh(devices[:4], "h")
    return {
        "one": SingleDeviceSharding(devices[5]),
        "rows": NamedSharding(grid, P("x")),
        "both": NamedSharding(grid, P("x", "y")),
        "columns": NamedSharding(grid, P(None, ("y", "x"))),
        "whole": NamedSharding(grid, P()),
        "reverse": NamedSharding(line, P("z")),
        "half": NamedSharding(half, P(None, "h")),
        "host": NamedSharding(grid, P("y"), memory_kind="pinned_host"),
    }


NAMES = ["one", "rows", "both", "columns", "whole", "reverse", "half", "host"]


@pytest.mark.parametrize("source", NAMES)
def test_arrays_move_from_every_sharding_to_every_other(source):
    known = shardings()
    x = jax.device_put(VALUES, known[source])
    for name in NAMES * 2:  # the second time a program may do what copies did at first
        target = known[name]
        moved = jax.device_put(x, target)
        assert moved.sharding == target and moved.committed
        np.testing.assert_array_equal(moved, VALUES)
        indices = target.devices_indices_map(VALUES.shape)
        for shard in moved.addressable_shards:
            np.testing.assert_array_equal(shard.data, VALUES[indices[shard.device]])
    assert not x.is_deleted()


@pytest.mark.parametrize("source", ["host of the caller", "rows", "half"])
def test_devices_that_hold_the_same_share_its_memory(source):
    known = shardings()
    values = np.arange(8192, dtype="f4").reshape(8, 1024)
    given = values if source not in known else jax.device_put(values, known[source])
    for _ in range(3):  # a program may do later what was copied at first
        x = jax.device_put(given, known["whole"])
        for shard in x.addressable_shards:
            np.testing.assert_array_equal(shard.data, values)
        assert not SHARES or len(set(addresses(x))) == 1


def addresses(array):
    return [s.data.unsafe_buffer_pointer() for s in array.addressable_shards]


@pytest.mark.parametrize("source", ["one", "whole", "rows", "half", "columns"])
@pytest.mark.parametrize("target", ["whole", "rows", "reverse", "both", "columns"])
@pytest.mark.parametrize("dtype", ["f4", "i1", "c8"])
def test_parts_in_one_piece_of_what_is_there_are_not_copied(source, target, dtype):
    known = shardings()
    values = (np.arange(16 * 1024) % 100).astype(dtype).reshape(16, 1024)
    x = jax.device_put(values, known[source])
    held = [
        range(a, a + s.data.nbytes)
        for a, s in zip(addresses(x), x.addressable_shards, strict=True)
    ]
    in_one_piece = source == target or (
        source in ("one", "whole") and target in ("whole", "rows", "reverse")
    )
    for _ in range(3):  # a program may do later what was shared at first
        moved = jax.device_put(x, known[target])
        assert moved.sharding == known[target] and moved.committed
        indices = known[target].devices_indices_map(values.shape)
        for shard in moved.addressable_shards:
            np.testing.assert_array_equal(shard.data, values[indices[shard.device]])
        are_held = [any(a in part for part in held) for a in addresses(moved)]
        assert all(are_held) == in_one_piece or not SHARES
        own = jax.device_put(x, known[target], may_alias=False)
        np.testing.assert_array_equal(own, values)
        assert not any(a in part for a in addresses(own) for part in held)


def test_pieces_at_addresses_for_which_no_code_is_made_are_copied():
    known = shardings()
    values = np.arange(8 * 135, dtype="f4").reshape(8, 135)  # lines of 540 bytes
    x = jax.device_put(values, known["one"])
    moved = jax.device_put(x, known["reverse"])
    np.testing.assert_array_equal(moved, values)
    assert all(address % 64 == 0 for address in addresses(moved))


def test_shared_pieces_outlive_the_array_and_are_not_overwritten():
    known = shardings()
    values = np.arange(8192, dtype="f4").reshape(8, 1024)
    double = jax.jit(lambda x: x * 2, donate_argnums=0)
    x = jax.device_put(values, known["one"])
    rows = jax.device_put(x, known["rows"])
    np.testing.assert_array_equal(double(x), values * 2)  # where x was, rows are still
    np.testing.assert_array_equal(rows, values)
    np.testing.assert_array_equal(double(rows), values * 2)
    if SHARES:  # another client donates nothing that it took over from the host
        assert x.is_deleted() and rows.is_deleted()
    x = jax.device_put(values, known["whole"])
    rows = jax.device_put(x, known["rows"], donate=True)
    x.delete()
    np.testing.assert_array_equal(rows, values)


def test_what_devices_share_is_not_overwritten():
    values = np.arange(8192, dtype="f4").reshape(8, 1024)
    whole = shardings()["whole"]
    double = jax.jit(lambda x: x * 2, donate_argnums=0)
    parts = [shard.data for shard in jax.device_put(values, whole).addressable_shards]
    np.testing.assert_array_equal(double(parts[0]), values * 2)
    np.testing.assert_array_equal(double(parts[1]), values * 2)
    parts[2].delete()
    for part in parts[3:]:
        np.testing.assert_array_equal(part, values)
    x = jax.device_put(values, whole)
    for shard in double(x).addressable_shards:
        np.testing.assert_array_equal(shard.data, values * 2)
    assert x.is_deleted()


def test_what_is_moved_once_needs_no_program(caplog):
    known = shardings()
    x = jax.device_put(np.arange(48, dtype="f4").reshape(8, 6), known["rows"])

    def compiles():
        caplog.clear()
        with jax.log_compiles():
            jax.block_until_ready(jax.device_put(x, known["both"]))
        return any("move" in record.getMessage() for record in caplog.records)

    assert [compiles() for _ in range(3)] == [False, True, False]


def test_what_is_there_already_is_not_copied():
    known = shardings()
    x = jax.device_put(VALUES, known["rows"])
    assert jax.device_put(x, known["rows"]) is x
    grid = known["rows"].mesh
    same = jax.device_put(x, NamedSharding(grid, P("x", None)))
    assert same.sharding.spec == P("x", None)
    pairs = zip(x.addressable_shards, same.addressable_shards, strict=True)
    for a, b in pairs:
        assert a.data.unsafe_buffer_pointer() == b.data.unsafe_buffer_pointer()


def test_parts_are_made_by_a_function():
    known = shardings()
    for name in NAMES:
        x = jax.make_array_from_callback((8, 8), known[name], lambda i: VALUES[i])
        assert x.sharding == known[name]
        np.testing.assert_array_equal(x, VALUES)
    requested = []
    jax.make_array_from_callback(
        (8, 8), known["whole"], lambda i: (requested.append(i), VALUES[i])[1]
    )
    assert len(requested) == 1


def test_parts_that_do_not_fit_are_refused():
    rows = shardings()["rows"]
    make = jax.make_array_from_callback
    with pytest.raises(TypeError, match="no sharding"):
        make((8,), P("x"), lambda i: VALUES[i])
    with pytest.raises(ValueError, match="another part"):
        make((8, 8), rows, lambda i: VALUES)
    with pytest.raises(ValueError, match="int32"):
        make((8, 8), rows, lambda i: VALUES[i], dtype=np.int32)
    with pytest.raises(ValueError, match="split evenly"):
        make((7,), rows, lambda i: VALUES[i])
    join = jax.make_array_from_single_device_arrays
    parts = [s.data for s in jax.device_put(VALUES, rows).addressable_shards]
    shuffled = list(itertools.chain(parts[3:], parts[:3]))
    np.testing.assert_array_equal(join((8, 8), rows, shuffled), VALUES)
    with pytest.raises(TypeError, match="list or tuple"):
        join((8, 8), rows, VALUES)
    with pytest.raises(TypeError, match="on one device"):
        join((8, 8), rows, [VALUES])
    with pytest.raises(ValueError, match="devices of the sharding"):
        join((8, 8), rows, parts[:7])
    with pytest.raises(ValueError, match="not as the sharding says"):
        join((16, 8), rows, parts)
