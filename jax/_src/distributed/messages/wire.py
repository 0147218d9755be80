"""Messages as protocol buffers: classes of the package `protobuf`, made from classes whose fields say their numbers."""

from typing import Any, NamedTuple

from google.protobuf import (
    descriptor_pb2,
    descriptor_pool,
    message as protobuf,
    message_factory,
)

# A value of the key-value store may have 4 MiB; the rest is for keys and texts.
MAX_MESSAGE_BYTES = (4 << 20) + (64 << 10)
_PACKAGE = "jax.coordination"
_Proto = descriptor_pb2.FieldDescriptorProto
_TYPES = {
    "int": _Proto.TYPE_INT64,
    "bool": _Proto.TYPE_BOOL,
    "fixed64": _Proto.TYPE_FIXED64,
    "text": _Proto.TYPE_STRING,
    "bytes": _Proto.TYPE_BYTES,
}
_pool = descriptor_pool.DescriptorPool()


class Malformed(ValueError):
    """Bytes that are no message of the wanted kind."""


class _Field(NamedTuple):
    number: int
    kind: Any
    label: int


def field(number: int, kind: Any) -> Any:
    """A field of a message.

    Args:
        number: its number on the wire.
        kind: ``"int"`` (64 bits, signed), ``"bool"``, ``"fixed64"`` (unsigned), ``"text"``, ``"bytes"``, or
            the class of a message.
    """
    return _Field(number, kind, _Proto.LABEL_OPTIONAL)


def repeated(number: int, kind: Any) -> Any:
    """A field that holds a list. Kinds as for `field`."""
    return _Field(number, kind, _Proto.LABEL_REPEATED)


def message(declared: type) -> Any:
    """Makes the class of a message, a `google.protobuf.message.Message`, from one that lists its fields.

    Fields that hold the empty value are left out on the wire; whether a field that is a message is there,
    `HasField` says.
    """
    name = declared.__name__
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{name}.proto", package=_PACKAGE, syntax="proto3"
    )
    proto = file.message_type.add(name=name)
    for field_name, row in vars(declared).items():
        if not isinstance(row, _Field):
            continue
        made = proto.field.add(name=field_name, number=row.number, label=row.label)
        if isinstance(row.kind, str):
            made.type = _TYPES[row.kind]
            continue
        made.type, described = _Proto.TYPE_MESSAGE, row.kind.DESCRIPTOR
        made.type_name = f".{described.full_name}"
        if described.file.name not in file.dependency:
            file.dependency.append(described.file.name)
    _pool.AddSerializedFile(file.SerializeToString())
    found = _pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")
    return message_factory.GetMessageClass(found)


def names(kind: Any) -> list[str]:
    """The names of a message's fields, in the order in which they were declared."""
    return [row.name for row in kind.DESCRIPTOR.fields]


def encode(sent: Any) -> bytes:
    """The bytes of a message."""
    return sent.SerializeToString()


def decode(kind: Any, data: bytes) -> Any:
    """The message that the bytes hold. Fields that it does not have are skipped.

    Raises:
        Malformed: they hold none, or are too many.
    """
    if len(data) > MAX_MESSAGE_BYTES:
        raise Malformed(f"a message of {len(data)} bytes; {MAX_MESSAGE_BYTES} may be")
    try:
        return kind.FromString(bytes(data))
    except protobuf.DecodeError as error:
        raise Malformed(str(error)) from None
