"""Damaged artifacts end in an error that says what is wrong, or in the right result."""

import pathlib
import struct

import numpy as np
import pytest

import jax
from jax import export
from jax._src.export import flat_tables as ft, modules, serialization
from jax._src.interpreters import mlir
from tests.export import cases

FOLDER = pathlib.Path(__file__).with_name("data")
DATA = (FOLDER / "vjp.bin").read_bytes()
MODULE = export.deserialize(DATA).mlir_module_serialized
CASES = {case.name: case for case in cases.all_cases(jax)}
REFUSALS = (ValueError, NotImplementedError)
cases.register(jax)


def damage(random, data, positions):
    """A copy with a few bytes changed, cut off, or moved."""
    changed = bytearray(data)
    for _ in range(random.integers(1, 4)):
        offset = int(random.choice(positions))
        kind = random.integers(4)
        if kind == 0:
            changed[offset] ^= 1 << random.integers(8)
        elif kind == 1:
            changed[offset] = random.choice([0, 1, 4, 127, 128, 255])
        elif kind == 2 and offset + 4 <= len(changed):
            number = int(random.choice([0, 1, 2**31 - 1, 2**31, 2**32 - 4, len(data)]))
            struct.pack_into("<I", changed, offset, number)
        else:
            source = int(random.choice(positions))
            changed[offset : offset + 4] = data[source : source + 4]
    return bytes(changed[: random.choice([len(changed), len(changed), len(data) // 2])])


def is_same(a, b):
    fields = "in_tree in_avals out_tree out_avals platforms module_kept_var_idx".split()
    same = all(getattr(a, f) == getattr(b, f) for f in fields)
    return same and a.mlir_module_serialized == b.mlir_module_serialized


def outside_of_modules(data, exported):
    """The positions of the bytes that are not of its module or those of derivatives."""
    positions = set(range(len(data)))
    while exported is not None:
        start = data.index(exported.mlir_module_serialized)
        positions -= set(range(start, start + len(exported.mlir_module_serialized)))
        exported = exported.vjp() if exported.has_vjp() else None
    return np.array(sorted(positions))


@pytest.mark.parametrize("name", ["plain", "trees", "vjp", "unused"])
def test_damaged_tables_are_refused_or_harmless(name):
    random = np.random.default_rng(5)
    data, args = (FOLDER / f"{name}.bin").read_bytes(), CASES[name].args()
    whole = export.deserialize(data)
    expected = jax.tree.leaves(whole.call(*args))
    positions = outside_of_modules(data, whole)
    refused = called = 0
    for _ in range(1500):
        try:
            found = export.deserialize(damage(random, data, positions))
            if is_same(found, whole):
                continue
            called += 1
            outs = jax.tree.leaves(found.call(*args))
        except REFUSALS as error:
            assert str(error)
            refused += 1
            continue
        for out, wanted in zip(outs, expected, strict=True):
            np.testing.assert_allclose(out, wanted, rtol=1e-5)
    assert refused > 500
    assert called > 0


def test_damaged_modules_are_refused_or_read():
    random = np.random.default_rng(6)
    positions = np.arange(len(MODULE))
    refused = 0
    for _ in range(1500):
        try:
            modules.read(damage(random, MODULE, positions), mlir.make_ir_context())
        except REFUSALS as error:
            assert str(error)
            refused += 1
    assert refused > 500


def test_every_beginning_is_refused():
    for length in range(0, len(DATA) - 8, 7):
        with pytest.raises(ValueError, match="damaged"):
            export.deserialize(DATA[:length])


def shared_tree(depth):
    """The bytes of a list of two lists of two lists, where both are always one."""
    data = struct.pack("<I", 12)
    for _ in range(depth):
        # The list of fields; the table: kind 3, children; two children: the next table.
        data += struct.pack("<HHHH", 8, 12, 4, 8) + struct.pack("<ibxxxI", 8, 3, 4)
        data += struct.pack("<III", 2, 16, 12)
    return data + struct.pack("<HHHH", 8, 12, 0, 0) + struct.pack("<iII", 8, 0, 0)


def test_parts_that_are_shared_are_read_as_often_as_bytes_allow():
    small = serialization.trees.read(ft.Reader(shared_tree(3)).root())
    assert small.num_leaves == 8
    with pytest.raises(ValueError, match="too often"):
        serialization.trees.read(ft.Reader(shared_tree(40)).root())


@pytest.mark.parametrize("blob", [b"", b"abc", bytes(100), b"\xff" * 64])
def test_other_bytes_are_refused(blob):
    with pytest.raises(ValueError, match="damaged"):
        export.deserialize(blob)


def test_what_is_no_bytes_is_refused():
    with pytest.raises(TypeError, match="bytes"):
        export.deserialize("text")


def test_a_module_that_does_not_fit_its_types_is_refused():
    other = export.export(jax.jit(lambda x: x[0]))(np.float32([1, 2]))
    fields = serialization.write(other, None)
    fields[serialization.Field.MODULE] = MODULE
    found = export.deserialize(ft.write(fields))
    with pytest.raises(ValueError, match="does not fit its types"):
        found.call(np.float32([1, 2]))
