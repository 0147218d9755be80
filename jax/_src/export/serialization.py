"""Exported programs as bytes: the tables that upstream's schema has.

What is written has both forms of that schema, the flat one of its first versions and the
one with shared types, as upstream writes it. Of what is read, the second form counts
where it is there.
"""

import enum
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from jax._src.base import errors, scalars
from jax._src.core import avals as avals_lib
from jax._src.core.symbols import parsing, scopes
from jax._src.export import (
    checks,
    flat_tables as ft,
    placement_tables,
    placements,
    trees,
)
from jax._src.random import keys

# Readers go by the fields that are there, not by this number; upstream writes it too.
_VERSION = 3
# Each level is a derivative of the one before.
_GREATEST_ORDER = 32
# The number of devices stands in two fields; the first is too short for some.
_SHORT = 2**15 - 1


class Field(enum.IntEnum):
    """The fields of an exported program."""

    VERSION = 0
    NAME = 1
    IN_TREE = 2
    IN_AVALS = 3
    OUT_TREE = 4
    OUT_AVALS = 5
    DEVICES_SHORT = 6
    IN_SHARDINGS = 7
    OUT_SHARDINGS = 8
    PLATFORMS = 9
    ORDERED_EFFECTS = 10
    UNORDERED_EFFECTS = 11
    DISABLED_CHECKS = 12
    MODULE = 13
    CALLING_CONVENTION = 14
    KEPT = 15
    USES_GLOBAL_CONSTANTS = 16
    VJP = 17
    DEVICES = 18
    UNIQUE_AVALS = 19
    UNIQUE_MESHES = 20
    UNIQUE_SHARDINGS = 21
    IN_AVAL_NUMBERS = 22
    OUT_AVAL_NUMBERS = 23
    IN_SHARDING_NUMBERS = 24
    OUT_SHARDING_NUMBERS = 25


# In the order of their codes.
_DTYPES: tuple[Any, ...] = tuple(
    np.dtype(name)
    for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 "
    "float64 complex64 complex128".split()
) + tuple(
    scalars.float0 if name == "float0" else np.dtype(getattr(ml_dtypes, name))
    for name in "bfloat16 int4 uint4 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz "
    "float8_e5m2 float8_e5m2fnuz float0 float8_e4m3 float8_e3m4 float8_e8m0fnu "
    "float4_e2m1fn".split()
)
_GENERATORS = ("threefry2x32", "rbg", "unsafe_rbg")
_SHAPED, _IN_DEVICE = 0, 1
_PLATFORM_CHECK, _CUSTOM_CALL_CHECK, _SHAPE_CHECK = range(3)


def _all_dtypes() -> tuple[Any, ...]:
    return _DTYPES + tuple(keys.key_dtype(name) for name in _GENERATORS)


def _dtype_code(dtype):
    known = _all_dtypes()
    for code, candidate in enumerate(known):
        if type(candidate) is type(dtype) and candidate == dtype:
            return code
    raise errors.not_implemented(
        "Arrays of this dtype have no form in exported programs.",
        [("dtype", str(dtype))],
        ways="Convert where the exported function begins and ends.",
    )


def _write_aval(aval):
    return {
        0: ft.Number("b", _SHAPED),
        1: [str(size) for size in aval.shape],
        2: ft.Number("b", _dtype_code(aval.dtype)),
        3: ft.Number("b", _IN_DEVICE),
    }


def _read_shape(sizes, scope):
    try:
        return parsing.shape("".join(f"{size}," for size in sizes), None, scope)
    except ValueError as error:
        raise ft.damaged(f"a shape is no shape: {error}") from None


def _read_aval(table, scope):
    kind, code = table.number(0, "b"), table.number(2, "b")
    known = _all_dtypes()
    if kind != _SHAPED or not 0 <= code < len(known):
        raise ft.damaged(f"there is no type of kind {kind} and dtype {code}")
    space = table.number(3, "b", _IN_DEVICE)
    if space not in (0, _IN_DEVICE):
        raise _not_offered("an argument or result in another memory", str(space))
    sizes = table.texts(1)
    if not all(size.isascii() and size.isdecimal() for size in sizes):
        return avals_lib.ShapedArray(_read_shape(sizes, scope), known[code])
    for size in sizes:
        if len(size) > 19 or int(size) > np.iinfo(np.int64).max:
            raise ft.damaged(f"a shape has the size {size[:40]}")
    return avals_lib.ShapedArray(tuple(int(size) for size in sizes), known[code])


