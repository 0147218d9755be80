"""Sums of products by letters: `einsum`."""

from __future__ import annotations

import functools as ft
import importlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import caches, traceback_filter
from jax._src.core.symbols import expressions
from jax._src.lax import mesh_modes
from jax._src.numpy import lax_api as lax, matrix_products, operands as op
from jax._src.numpy.jit_wrapper import jit

Array = op.Array


def einsum(
    subscripts: Any,
    /,
    *operands: Any,
    out: None = None,
    optimize: Any = "auto",
    precision: Any = None,
    preferred_element_type: Any = None,
    _dot_general: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Sums of products, written with letters for axes.

    Args:
        subscripts: such as ``"ij,jk->ik"``, or the first array where lists of axis
            numbers follow each array.
        operands: arrays.
        out: not supported.
        optimize: how to find an order of contractions; see `opt_einsum`.
        precision: how exactly to multiply floats.
        preferred_element_type: the dtype to add up in.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Raises:
        ValueError: the subscripts do not fit the operands.

    Examples:
        >>> jnp.einsum("ij,j->i", jnp.array([[1, 2], [3, 4]]), jnp.array([1, 10]))
        Array([21, 43], dtype=int32)
    """
    op.refuse_out("einsum", out)
    if optimize is True:
        optimize = "optimal"
    parsed, arrays = _parse(subscripts, operands)
    how = "auto" if optimize is False else optimize
    shapes = tuple(map(op.shape, arrays))
    _refuse_sizes(parsed, shapes)
    _, info = _path(parsed, shapes, how)
    steps = tuple(
        (tuple(sorted(c[0], reverse=True)), c[2]) for c in info.contraction_list
    )
    preferred = op.user_dtype("einsum", preferred_element_type)
    if _dot_general is not None and preferred is None:
        # Functions of libraries get the dtype even if the caller has given none.
        preferred = dtypes.result_type(*arrays)
    return _einsum(arrays, steps, precision, preferred, _dot_general, out_sharding)


def _refuse_sizes(text, shapes):
    """Refuses a letter that stands for two sizes, neither of which is 1."""
    sizes: dict[str, int] = {}
    for term, shape in zip(text.split("->")[0].split(","), shapes, strict=True):
        for letter, size in zip(term, shape, strict=True):
            known = sizes.setdefault(letter, size)
            if known == 1:
                sizes[letter] = size
            elif size not in (known, 1):
                raise op.value_error(
                    "einsum",
                    f"the axis {letter!r} has two sizes, {known} and {size}.",
                    [
                        ("subscripts", text),
                        *((f"array {i}", f"shape {s}") for i, s in enumerate(shapes)),
                    ],
                )


def einsum_path(subscripts: Any, /, *operands: Any, optimize: Any = "auto") -> tuple:
    """The order in which `einsum` would contract, and a description of it.

    Args:
        subscripts, operands: as for `jax.numpy.einsum`; only shapes count.
        optimize: how hard to search, as for `jax.numpy.einsum`.

    Returns:
        A list of pairs of operands to contract, and opt_einsum's description, with costs
        as members (`opt_cost`, …) and a text to print; dtypes have no part.

    Raises:
        ValueError: operands and subscripts do not fit.
    """
    parsed, arrays = _parse(subscripts, operands)
    path, info = _path(parsed, tuple(map(op.shape, arrays)), optimize)
    return list(path), info


def _path(parsed, shapes, optimize):
    """The order of contractions: remembered, where it is not the caller's own."""
    find = _known_path if isinstance(optimize, (str, bool)) else _find_path
    return find(parsed, _with_numbers(shapes), optimize)


def _with_numbers(shapes):
    """The shapes with numbers for symbolic sizes, different ones for different sizes."""
    numbers: dict[Any, int] = {}
    return tuple(
        tuple(
            numbers.setdefault(n, 64 + len(numbers))
            if expressions.is_dimension(n)
            else n
            for n in shape
        )
        for shape in shapes
    )


def _opt_einsum():
    # Imported at the first sum, because `import jax` would take 4 ms longer.
    return importlib.import_module("opt_einsum")


def _find_path(parsed, shapes, optimize):
    return _opt_einsum().contract_path(parsed, *shapes, shapes=True, optimize=optimize)


_known_path = caches.memoize()(_find_path)


def _parse(subscripts, operands):
    """Subscripts without dots, with an explicit result, and the arrays."""
    if not isinstance(subscripts, str):
        subscripts, operands = _from_axis_lists((subscripts, *operands))
    op.check_arraylike("einsum", *operands)
    arrays = [op.to_array(x) for x in operands]
    text = subscripts.replace(" ", "")
    shapes = [op.shape(x) for x in arrays]
    inputs, output, _ = _opt_einsum().parser.parse_einsum_input(
        (text, *shapes), shapes=True
    )
    terms = inputs.split(",")
    if len(terms) != len(arrays):
        raise op.value_error(
            "einsum",
            "the numbers of terms and arrays differ.",
            [("subscripts", text), ("arrays", str(len(arrays)))],
        )
    for term, x in zip(terms, arrays, strict=True):
        if len(term) != op.ndim(x):
            raise op.value_error(
                "einsum",
                "a term does not fit its array.",
                [("term", term), ("array", op.type_name(x))],
                "A term has one letter per axis.",
            )
    return f"{inputs}->{output}", arrays


def _from_axis_lists(arguments):
    """The text for operands that each have a list of names for its axes behind it."""
    result = [_axis_names(arguments[-1])] if len(arguments) % 2 else []
    arrays = arguments[: len(arguments) - len(result) : 2]
    lists = [_axis_names(names) for names in arguments[1::2]]
    known = {name for names in lists for name in names}
    if unknown := [name for names in result for name in names if name not in known]:
        raise op.value_error(
            "einsum",
            "the result has axes that no operand has.",
            [
                ("axes", ", ".join(map(repr, unknown))),
                ("operands", ", ".join(map(repr, lists))),
            ],
        )
    # NumPy's arrays of no size stand for the operands, which the parser only looks at.
    pairs = [x for names in lists for x in (np.empty(0), names)]
    text, _ = _opt_einsum().parser.convert_interleaved_input([*pairs, *result])
    return text, arrays


def _axis_names(names):
    if isinstance(names, Iterable):
        return [int(n) if hasattr(n, "__index__") else n for n in names]
    raise op.type_error(
        "einsum",
        "the names of axes are no list.",
        [("names", repr(names))],
        "Behind each operand stands a list of names, numbers or `...`.",
        "Or give the subscripts as text: jnp.einsum('ij,jk->ik', x, y).",
    )


@ft.partial(jit, static_argnums=(1, 2, 3, 4, 5))
def _einsum(arrays, steps, precision, preferred, dot_general, out_sharding=None):
    is_weak = preferred is None and all(map(dtypes.is_weakly_typed, arrays))
    if preferred is not None or matrix_products.are_alike(*arrays):
        arrays = matrix_products.own_dtypes(*arrays)
    else:
        arrays = op.promote_dtypes(*arrays)
    was_boolean = op.kind_of(arrays[0]) == "b"
    for number, (positions, text) in enumerate(steps):
        given = out_sharding if number == len(steps) - 1 else None
        chosen = [arrays.pop(i) for i in positions]
        terms, result = text.split("->")
        names = terms.split(",")
        if len(chosen) == 1:
            one = _one_term(chosen[0], names[0], result, preferred)
            arrays.append(one if given is None else mesh_modes.reshard(one, given))
        else:
            if len(chosen) > 2:
                raise NotImplementedError(
                    "jax.numpy.einsum does not support simultaneous contraction of 3 or "
                    "more operands.\nSteps of the path have two operands at most: leave "
                    "`optimize` out, or name pairs."
                )
            arrays.append(
                _two_terms(
                    chosen, names, result, precision, preferred, dot_general, given
                )
            )
    (result,) = arrays
    if preferred is not None:
        return op.convert(result, preferred)
    if was_boolean:
        return op.convert(result, np.dtype(bool))
    return op.convert(result, op.dtype_of(result), is_weak) if is_weak else result


def _one_term(x, names, result, preferred):
    """Diagonals, sums and the order of axes of one array."""
    x, names = _sum_alone(*_diagonals(x, names), result, preferred)
    order = tuple(names.index(n) for n in result)
    return lax.transpose(x, order) if order != tuple(range(len(order))) else x


def _diagonals(x, names):
    """Repeated letters taken once: the elements where their indices agree."""
    for letter in sorted(set(names)):
        axes = [i for i, n in enumerate(names) if n == letter]
        while len(axes) > 1:
            second = axes.pop()
            first = axes[-1]
            shape = op.shape(x)
            same = lax.eq(
                lax.broadcasted_iota(np.int32, shape, first),
                lax.broadcasted_iota(np.int32, shape, second),
            )
            masked = lax.select(same, x, lax.full_like(x, 0))
            x = (
                lax.reduce_or(masked, (second,))
                if op.kind_of(x) == "b"
                else lax.reduce_sum(masked, (second,))
            )
            names = names[:second] + names[second + 1 :]
    return x, names


def _two_terms(
    chosen, names, result, precision, preferred, dot_general, out_sharding=None
):
    (a, names_a), (b, names_b) = (
        _diagonals(x, n) for x, n in zip(chosen, names, strict=True)
    )
    # First, for what broadcasts along a letter leaves that to the other operand alone.
    a, names_a = _drop_unit(a, names_a, b, names_b)
    b, names_b = _drop_unit(b, names_b, a, names_a)
    a, names_a = _sum_alone(a, names_a, set(names_b) | set(result), preferred)
    b, names_b = _sum_alone(b, names_b, set(names_a) | set(result), preferred)
    shared = [n for n in names_a if n in names_b]
    batch = [n for n in result if n in shared]
    contracted = [n for n in shared if n not in result]
    # In the order of the subscripts where nothing is left to be turned then.
    if [*batch, *_apart(names_b, shared), *_apart(names_a, shared)] == list(result):
        a, names_a, b, names_b = b, names_b, a, names_a
    dimensions = (
        (tuple(map(names_a.index, contracted)), tuple(map(names_b.index, contracted))),
        (tuple(map(names_a.index, batch)), tuple(map(names_b.index, batch))),
    )
    order = [*batch, *_apart(names_a, shared), *_apart(names_b, shared)]
    permutation = tuple(order.index(n) for n in result)
    given = matrix_products.before_transpose("einsum", out_sharding, permutation)
    if dot_general is not None:
        product = dot_general(
            a,
            b,
            dimensions,
            precision,
            preferred_element_type=preferred,
        )
    else:
        weak = preferred is None and all(map(dtypes.is_weakly_typed, (a, b)))
        product = matrix_products.product(
            a, b, dimensions, precision, preferred, weak, given
        )
    if permutation != tuple(range(len(permutation))):
        product = lax.transpose(product, permutation)
    return product


def _apart(names, shared):
    """The letters that the other term does not have."""
    return [n for n in names if n not in shared]


# Letters of dtypes by rank; signed and unsigned numbers have the same.
_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def _reach(dtype):
    """What sums are made in: complex before real numbers, real ones before whole ones, then the longer ones."""
    return _RANKS[op.kind(dtype)], dtypes.itemsize_bits(dtype)


def _sum_alone(x, names, needed, preferred):
    """Sums axes that neither the other operand nor the result has, in the given dtype if its range is larger."""
    alone = tuple(i for i, n in enumerate(names) if n not in needed)
    if not alone:
        return x, names
    if preferred is not None and _reach(preferred) > _reach(op.dtype_of(x)):
        x = op.convert(x, preferred)
    reduce = lax.reduce_or if op.kind_of(x) == "b" else lax.reduce_sum
    return reduce(x, alone), "".join(n for n in names if n in needed)


def _drop_unit(x, names, other, other_names):
    """Leaves out axes of size 1 that the other operand has longer: they broadcast."""
    drop = [
        i
        for i, n in enumerate(names)
        if n in other_names
        and op.shape(x)[i] == 1
        and op.shape(other)[other_names.index(n)] != 1
    ]
    if not drop:
        return x, names
    return lax.squeeze(x, tuple(drop)), "".join(
        n for i, n in enumerate(names) if i not in drop
    )


traceback_filter.hide_frames(globals())
