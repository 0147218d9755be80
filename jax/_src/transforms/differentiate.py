"""Derivatives: `grad`, `vjp`, `jvp`, `linearize`, and their kin."""

import functools as ft
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from jax._src import tree
from jax._src.base import errors, scalars, util
from jax._src.base.traceback_filter import api_boundary, hides_frames
from jax._src.core import (
    avals,
    reference_links,
    references,
    slots,
    state,
    vma,
)
from jax._src.interpreters import ad
from jax._src.runtime.transfers import device_put_get
from jax._src.transforms import (
    calls,
    derivative_checks,
    vjp_function,
    vjp_residuals,
)

Result = TypeVar("Result")

_JVP = state.Transform("jvp")


def _flat(fun, args, kwargs, what):
    leaves, in_tree = tree.tree_flatten((args, kwargs))
    return calls.FlatFunction(fun, in_tree, what), leaves


class _WithAux:
    """Wraps a function that returns a pair: the wrapper returns the first part and keeps the second."""

    def __init__(self, fun: Callable, what: str):
        self.fun = fun
        self.what = what
        self.aux: Any = None
        self.__name__ = util.function_name(fun)
        self.__wrapped__ = fun

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        out, self.aux = calls.has_two_results(self.fun(*args, **kwargs), self.what)
        return out


def _peel(value, trace_owner=None):
    """The known values behind auxiliary results of a differentiation."""
    return tree.tree_map(_primal, value)


def _primal(x):
    while isinstance(x, ad.JVPTracer) and not x._trace.is_alive:
        x = x.primal
    return x


def _vjp(fun, primals, what, has_aux=False):
    """Returns the results, linear program, tree of results and auxiliary results of `fun(*primals)`."""
    _refuse_references(tree.tree_leaves(primals), what)
    outs, linear, flat, aux, _ = _linearize(fun, primals, what, has_aux)
    return outs, linear, flat, aux


def _linearize(fun, primals, what, has_aux):
    """Linearizes a function whose arguments may be references; also returns which leaves it writes."""
    inner = _WithAux(fun, what) if has_aux else fun
    flat, leaves = _flat(inner, primals, {}, what)
    calls.check_values(leaves, what, calls.arg_names(fun, primals, {}))
    of_arrays, values, written = _of_arrays(flat, leaves, what)
    outs, linear = ad.vjp(
        state.within(_JVP, of_arrays), values, calls.debug_info(what, fun, primals)
    )
    outs = reference_links.stored([leaves[i] for i in written[-1]], outs)
    return outs, linear, flat, _peel(inner.aux) if has_aux else None, written[-1]


def _of_arrays(flat, leaves, what):
    """Converts a function of leaves, some of which are references, to a function of arrays.

    Returns:
        The function, whose last results are the arrays that it writes to references; its
        arguments; and a list whose last entry is, after a call, where these stand.
    """
    refs = [x for x in leaves if type(x) is reference_links.Ref]
    if not refs:
        return flat, leaves, [()]
    reference_links.refuse_twice(refs, f"jax.{what}")
    of_arrays, written = reference_links.with_arguments(
        flat, [avals.get_aval(x) for x in leaves]
    )
    return of_arrays, reference_links.arrays(leaves), written


def _refuse_references(leaves, what):
    for leaf in leaves:
        if type(leaf) is reference_links.Ref:
            raise errors.value_error(
                f"jax.{what}: an argument to differentiate in is a reference.",
                [("argument", repr(leaf.aval))],
                "Derivatives are in arrays.",
                "Pass the array, ref[...], or use the reference from outside.",
            )


def _without_derivatives_in(fun, primals, in_nzs, what):
    """Returns `fun` with zero derivatives in the arguments for which `in_nzs` is false."""
    if in_nzs is None:
        return fun
    structure = tree.tree_structure(primals)
    flags = tree.spread_over(f"{what} in_nzs", in_nzs, structure)
    if all(flags):
        return fun

    @ft.wraps(fun)
    def held(*args):
        leaves, given = tree.tree_flatten(args)
        held_leaves = [
            x if is_moved else slots.stop_derivatives(x)
            for x, is_moved in zip(leaves, flags, strict=True)
        ]
        return fun(*tree.tree_unflatten(given, held_leaves))

    return held


