"""The loops that users write: scan, fori_loop, map, associative_scan."""

import functools as ft
import operator
from collections.abc import Callable

import numpy as np

from jax._src import tree as trees
from jax._src.base import traceback_filter
from jax._src.core import avals as av, concrete, reference_links as rl, wide_values
from jax._src.core.avals import get_aval
from jax._src.core.symbols import expressions
from jax._src.lax.control_flow import disable_jit, programs as pg
from jax._src.lax.control_flow.scans import scan_p
from jax._src.lax.control_flow.while_loops import while_loop
from jax._src.lax.ops.arithmetic import add
from jax._src.lax.ops.checks import ANY, INTEGER, canonical_axis, check_kind, kind_of
from jax._src.lax.ops.comparison import lt
from jax._src.lax.ops.cumulative import scan_in_pairs
from jax._src.lax.ops.joining import concatenate, slice_in_dim
from jax._src.lax.ops.messages import explain
from jax._src.lax.ops.reshaping import reshape, rev
from jax._src.transforms import calls
from jax._src.transforms.vectorize import vmap

_SCAN_RULE = "It takes a carry and a slice, and returns the next carry and a result."


def scan(
    f: Callable,
    init,
    xs=None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
):
    """Applies a function to slices of arrays, one after the other, carrying a value.

    As Python::

        ys = []
        for x in xs:
            carry, y = f(carry, x)
            ys.append(y)
        return carry, jnp.stack(ys)

    with the loop inside of the compiled program, and derivatives in both modes.

    Args:
        f: from carry and slice to the next carry, of the same structure and types, and
            a result.
        init: the first carry, a tree of arrays.
        xs: a tree of arrays with the same first axis, or ``None``.
        length: the number of steps, if `xs` does not tell it.
        reverse: whether to run from the last slice to the first.
        unroll: how many steps the compiled loop does at once; true: all of them.

    Returns:
        The last carry, and the results stacked along a new first axis: a pair, or a
        list where `f` returns one.

    Raises:
        TypeError: `f` returns another structure or other types. ValueError: the arrays
            disagree about the number of steps.

    Examples:
        >>> jax.lax.scan(lambda c, x: (c + x, c * x), jnp.array(0), jnp.arange(4))
        (Array(6, dtype=int32), Array([0, 0, 2, 9], dtype=int32))
    """
    pg.require_callable("lax.scan", "f", f, _SCAN_RULE, a="a callable")
    leaves, structure = trees.tree_flatten(init)
    rows, rows_tree = trees.tree_flatten(xs)
    length = _scan_length(f, rows, xs, length)
    if length and disable_jit.is_requested():
        return disable_jit.scan(f, init, xs, length, reverse)
    slice_avals = [_slice_aval(get_aval(x), length) for x in rows]
    debug = pg.debug_info("scan body", f, (init, xs))
    tree_in = trees.treedef_tuple([structure, rows_tree])
    while True:
        carry_avals = [get_aval(x) for x in leaves]
        program, consts, tree_out, links = pg.trace_linked(
            "lax.scan", f, tree_in, [*carry_avals, *slice_avals], debug
        )
        carry_tree, _ = _check_pair(f, tree_out)
        if carry_tree != structure:
            break
        # A carry may lose its weakness on the way; what is stacked keeps its own.
        leaves, changed = pg.promote_weak(leaves, program.out_avals[: len(leaves)])
        if not changed:
            break
    names = pg.leaf_names(f, (init,))
    n_carry = carry_tree.num_leaves
    pg.check_carry(
        "lax.scan",
        f,
        names,
        structure,
        carry_avals,
        carry_tree,
        program.out_avals[:n_carry],
    )
    params = {
        "reverse": bool(reverse),
        "length": length,
        "unroll": _unroll_count(unroll, length),
    }
    outs = (
        _scan_with_references(program, consts, leaves, rows, links, params)
        if links
        else scan_p.bind(
            *consts,
            *leaves,
            *rows,
            jaxpr=program,
            num_consts=len(consts),
            num_carry=n_carry,
            **params,
        )
    )
    # What every step passes on unchanged ends as it began.
    passed_on = zip(
        program.jaxpr.outvars[:n_carry],
        program.jaxpr.invars[len(consts) : len(consts) + n_carry],
        leaves,
        outs[:n_carry],
        strict=True,
    )
    last = [start if out is var else end for out, var, start, end in passed_on]
    return trees.tree_unflatten(tree_out, [*last, *outs[n_carry:]])