def _not_offered(what, value):
    return errors.not_implemented(
        f"This exported program has {what}.",
        [("found", value)],
        "Programs without effects whose arrays are in devices' memory can be read.",
    )


def _write_check(check):
    target = check.is_custom_call()
    if target is None:
        return {0: ft.Number("b", _PLATFORM_CHECK)}
    return {0: ft.Number("b", _CUSTOM_CALL_CHECK), 1: target}


def _read_checks(tables):
    found = []
    for table in tables:
        kind = table.number(0, "b")
        if kind == _PLATFORM_CHECK:
            found.append(checks.DisabledSafetyCheck.platform())
        elif kind == _CUSTOM_CALL_CHECK:
            found.append(checks.DisabledSafetyCheck.custom_call(table.text(1)))
        elif kind != _SHAPE_CHECK:  # shapes are known here
            raise ft.damaged(f"there is no safety check of kind {kind}")
    return tuple(found)


def write(exported: Any, vjp: dict[int, Any] | None) -> dict[int, Any]:
    """The table of an exported program.

    Args:
        exported: the program.
        vjp: the table of its derivative, or None.

    Raises:
        ValueError, TypeError: its trees cannot be written.
        NotImplementedError: a dtype has no code.
    """
    unique = {aval: None for aval in (*exported.in_avals, *exported.out_avals)}
    avals = {aval: _write_aval(aval) for aval in unique}
    numbers = {aval: number for number, aval in enumerate(unique)}
    inputs, results = exported._in_named_shardings, exported._out_named_shardings
    placed = placement_tables.Written((*inputs, *results))
    f = Field
    return {
        f.VERSION: ft.Number("H", _VERSION),
        f.NAME: exported.fun_name,
        f.IN_TREE: trees.write(exported.in_tree),
        f.IN_AVALS: [avals[a] for a in exported.in_avals],
        f.OUT_TREE: trees.write(exported.out_tree),
        f.OUT_AVALS: [avals[a] for a in exported.out_avals],
        f.DEVICES_SHORT: ft.Number("h", min(exported.nr_devices, _SHORT)),
        f.IN_SHARDINGS: placed.copies(inputs, exported.in_shardings_hlo),
        f.OUT_SHARDINGS: placed.copies(results, exported.out_shardings_hlo),
        f.PLATFORMS: list(exported.platforms),
        f.ORDERED_EFFECTS: [],
        f.UNORDERED_EFFECTS: [],
        f.DISABLED_CHECKS: [_write_check(c) for c in exported.disabled_safety_checks],
        f.MODULE: exported.mlir_module_serialized,
        f.CALLING_CONVENTION: ft.Number("H", exported.calling_convention_version),
        f.KEPT: ft.Numbers("H", tuple(exported.module_kept_var_idx)),
        f.USES_GLOBAL_CONSTANTS: ft.Number("B", int(exported.uses_global_constants)),
        f.VJP: vjp,
        f.DEVICES: ft.Number("I", exported.nr_devices),
        f.UNIQUE_AVALS: list(avals.values()),
        f.UNIQUE_MESHES: placed.meshes,
        f.UNIQUE_SHARDINGS: placed.shardings,
        f.IN_AVAL_NUMBERS: ft.Numbers(
            "I", tuple(numbers[a] for a in exported.in_avals)
        ),
        f.OUT_AVAL_NUMBERS: ft.Numbers(
            "I", tuple(numbers[a] for a in exported.out_avals)
        ),
        **_sharding_numbers(exported, placed),
    }


def _sharding_numbers(exported, placed):
    """The placements by number; left out where only an older form says them."""
    if not exported._has_named_shardings:
        return {}
    return {
        Field.IN_SHARDING_NUMBERS: placed.numbers(exported._in_named_shardings),
        Field.OUT_SHARDING_NUMBERS: placed.numbers(exported._out_named_shardings),
    }


