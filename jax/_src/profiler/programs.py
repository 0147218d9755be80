"""The programs of a profile, as viewers want them: the message ``HloProto``.

Our plugin hands out its optimized programs as StableHLO text; it becomes HLO here, where HLO has a form of it.
"""

from typing import Any

from jax._src.base import protobuf
from jax._src.interpreters import hlo, mlir
from jax._src.profiler import xspace

_TEXT = "stablehlo"
_SCHEMA = protobuf.Schema(
    {"HloProto": "hlo_module=1:bytes", "Stamp": "name=1:text id=5:int"}
)


def with_hlo(plane: bytes) -> bytes:
    """The plane ``/host:metadata`` with an ``HloProto`` of each program in place of its text."""
    message = xspace.decode("XPlane", plane)
    names = {e["key"]: e["value"].get("name") for e in message.get("stat_metadata", [])}
    number = max(names, default=0) + 1
    for entry in message.get("event_metadata", []):
        program = entry.get("value", {})
        kept, text, identity = [], None, 0
        for stat in program.get("stats", []):
            name = names.get(stat.get("metadata_id"))
            if name == _TEXT:
                text = stat.get("str_value", "")
                continue
            identity = stat.get("int64_value", 0) if name == "program_id" else identity
            kept.append(stat)
        proto = None if text is None else _hlo_proto(text, identity)
        if proto is not None:
            kept.append({"metadata_id": number, "bytes_value": proto})
        program["stats"] = kept
    entries = message.setdefault("stat_metadata", [])
    entries.append({"key": number, "value": {"id": number, "name": "Hlo Proto"}})
    return xspace.encode("XPlane", message)


def _hlo_proto(text: str, identity: int) -> bytes | None:
    """None where HLO has no form of the program."""
    try:
        with mlir.make_ir_context():
            module: Any = mlir.ir.Module.parse(text)
            program = hlo.programs.of_stablehlo(module, has_locations=False)
            found = program.as_serialized_hlo_module_proto()
    except (NotImplementedError, ValueError, KeyError):
        return None
    # The number comes last, and so is the one that counts.
    found += _SCHEMA.encode("Stamp", {"id": identity})
    return _SCHEMA.encode("HloProto", {"hlo_module": found})