def _slice_aval(aval, length):
    """The type of the slices of an array, or of a reference to one."""
    if aval.is_high:
        return aval.dec_rank(length, aval.leading_axis_spec())
    if isinstance(aval, rl.AbstractRef):
        return aval.update(inner_aval=_slice_aval(aval.inner_aval, length))
    if isinstance(aval, av.ShapedArray):
        entry = aval.sharding.spec.partitions[0]
        if entry is not None:
            raise ValueError(
                explain(
                    "lax.scan: an array is sharded along its first axis.",
                    [("array", aval.str_short())],
                    "0th dimension of all xs should be replicated: steps follow each "
                    "other.",
                    "Move it first: jax.reshard(x, P(None, …)).",
                )
            )
        return aval.without_axis(0)
    return aval


def _scan_with_references(program, consts, leaves, rows, links, params):
    """The results of a loop whose steps use references, which get their last values."""
    links.check_call([*leaves, *rows], "lax.scan")
    values = rl.arrays(rows)
    bind = ft.partial(scan_p.bind, **params)
    outs = pg.run_carrying(bind, program, consts, leaves, values, links)
    return links.take(outs, [*leaves, *rows])


def _unroll_count(unroll, length):
    if isinstance(unroll, bool):
        return max(length, 1) if unroll else 1
    count = operator.index(unroll)
    if count < 0:
        raise ValueError(
            explain(
                "lax.scan: `unroll` must be a `bool` or a non-negative `int`.",
                [("unroll", count)],
                "It is at least 1; 0 or True stand for all steps.",
            )
        )
    return count or max(length, 1)


def _check_pair(fun, tree_out):
    children = trees.treedef_children(tree_out)
    if len(children) != 2 or trees.treedef_is_leaf(tree_out):
        raise TypeError(
            explain(
                f"lax.scan: scan body output must be a pair, got {tree_out}.",
                [("f", calls.describe(fun))],
                "A step returns the next carry and a result.",
                "Without results: return carry, None.",
            )
        )
    kind, _ = tree_out.node_data()
    if not issubclass(kind, tuple | list):
        raise TypeError(
            explain(
                f"lax.scan: scan body output must be a pair, got {tree_out}.",
                [("f", calls.describe(fun))],
                "A step returns a tuple: the next carry and a result.",
            )
        )
    return children


_LENGTH = (
    "The `length` argument to `scan` expects a concrete `int` value. For an unknown number "
    "of steps: `while_loop` or `fori_loop`."
)


def _scan_length(fun, rows, xs, length):
    names = pg.leaf_names(fun, (None, xs))  # The carry has none here.
    sizes: dict[int, str] = {}
    for i, row in enumerate(rows):
        aval = get_aval(row)
        if aval.is_high and length is not None:
            continue  # Such a type alone knows of what its first axis is.
        shape = () if aval.is_high else getattr(aval, "shape", ())
        name = names[i] if i < len(names) else f"leaf {i}"
        if not shape:
            raise ValueError(
                explain(
                    "lax.scan: scan got value with no leading axis to scan over: "
                    f"{get_aval(row).str_short()}.",
                    [("value", f"{name} of xs")],
                    "Slices are taken along the first axis.",
                    "A value for all steps: use it inside of f.",
                )
            )
        sizes.setdefault(shape[0], f"{name}: {get_aval(row).str_short()}")
    if length is not None:
        length = int(concrete.concrete_or_error(None, length, _LENGTH))
        wrong = [size for size in sizes if size != length]
        if wrong:
            raise ValueError(
                explain(
                    f"lax.scan: scan got `length` argument of {length} which disagrees with leading "
                    f"axis sizes {list(sizes)}.",
                    [(str(n), w) for n, w in sizes.items()],
                    "The number of steps is the size of the first axis.",
                    "Leave out length, or slice the arrays.",
                )
            )
        if length < 0:
            raise ValueError(f"lax.scan: length is at least 0, got {length}.")
        return length
    if len(sizes) > 1:
        raise ValueError(
            explain(
                "lax.scan: scan got values with different leading axis sizes: "
                f"{', '.join(str(size) for size in sizes)}.",
                [(f"size {size}", where) for size, where in sizes.items()],
                "All are cut into the same number of slices.",
            )
        )
    if not sizes:
        raise ValueError(
            explain(
                "lax.scan: scan got no values to scan over and `length` not provided.",
                [("xs", "no arrays"), ("length", None)],
                "It is the first axis of xs, or length.",
                "Without arrays: lax.scan(f, init, None, length=n).",
            )
        )
    return next(iter(sizes))


