"""Universal functions: binary functions with `reduce`, `accumulate`, `outer`, `at`."""

from __future__ import annotations

import functools as ft
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jax._src.base import traceback_filter
from jax._src.numpy import (
    arithmetic,
    bitwise,
    cumulative,
    elementwise,
    indexing,
    jit_wrapper,
    lax_api as lax,
    logic,
    operands as op,
    reductions,
    selection,
    ufunc_methods,
    vectorizing,
)

Array = op.Array
ArrayLike = op.ArrayLike


class _Facts(NamedTuple):
    """What a universal function is; none of it changes."""

    func: Callable[..., Any]
    nin: int
    nout: int
    nargs: int
    identity: Any


class ufunc:
    """A function of scalars that is applied to arrays element by element.

    Args:
        func: function of `nin` scalars.
        nin: the number of arguments.
        nout: the number of results.
        name: its name; default: that of `func`.
        nargs: the number of arguments, `nin`.
        identity: the result of reducing nothing.
        call: applies the function to whole arrays; default: element by element.
        reduce: reduces along axes.
        accumulate: keeps what each step of a reduction gives.
        at: updates elements of an array at indices.
        reduceat: reduces between indices.
    """

    __module__ = "jax.numpy"

    def __init__(
        self,
        func: Callable[..., Any],
        /,
        nin: int,
        nout: int,
        *,
        name: str | None = None,
        nargs: int | None = None,
        identity: Any = None,
        call: Callable[..., Any] | None = None,
        reduce: Callable[..., Any] | None = None,
        accumulate: Callable[..., Any] | None = None,
        at: Callable[..., Any] | None = None,
    ):
        self._facts = _Facts(
            func,
            operator.index(nin),
            operator.index(nout),
            operator.index(nin if nargs is None else nargs),
            identity,
        )
        self._rules = {
            "call": call or vectorizing.vectorize(func),
            "reduce": reduce,
            "accumulate": accumulate,
            "at": at,
        }
        self.__name__ = name or getattr(func, "__name__", "ufunc")
        self.__doc__ = getattr(func, "__doc__", None)

    _func = property(lambda self: self._facts.func, doc="The function of scalars.")
    nin = property(lambda self: self._facts.nin, doc="The number of arguments.")
    nout = property(lambda self: self._facts.nout, doc="The number of results.")
    nargs = property(lambda self: self._facts.nargs, doc="The number of arguments.")
    identity = property(
        lambda self: self._facts.identity, doc="The result of reducing nothing."
    )

    def __hash__(self) -> int:
        return hash((self._func, self.nin, self.nout, self.__name__))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ufunc) and (
            self._func,
            self.nin,
            self.nout,
            self.__name__,
        ) == (other._func, other.nin, other.nout, other.__name__)

    def __repr__(self) -> str:
        return f"<jnp.ufunc '{self.__name__}'>"

    def __call__(self, *args: ArrayLike, out: None = None, where: None = None) -> Any:
        """Applies the function to `args`, arrays that broadcast together.

        Raises:
            NotImplementedError: `out` or `where` is given.
        """
        try:
            if out is not None or where is not None:
                self._refuse(out, where)
            return self._rules["call"](*args)
        except Exception as error:
            traceback_filter.hide(error)
            raise

    def _refuse(self, out, where):
        op.refuse_out(self.__name__, out)
        if where is not None:
            raise op.not_implemented(
                self.__name__,
                "the argument `where` is not supported.",
                ways="Use jnp.where on the result.",
            )

    def _binary(self, what):
        if self.nin != 2 or self.nout != 1:
            raise ValueError(
                f"jnp.{self.__name__}.{what} needs a function of two arguments with one result."
            )

    @traceback_filter.hides_frames
    def reduce(
        self,
        a: ArrayLike,
        axis: int | None = 0,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: ArrayLike | None = None,
    ) -> Array:
        """The function applied from element to element along an axis.

        Args:
            a: array.
            axis: the axis; None means all.
            dtype: the dtype to compute in.
            out: not supported.
            keepdims: whether the axis stays, with size 1.
            initial: the first operand.
            where: mask of the elements to include; needs `initial` without an identity.
        """
        self._binary("reduce")
        op.refuse_out(f"{self.__name__}.reduce", out)
        rule = self._rules["reduce"]
        if rule is not None:
            return rule(
                a,
                axis=axis,
                dtype=dtype,
                keepdims=keepdims,
                initial=initial,
                where=where,
            )
        return self._reduce_in_order(a, axis, dtype, keepdims, initial, where)

    def _reduce_in_order(self, a, axis, dtype, keepdims, initial, where):
        name = f"{self.__name__}.reduce"
        a = op.ensure_arraylike(name, a)
        axes = op.canonical_axes(name, axis, op.ndim(a))
        if len(axes) > 1 and axis is not None and self.identity is None:
            raise op.not_implemented(
                name,
                "several axes are given, and no order in which to take them.",
                [("axis", str(axis))],
                "Functions with an identity alone are reduced over several.",
                "Reduce one axis after the other.",
            )
        is_empty = 0 in [op.shape(a)[i] for i in axes] or not axes
        if initial is None and (is_empty or where is not None):
            if self.identity is None:
                raise op.value_error(
                    name,
                    "nothing to reduce, and no identity.",
                    [("a", op.type_name(a)), ("axis", str(axis))],
                    "The function of no elements is not known; a mask may leave none.",
                    "Pass `initial`.",
                )
            initial = self.identity
        wanted = ufunc_methods.dtype_of_steps(self, a, op.user_dtype(name, dtype))
        return ufunc_methods.reduce(
            self, a, initial, where, axes=axes, dtype=wanted, keepdims=bool(keepdims)
        )

    @traceback_filter.hides_frames
    def accumulate(
        self, a: ArrayLike, axis: int = 0, dtype: Any = None, out: None = None
    ) -> Array:
        """What each step of a reduction along an axis gives."""
        self._binary("accumulate")
        op.refuse_out(f"{self.__name__}.accumulate", out)
        rule = self._rules["accumulate"]
        if rule is not None:
            return rule(a, axis=axis, dtype=dtype)
        name = f"{self.__name__}.accumulate"
        a = op.ensure_arraylike(name, a)
        axis = op.canonical_axis(name, axis, op.ndim(a))
        wanted = ufunc_methods.dtype_of_steps(self, a, op.user_dtype(name, dtype))
        return ufunc_methods.accumulate(self, a, axis=axis, dtype=wanted)

    @traceback_filter.hides_frames
    def at(
        self, a: ArrayLike, indices: Any, b: Any = None, /, *, inplace: bool = True
    ) -> Array:
        """`a` with the function applied at indices; pass ``inplace=False``."""
        if inplace:
            raise op.not_implemented(
                f"{self.__name__}.at",
                "arrays cannot be changed in place.",
                ways="Pass inplace=False and use the returned array.",
            )
        rule = self._rules["at"]
        if rule is not None:
            return rule(a, indices, b)
        if self.nin == 1:
            return indexing.apply(a, indices, self)
        self._binary("at")
        name = f"{self.__name__}.at"
        a, b = op.ensure_arraylike(name, a, b)
        return ufunc_methods.at(self, a, indices, b)

    @traceback_filter.hides_frames
    def reduceat(
        self,
        a: ArrayLike,
        indices: Any,
        axis: int = 0,
        dtype: Any = None,
        out: None = None,
    ) -> Array:
        """Reductions of the parts between indices along an axis."""
        self._binary("reduceat")
        name = f"{self.__name__}.reduceat"
        op.refuse_out(name, out)
        a, indices = op.ensure_arraylike(name, a, indices)
        if op.ndim(indices) != 1 or op.kind_of(indices) not in "iu":
            raise op.value_error(
                name,
                "the indices are no vector of whole numbers.",
                [("indices", op.type_name(indices))],
                "Each part begins at one of them.",
            )
        axis = op.canonical_axis(name, axis, op.ndim(a))
        if not op.shape(a)[axis]:
            raise IndexError(
                op.explain(
                    name,
                    "the axis is empty.",
                    [("a", op.type_name(a)), ("axis", str(axis))],
                    "Each part begins at an element.",
                )
            )
        wanted = ufunc_methods.dtype_of_steps(self, a, op.user_dtype(name, dtype))
        return ufunc_methods.reduceat(self, a, indices, axis=axis, dtype=wanted)

    @traceback_filter.hides_frames
    def outer(self, A: ArrayLike, B: ArrayLike, /) -> Array:
        """The function applied to each pair of an element of `A` and one of `B`."""
        self._binary("outer")
        A, B = op.ensure_arraylike(f"{self.__name__}.outer", A, B)
        first = lax.reshape(A, op.shape(A) + (1,) * op.ndim(B))
        second = lax.reshape(B, (1,) * op.ndim(A) + op.shape(B))
        return self(first, second)


