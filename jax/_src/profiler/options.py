"""Options of profiles."""

from typing import Any

from jax._src.base import errors, protobuf

_SCHEMA = protobuf.Schema(
    {
        "ProfileOptions": """
            include_dataset_ops=1:bool host_tracer_level=2:uint device_tracer_level=3:uint
            python_tracer_level=4:uint version=5:uint device_type=6:int
            enable_hlo_proto=7:bool start_timestamp_ns=8:uint duration_ms=9:uint
            repository_path=10:text advanced_configuration=12:*Entry
            raise_error_on_start_failure=13:bool session_id=14:text
        """,
        "Entry": "key=1:text value=2:Value",
        "Value": "bool_value=1:bool int64_value=2:int string_value=3:text",
    }
)

_UNSIGNED = "a whole number from 0"
# Name -> the type that is wanted, in words, and the default.
_FIELDS: dict[str, tuple[str, Any]] = {
    "host_tracer_level": (_UNSIGNED, 2),
    "python_tracer_level": (_UNSIGNED, 1),
    "enable_hlo_proto": ("a bool", True),
    "include_dataset_ops": ("a bool", True),
    "duration_ms": (_UNSIGNED, 0),
    "start_timestamp_ns": (_UNSIGNED, 0),
    "repository_path": ("a str", ""),
    "raise_error_on_start_failure": ("a bool", False),
    "session_id": ("a str", ""),
    "advanced_configuration": ("a dict", {}),
}


def _fits(kind: str, value: Any) -> bool:
    if kind == _UNSIGNED:
        return isinstance(value, int) and 0 <= value < 1 << 64
    return isinstance(value, {"a bool": bool, "a str": str, "a dict": dict}[kind])


def _field(name: str) -> Any:
    kind, default = _FIELDS[name]

    def read(self: "ProfileOptions") -> Any:
        return self._values.get(name, default)

    def write(self: "ProfileOptions", value: Any) -> None:
        if not _fits(kind, value):
            raise errors.type_error(
                f"ProfileOptions.{name}: incompatible value.",
                [("value", repr(value)), ("type", type(value).__name__)],
                f"It is {kind}.",
                f"The default is {default!r}.",
            )
        if kind == "a dict":
            value = {str(key): _plain(entry) for key, entry in value.items()}
        self._values[name] = int(value) if kind == _UNSIGNED else value

    return property(read, write, doc=f"`{name}` of the profile: {kind}.")


def _plain(value: Any) -> bool | int | str:
    return value if isinstance(value, (bool, int, str)) else str(value)


class ProfileOptions:
    """What a profile records, and where it is written.

    Attributes that are not listed may be set too. Of these, `device_tracer_level` 0 leaves
    out the operations of compiled programs.

    Attributes:
        host_tracer_level: 0 records no spans of the host; 1 those of annotations; 2 and
            above those of tracing and compiling too.
        python_tracer_level: 0 records no calls of Python functions.
        enable_hlo_proto: whether programs are part of the profile.
        include_dataset_ops: has no effect.
        duration_ms: how long the profile lasts at most; 0: until it is stopped.
        start_timestamp_ns: has no effect: a profile starts where `start_trace` is called.
        repository_path: has no effect.
        raise_error_on_start_failure: has no effect: errors are always raised.
        session_id: the name of the folder of the run; empty: the time of its end.
        advanced_configuration: values by name, for plugins. `cpu_device_planes` False leaves
            out the planes from which viewers make their tables of operations.
    """

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}

    host_tracer_level = _field("host_tracer_level")
    python_tracer_level = _field("python_tracer_level")
    enable_hlo_proto = _field("enable_hlo_proto")
    include_dataset_ops = _field("include_dataset_ops")
    duration_ms = _field("duration_ms")
    start_timestamp_ns = _field("start_timestamp_ns")
    repository_path = _field("repository_path")
    raise_error_on_start_failure = _field("raise_error_on_start_failure")
    session_id = _field("session_id")
    advanced_configuration = _field("advanced_configuration")


def serialize(options: ProfileOptions) -> bytes:
    """The options as the message ``ProfileOptions`` of profiling plugins."""
    message = {name: getattr(options, name) for name in _FIELDS}
    message["version"] = 1
    message["device_tracer_level"] = int(getattr(options, "device_tracer_level", 1))
    message["advanced_configuration"] = [
        {"key": key, "value": {_value_field(value): value}}
        for key, value in options.advanced_configuration.items()
    ]
    return _SCHEMA.encode("ProfileOptions", message)


def _value_field(value: bool | int | str) -> str:
    if isinstance(value, bool):
        return "bool_value"
    return "int64_value" if isinstance(value, int) else "string_value"


def deserialize(data: bytes) -> ProfileOptions:
    """The options that a message states.

    Raises:
        ValueError: the bytes are no such message.
    """
    message = _SCHEMA.decode("ProfileOptions", data)
    options = ProfileOptions()
    if not message.get("version"):
        return options  # a client that states no version leaves the defaults
    for name, (kind, _) in _FIELDS.items():
        empty = {_UNSIGNED: 0, "a bool": False, "a str": ""}.get(kind)
        if empty is not None:
            setattr(options, name, message.get(name, empty))
    options.advanced_configuration = {
        entry.get("key", ""): next(iter(entry.get("value", {}).values()), "")
        for entry in message.get("advanced_configuration", [])
    }
    options.device_tracer_level = message.get("device_tracer_level", 0)
    return options