def _known_integer(x) -> int | None:
    """The value of an integer that is not traced."""
    if isinstance(x, bool):
        return int(x)
    try:
        return operator.index(x)
    except Exception:
        return None


def _as_bound(x, other):
    fits = isinstance(x, int) and kind_of(other.dtype) & INTEGER
    return wide_values.kept_scalar(np.asarray(x, other.dtype)[()]) if fits else x


def fori_loop(lower, upper, body_fun: Callable, init_val, *, unroll=None):
    """Applies a function for each integer from `lower` up to, not including, `upper`.

    As Python: ``for i in range(lower, upper): val = body_fun(i, val)``. Reverse-mode
    derivatives exist if the bounds are known while tracing.

    Args:
        lower: integer scalar.
        upper: integer scalar of the same dtype, or an integer of Python.
        body_fun: from index and value to the next value, of the same types.
        init_val: a tree of arrays.
        unroll: as in `scan`; only with bounds that are known.

    Returns:
        The last value.

    Raises:
        TypeError: the bounds differ in dtype, or the function changes types.

    Examples:
        >>> jax.lax.fori_loop(0, 5, lambda i, total: total + i, 0)
        Array(10, dtype=int32, weak_type=True)
    """
    pg.require_callable(
        "lax.fori_loop",
        "body_fun",
        body_fun,
        "It takes the count and the value, and returns the next value.",
    )
    # Integers of NumPy count as those of Python: their dtypes need not agree.
    lower, upper = (
        x.__jax_array__() if expressions.is_dimension(x) else x for x in (lower, upper)
    )
    lower, upper = (int(x) if isinstance(x, np.integer) else x for x in (lower, upper))
    low, high = get_aval(lower), get_aval(upper)
    if low.dtype != high.dtype:
        # An integer of Python takes the dtype of a traced bound.
        lower, upper = _as_bound(lower, high), _as_bound(upper, low)
        low, high = get_aval(lower), get_aval(upper)
    if low.shape or high.shape or low.dtype != high.dtype:
        raise TypeError(
            explain(
                "lax.fori_loop: lower and upper arguments to fori_loop must have equal types, got "
                f"{low.dtype.name} and {high.dtype.name}.",
                [("lower", low.str_short()), ("upper", high.str_short())],
                "They are scalars of one dtype.",
            )
        )
    if kind_of(low.dtype) & INTEGER:
        start, stop = _known_integer(lower), _known_integer(upper)
    else:
        start = stop = None
    if start is not None and stop is not None:
        if disable_jit.is_requested():
            return disable_jit.fori_loop(start, stop, body_fun, init_val)
        return _counted_loop(lower, max(stop - start, 0), body_fun, init_val, unroll)
    if unroll is not None and unroll is not False and unroll != 1:
        raise ValueError(
            explain(
                "lax.fori_loop: Can only use `unroll` in `fori_loop` if the loop bounds are statically "
                "known.",
                [("upper", high.str_short()), ("unroll", unroll)],
                "Unrolling needs bounds that are known while tracing.",
            )
        )

    def advance(state):
        index, end, value = state
        return add(index, _one_of(index)), end, body_fun(index, value)

    def go_on(state):
        return lt(state[0], state[1])

    return while_loop(go_on, advance, (lower, upper, init_val))[2]


def _one_of(index):
    aval = get_aval(index)
    return 1 if aval.dtype == get_aval(1).dtype else np.ones((), aval.dtype)[()]


def _counted_loop(lower, count, body_fun, init_val, unroll):
    def step(loop_carry, _):
        index, value = loop_carry
        return (add(index, _one_of(index)), body_fun(index, value)), None

    calls_as = getattr(body_fun, "__name__", "body_fun")
    step.__name__ = f"fori_loop of {calls_as}"
    (_, value), _ = scan(
        step,
        (lower, init_val),
        None,
        length=count,
        unroll=1 if unroll is None else unroll,
    )
    return value


