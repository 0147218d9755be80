"""Python objects as bytes for other processes: functions by their code, with the package cloudpickle."""

import dataclasses
import importlib
import io
from typing import Any

from jax._src.base import errors

# Marks that `dataclasses` compares by identity: they arrive as the receiver's own.
_MARKS = (
    type(dataclasses.MISSING),
    type(dataclasses.KW_ONLY),
    type(dataclasses._HAS_DEFAULT_FACTORY),  # type: ignore[attr-defined]
)
_no_module = errors.maker(ModuleNotFoundError, errors.explain)


def _cloudpickle() -> Any:
    try:
        return importlib.import_module("cloudpickle")
    except ModuleNotFoundError as error:
        raise _no_module(
            'No module named "cloudpickle"',
            rule="Functions are sent to other processes with it.",
            ways="Install it: pip install cloudpickle.",
        ) from error


def _mark_of(mark):
    named = {
        id(dataclasses.MISSING): "MISSING",
        id(dataclasses.KW_ONLY): "KW_ONLY",
        id(dataclasses._HAS_DEFAULT_FACTORY): "_HAS_DEFAULT_FACTORY",  # type: ignore[attr-defined]
    }
    return named[id(mark)]


def dumps(obj: Any) -> bytes:
    """An object as bytes.

    Raises:
        ModuleNotFoundError: cloudpickle is not installed.
    """
    base = _cloudpickle().CloudPickler
    table = dict(base.dispatch_table) | dict.fromkeys(_MARKS, _mark_of)
    table[dataclasses._FIELD_BASE] = lambda kind: kind.name  # type: ignore[attr-defined]
    pickler = type("Pickler", (base,), {"dispatch_table": table})
    with io.BytesIO() as file:
        pickler(file).dump(obj)
        return file.getvalue()


def loads(data: bytes) -> Any:
    """The object that bytes of `dumps` stand for.

    Raises:
        ModuleNotFoundError: cloudpickle is not installed.
    """
    return _cloudpickle().loads(data)