@api_boundary
def vjp(
    fun: Callable,
    *primals: Any,
    has_aux: bool = False,
    reduce_axes: Sequence[Any] = (),
    saveable_args: Any = True,
    in_nzs: Any = None,
) -> Any:
    """Evaluates a function and returns the map from cotangents of its result back.

    Args:
        fun: the function of trees of arrays.
        *primals: the arguments at which to evaluate.
        has_aux: whether `fun` returns a pair whose second part is not differentiated.
        reduce_axes: must be empty.
        saveable_args: a tree prefix of the arguments: which of them the backward pass may
            keep. It changes no value; what is kept of an argument is the argument itself.
        in_nzs: a tree prefix of the arguments: False for those in which `fun` is not to
            be differentiated. Their cotangents are 0.

    Returns:
        ``(result, vjp_function)``, with `has_aux` ``(result, vjp_function, auxiliary)``.
        ``vjp_function(cotangent)`` takes a tree like the result and returns a tuple of
        trees like the arguments. Integer arguments have cotangents of dtype float0.

    Raises:
        TypeError: `fun` is no function, an argument no array, or there is no pair where
            `has_aux` asks for one. ValueError: a prefix does not fit the arguments.

    Examples:
        >>> y, back = jax.vjp(lambda x: x ** 2, 3.0)
        >>> back(1.0)
        (Array(6., dtype=float32, weak_type=True),)
    """
    no_reduce_axes(reduce_axes)
    calls.check_callable(fun, "vjp")
    tree.spread_over("vjp saveable_args", saveable_args, tree.tree_structure(primals))
    fun = _without_derivatives_in(fun, primals, in_nzs, "vjp")
    outs, linear, flat, aux = _vjp(fun, primals, "vjp", has_aux)
    out = tree.tree_unflatten(flat.out_tree, outs)
    sources = vjp_residuals.sources_of(linear.consts, tree.tree_leaves(primals))
    name = util.function_name(fun)
    back = vjp_function.VJP(linear, flat.in_tree, flat.out_tree, name, sources)
    return (out, back, aux) if has_aux else (out, back)


def no_reduce_axes(reduce_axes):
    if reduce_axes:
        raise NotImplementedError("reduce_axes must be empty.")


def _one_like(aval):
    """The number 1 of a scalar type."""
    if aval.weak_type:
        return device_put_get.weak_scalar(1, aval.dtype)
    return np.ones((), aval.dtype)[()]


@hides_frames
def value_and_grad(
    fun: Callable[..., Result],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Any] = (),
) -> Callable[..., tuple[Result, Any]]:
    """A function that returns both the value and the gradient of `fun`.

    Args:
        fun: returns one real number (or complex, see `holomorphic`).
        argnums: the positional arguments to differentiate in, counted from 0. For a
            sequence, the gradient is a tuple.
        has_aux: whether `fun` returns a pair of the number and something else.
        holomorphic: whether `fun` is complex and to be differentiated as such.
        allow_int: whether integer arguments are allowed; their gradients are float0.
        reduce_axes: must be empty.

    Returns:
        A function with the arguments of `fun` that returns ``(value, gradient)``, or
        ``((value, auxiliary), gradient)``.

    Raises:
        TypeError: the result is no number, or an argument has no derivative.

    Examples:
        >>> jax.value_and_grad(lambda x: x ** 2)(3.0)
        (Array(9., dtype=float32, weak_type=True), Array(6., dtype=float32, weak_type=True))
    """
    no_reduce_axes(reduce_axes)
    calls.check_callable(fun, "grad")

    doc = f"Value and gradient of {{fun}} with respect to {_positions(argnums)}.{{doc}}"

    @util.wraps(fun, doc=doc)
    @api_boundary
    def value_and_grad_of(*args, **kwargs):
        chosen_fun, chosen = calls.select_arguments(fun, args, argnums, "grad")

        def with_kwargs(*xs):
            return chosen_fun(*xs, **kwargs)

        with_kwargs.__wrapped__ = fun
        with_kwargs.__name__ = util.function_name(fun)
        _refuse_references(tree.tree_leaves(chosen), "grad")
        for leaf in tree.tree_leaves(chosen):
            derivative_checks.check_argument(
                "grad", avals.get_aval(leaf), holomorphic, allow_int
            )
        outs, linear, flat, aux = _vjp(with_kwargs, chosen, "grad", has_aux)
        derivative_checks.check_scalar(fun, outs, flat.out_tree, holomorphic)
        (value,) = outs
        # A scalar of the result's dtype, made without tracing an operation.
        aval = avals.get_aval(value)
        one = vma.like(_one_like(aval), aval)
        found = [
            vjp_function.as_array(ad.instantiate_zeros(ct))
            for ct in linear.transpose([one])
        ]
        gradient, _ = tree.tree_unflatten(flat.in_tree, found)
        if not hasattr(argnums, "__iter__"):
            (gradient,) = gradient
        return ((value, aux) if has_aux else value), gradient

    return value_and_grad_of


