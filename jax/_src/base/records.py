"""Immutable records: frozen, slotted dataclasses whose classes are cheap to make.

The standard library compiles six methods from text for each such class, which for the
records of this package was a seventh of the time of its import. Here the methods are
closures over the names of the fields, but for `__init__`: that is compiled when the first
record of its class is made.
"""

import importlib
import inspect
import operator
import typing
from collections.abc import Callable
from typing import Any, TypeVar

_T = TypeVar("_T")


@typing.dataclass_transform(frozen_default=True)
def record(cls: type[_T]) -> type[_T]:
    """Decorates a class of annotated fields: its instances are equal if their fields are.

    Args:
        cls: a class of fields, some with defaults, and methods. Bases are records or have
            no instance variables.

    Returns:
        a class of the same name with a slot for each field, an `__init__` that takes them
        by position or name, comparison, hash, `repr`, pickling, and no assignment.
    """
    made = _with_slots(cls)
    values = made.__record_values__  # type: ignore[attr-defined]

    def is_equal(self, other):
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    _add(made, cls, __eq__=is_equal, __hash__=lambda self: hash(values(self)))
    return made


@typing.dataclass_transform(frozen_default=True, eq_default=False)
def identity_record(cls: type[_T]) -> type[_T]:
    """Like `record`, but an instance is equal to nothing but itself."""
    return _with_slots(cls)


def fields_of(cls: type) -> tuple[str, ...]:
    """The names of the fields of a record's class, in the order of its arguments."""
    return cls.__match_args__  # type: ignore[attr-defined]


def replace(record: _T, **changes: Any) -> _T:
    """A record with other values in the fields that are named.

    Raises:
        TypeError: there is no such field.
    """
    return type(record)(**(as_dict(record) | changes))


def as_dict(record: Any, cls: type | None = None) -> dict[str, Any]:
    """The values of a record's fields by name; of those alone that its base `cls` has."""
    cls = cls or type(record)
    values = cls.__record_values__(record)  # type: ignore[attr-defined]
    return dict(zip(fields_of(cls), values, strict=True))


def _with_slots(cls: type) -> type:
    """Returns the class with slots for its fields, but without methods for comparison."""
    own = _names_of_fields(cls)
    fields = (*getattr(cls, "__match_args__", ()), *own)
    defaults = dict(getattr(cls, "__record_defaults__", ()))
    namespace = dict(cls.__dict__)
    for name in own:
        if name in namespace:
            defaults[name] = namespace.pop(name)
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    namespace |= {
        "__slots__": own,
        "__match_args__": fields,
        "__record_defaults__": defaults,
        "__record_values__": (values := _getter(fields)),
    }
    if "__init__" not in cls.__dict__:
        namespace["__signature__"] = _Signature()
    made = type(cls)(cls.__name__, cls.__bases__, namespace)

    def first_init(self, /, *args, **kwargs):
        init = _compiled_init(made, fields, defaults)
        made.__init__ = init  # type: ignore[misc]
        init(self, *args, **kwargs)

    def describe(self):
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in fields)
        return f"{type(self).__qualname__}({shown})"

    def refuse(self, name, *value):
        raise AttributeError(
            f"{type(self).__name__}.{name} cannot be changed: records are immutable."
        )

    _add(
        made,
        cls,
        __init__=first_init,
        __repr__=describe,
        __setattr__=refuse,
        __delattr__=refuse,
        __reduce__=lambda self: (type(self), values(self)),
    )
    return made


def _names_of_fields(cls: type) -> tuple[str, ...]:
    """The names that a class annotates itself, in order."""
    annotate = cls.__dict__.get("__annotate_func__")
    if annotate is None:
        return tuple(cls.__dict__.get("__annotations__", ()))
    # From Python 3.14 on, annotations are evaluated when they are read: names of types
    # that are not there yet stand in the function's code, and so do the names of fields.
    try:
        return tuple(annotate(1))
    except NameError:
        annotationlib = importlib.import_module("annotationlib")
        as_text = annotationlib.Format.STRING
        return tuple(annotationlib.call_annotate_function(annotate, as_text))


class _Signature:
    """The signature of a record's class, for `inspect.signature` before the first record is made."""

    def __get__(self, record: Any, owner: type) -> inspect.Signature:
        if record is not None:
            raise AttributeError("__signature__")
        kind, none = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
        defaults = vars(owner)["__record_defaults__"]
        return inspect.Signature(
            inspect.Parameter(name, kind, default=defaults.get(name, none))
            for name in fields_of(owner)
        )


def _add(made: type, written: type, **methods: Callable) -> None:
    """Gives a class methods that it does not define itself."""
    for name, method in methods.items():
        if name not in written.__dict__ or written.__dict__[name] is None:
            method.__name__, method.__qualname__ = name, f"{made.__qualname__}.{name}"
            setattr(made, name, method)


def _getter(fields: tuple[str, ...]) -> Callable[[Any], tuple]:
    """The values of the fields of a record, as a tuple."""
    if len(fields) > 1:
        return operator.attrgetter(*fields)
    return lambda record: tuple(getattr(record, name) for name in fields)


def _compiled_init(
    cls: type, fields: tuple[str, ...], defaults: dict[str, Any]
) -> Callable:
    """An `__init__` with the fields as parameters, which writes into their slots."""
    parameters = [f"{f}=_defaults[{f!r}]" if f in defaults else f for f in fields]
    lines = [f"    _set_{f}(self, {f})" for f in fields] or ["    pass"]
    scope: dict[str, Any] = {f"_set_{f}": getattr(cls, f).__set__ for f in fields}
    scope["_defaults"] = defaults
    source = f"def __init__(self, {', '.join(parameters)}):\n" + "\n".join(lines)
    exec(source, scope)
    return scope["__init__"]