@traceback_filter.hides_frames
def frompyfunc(
    func: Callable[..., Any], /, nin: int, nout: int, *, identity: Any = None
) -> ufunc:
    """Makes a universal function, see `jax.numpy.ufunc`, of a function of scalars.

    Args:
        func: takes `nin` scalars and returns `nout` of them; it is traced.
        nin, nout: the numbers of arguments and results.
        identity: the result of reductions of no elements.

    Returns:
        A function of arrays that broadcast; `func` determines dtypes.

    Raises:
        AttributeError: `func` is no function. Calls raise TypeError for wrong numbers of
            arguments.
    """
    if not callable(func):
        raise AttributeError(
            op.explain(
                "frompyfunc",
                "func is no function.",
                [("func", f"{type(func).__name__} {func!r}")],
                "It takes scalars and returns scalars.",
            )
        )
    return ufunc(func, nin, nout, identity=identity)


def _made(function, identity=None, **rules):
    return ufunc(function, 2, 1, identity=identity, call=function, **rules)


def _reduce_extreme(reduce):
    def rule(a, *, axis, dtype, keepdims, initial, where):
        if dtype is not None:
            a = op.convert(a, op.user_dtype("reduce", dtype))
        return reduce(a, axis=axis, keepdims=keepdims, initial=initial, where=where)

    return rule