def map(f: Callable, xs, *, batch_size: int | None = None):
    """Applies a function to slices of arrays, one after the other.

    Args:
        f: a function of one slice of `xs`.
        xs: a tree of arrays of any dtype with the same first axis.
        batch_size: how many slices to do at once with `jax.vmap`.

    Returns:
        The results stacked along a new first axis.

    Raises:
        ValueError: an array has no axis, or their first axes differ.

    Examples:
        >>> jax.lax.map(lambda x: x * x, jnp.arange(4))
        Array([0, 1, 4, 9], dtype=int32)
    """
    if batch_size is None:
        return scan(lambda _, x: ((), f(x)), (), xs)[1]
    if batch_size < 1:
        raise ValueError(f"lax.map: batch_size is at least 1, got {batch_size}.")
    leaves, structure = trees.tree_flatten(xs)
    size = _scan_length(f, leaves, xs, None)
    count, rest = divmod(size, batch_size)
    whole = [
        reshape(
            slice_in_dim(x, 0, count * batch_size),
            (count, batch_size, *np.shape(x)[1:]),
        )
        for x in leaves
    ]
    many = vmap(f)
    _, found = scan(
        lambda _, x: ((), many(x)), (), trees.tree_unflatten(structure, whole)
    )
    found = trees.tree_map(
        lambda x: reshape(x, (count * batch_size, *np.shape(x)[2:])), found
    )
    if not rest:
        return found
    last = [slice_in_dim(x, count * batch_size, size) for x in leaves]
    more = many(trees.tree_unflatten(structure, last))
    return trees.tree_map(lambda a, b: concatenate([a, b], 0), found, more)


def associative_scan(fn: Callable, elems, reverse: bool = False, axis: int = 0):
    """Running results of an associative function, computed in parallel.

    Args:
        fn: from two trees of arrays to one; associative, and for each index along
            `axis` by itself.
        elems: a tree of arrays of any dtype with the same size along `axis`.
        reverse: whether to run from the end.
        axis: the axis; negative ones count from the end.

    Returns:
        A tree of arrays whose index `i` holds the result for the indices 0 to `i`.

    Raises:
        TypeError: `fn` is not a function. ValueError: the sizes differ.

    Reference: G. E. Blelloch, Prefix sums and their applications, 1990.

    Examples:
        >>> jax.lax.associative_scan(jnp.multiply, jnp.arange(1, 5))
        Array([ 1,  2,  6, 24], dtype=int32)
    """
    pg.require_callable(
        "lax.associative_scan", "fn", fn, "It joins two trees of arrays to one."
    )
    leaves, structure = trees.tree_flatten(elems)
    if not leaves:
        return elems
    for x in leaves:
        check_kind("associative_scan", get_aval(x), ANY)
    # Scalars have no axis to scan along; the attribute says so in its own words.
    ndims = [x.ndim for x in leaves]
    axis = canonical_axis(axis, ndims[0], "associative_scan")
    sizes = [np.shape(x)[axis] for x in leaves]
    if len(set(sizes)) > 1:
        raise ValueError(
            explain(
                "lax.associative_scan: Array inputs to associative_scan must have the same first dimension, or "
                f"here the same size along axis {axis}.",
                [(f"array {i}", f"shape {np.shape(x)}") for i, x in enumerate(leaves)],
                "The elements along it are joined in pairs.",
                "Slice or pad the arrays, or scan each by itself.",
            )
        )
    if reverse:
        leaves = [rev(x, (axis,)) for x in leaves]

    def join(left, right):
        left, right = (trees.tree_unflatten(structure, x) for x in (left, right))
        outs, found = trees.tree_flatten(fn(left, right))
        if len(outs) != len(leaves):
            raise TypeError(
                explain(
                    "lax.associative_scan: the function returns another structure.",
                    [("elems", structure), ("result", found)],
                    "It joins two trees to one of as many arrays, in the same order.",
                )
            )
        return outs

    outs = scan_in_pairs(join, leaves, axis)
    if reverse:
        outs = [rev(x, (axis,)) for x in outs]
    return trees.tree_unflatten(structure, outs)


traceback_filter.hide_frames(globals())
