"""Members that a type gives to the traced values of it.

A traced value has the members of arrays. What it has besides is looked up in its type:
a method is an `aval_method` in the class of the type, a property an `aval_property`.
"""

import types
from collections.abc import Mapping
from typing import Any

from jax._src.base import records


@records.record
class aval_method:
    """A method of traced values: ``fun(value, *args)``.

    An attribute of this kind of the class of a type is found on traced values of it.
    """

    fun: Any


@records.record
class aval_property:
    """A property of traced values: ``fget(value)``."""

    fget: Any


_MISSING = object()


def found_in_type(tracer: Any, aval: Any, name: str) -> Any:
    """What the type of a traced value says that `name` is of it.

    Of a library's type above arrays, other attributes are those of the traced value, too.

    Raises:
        AttributeError: the type knows no member of that name.
    """
    member = getattr(aval, name, _MISSING)
    if isinstance(member, aval_method):
        return types.MethodType(member.fun, tracer)
    if isinstance(member, aval_property):
        return member.fget(tracer)
    if member is not _MISSING and aval.is_high:
        return member
    kind = type(tracer).__name__
    raise AttributeError(
        f"{kind} has no attribute {name}: its type, {aval}, defines none.",
        name=name,
        obj=tracer,
    )


def give_to_type(kind: type, members: Mapping[str, Any]) -> None:
    """Makes methods and properties of arrays members of a class of types.

    Names that the class defines itself, such as `shape`, and operators stay as they are.
    """
    for name, member in members.items():
        if name.startswith("__") or name in vars(kind):
            continue
        is_property = isinstance(member, property)
        wrapped: Any = (
            aval_property(member.fget) if is_property else aval_method(member)
        )
        setattr(kind, name, wrapped)
