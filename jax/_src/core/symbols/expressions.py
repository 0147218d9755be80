"""Symbolic dimensions: sizes of arrays that are known when a program is called.

A dimension is a Python number wherever it is known; objects of `Dimension` always hold a
symbol. Arithmetic with whole numbers is exact; with arrays a dimension is one.
"""

import functools as ft
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, scalars
from jax._src.core import avals, slots
from jax._src.core.symbols import decisions, terms


class InconclusiveDimensionOperation(errors.InconclusiveDimensionOperation):
    """A size that is not known yet was needed or compared."""

    def __init__(self, message: str):
        super().__init__(
            f"{message}\n"
            "What cannot be decided for all sizes cannot be traced: state what is known "
            "as constraints of jax.export.symbolic_shape, compute with jax.core.max_dim "
            "and min_dim, or compare as arrays: jnp.asarray(size)."
        )


def _whole(x):
    """A whole number or dimension as a sum; None for other values."""
    if type(x) is int:
        return terms.number(x)
    if isinstance(x, Dimension):
        return x.sum
    if isinstance(x, float | complex) or getattr(x, "ndim", 0):
        return None
    try:
        return terms.number(operator.index(x))
    except Exception:  # a traced value raises one of several errors here
        return None


def _arithmetic(name: str, as_array: Any) -> Any:
    """An operator of two dimensions, or of arrays where one of them is no size."""

    def define(method):
        @ft.wraps(method)
        def forward(self, other):
            whole = _whole(other)
            if whole is None:
                return _as_array(as_array, self, other)
            self._check_scope(other, name)
            return method(self, self.sum, whole)

        return forward

    return define


def _as_array(apply, self, other):
    if not (avals.is_value(other) or hasattr(other, "__jax_array__")):
        return NotImplemented
    return apply(self.__jax_array__(), other)


def _reflected(apply):
    return lambda x, y: apply(y, x)


