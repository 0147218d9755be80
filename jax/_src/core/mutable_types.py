"""Values of libraries that change, while functions that use them are traced.

Such a value, of a type with `has_qdd`, is a Python object whose state is made of arrays.
A function that is traced to a program uses the object itself: when it first does, the
arrays of its state become inputs, as if there were a reference for each; at the end the
object gets its state from before, and what changed is output. Who calls the program reads
the state then, and stores it.
"""

import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from jax._src.base import errors, util
from jax._src.core import (
    avals,
    primitive as primitive_lib,
    reference_types,
    references,
    state,
    trace as trace_lib,
)

# Whether a type of values that change was ever made.
seen = util.Seen()


def is_changing(x: Any) -> bool:
    """Whether `x` is a value that changes, and no traced one."""
    return (
        seen.yes
        and not isinstance(x, trace_lib.Tracer)
        and avals.is_value(x)
        and avals.get_aval(x).has_qdd
    )


class _DirectTrace(trace_lib.Trace):
    """Applies operations of libraries to objects as they are, whatever these hold."""

    __slots__ = ()

    parent: trace_lib.Trace

    def process(
        self, primitive: primitive_lib.Primitive, args: tuple, params: dict
    ) -> Any:
        if primitive.is_high(*map(avals.get_aval, args), **params):
            return primitive.rules["impl"](*args, **params)
        with state.tracing(self.parent):
            return self.parent.process(primitive, args, params)


def _directly():
    return state.tracing(_DirectTrace(state.current(), "state"))


class _Parts:
    """An object with a state of one type, and a reference for each array of it."""

    __slots__ = ("__weakref__", "aval", "home", "refs", "state", "value")

    def __init__(self, value: Any, aval: Any, state_type: Any, home: trace_lib.Trace):
        self.value = value
        self.aval = aval
        self.state = state_type
        self.home = home
        types = aval.lo_ty_qdd(state_type)
        self.refs = [_PartRef(self, i, t, home) for i, t in enumerate(types)]

    def set(self, arrays: Sequence[Any]) -> None:
        """Gives the object a state of this type, of these arrays."""
        with _directly():
            self.aval.update_from_loval(self.state, self.value, *arrays)


# By identity of the object: branches that use one shall name the same references.
_known: weakref.WeakValueDictionary[int, _Parts] = weakref.WeakValueDictionary()


def _parts_of(value, aval, state_type, home):
    known = _known.get(id(value))
    if known is None or (known.state, known.home) != (state_type, home):
        known = _known[id(value)] = _Parts(value, aval, state_type, home)
    return known


class _Entered:
    """An object from outside that a trace uses, and its state outside."""

    __slots__ = ("arrays", "parts")

    def __init__(self, value: Any, home: trace_lib.Trace):
        aval: Any = avals.get_aval(value)
        with _directly():
            state_type = value.cur_qdd()
            self.arrays = list(aval.read_loval(state_type, value))
        if trace_lib.find_tracer(self.arrays) is None:
            home = trace_lib.evaluation
        self.parts = _parts_of(value, aval, state_type, home)


class _PartRef(references.Ref):
    """An array of the state of an object, as a reference."""

    __slots__ = ("parts", "index")

    def __init__(self, parts: _Parts, index: int, aval: Any, home: trace_lib.Trace):
        super().__init__(reference_types.AbstractRef(aval), None)
        self.home = home
        self.parts = parts
        self.index = index

    def is_current(self) -> bool:
        with _directly():
            return self.parts.value.cur_qdd() == self.parts.state

    def _arrays(self):
        parts = self.parts
        return list(parts.aval.read_loval(parts.state, parts.value))

    def read(self) -> Any:
        enter_all(state.current(), self.parts.value)
        return self._arrays()[self.index]

    def write(self, value: Any) -> None:
        parts, arrays = self.parts, self._arrays()
        arrays[self.index] = value
        parts.aval.update_from_loval(parts.state, parts.value, *arrays)


class NewStateRef(references.Ref):
    """Takes one array of a state of another type than before; the last one changes it."""

    __slots__ = ("arrays", "parts", "state")

    def __init__(self, parts: _Parts, new_state: Any, arrays: list):
        super().__init__(reference_types.AbstractRef(avals.get_aval(False)), None)
        self.home = parts.home
        self.parts = parts
        self.state = new_state
        # Shared by those of one state: its arrays, each None until it is known.
        self.arrays = arrays

    def read(self) -> Any:
        return False

    def write(self, value: Any) -> None:
        parts = self.parts
        self.arrays.append(value)
        count = len(parts.aval.lo_ty_qdd(self.state))
        if len(self.arrays) == max(count, 1):
            arrays = self.arrays[:count]
            self.arrays.clear()
            parts.aval.update_from_loval(self.state, parts.value, *arrays)


class Uses:
    """The objects that a trace uses: those made under it, and those from outside."""

    __slots__ = ("entered", "own")

    def __init__(self) -> None:
        self.own: dict[int, Any] = {}
        self.entered: dict[int, _Entered] = {}

    def knows(self, value: Any) -> bool:
        """Whether the trace uses the object already."""
        return id(value) in self.own or id(value) in self.entered

    def leave(self) -> Iterator[tuple[references.Ref, Any]]:
        """Gives all objects their state from outside.

        Yields:
            References, and what shall be written to them.
        """
        for entered in self.entered.values():
            parts = entered.parts
            with _directly():
                now = parts.value.cur_qdd()
                arrays = list(parts.aval.read_loval(now, parts.value))
            parts.set(entered.arrays)
            if now == parts.state:
                yield from zip(parts.refs, arrays, strict=True)
                continue
            shared: list[Any] = []
            for value in arrays or [False]:
                yield NewStateRef(parts, now, shared), value
        self.entered = {}

    def restore(self) -> None:
        """Gives all objects their state from outside, after a mistake."""
        for entered in self.entered.values():
            entered.parts.set(entered.arrays)
        self.entered = {}


def enter_all(trace: Any, value: Any) -> None:
    """Makes an object known to a trace and to those around it."""
    if trace is None:
        return
    uses = trace.uses_of_objects()
    if uses is None:
        enter_all(trace.parent, value)
    elif not uses.knows(value):
        enter_all(trace.parent, value)
        entered = uses.entered[id(value)] = _Entered(value, trace.parent)
        entered.parts.set([trace.first_of(ref) for ref in entered.parts.refs])


def refuse_new_types(refs: Sequence[references.Ref], what: str) -> None:
    """Refuses states of other types than before.

    Raises:
        TypeError: there is one.
    """
    for ref in refs:
        if isinstance(ref, NewStateRef):
            raise errors.type_error(
                f"{what}: the state of a value gets another type.",
                [
                    ("value", ref.parts.aval.str_short()),
                    ("before", str(ref.parts.state)),
                    ("after", str(ref.state)),
                ],
                "Loops and branches leave the types of states as they are.",
                "Give it a state of that type before.",
            )


def objects_of(refs: Sequence[references.Ref]) -> list[Any]:
    """The objects of whose states some references are parts."""
    return [ref.parts.value for ref in refs if isinstance(ref, _PartRef | NewStateRef)]
