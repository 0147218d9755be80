"""The methods and operators of arrays and of traced values.

`install` puts them on both classes, so that one table describes an array.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, traceback_filter, util
from jax._src.base.traceback_filter import hides_frames
from jax._src.core import avals, concrete, trace
from jax._src.lib import client
from jax._src.numpy import (
    arithmetic,
    at,
    bitwise,
    creation,
    cumulative,
    elementwise,
    indexing,
    lax_api as lax,
    logic,
    matrices,
    matrix_products,
    means_and_variances,
    namespace,
    operands as op,
    placement,
    reductions,
    reshaping,
    selection,
    sorting,
    taking,
    tiling,
)
from jax._src.runtime.arrays import extended_arrays

_PLAIN = (bool, int, float, complex, np.ndarray, np.generic)


def _operand(x: Any) -> bool:
    """Whether an operator takes `x`. For other objects it returns NotImplemented, so that their own is tried."""
    return isinstance(x, _PLAIN) or avals.is_value(x) or hasattr(x, "__jax_array__")


# Without an error here Python would repeat or join these, or compare identities.
_CONTAINERS = (list, tuple, dict, set)
# For these Python raises TypeError itself.
_ORDER = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})


def _binary(function: Callable, symbol: str, is_swapped: bool = False) -> Callable:
    def operate(self, other):
        try:
            if _operand(other):
                return function(self, other)
            if isinstance(other, _CONTAINERS) and symbol not in _ORDER:
                raise _refused(symbol, (other, self) if is_swapped else (self, other))
            return NotImplemented
        except Exception as error:
            traceback_filter.hide(error)
            raise

    operate.__name__ = symbol
    operate.__doc__ = f"See `jax.numpy.{function.__name__}`."
    return operate


def _refused(symbol, operands):
    """The error for a container beside an array."""
    name = symbol.strip("_")
    sign = _SIGNS[name if name in _SIGNS else name[1:]]
    left, right = (repr(type(x).__name__) for x in operands)
    return errors.type_error(
        f"unsupported operand type(s) for {sign}: {left} and {right}",
        [("array", op.type_name(next(x for x in operands if _operand(x))))],
        "Operators take arrays and numbers.",
        "Convert it first: jnp.asarray(x).",
    )


_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "divmod": "divmod()",
    "pow": "** or pow()",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "eq": "==",
    "ne": "!=",
}


def _swapped(function: Callable, symbol: str) -> Callable:
    operate = _binary(lambda self, other: function(other, self), symbol, True)
    operate.__doc__ = f"See `jax.numpy.{function.__name__}`."
    return operate


def _operators() -> dict[str, Callable]:
    both = {
        "add": arithmetic.add,
        "sub": arithmetic.subtract,
        "mul": arithmetic.multiply,
        "truediv": arithmetic.true_divide,
        "floordiv": arithmetic.floor_divide,
        "mod": arithmetic.remainder,
        "divmod": arithmetic.divmod,
        "pow": arithmetic.power,
        "matmul": matrix_products.matmul,
        "and": bitwise.bitwise_and,
        "or": bitwise.bitwise_or,
        "xor": bitwise.bitwise_xor,
        "lshift": bitwise.left_shift,
        "rshift": bitwise.right_shift,
    }
    comparisons = {
        "eq": logic.equal,
        "ne": logic.not_equal,
        "lt": logic.less,
        "le": logic.less_equal,
        "gt": logic.greater,
        "ge": logic.greater_equal,
    }
    table = {
        f"__{k}__": _binary(f, f"__{k}__") for k, f in (both | comparisons).items()
    }
    table |= {f"__r{k}__": _swapped(f, f"__r{k}__") for k, f in both.items()}
    return table


def _getitem(self, index):
    """Returns the part that `index` selects; indices out of bounds are clamped."""
    return indexing.getitem(self, index)


def _setitem(self, index, value):
    """Raises TypeError: arrays are immutable."""
    raise TypeError(
        "JAX arrays are immutable and do not support in-place item assignment.\n"
        f"  array  {op.type_name(self)}\n"
        "Use the array that x.at[i].set(y) returns."
    )


# Iteration takes an array apart in pieces of so many parts, and of no more bytes.
_PARTS_AT_ONCE = 64
_BYTES_AT_ONCE = 1 << 20


def _iterate(self):
    """The parts along the first axis."""
    if not op.ndim(self):
        raise TypeError("iteration over a 0-d array")
    count = op.shape(self)[0]
    self = placement.gathered(self)
    is_traced = isinstance(self, trace.Tracer) or not trace.is_evaluating()
    if is_traced or count <= _PARTS_AT_ONCE:
        # Split at the first `next`: many callers only check that the array is iterable.
        return itertools.chain.from_iterable(map(reshaping.unstack, (self,)))
    # A program with a result for each part would take long to compile.
    step = min(_PARTS_AT_ONCE, count * _BYTES_AT_ONCE // max(self.nbytes, 1))
    if step < 2:
        return (_getitem(self, index) for index in range(count))
    pieces = (self[start : start + step] for start in range(0, count, step))
    return itertools.chain.from_iterable(map(reshaping.unstack, pieces))


def _length(self):
    """The size of the first axis."""
    if not op.ndim(self):
        raise TypeError("len() of unsized object")
    return op.shape(self)[0]


def _negative(self):
    return elementwise.negative(self)


def _round(self, ndigits=None):
    """The nearest whole numbers; as integers where no digits are given."""
    if ndigits is not None:
        return elementwise.round(self, ndigits)
    return creation.astype(elementwise.round(self), int)


def _contains(self, value):
    """Whether an element equals `value`.

    Raises:
        ValueError: `value` is no scalar.
    """
    if op.ndim(value):
        raise op.value_error(
            "Array.__contains__",
            "the value to look for is no scalar.",
            [("value", op.type_name(value))],
            ways="Whether all of them are there: jnp.isin(value, x).all().",
        )
    return bool(reductions.any(logic.equal(self, value)))


def _reshape(self, *shape, order="C", copy=None, out_sharding=None):
    """See `jax.numpy.reshape`; the shape may be given as several arguments."""
    sizes = shape[0] if len(shape) == 1 else shape
    return reshaping.reshape(self, sizes, order, copy=copy, out_sharding=out_sharding)


def _transpose(self, *axes):
    """See `jax.numpy.transpose`; the axes may be given as several arguments."""
    if not axes or (len(axes) == 1 and axes[0] is None):
        return reshaping.transpose(self)
    entries = util.listed(axes[0]) if len(axes) == 1 else None
    return reshaping.transpose(self, axes if entries is None else entries)


def _astype(self, dtype, copy=False, device=None):
    """See `jax.numpy.astype`."""
    return creation.astype(self, dtype, copy=copy, device=device)


def _view(self, dtype=None, type=None):
    """Reinterprets the bits as another dtype; the last axis changes with the width."""
    if type is not None:
        raise NotImplementedError("x.view: the argument `type` is not supported.")
    if dtype is None:
        return self
    wanted = op.user_dtype("ndarray.view", dtype)
    here, there = op.dtype_of(self), wanted
    if here == there:
        return self
    if op.is_extended(self) or dtypes.is_extended(there):
        raise op.type_error(
            "ndarray.view",
            "the elements of extended dtypes have no bits of their own.",
            [("array", op.type_name(self)), ("dtype", str(there))],
        )
    there = np.dtype(there)
    if here.kind == "b":
        return _view(op.convert(self, np.uint8), there)
    if there.kind == "b":
        return logic.not_equal(_view(self, np.uint8), 0)
    if "c" in (here.kind, there.kind):
        if not op.ndim(self) and here.itemsize == there.itemsize:
            return lax.reshape(_view(lax.expand_dims(self, (0,)), there), ())
        return _view_complex(self, here, there)
    # Of dtypes below a byte several elements make one.
    old, new = dtypes.itemsize_bits(here), dtypes.itemsize_bits(there)
    if old != new and not op.ndim(self):
        raise op.value_error(
            "ndarray.view",
            "an array without axes keeps the size of its element.",
            [("array", op.type_name(self)), ("dtype", str(there))],
            ways="Give it an axis first: x[None].view(dtype).",
        )
    if old > new:
        parts = lax.bitcast_convert_type(self, there)
        *rest, last, count = op.shape(parts)
        return lax.reshape(parts, (*rest, last * count))
    if old < new:
        ratio = new // old
        *rest, last = op.shape(self) or (1,)
        if not op.ndim(self) or last % ratio:
            raise op.value_error(
                "ndarray.view",
                "the last axis does not divide into wider elements.",
                [("array", op.type_name(self)), ("dtype", str(there))],
            )
        grouped = lax.reshape(self, (*rest, last // ratio, ratio))
        return lax.bitcast_convert_type(grouped, there)
    return lax.bitcast_convert_type(self, there)


def _byteswap(self):
    """The elements with their bytes in the opposite order; of complex ones, each part's."""
    here = op.dtype_of(self)
    if here.kind == "c":
        return lax.complex(_byteswap(self.real), _byteswap(self.imag))
    if here.itemsize == 1:
        return self
    parts = lax.bitcast_convert_type(self, np.uint8)
    return lax.bitcast_convert_type(lax.rev(parts, (op.ndim(parts) - 1,)), here)


