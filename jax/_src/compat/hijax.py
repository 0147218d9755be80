"""Types that libraries define, above arrays, and primitives on them.

Values of such types pass through evaluation and differentiation. Programs of arrays
are what is compiled: a primitive is written with lower ones by its `to_lojax`.
"""

from collections.abc import Callable
from typing import Any

from jax._src.base import traceback_filter
from jax._src.core import (
    aval_members,
    avals as avals_lib,
    mutable_types,
    primitive,
)
from jax._src.interpreters import ad, hijax, partial_eval as pe


class HiType(avals_lib.AbstractValue):
    """The type of values that are not arrays; subclasses say what they are made of."""

    is_high = True
    has_qdd = False

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        hijax.seen.yes = True

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), tuple(sorted(vars(self).items()))))

    def str_short(self, short_dtypes: bool = False, **_: Any) -> str:
        is_told = type(self).__repr__ is not avals_lib.AbstractValue.__repr__
        return repr(self) if is_told else type(self).__name__

    def lo_ty(self) -> list[avals_lib.AbstractValue]:
        """The types of arrays of which a value is made."""
        raise NotImplementedError(f"{type(self).__name__} does not define lo_ty")

    def lower_val(self, hi_val: Any) -> list[Any]:
        """The arrays of which a value is made."""
        raise NotImplementedError(f"{type(self).__name__} does not define lower_val")

    def raise_val(self, *lo_vals: Any) -> Any:
        """The value that is made of these arrays."""
        raise NotImplementedError(f"{type(self).__name__} does not define raise_val")

    def nospec(self, mesh: Any, check_vma: bool, all_names: Any) -> Any:
        """How what a body keeps for its derivative is split, a `HiPspec`."""
        raise self._lacks("nospec", "shard_map is differentiated")

    def vspace_zero(self) -> Any:
        """The zero of this type, where it is that of tangents."""
        raise self._lacks("vspace_zero", "derivatives that are zero are values of it")

    def vspace_add(self, x: Any, y: Any) -> Any:
        """The sum of two values of this type, where it is that of tangents."""
        raise self._lacks("vspace_add", "derivatives are added")


class MutableHiType(HiType):
    """The type of values that change, and whose state has a type of its own.

    A value has a method `cur_qdd`, the type of its state by now.
    """

    has_qdd = True

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        mutable_types.seen.yes = True

    def lo_ty(self) -> list[avals_lib.AbstractValue]:
        """Not known by the type alone: see `lo_ty_qdd`."""
        raise self._lacks("lo_ty", "the state of a value determines its type")

    def lo_ty_qdd(self, state: Any) -> list[avals_lib.AbstractValue]:
        """The types of the arrays of a state."""
        raise self._lacks("lo_ty_qdd", "compiled programs take the arrays of a state")

    def read_loval(self, state: Any, val: Any) -> list[Any]:
        """The arrays of a value, whose state has the type `state`."""
        raise self._lacks("read_loval", "compiled programs take the arrays of a state")

    def update_from_loval(self, state: Any, val: Any, *lo_vals: Any) -> None:
        """Gives a value a state of the type `state`, of these arrays."""
        raise self._lacks("update_from_loval", "compiled programs return new arrays")

    def new_from_loval(self, state: Any, *vals: Any) -> Any:
        """A new value with a state of these arrays."""
        raise self._lacks("new_from_loval", "values are made of the arrays of a state")

    @property
    def type_state(self) -> aval_members.aval_method:
        """Returns the current state type of a traced value."""
        return aval_members.aval_method(cur_qdd)


@traceback_filter.hides_frames
def cur_qdd(x: Any) -> Any:
    """The type of the state of a value that changes, by now."""
    if isinstance(x, pe.HeldObject):
        return cur_qdd(x.value)
    return cur_qdd(x.primal) if isinstance(x, ad.JVPTracer) else x.cur_qdd()


class AvalQDD:
    """A type together with the type of the state."""

    __slots__ = ("aval", "qdd")
    has_qdd = True

    def __init__(self, aval: avals_lib.AbstractValue, qdd: Any):
        self.aval = aval
        self.qdd = qdd

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AvalQDD) and (self.aval, self.qdd) == (
            other.aval,
            other.qdd,
        )

    def __hash__(self) -> int:
        return hash((self.aval, self.qdd))


class AvalMutableQDD:
    """A type together with the box that holds the type of the state."""

    __slots__ = ("aval", "mutable_qdd")

    def __init__(self, aval: avals_lib.AbstractValue, mutable_qdd: Any):
        self.aval = aval
        self.mutable_qdd = mutable_qdd


class HiPrimitive(primitive.Primitive):
    """A primitive whose rules are the methods of its class.

    Subclasses define `abstract_eval` (types and effects), `to_lojax` (the same in lower
    primitives) and, where they are differentiable, `jvp` and `transpose`.
    """

    def __init__(self, name: str):
        super().__init__(name, multiple_results=type(self).multiple_results_by_class())
        self.set_rule("types_and_effects", self.abstract_eval)
        self.set_rule("impl", self._evaluate)
        self.set_rule("decompose", self.to_lojax)
        self.set_rule("stage", self._stage)
        for kind, method in (("jvp_all", "jvp"), ("transpose", "transpose")):
            if getattr(type(self), method) is not getattr(HiPrimitive, method):
                self.set_rule(kind, getattr(self, method))

    @classmethod
    def multiple_results_by_class(cls) -> bool:
        """Whether the class says that results are lists."""
        return bool(vars(cls).get("multiple_results", False))

    def _evaluate(self, *args, **params):
        is_own = type(self).impl is not primitive.Primitive.impl
        return (self.impl if is_own else self.to_lojax)(*args, **params)

    def _stage(self, trace, tracers, params):
        """One equation; what reads or changes objects happens at once, to them."""
        if not mutable_types.seen.yes:
            return trace.add_equation(self, tracers, params)
        objects = [t.value for t in tracers if isinstance(t, pe.HeldObject)]
        if not objects:
            out, _ = self.abstract_eval(*[t.aval for t in tracers], **params)
            if not isinstance(out, AvalQDD):
                return trace.add_equation(self, tracers, params)
        for value in objects:
            mutable_types.enter_all(trace, value)
        values = [t.value if isinstance(t, pe.HeldObject) else t for t in tracers]
        result = self._evaluate(*values, **params)
        if not objects:
            trace.uses_of_objects().own[id(result)] = result
        return result

    def is_high(self, *avals: Any, **params: Any) -> bool:
        """Whether an operand or the result is no array."""
        return True

    def abstract_eval(self, *avals: Any, **params: Any) -> Any:
        """The type of the result and the effects."""
        raise NotImplementedError(f"{self.name!r} defines no abstract_eval")

    def to_lojax(self, *args: Any, **params: Any) -> Any:
        """Applies this primitive's `to_lojax` rule: evaluates it in terms of lower primitives."""
        raise NotImplementedError(f"{self.name!r} defines no to_lojax")

    def jvp(self, primals: Any, tangents: Any, **params: Any) -> Any:
        """The result and its tangent."""
        raise NotImplementedError(f"{self.name!r} is not differentiable")

    def transpose(self, ct: Any, *operands: Any, **params: Any) -> Any:
        """The cotangents of the operands."""
        raise NotImplementedError(f"{self.name!r} is not linear")


def register_hitype(
    val_cls: type, typeof_fn: Callable[[Any], avals_lib.AbstractValue]
) -> None:
    """Makes objects of a class values, whose type a function computes."""
    avals_lib.register_value_type(val_cls, typeof_fn)