def _positions(argnums):
    return f"positional argument(s) {argnums}"


@hides_frames
def grad(
    fun: Callable,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Any] = (),
) -> Callable:
    """A function that returns the gradient of `fun`.

    Args:
        fun: returns one real number (or complex, see `holomorphic`).
        argnums: the positional arguments to differentiate in, counted from 0. For a
            sequence, the gradient is a tuple.
        has_aux: whether `fun` returns a pair of the number and something else.
        holomorphic: whether `fun` is complex and to be differentiated as such.
        allow_int: whether integer arguments are allowed; their gradients are float0.
        reduce_axes: must be empty.

    Returns:
        A function with the arguments of `fun` that returns the gradient: a tree like the
        argument. With `has_aux`, ``(gradient, auxiliary)``.

    Raises:
        TypeError: the result is no number, or an argument has no derivative.

    Examples:
        >>> jax.grad(lambda x: x ** 2)(3.0)
        Array(6., dtype=float32, weak_type=True)
    """
    both = value_and_grad(fun, argnums, has_aux, holomorphic, allow_int, reduce_axes)

    doc = f"Gradient of {{fun}} with respect to {_positions(argnums)}.{{doc}}"

    @util.wraps(fun, doc=doc)
    @api_boundary
    def grad_of(*args, **kwargs):
        out, gradient = both(*args, **kwargs)
        return (gradient, out[1]) if has_aux else gradient

    return grad_of


def _check_jvp_arguments(primals, tangents):
    kinds = (tuple, list)
    if not (isinstance(primals, kinds) and isinstance(tangents, kinds)):
        raise errors.type_error(
            "primal and tangent arguments to jax.jvp must be tuples or lists; found "
            f"{type(primals).__name__} and {type(tangents).__name__}.",
            rule="Both are of one kind.",
            ways="Write jax.jvp(f, (x,), (t,)).",
        )


def _check_tangent(primal, tangent):
    aval = avals.get_aval(primal)
    wanted, given = aval.to_tangent_aval(), avals.get_aval(tangent)
    is_high = wanted.is_high or given.is_high
    if wanted != given if is_high else wanted.dtype != given.dtype:
        raise errors.type_error(
            "primal and tangent arguments to jax.jvp do not match; dtypes must be "
            "equal, or in case of int/bool primal dtype the tangent dtype must be "
            "float0.",
            [
                ("primal", aval.str_short()),
                ("wanted tangent", wanted.str_short()),
                ("given tangent", given.str_short()),
            ],
        )
    if not is_high and wanted.shape != given.shape:
        raise errors.value_error(
            "jvp called with different primal and tangent shapes;"
            f"Got primal shape {aval.shape} and tangent shape as {given.shape}.",
            [("primal", aval.str_short()), ("tangent", given.str_short())],
        )


def _typed_as(primal, tangent):
    """Converts a Python number that is the tangent of a strongly typed value to the dtype of the value."""
    if isinstance(tangent, (int, float, complex)):
        aval = avals.get_aval(primal)
        if not aval.weak_type:
            return np.asarray(tangent, aval.dtype)[()]
    return tangent


@api_boundary
def jvp(
    fun: Callable, primals: Sequence, tangents: Sequence, has_aux: bool = False
) -> Any:
    """Evaluates a function and its derivative in one direction.

    Args:
        fun: the function of trees of arrays.
        primals: tuple of arguments.
        tangents: tuple of directions, trees like the arguments.
        has_aux: whether `fun` returns a pair whose second part is not differentiated.

    Returns:
        ``(result, tangent)``, with `has_aux` ``(result, tangent, auxiliary)``.

    Raises:
        TypeError: primals and tangents differ in structure or dtypes.
        ValueError: they differ in shapes.

    Examples:
        >>> jax.jvp(lambda x: x ** 2, (3.0,), (1.0,))
        (Array(9., dtype=float32, weak_type=True), Array(6., dtype=float32, weak_type=True))
    """
    calls.check_callable(fun, "jvp")
    _check_jvp_arguments(primals, tangents)
    inner = _WithAux(fun, "jvp") if has_aux else fun
    flat, leaves = _flat(inner, tuple(primals), {}, "jvp")
    tangent_leaves, tangent_tree = tree.tree_flatten((tuple(tangents), {}))
    if tangent_tree != flat.in_tree or type(primals) is not type(tangents):
        raise TypeError(
            "primal and tangent arguments to jax.jvp must have the same tree structure; "
            f"primals have tree structure {tree.tree_structure(primals)} whereas tangents "
            f"have tree structure {tree.tree_structure(tangents)}."
        )
    for primal, tangent in zip(leaves, tangent_leaves, strict=True):
        _check_tangent(primal, tangent)
    live = [
        ad.Zero(avals.get_aval(t))
        if avals.is_float0(avals.get_aval(t))
        else _typed_as(p, t)
        for p, t in zip(leaves, tangent_leaves, strict=True)
    ]
    outs, out_tangents = _jvp_with_references(flat, leaves, live)
    out = tree.tree_unflatten(flat.out_tree, device_put_get.owned(outs))
    pairs = zip(outs, out_tangents, strict=True)
    found = device_put_get.owned(
        [
            vjp_function.without_zero(
                ad.as_weak(t, avals.get_aval(x).to_tangent_aval())
            )
            for x, t in pairs
        ]
    )
    tangent = tree.tree_unflatten(flat.out_tree, found)
    return (out, tangent, _peel(inner.aux)) if has_aux else (out, tangent)


