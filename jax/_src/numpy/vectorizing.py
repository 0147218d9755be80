"""Functions of rows and of scalars, applied along the axes of arrays."""

from __future__ import annotations

import functools as ft
import re
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import traceback_filter, util
from jax._src.numpy import creation, operands, ranges, reshaping
from jax._src.transforms import vectorize as mapping

Array = Any
ArrayLike = Any

_NAME = r"\w+\+?"
_CORE = rf"\((?:{_NAME}(?:,{_NAME})*,?)?\)"
_SIGNATURE = re.compile(rf"^{_CORE}(?:,{_CORE})*->{_CORE}(?:,{_CORE})*$")


def parsed(signature):
    """The core dimensions of the arguments and of the results.

    Raises:
        ValueError: it is no signature.
    """
    text = re.sub(r"\s+", "", signature)
    if not _SIGNATURE.match(text):
        raise operands.value_error(
            "vectorize",
            "this is no signature.",
            [("signature", repr(signature))],
            "It names the axes of each argument and result, as in '(n,m),(m)->(n)'.",
        )
    return tuple(
        tuple(
            tuple(name for name in core.split(",") if name)
            for core in re.findall(r"\(([^)]*)\)", side)
        )
        for side in text.split("->")
    )


def core_sizes(shapes, cores, sizes, where):
    """Adds the sizes that shapes give to core dimensions; they agree, or ValueError."""
    for shape, core in zip(shapes, cores, strict=True):
        if len(shape) < len(core):
            raise ValueError(
                f"input with shape {shape} does not have enough dimensions for all core "
                f"dimensions {core} {where}"
            )
        for name, size in zip(core, shape[len(shape) - len(core) :], strict=True):
            known = sizes.setdefault(name, size)  # Digits are a name as well.
            if known != size:
                raise ValueError(
                    f"inconsistent size for core dimension {name!r}: {size} vs {known} "
                    f"{where}"
                )
    return sizes


def checked(function, cores, sizes, where):
    """Checks the number and the shapes of the results of one call."""

    def call(*args):
        results = function(*args)
        if len(cores) > 1 and not isinstance(results, tuple):
            raise TypeError(
                "output must be a tuple when multiple outputs are expected, got: "
                f"{type(results).__name__}\n{where}"
            )
        parts = results if isinstance(results, tuple) else (results,)
        if len(parts) != len(cores):
            raise TypeError(
                f"wrong number of output arguments: expected {len(cores)}, got "
                f"{len(parts)} {where}"
            )
        shapes = [operands.shape(part) for part in parts]
        for shape, core in zip(shapes, cores, strict=True):
            if len(shape) != len(core):
                raise ValueError(
                    f"output shape {shape} does not match core dimensions {core} {where}"
                )
        core_sizes(shapes, cores, dict(sizes), where)
        return results

    return call


def fromfunction(
    function: Callable[..., Array], shape: Any, *, dtype: Any = float, **kwargs: Any
) -> Array:
    """Returns the values of a function at each index.

    Args:
        function: takes one scalar per axis, the index along it.
        shape: the shape.
        dtype: the dtype of the indices.
        kwargs: further arguments of the function.

    Returns:
        What the function returns, with the axes of the shape before its own.

    Raises:
        TypeError: a size is negative or no whole number; and what the function raises.
    """
    sizes = operands.canonical_shape("fromfunction", shape)
    mapped = ft.partial(function, **kwargs)
    for axis in reversed(range(len(sizes))):
        in_axes = tuple(0 if k == axis else None for k in range(len(sizes)))
        mapped = mapping.vmap(mapped, in_axes)
    return mapped(*(ranges.arange(size, dtype=dtype) for size in sizes))


def vectorize(
    pyfunc: Callable,
    *,
    excluded: Any = frozenset(),
    signature: str | None = None,
) -> Callable:
    """Makes a function of scalars, or of small arrays, one of arrays that broadcast.

    Args:
        pyfunc: function of arrays.
        excluded: numbers and names of arguments that are passed as they are.
        signature: the axes of each argument and result of `pyfunc`, as in
            ``"(n),(n)->()"``; default: all are scalars.

    Returns:
        A function that applies `pyfunc` to all elements, or to all parts with the axes
        of the signature, of its broadcast arguments: a chain of `jax.vmap`.

    Raises:
        ValueError: the signature is none, or shapes do not fit it.
        TypeError: the number of arguments or results is another.

    Examples:
        >>> cross = jnp.vectorize(jnp.cross, signature="(k),(k)->(k)")
        >>> cross(jnp.ones((2, 1, 3)), jnp.ones((4, 3))).shape
        (2, 4, 3)
    """
    if any(not isinstance(x, (str, int)) for x in excluded):
        raise TypeError(
            f"jax.numpy.vectorize can only exclude integer or string arguments, but "
            f"excluded={excluded!r}"
        )
    if any(isinstance(x, int) and x < 0 for x in excluded):
        raise ValueError(f"excluded={excluded!r} contains negative numbers")
    where = (
        f"on vectorized function with excluded={excluded!r} and signature={signature!r}"
    )

    @traceback_filter.hides_frames
    @util.wraps(pyfunc)
    def wrapped(*args, **kwargs):
        function, mapped = _without_excluded(pyfunc, excluded, args, kwargs)
        function, inputs, missing = _without_none(function, mapped)
        if signature is None:
            cores, out_cores = ((),) * len(inputs), None
        else:
            cores, out_cores = parsed(signature)
            if len(cores) != len(mapped):
                raise TypeError(
                    f"wrong number of positional arguments: expected {len(cores)}, got "
                    f"{len(mapped)} {where}"
                )
            if any(cores[i] for i in missing):
                wrong = {i for i in missing if cores[i]}
                raise ValueError(
                    f"Cannot pass None at locations {wrong} with {signature=}"
                )
            cores = tuple(c for i, c in enumerate(cores) if i not in missing)
        shapes = [operands.shape(x) for x in inputs]
        sizes = core_sizes(shapes, cores, {}, where)
        if out_cores is not None:
            function = checked(function, out_cores, sizes, where)
        outer = [s[: len(s) - len(c)] for s, c in zip(shapes, cores, strict=True)]
        return _over_all(function, inputs, outer)

    return wrapped