def _reduce_truth(reduce, of_two):
    def rule(a, *, axis, dtype, keepdims, initial, where):
        result = reduce(a, axis=axis, keepdims=keepdims, where=where)
        if initial is not None:
            result = of_two(result, initial)
        if dtype is None:
            return result
        return op.convert(result, op.user_dtype("reduce", dtype))

    return rule


def _reduce_sum(reduce):
    def rule(a, *, axis, dtype, keepdims, initial, where):
        return reduce(
            a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where
        )

    return rule


def _reduce_bits(name, combine, identity):
    """Reductions of whole numbers bit by bit; booleans are combined as such."""

    def rule(a, *, axis, dtype, keepdims, initial, where):
        a = op.ensure_arraylike(name, a)
        wanted = op.user_dtype(name, dtype)
        x = a if wanted is None else op.convert(a, wanted)
        if op.kind_of(x) not in "biu":
            raise op.value_error(
                name,
                "the elements are neither whole numbers nor booleans.",
                [("a", op.type_name(x))],
            )
        return _combined_bits(
            x, initial, where, combine=combine, identity=identity, keepdims=keepdims,
            axes=op.canonical_axes(name, axis, op.ndim(a)),
        )  # fmt: skip

    return rule


@ft.partial(
    jit_wrapper.jit, static_argnames=("combine", "identity", "axes", "keepdims")
)
def _combined_bits(x, initial, where, *, combine, identity, axes, keepdims):
    if where is not None:
        nothing = np.full((), identity).astype(op.dtype_of(x))[()]
        x = selection.where(where, x, nothing)
    reduced, of_two = combine
    result = reduced(x, axes)
    if initial is not None:
        result = of_two(result, op.convert(initial, op.dtype_of(x)))
    return lax.expand_dims(result, axes) if keepdims else result


add = _made(
    arithmetic.add,
    0,
    reduce=_reduce_sum(reductions.sum),
    accumulate=cumulative.cumsum,
    at=indexing.add,
)
subtract = _made(arithmetic.subtract, at=indexing.subtract)
multiply = _made(
    arithmetic.multiply,
    1,
    reduce=_reduce_sum(reductions.prod),
    accumulate=cumulative.cumprod,
    at=indexing.multiply,
)
maximum = _made(
    arithmetic.maximum, reduce=_reduce_extreme(reductions.max), at=indexing.maximum
)
minimum = _made(
    arithmetic.minimum, reduce=_reduce_extreme(reductions.min), at=indexing.minimum
)
logaddexp = _made(arithmetic.logaddexp, -np.inf)
logaddexp2 = _made(arithmetic.logaddexp2, -np.inf)
logical_and = _made(
    logic.logical_and, True, reduce=_reduce_truth(reductions.all, logic.logical_and)
)
logical_or = _made(
    logic.logical_or, False, reduce=_reduce_truth(reductions.any, logic.logical_or)
)
logical_xor = _made(logic.logical_xor, False)
bitwise_and = _made(
    bitwise.bitwise_and,
    -1,
    reduce=_reduce_bits("bitwise_and.reduce", (lax.reduce_and, lax.bitwise_and), -1),
)
bitwise_or = _made(
    bitwise.bitwise_or,
    0,
    reduce=_reduce_bits("bitwise_or.reduce", (lax.reduce_or, lax.bitwise_or), 0),
)
bitwise_xor = _made(
    bitwise.bitwise_xor,
    0,
    reduce=_reduce_bits("bitwise_xor.reduce", (lax.reduce_xor, lax.bitwise_xor), 0),
)
negative = ufunc(elementwise.negative, 1, 1)