class Dimension:
    """A size that is a sum of products of symbols, in normal form.

    Equal are dimensions whose difference is the number 0; others are unequal, also where
    they might be the same size. Comparisons raise `InconclusiveDimensionOperation`
    unless the constraints of the scope decide them.
    """

    __slots__ = ("__weakref__", "_hash", "scope", "sum")

    __array_priority__ = 1000
    __array_ufunc__ = None

    def __init__(self, sum: terms.Sum, scope: Any):
        self.sum = sum
        self.scope = scope
        self._hash = hash(sum)

    def _check_scope(self, other, where):
        if isinstance(other, Dimension) and other.scope is not self.scope:
            raise errors.value_error(
                f"Invalid mixing of symbolic scopes, in '{self}' {where} '{other}'.",
                [("first", str(self.scope)), ("second", str(other.scope))],
                "Symbols of one program belong to one scope.",
                "Make both with symbolic_shape(..., scope=scope).",
            )

    def _new(self, found):
        return dimension(found, self.scope)

    @_arithmetic("+", operator.add)
    def __add__(self, a, b):
        return self._new(a.plus(b))

    __radd__ = __add__

    @_arithmetic("-", operator.sub)
    def __sub__(self, a, b):
        return self._new(a.plus(b, -1))

    @_arithmetic("-", _reflected(operator.sub))
    def __rsub__(self, a, b):  # type: ignore[misc]  # the decorator takes two sums
        return self._new(b.plus(a, -1))

    @_arithmetic("*", operator.mul)
    def __mul__(self, a, b):
        return self._new(a.multiplied(b))

    __rmul__ = __mul__

    @_arithmetic("//", operator.floordiv)
    def __floordiv__(self, a, b):
        return divided(a, b, self.scope)[0]

    @_arithmetic("//", _reflected(operator.floordiv))
    def __rfloordiv__(self, a, b):  # type: ignore[misc]  # the decorator takes two sums
        return divided(b, a, self.scope)[0]

    @_arithmetic("%", operator.mod)
    def __mod__(self, a, b):
        return divided(a, b, self.scope)[1]

    @_arithmetic("%", _reflected(operator.mod))
    def __rmod__(self, a, b):  # type: ignore[misc]  # the decorator takes two sums
        return divided(b, a, self.scope)[1]

    @_arithmetic("divmod", divmod)
    def __divmod__(self, a, b):
        return divided(a, b, self.scope)

    @_arithmetic("divmod", _reflected(divmod))
    def __rdivmod__(self, a, b):  # type: ignore[misc]  # the decorator takes two sums
        return divided(b, a, self.scope)

    def __truediv__(self, other):
        return _as_array(operator.truediv, self, other)

    def __rtruediv__(self, other):
        return _as_array(_reflected(operator.truediv), self, other)

    def __pow__(self, power):
        if isinstance(power, float):
            raise ValueError(f"The power of a dimension is no whole number: {power}.")
        whole = _whole(power)
        if whole is None or whole.constant is None:
            return _as_array(operator.pow, self, power)
        if whole.constant < 0:
            raise ValueError(f"The power of a dimension is negative: {power}.")
        return ft.reduce(operator.mul, [self] * whole.constant, 1)

    def __rpow__(self, base):
        return _as_array(_reflected(operator.pow), self, base)

    def __neg__(self):
        return self * -1

    def __pos__(self):
        return self

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, Dimension):
            if other.scope is not self.scope:
                return False
            return (
                self.sum == other.sum or type(self - other) is int and self - other == 0
            )
        whole = None if isinstance(other, str | bytes | None) else _whole(other)
        return whole is not None and self.sum == whole

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return self._hash

    @_arithmetic(">=", operator.ge)
    def __ge__(self, a, b):  # type: ignore[misc]  # the decorator takes two sums
        return self._decide(a.plus(b, -1), f"'{a}' >= '{b}'", 0)

    @_arithmetic("<=", operator.le)
    def __le__(self, a, b):  # type: ignore[misc]  # the decorator takes two sums
        return self._decide(b.plus(a, -1), f"'{a}' <= '{b}'", 0)

    @_arithmetic(">", operator.gt)
    def __gt__(self, a, b):  # type: ignore[misc]  # the decorator takes two sums
        return self._decide(a.plus(b, -1), f"'{a}' > '{b}'", 1)

    @_arithmetic("<", operator.lt)
    def __lt__(self, a, b):  # type: ignore[misc]  # the decorator takes two sums
        return self._decide(b.plus(a, -1), f"'{a}' < '{b}'", 1)

    def _decide(self, difference, what, least):
        low, high = bounds(difference, self.scope)
        if low >= least:
            return True
        if high < least:
            return False
        constraints = self.scope.constraints_text()
        raise InconclusiveDimensionOperation(
            f"Symbolic dimension comparison {what} is inconclusive.{constraints}"
        )

    def __int__(self) -> int:
        raise InconclusiveDimensionOperation(
            f"Symbolic dimension '{self}' used in a context that requires a constant"
        )

    def __jax_array__(self) -> Any:
        """Returns the size as a scalar of the program, a weakly typed integer."""
        return slots.dimension_as_value(self)

    # In arithmetic with arrays it is a weakly typed scalar.
    shape = ()
    ndim = 0
    weak_type = True

    @property
    def dtype(self) -> Any:
        return scalars.python_scalar_dtype(int)

    def __str__(self) -> str:
        return str(self.sum)

    __repr__ = __str__

    def __copy__(self) -> "Dimension":
        return self

    def __deepcopy__(self, _: Any) -> "Dimension":
        return self  # A copy would be in a copy of its scope, and no longer comparable.

    def __reduce__(self):
        return self.scope.dimension, (str(self),)


avals.register_symbolic_dimension(Dimension)
avals.register_value_type(
    Dimension,
    lambda _: avals.ShapedArray((), scalars.python_scalar_dtype(int), weak_type=True),
)


def dimension(found: terms.Sum, scope: Any) -> Any:
    """Returns a sum as a size, rewritten by the equalities of its scope; a number if it is constant."""
    found = rewritten(found, scope)
    constant = found.constant
    return Dimension(found, scope) if constant is None else constant


def rewritten(found: terms.Sum, scope: Any) -> terms.Sum:
    """Returns a sum in which products are replaced as a scope's equalities say."""
    if not scope.rules:
        return found
    parts = []
    for product, n in found.items:
        parts.append(_replacement(product, n, scope.rules))
    return ft.reduce(lambda a, b: a.plus(b), parts, terms.number(0))


