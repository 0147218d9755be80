"""Containers of third-party libraries that `vmap` takes apart by their own functions."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src.base import errors, records
from jax._src.core import avals, state
from jax._src.interpreters.batching import trace as trace_lib


@records.record
class _Kind:
    spec_type: type
    to_elt: Callable
    from_elt: Callable
    make_iota: Callable | None


_kinds: dict[type, _Kind] = {}
_lock = threading.Lock()


def register_vmappable(
    data_type: type,
    spec_type: type,
    axis_size_type: type,
    to_elt: Callable,
    from_elt: Callable,
    make_iota: Callable | None,
) -> None:
    """Makes objects of a class arguments and results of mapped functions.

    Where `in_axes` or `out_axes` has an object of `spec_type`, `vmap` asks the functions.

    Args:
        data_type: the class of containers, which are leaves of trees.
        spec_type: the class of a batch dimension spec. Where it is `int`, containers
            are like arrays: they have a shape and a dtype, and an integer in `in_axes` or
            `out_axes` is an axis of theirs.
        axis_size_type: must be `int`: sizes are numbers.
        to_elt: ``f(row, index, container, spec)`` gives what the mapped function gets;
            ``row(x, axis)`` is one of the batch elements of an array along an axis, and ``index()``
            the number of the batch element.
        from_elt: ``f(stack, size, element, spec)`` gives a container; ``stack(size, x,
            axis)`` is the array of batch elements of which `x` is one.
        make_iota: from the size to the indices of batch elements; None: an array of integers.

    Raises:
        NotImplementedError: sizes are no numbers.
        ValueError: the class is registered with other functions.
    """
    if axis_size_type is not int:
        raise errors.not_implemented(
            "register_vmappable: sizes of mapped axes that are no integers.",
            [("axis_size_type", axis_size_type.__name__)],
            "An axis has as many rows as an integer says.",
            "Pass int.",
        )
    kind = _Kind(spec_type, to_elt, from_elt, make_iota)
    with _lock:
        if _kinds.setdefault(data_type, kind) != kind:
            raise errors.value_error(
                "register_vmappable: the class is registered in another way.",
                [("class", data_type.__name__)],
                "A class has one way in which its rows are taken apart.",
                "Call unregister_vmappable first.",
            )


def unregister_vmappable(data_type: type) -> None:
    """Undoes `register_vmappable`.

    Raises:
        KeyError: the class is not registered.
    """
    with _lock:
        del _kinds[data_type]


def is_container(x: Any) -> bool:
    """Whether `x` is of a registered class."""
    return type(x) in _kinds


def leaf_test() -> Callable[[Any], bool] | None:
    """Returns the predicate of containers that are pytrees; None if no class is registered."""
    return is_container if _kinds else None


def is_spec(x: Any) -> bool:
    """Whether `x` is the batch dimension spec of a container, and no axis of arrays."""
    return not isinstance(x, int | avals.MappingSpec) and any(
        isinstance(x, kind.spec_type) for kind in _kinds.values()
    )


def takes(x: Any, spec: Any) -> bool:
    """Whether the class of `x` takes it apart, or `spec` says that one does."""
    return is_spec(spec) or (spec is not None and is_container(x))


def is_entry(x: Any) -> bool:
    """Whether `x` may be in `in_axes`: an axis, None, or what a type or class knows."""
    return isinstance(x, int | None | avals.MappingSpec) or is_spec(x)


def aval(container: Any, spec: Any) -> Any:
    """The type of a container that is like an array; None for the others."""
    if not (isinstance(spec, int) and is_container(container)):
        return None
    return avals.ShapedArray(container.shape, container.dtype)


def _kind_for(container, spec):
    kind = _kinds.get(type(container))
    if kind is None or not isinstance(spec, kind.spec_type):
        raise errors.type_error(
            "vmap: the rows of a value are not described as its class wants it.",
            [
                ("value", type(container).__name__),
                ("described by", f"{type(spec).__name__}: {spec!r}"[:60]),
            ],
            "in_axes and out_axes have an integer or None for arrays, and an object of "
            "the class's own for containers.",
        )
    return kind


def element(container: Any, spec: Any) -> Any:
    """What the function mapped by the current trace gets of a container."""
    trace = state.current()

    def index():
        size = trace.axis.size
        numbers = _kind_for(container, spec).make_iota
        made = np.arange(size, dtype=np.int32) if numbers is None else numbers(size)
        return trace.join(made, 0)

    return element_of(trace, container, spec, index)


def element_of(
    trace: trace_lib.BatchTrace, container: Any, spec: Any, index: Callable[[], Any]
) -> Any:
    """What a function mapped by `trace` gets of a container, where `index` is its position."""

    def row(x, axis):
        return trace.join(x, axis % len(x.shape))

    return _kind_for(container, spec).to_elt(row, index, container, spec)


def container(trace: trace_lib.BatchTrace, elt: Any, spec: Any) -> Any:
    """The container of batch elements of which a mapped function returned one."""
    kind = _kind_for(elt, spec)

    def stack(size, x, axis):
        value, dim = trace.split(x)
        rank = len(value.shape) + (dim is None)
        return trace_lib.move_to(value, dim, axis % rank, size)

    return kind.from_elt(stack, trace.axis.size, elt, spec)