def _view_complex(x, here, there):
    """Reinterprets the bits where one dtype is complex: its numbers count as pairs of floats."""
    if here.kind == "c":
        pairs = lax.concatenate(
            [lax.expand_dims(part, (x.ndim,)) for part in (x.real, x.imag)], x.ndim
        )
        *rest, last, _ = op.shape(pairs) if x.ndim else (1, 2)
        return _view(lax.reshape(pairs, (*rest, 2 * last)), there)
    parts = _view(x, np.dtype(f"f{there.itemsize // 2}"))
    *rest, last = op.shape(parts) or (1,)
    if last % 2:
        raise op.value_error(
            "ndarray.view",
            "the last axis does not divide into pairs of floats.",
            [("array", op.type_name(x)), ("dtype", str(there))],
        )
    pairs = lax.reshape(parts, (*rest, last // 2, 2))
    real, imag = (lax.index_in_dim(pairs, i, len(rest) + 1, False) for i in (0, 1))
    return lax.complex(real, imag)


def _item(self, *args):
    """One element as a Python number; of an array with several, the indexed one."""
    if args:
        if op.known(self):
            return np.asarray(self).item(*args)
        index = args[0] if len(args) == 1 else args
        chosen = reshaping.ravel(self)[index] if isinstance(index, int) else self[index]
        return np.asarray(chosen).item()
    if op.known(self) and op.size(self) != 1:
        raise op.value_error(
            "ndarray.item",
            "the array has more or less than one element.",
            [("array", op.type_name(self))],
            ways="Say which: x.item(i).",
        )
    return _known(self, "item").item()


def _tolist(self):
    """Nested lists of Python numbers."""
    concrete.refuse_to_differentiate(self, "`x.tolist`")
    return _known(self, "tolist").tolist()


def _known(array, method):
    """The elements as a NumPy array; of a traced array they are not known."""
    context = f"The {method}() method was called on a traced array: it needs values."
    return np.asarray(concrete.concrete_or_error(None, array, context))


def _flatten(self, order="C", *, out_sharding=None):
    """See `jax.numpy.ravel`."""
    return reshaping.ravel(self, order, out_sharding=out_sharding)


def _copy(self):
    """A copy of the array."""
    return creation.array(self, copy=True)


def _to_device(self, device, *, stream=None):
    """The array on another device."""
    if stream is not None:
        raise NotImplementedError(
            "x.to_device: the argument `stream` is not supported."
        )
    return creation.asarray(self, device=device)


def _clip(self, min=None, max=None):
    """See `jax.numpy.clip`."""
    return selection.clip(self, min, max)


def _tobytes(self, order="C"):
    """The bytes of the elements."""
    concrete.refuse_to_differentiate(self, "`x.tobytes`")
    return _known(self, "tobytes").tobytes(order)


def _array_namespace(self, *, api_version=None):
    """The module of the Python array API: `jax.numpy`."""
    if api_version not in (None, *namespace.VERSIONS):
        raise ValueError(
            f"The array API of version {api_version!r} is not supported; "
            f"there are {', '.join(namespace.VERSIONS)}."
        )
    return namespace.module()


def _method(function: Callable) -> Callable:
    """A function whose first argument is the array, as a method."""

    def method(self, *args, **kwargs):
        return function(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = function.__name__
    method.__doc__ = f"See `jax.numpy.{function.__name__}`."
    signature = inspect.signature(function)
    first, *rest = signature.parameters.values()
    method.__signature__ = signature.replace(
        parameters=[first.replace(name="self"), *rest]
    )
    return method


def _methods() -> dict[str, Callable]:
    functions = (
        reductions.all, reductions.any, reductions.argmax, reductions.argmin,
        reductions.max, means_and_variances.mean, reductions.min, reductions.prod, reductions.ptp,
        means_and_variances.std, reductions.sum, means_and_variances.var,
        sorting.argsort, sorting.sort, sorting.searchsorted, sorting.argpartition,
        sorting.partition,
        cumulative.cumprod, cumulative.cumsum, matrices.diagonal, matrices.trace,
        taking.choose, selection.nonzero, taking.take,
        elementwise.conj, elementwise.conjugate, elementwise.round,
        matrix_products.dot, tiling.repeat,
        reshaping.squeeze, reshaping.swapaxes, reshaping.ravel,
    )  # fmt: skip
    table: dict[str, Callable] = {f.__name__: _method(f) for f in functions}
    return table | {
        "astype": _astype,
        "clip": _clip,
        "compress": lambda self, condition, axis=None, *, size=None, fill_value=0, out=None: (
            taking.compress(
                condition, self, axis, size=size, fill_value=fill_value, out=out
            )
        ),
        "copy": _copy,
        "flatten": _flatten,
        "item": _item,
        "reshape": _reshape,
        "to_device": _to_device,
        "tobytes": _tobytes,
        "tolist": _tolist,
        "transpose": _transpose,
        "byteswap": _byteswap,
        "view": _view,
    }


def _properties() -> dict[str, property]:
    return {
        "T": property(lambda self: reshaping.transpose(self), doc="The axes reversed."),
        "mT": property(
            lambda self: reshaping.matrix_transpose(self),
            doc="The last two axes exchanged.",
        ),
        "real": property(lambda self: elementwise.real(self), doc="The real part."),
        "imag": property(
            lambda self: elementwise.imag(self), doc="The imaginary part."
        ),
        "at": property(
            lambda self: at.IndexUpdateHelper(self),
            doc="Updates written as indexing: ``x.at[i].set(y)``.",
        ),
        "flat": property(
            lambda self: iter(reshaping.ravel(self)), doc="The elements, one by one."
        ),
    }


def _specials() -> dict[str, Callable]:
    return {
        "__getitem__": _getitem,
        "__setitem__": _setitem,
        "__iter__": _iterate,
        "__len__": _length,
        "__contains__": _contains,
        "__neg__": _negative,
        "__pos__": lambda self: elementwise.positive(self),
        "__abs__": lambda self: elementwise.absolute(self),
        "__invert__": lambda self: bitwise.bitwise_not(self),
        "__round__": _round,
        "__array_namespace__": _array_namespace,
    }


def _members() -> dict[str, Any]:
    methods = {k: hides_frames(f) for k, f in (_specials() | _methods()).items()}
    return _operators() | methods | _properties()


# What a library's type above arrays may define as `_getitem` and so on, of the traced value.
_OF_CONTAINERS = ("__getitem__", "__setitem__", "__iter__", "__len__")


def _of_its_type(name, method):
    """The method of traced values: that of their type, where it defines one."""
    own = "_" + name.strip("_")

    @util.wraps(method)
    def of_its_type(self, *args):
        rule = getattr(type(self.aval), own, None) if self.aval.is_high else None
        return method(self, *args) if rule is None else rule(self.aval, self, *args)

    return hides_frames(of_its_type)


def install_on(kind: type) -> None:
    """Gives another class of arrays what it does not define itself."""
    table = _members()
    for name, member in table.items():
        if name not in kind.__dict__:
            setattr(kind, name, member)


def install() -> None:
    """Gives arrays and traced values their methods, properties and operators."""
    table = _members()
    containers = {name: _of_its_type(name, table[name]) for name in _OF_CONTAINERS}
    trace.install_array_methods(table | containers)
    for name, member in table.items():
        setattr(client.Array, name, member)
    # Defining equality drops the inherited hash; arrays have none on purpose.
    client.Array.__hash__ = None
    client.Array.__array_priority__ = 100
    placement.complete_array_type()
    # What moves elements works on these; what computes says so in its own words.
    install_on(extended_arrays.AbstractExtendedArray)


install()