def read(
    table: ft.Table, depth: int = _GREATEST_ORDER, scope: Any = None
) -> dict[str, Any]:
    """The fields of an exported program by their names, and ``vjp``: the same, or None.

    Raises:
        ValueError: the bytes are damaged, or hold classes that are not registered.
        NotImplementedError: the program has effects, or arguments in another memory.
    """
    f = Field
    scope = scopes.SymbolicScope() if scope is None else scope
    if not depth:
        raise ft.damaged(f"derivatives are nested deeper than {_GREATEST_ORDER}")
    devices = table.number(f.DEVICES, "I") or table.number(f.DEVICES_SHORT, "h")
    if devices < 1:
        raise ft.damaged(f"it is for {devices} devices")
    for field in (f.ORDERED_EFFECTS, f.UNORDERED_EFFECTS):
        if effects := [entry.text(0) for entry in table.tables(field)]:
            raise _not_offered("effects", ", ".join(effects))
    nested = table.table(f.VJP)
    found = {
        "fun_name": table.text(f.NAME),
        "in_tree": trees.read(table.table(f.IN_TREE)),
        "in_avals": _read_avals(table, f.IN_AVAL_NUMBERS, f.IN_AVALS, scope),
        "out_tree": trees.read(table.table(f.OUT_TREE)),
        "out_avals": _read_avals(table, f.OUT_AVAL_NUMBERS, f.OUT_AVALS, scope),
        "nr_devices": devices,
        "platforms": tuple(table.texts(f.PLATFORMS)),
        "disabled_safety_checks": _read_checks(table.tables(f.DISABLED_CHECKS)),
        "mlir_module_serialized": table.data(f.MODULE),
        "calling_convention_version": table.number(f.CALLING_CONVENTION, "H"),
        "module_kept_var_idx": tuple(table.numbers(f.KEPT, "H")),
        "uses_global_constants": bool(table.number(f.USES_GLOBAL_CONSTANTS, "B")),
        "vjp": None if nested is None else read(nested, depth - 1, scope),
    }
    _check(found)
    _add_placements(found, table)
    return found


def _add_placements(found, table):
    """Adds the shardings of arguments and results, and has types on Explicit axes say it."""
    f = Field
    meshes = placement_tables.read_meshes(table.tables(f.UNIQUE_MESHES))
    shardings = [
        placement_tables.read_sharding(t, meshes)
        for t in table.tables(f.UNIQUE_SHARDINGS)
    ]
    for avals, fields, key, older in (
        ("in_avals", (f.IN_SHARDING_NUMBERS, f.IN_SHARDINGS), "inputs", "in"),
        ("out_avals", (f.OUT_SHARDING_NUMBERS, f.OUT_SHARDINGS), "results", "out"),
    ):
        count = len(found[avals])
        named, tiles = placement_tables.read_placements(
            table, fields, count, shardings, meshes
        )
        for aval, sharding in zip(found[avals], named, strict=True):
            if sharding is not None and len(sharding.spec) > aval.ndim:
                raise ft.damaged("a sharding speaks of more axes than its array has")
        found[key], found[f"{older}_shardings_hlo"] = named, tiles
        found[avals] = placements.types_on_mesh(found[avals], named)


def _read_avals(table, numbers_field, avals_field, scope) -> tuple[Any, ...]:
    if not table.has(numbers_field):
        return tuple(_read_aval(entry, scope) for entry in table.tables(avals_field))
    unique = [_read_aval(entry, scope) for entry in table.tables(Field.UNIQUE_AVALS)]
    numbers: Sequence[int] = table.numbers(numbers_field, "I")
    if any(number >= len(unique) for number in numbers):
        raise ft.damaged("an argument or result has no type")
    return tuple(unique[number] for number in numbers)


def _check(found):
    """Raises an error for data that contradict themselves."""
    n_in = len(found["in_avals"])
    for tree, avals in (("in_tree", "in_avals"), ("out_tree", "out_avals")):
        if found[tree].num_leaves != len(found[avals]):
            raise ft.damaged(f"{tree} and {avals} differ in their number of leaves")
    shape = found["in_tree"].node_data(), len(found["in_tree"].children())
    if shape != ((tuple, None), 2):
        raise ft.damaged("in_tree is no pair of arguments")
    kept = found["module_kept_var_idx"]
    if any(index >= n_in for index in kept) or len(set(kept)) != len(kept):
        raise ft.damaged("module_kept_var_idx does not fit the arguments")
    if not found["platforms"]:
        raise ft.damaged("it names no platform")