def _replacement(product, n, rules):
    for wanted, (times, meaning) in rules.items():
        rest = terms.divide(product, wanted) if product else None
        if rest is not None and n % times == 0:
            return meaning.times(rest, n // times)
    return terms.Sum([(product, n)])


def divided(a: terms.Sum, b: terms.Sum, scope: Any) -> tuple[Any, Any]:
    """Quotient and rest of two sizes."""
    constants = a.constant, b.constant
    if constants[1] == 0:
        raise ZeroDivisionError(f"The dimension {a} is divided by 0.")
    found = a.divided(b)
    if found is not None:
        return dimension(found[0], scope), found[1]
    return (
        apply_operation("floordiv", a, b, scope),
        apply_operation("mod", a, b, scope),
    )


def apply_operation(name: str, a: terms.Sum, b: terms.Sum, scope: Any) -> Any:
    """Returns an operation of two sizes as a symbolic expression that names it."""
    return dimension(terms.of_factor(terms.operation(name, a, b)), scope)


def bounds(expression: terms.Sum, scope: Any) -> tuple[Any, Any]:
    """The least and the greatest that a sum can be."""
    try:
        return scope.decider().bounds(expression)
    except decisions.UndecidedDivision as error:
        raise InconclusiveDimensionOperation(
            f"Symbolic dimension '{error}' may divide by 0, or by what has either sign."
        ) from None


def bounds_of(size: Any) -> tuple[Any, Any]:
    """The least and the greatest that a symbolic dimension can be."""
    return bounds(rewritten(_whole(size), size.scope), size.scope)


def _extreme(name, d1, d2, pick):
    if type(d1) is int and type(d2) is int:
        return pick(d1, d2)
    if not (is_dimension(d1) or is_dimension(d2)):
        return d1 if d1 is d2 else pick(d1, d2)
    scope = (d1 if is_dimension(d1) else d2).scope
    if is_dimension(d1):
        d1._check_scope(d2, name)
    return extreme(name, _whole(d1), _whole(d2), scope)


def extreme(name: str, a: terms.Sum, b: terms.Sum, scope: Any) -> Any:
    """The ``max`` or ``min`` of two sizes: one of them where that is certain."""
    low, high = bounds(rewritten(a.plus(b, -1), scope), scope)
    if name == "max":
        chosen = a if low >= 0 else b if high <= 0 else None
    else:
        chosen = a if high <= 0 else b if low >= 0 else None
    if chosen is not None:
        return dimension(chosen, scope)
    return apply_operation(name, a, b, scope)


def max_dim(d1: Any, d2: Any) -> Any:
    """The larger of two sizes, also where it is not known which it is."""
    return _extreme("max", d1, d2, max)


def min_dim(d1: Any, d2: Any) -> Any:
    """The smaller of two sizes, also where it is not known which it is."""
    return _extreme("min", d1, d2, min)


def broadcast_shapes(*shapes: Sequence[Any]) -> tuple[Any, ...]:
    """The common shape by NumPy's rules; a symbolic size fits itself and 1.

    Raises:
        ValueError: there is none.
    """
    if all(map(is_static, shapes)):
        return np.broadcast_shapes(*map(tuple, shapes))
    rank = max(map(len, shapes), default=0)
    found: list[Any] = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(shape, rank - len(shape)):
            known = found[axis]
            if type(known) is int and known == 1:
                found[axis] = size
            elif not (type(size) is int and size == 1) and size != known:
                raise ValueError("shape mismatch: sizes are neither equal nor 1")
    return tuple(found)


def is_dimension(size: Any) -> bool:
    """Whether a size is not known when a program is traced."""
    return type(size) is Dimension


def stepped(distance: Any, step: Any) -> Any:
    """The number of steps that fit into a distance, counting the start; rounded up."""
    if type(distance) is int and type(step) is int:
        return -(-distance // step)
    return distance if type(step) is int and step == 1 else (distance - 1) // step + 1


def require_constant(size: Any, what: str) -> None:
    """Refuses a symbolic dimension where a number is needed.

    Raises:
        InconclusiveDimensionOperation: `size` is one.
    """
    if type(size) is Dimension:
        raise InconclusiveDimensionOperation(
            f"Symbolic dimension '{size}' used in a context that requires a constant: "
            f"{what}."
        )


def is_size(size: Any) -> bool:
    """Whether this is a number or a symbolic dimension, not a value of the program."""
    return isinstance(size, int) or type(size) is Dimension


def is_certain(condition: Callable[[], bool]) -> bool:
    """Whether a condition on sizes holds for all values of their symbols."""
    try:
        return condition()
    except InconclusiveDimensionOperation:
        return False


def is_static(shape: Any) -> bool:
    """Whether all sizes of a shape are numbers."""
    return not any(type(size) is Dimension for size in shape)


def size_index(size: Any) -> Any:
    """A size as a number or dimension; TypeError for anything else."""
    return size if type(size) is Dimension else operator.index(size)


_OPERATIONS = {
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "max": max_dim,
    "min": min_dim,
}


def apply(name: str, x: Any, y: Any) -> Any:
    """The operation `name` of two sizes."""
    return _OPERATIONS[name](x, y)


def substitute(size: Any, values: Mapping[str, Any]) -> Any:
    """Replaces the symbols of a size by numbers, or by dimensions of another scope."""
    if not is_dimension(size):
        return size
    return terms.evaluate(size.sum, values.__getitem__, apply)
