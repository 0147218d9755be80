"""Native functions of the untyped interface, behind handlers of the typed one.

Such a function is ``void f(void *out, const void **in, ...)``: `out` is the memory of the result, or an array of
pointers where there are several. What follows depends on the version that the call names: nothing (1), a status
(2), or opaque bytes, their number and a status (3).
"""

import ctypes
from collections.abc import Callable
from typing import Any

# Of a call: the version it names, and the bytes it passes, as attributes of the typed interface.
VERSION, OPAQUE = "untyped_version", "untyped_opaque"
VERSIONS = (1, 2, 3)

_POINTER = ctypes.c_void_p
_POINTERS = ctypes.POINTER(ctypes.c_void_p)
_METADATA_EXTENSION = 1
_EXECUTE = 3
# XlaCustomCallStatus begins with an optional message; zeros are success.
_STATUS_BYTES = 64


class _Extension(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("type", ctypes.c_int), ("next", _POINTER)]


class _Version(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extensions", _POINTER),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
    ]


class _Metadata(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("version", _Version)]


class _MetadataExtension(ctypes.Structure):
    _fields_ = [("base", _Extension), ("metadata", ctypes.POINTER(_Metadata))]


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extensions", _POINTER),
        ("dtype", ctypes.c_int),
        ("data", _POINTER),
    ]


class _Values(ctypes.Structure):
    """Arguments or results."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extensions", _POINTER),
        ("count", ctypes.c_int64),
        ("types", _POINTER),
        ("values", ctypes.POINTER(ctypes.POINTER(_Buffer))),
    ]


class _Bytes(ctypes.Structure):
    _fields_ = [("data", _POINTER), ("count", ctypes.c_size_t)]


class _Scalar(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("value", ctypes.POINTER(ctypes.c_int32))]


class _Attributes(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extensions", _POINTER),
        ("count", ctypes.c_int64),
        ("types", _POINTER),
        ("names", ctypes.POINTER(ctypes.POINTER(_Bytes))),
        ("values", _POINTERS),
    ]


class _Frame(ctypes.Structure):
    """A call, as the header of the typed interface has it."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extensions", ctypes.POINTER(_Extension)),
        ("api", _POINTER),
        ("context", _POINTER),
        ("stage", ctypes.c_int),
        ("arguments", _Values),
        ("results", _Values),
        ("attributes", _Attributes),
    ]


_HANDLER = ctypes.CFUNCTYPE(_POINTER, ctypes.POINTER(_Frame))
_FUNCTIONS = {
    1: ctypes.CFUNCTYPE(None, _POINTER, _POINTERS),
    2: ctypes.CFUNCTYPE(None, _POINTER, _POINTERS, _POINTER),
    3: ctypes.CFUNCTYPE(
        None, _POINTER, _POINTERS, ctypes.c_char_p, ctypes.c_size_t, _POINTER
    ),
}
# Handlers live as long as the process: programs may call them until it ends.
_kept: list[Any] = []


def handler(address: int) -> Callable:
    """A typed handler that calls an untyped function.

    Args:
        address: that of the function.
    """

    @_HANDLER
    def call(frame: Any) -> None:
        this = frame.contents
        if this.extensions:
            _answer(this.extensions)
        elif this.stage == _EXECUTE:
            _run(address, this)

    _kept.append(call)
    return call


def _answer(extension):
    """Says of which version of the typed interface a handler is."""
    if extension.contents.type == _METADATA_EXTENSION:
        found = ctypes.cast(extension, ctypes.POINTER(_MetadataExtension)).contents
        found.metadata.contents.version.major = 0
        found.metadata.contents.version.minor = 1


def _memory(values):
    found = [values.values[i].contents.data for i in range(values.count)]
    return (ctypes.c_void_p * max(len(found), 1))(*found)


def _attributes(found):
    out = {}
    for i in range(found.count):
        name = found.names[i].contents
        out[ctypes.string_at(name.data, name.count).decode()] = found.values[i]
    return out


def _run(address, frame):
    given = _attributes(frame.attributes)
    number = ctypes.cast(given[VERSION], ctypes.POINTER(_Scalar)).contents
    opaque = ctypes.cast(given[OPAQUE], ctypes.POINTER(_Bytes)).contents
    operands, results = _memory(frame.arguments), _memory(frame.results)
    out = results[0] if frame.results.count == 1 else ctypes.addressof(results)
    version = number.value[0]
    status = ctypes.create_string_buffer(_STATUS_BYTES)
    rest: list[Any] = []
    if version == 3:
        rest += [ctypes.string_at(opaque.data, opaque.count), opaque.count]
    if version > 1:
        rest.append(ctypes.addressof(status))
    _FUNCTIONS[version](address)(out, operands, *rest)