def _without_none(function, mapped):
    """The function of the arguments that are not None, these, and where there is None."""
    missing = [i for i, x in enumerate(mapped) if x is None]
    inputs = [creation.asarray(x) for x in mapped if x is not None]
    if not missing:
        return function, inputs, missing

    def call(*given):
        rest = iter(given)
        return function(
            *(None if i in missing else next(rest) for i in range(len(mapped)))
        )

    return call, inputs, missing


def _without_excluded(function, excluded, args, kwargs):
    """The function of the arguments that are not excluded, and these."""
    fixed = {i: args[i] for i in excluded if isinstance(i, int) and i < len(args)}
    named = {k: v for k, v in kwargs.items() if k in excluded}
    mapped_names = [k for k in kwargs if k not in excluded]
    positions = [i for i in range(len(args)) if i not in fixed]

    def call(*mapped):
        whole = dict(fixed)
        whole.update(zip(positions, mapped, strict=False))
        rest = mapped[len(positions) :]
        return function(
            *(whole[i] for i in range(len(args))),
            **named,
            **dict(zip(mapped_names, rest, strict=True)),
        )

    return call, [args[i] for i in positions] + [kwargs[k] for k in mapped_names]


def _over_all(function, inputs, outer):
    """Maps over the axes in front, from the innermost; those of size 1 are not mapped."""
    common = operands.broadcast_shapes("vectorize", *outer)
    rank = len(common)
    axes_of = [[None] * rank for _ in inputs]
    squeezed = []
    for row, x, sizes in zip(axes_of, inputs, outer, strict=True):
        start, dropped = rank - len(sizes), []
        for i, size in enumerate(sizes):
            if size == 1:
                dropped.append(i)
            else:
                row[start + i] = 0
        squeezed.append(reshaping.squeeze(x, tuple(dropped)) if dropped else x)
    added = []
    for i in reversed(range(rank)):
        in_axes = tuple(row[i] for row in axes_of)
        if all(axis is None for axis in in_axes):
            added.insert(0, i)
        else:
            function = mapping.vmap(function, in_axes)
    result = function(*squeezed)
    if not added:
        return result
    if isinstance(result, (tuple, list)):
        return tuple(reshaping.expand_dims(part, tuple(added)) for part in result)
    return reshaping.expand_dims(result, tuple(added))


def apply_along_axis(
    func1d: Callable, axis: int, arr: ArrayLike, *args: Any, **kwargs: Any
) -> Array:
    """Applies a function of vectors to each row along an axis.

    Args:
        func1d: takes a vector, and returns an array.
        axis: the axis of the vectors; the axes of the results replace it.
        arr: array.
        args: further arguments of the function.
        kwargs: further keyword arguments of the function.

    Returns:
        Array of the dtype that the function returns.

    Raises:
        ValueError: the axis is out of bounds; and what the function raises.
    """
    arr = operands.ensure_arraylike("apply_along_axis", arr)
    rank = operands.ndim(arr)
    axis = operands.canonical_axis("apply_along_axis", axis, rank)

    def function(row):
        return func1d(row, *args, **kwargs)

    for i in range(1, rank - axis):
        function = mapping.vmap(function, in_axes=i, out_axes=-1)
    for _ in range(axis):
        function = mapping.vmap(function, in_axes=0, out_axes=0)
    return function(arr)


def apply_over_axes(
    func: Callable[[ArrayLike, int], Array], a: ArrayLike, axes: Sequence[int]
) -> Array:
    """Applies a reduction to one axis after the other, with all axes kept.

    Args:
        func: takes an array and an axis; the result has the same number of axes, or
            lacks that one.
        a: array.
        axes: the axes.

    Raises:
        ValueError: a result has another number of axes.
    """
    a = operands.ensure_arraylike("apply_over_axes", a)
    for axis in axes:
        axis = operands.canonical_axis("apply_over_axes", axis, operands.ndim(a))
        result = func(a, axis)
        if operands.ndim(result) == operands.ndim(a) - 1:
            result = reshaping.expand_dims(result, axis)
        if operands.ndim(result) != operands.ndim(a):
            raise operands.value_error(
                "apply_over_axes",
                "the function changes the number of axes.",
                [
                    ("before", operands.type_name(a)),
                    ("after", operands.type_name(result)),
                ],
                "The axis may stay, or go.",
            )
        a = result
    return a


traceback_filter.hide_frames(globals())