def _jvp_with_references(flat, leaves, tangents):
    """`ad.jvp`, where an argument and its tangent may be references, which it updates."""
    of_arrays, values, written = _of_arrays(flat, leaves, "jvp")
    named = state.within(_JVP, of_arrays)
    if of_arrays is flat:
        return ad.jvp(named, leaves, tangents)
    reference_links.refuse_twice(
        [x for x in (*leaves, *tangents) if type(x) is reference_links.Ref], "jax.jvp"
    )
    outs, out_tangents = ad.jvp(named, values, reference_links.arrays(tangents))
    count = len(outs) - len(written[0])
    last = [ad.instantiate_zeros(t) for t in out_tangents[count:]]
    reference_links.stored([tangents[i] for i in written[0]], last)
    return reference_links.stored([leaves[i] for i in written[0]], outs), out_tangents[
        :count
    ]


@api_boundary
def linearize(
    fun: Callable, *primals: Any, has_aux: bool = False, in_nzs: Any = None
) -> Any:
    """Evaluates a function and returns its derivative as a linear function.

    Args:
        fun: the function of trees of arrays.
        *primals: the arguments at which to linearise; references among them are updated.
        has_aux: whether `fun` returns a pair whose second part is not differentiated.
        in_nzs: a tree prefix of the arguments: False for those whose tangents have no
            effect.

    Returns:
        ``(result, linear_function)``, with `has_aux` also the auxiliary part.
        ``linear_function(*tangents)`` gives the tangent of the result without evaluating
        `fun` again; it is a tree, whose leaves are what it keeps of the point.

    Raises:
        TypeError: `fun` is no function, an argument no array, or there is no pair where
            `has_aux` asks for one.

    Examples:
        >>> y, f_jvp = jax.linearize(lambda x: x ** 2, 3.0)
        >>> f_jvp(1.0)
        Array(6., dtype=float32, weak_type=True)
    """
    calls.check_callable(fun, "linearize")
    fun = _without_derivatives_in(fun, primals, in_nzs, "linearize")
    outs, linear, flat, aux, written = _linearize(fun, primals, "linearize", has_aux)
    out = tree.tree_unflatten(flat.out_tree, outs)
    leaves = tree.tree_leaves(primals)
    refs = tuple(i for i, x in enumerate(leaves) if type(x) is reference_links.Ref)
    name = util.function_name(fun)
    push = vjp_function.LinearFunction(
        linear, flat.in_tree, flat.out_tree, name, refs, written
    )
    return (out, push, aux) if has_aux else (out, push)


def shaped_aval(x: Any) -> avals.ShapedArray:
    """The type of a value, or of anything with `shape` and `dtype`."""
    if avals.is_value(x):
        return avals.get_aval(x)
    if isinstance(x, avals.AbstractValue) and x.is_high:
        return x
    try:
        shape, dtype = x.shape, x.dtype
    except AttributeError:
        raise avals.not_a_value(x) from None
    aval = avals.ShapedArray(
        shape, scalars.narrow(dtype), bool(getattr(x, "weak_type", False))
    )
    sharding = getattr(x, "sharding", None)
    if sharding is not None:
        aval = avals.placed(aval, sharding)
    if isinstance(x, avals.ShapedArray):
        # Its sharding names no kind of memory.
        aval = aval.update(memory_space=x.memory_space)
    return references.AbstractRef(aval) if getattr(x, "is_ref", False) else aval
