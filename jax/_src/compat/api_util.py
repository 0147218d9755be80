"""Taking calls apart, for libraries that trace functions themselves."""

import inspect
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, util
from jax._src.compat import linear_util
from jax._src.core import avals, jaxpr
from jax._src.transforms import calls, differentiate


def debug_info(
    traced_for: str,
    fun: Callable,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    *,
    static_argnums: Sequence[int] = (),
    static_argnames: Sequence[str] = (),
    result_paths_thunk: Any = None,
    sourceinfo: str | None = None,
    signature: inspect.Signature | None = None,
) -> jaxpr.DebugInfo:
    """What a trace of `fun` with these arguments is called in messages.

    Args:
        traced_for: the transformation, such as ``"jit"``.
        fun: the function.
        args: its positional arguments; trees will do for their leaves' names.
        kwargs: its keyword arguments.
        static_argnums: positions that are not traced.
        static_argnames: keywords that are not traced.
        result_paths_thunk: names of results, known once the function has run.
        sourceinfo: where the function is defined, if its code does not say.
        signature: the names of its parameters, if it does not say.
    """
    traced = [a for i, a in enumerate(args) if i not in set(static_argnums)]
    named = {k: v for k, v in kwargs.items() if k not in set(static_argnames)}
    info = calls.debug_info(traced_for, fun, tuple(traced), named)
    if sourceinfo is None:
        return info
    return info.replace(func_src_info=f"{info.func_name} at {sourceinfo}")


def _flatten_and_store(with_kwargs):
    def run(f, store, in_tree, *leaves):
        tree_args = tree.tree_unflatten(in_tree, leaves)
        args, kwargs = tree_args if with_kwargs else (tree_args, {})
        out_leaves, out_tree = tree.tree_flatten(f(*args, **kwargs))
        store.store(out_tree)
        return out_leaves

    return run


_run_flat = _flatten_and_store(with_kwargs=True)
_run_flat_without_kwargs = _flatten_and_store(with_kwargs=False)


def flatten_fun(
    fun: linear_util.WrappedFun,
    *gen_static_args: Any,
    use_eq_store: bool = False,
    unk_names: bool = False,
) -> tuple[linear_util.WrappedFun, Callable[[], Any]]:
    """A function of leaves, from one of ``(args, kwargs)`` with the tree that is given.

    Returns:
        The function, from leaves to a list of leaves, and a function that returns the
        tree of its results once it ran.
    """
    add = linear_util.transformation_with_aux2(_run_flat)
    return add(fun, *gen_static_args, use_eq_store=use_eq_store, unk_names=unk_names)


def flatten_fun_nokwargs(
    fun: linear_util.WrappedFun,
    *gen_static_args: Any,
    use_eq_store: bool = False,
    unk_names: bool = False,
) -> tuple[linear_util.WrappedFun, Callable[[], Any]]:
    """Flattens a function that takes positional arguments alone; see `flatten_fun`."""
    add = linear_util.transformation_with_aux2(_run_flat_without_kwargs)
    return add(fun, *gen_static_args, use_eq_store=use_eq_store, unk_names=unk_names)


def _with_fixed(f, numbers, count, fixed, *dynamic, **kwargs):
    args: list[Any] = [None] * count
    for number, value in zip(numbers, dynamic, strict=True):
        args[number] = value
    rest = iter(fixed)
    for number in range(count):
        if number not in numbers:
            args[number] = next(rest).value
    return f(*args, **kwargs)


def argnums_partial(
    f: linear_util.WrappedFun,
    dyn_argnums: int | Sequence[int],
    args: Sequence[Any],
    require_static_args_hashable: bool = True,
) -> tuple[linear_util.WrappedFun, tuple[Any, ...]]:
    """Fixes all positional arguments but some.

    Returns:
        The function of the remaining ones, and their values.

    Raises:
        ValueError: an argument to be fixed has no hash, though it must.
    """
    wanted = calls.argnums_tuple(dyn_argnums, "dyn_argnums")
    numbers = tuple(n % len(args) for n in wanted)
    static = [a for i, a in enumerate(args) if i not in numbers]
    if require_static_args_hashable:
        for value in static:
            if not isinstance(value, Hashable):
                raise errors.value_error(
                    "Non-hashable static arguments are not supported.",
                    [("argument", f"{type(value).__name__}: {value}")],
                    "What is fixed is part of the key under which programs are kept.",
                    "Pass a tuple in place of a list, or let the argument be traced.",
                )
        fixed = tuple(util.KeyedValue(value, value) for value in static)
    else:
        fixed = tuple(
            util.KeyedValue(value, util.IdentityKey(value)) for value in static
        )
    wrapped = linear_util.transformation2(_with_fixed)(f, numbers, len(args), fixed)
    return wrapped, tuple(args[n] for n in numbers)


def infer_argnums_and_argnames(
    sig: inspect.Signature,
    argnums: int | Iterable[int] | None,
    argnames: str | Iterable[str] | None,
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Positions and names of parameters, the one found from the other where it is None.

    Only parameters that may be passed both ways have both. Where both are given, both are
    returned as they are.

    Args:
        sig: the signature of a function.
        argnums: positions in it, or one.
        argnames: names in it, or one.
    """
    if argnums is None and argnames is None:
        return (), ()
    numbers = None if argnums is None else calls.argnums_tuple(argnums, "argnums")
    names = (argnames,) if isinstance(argnames, str) else argnames
    either = [
        (number, name)
        for number, (name, parameter) in enumerate(sig.parameters.items())
        if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    ]
    if names is None:
        return numbers, tuple(name for number, name in either if number in numbers)
    names = tuple(names)
    if numbers is None:
        numbers = tuple(number for number, name in either if name in names)
    return numbers, names


def donation_vector(
    donate_argnums: Sequence[int],
    donate_argnames: Sequence[str],
    in_tree: Any,
    kws: bool = True,
) -> tuple[bool, ...]:
    """For each leaf of the arguments, whether it is donated.

    Args:
        donate_argnums: positions.
        donate_argnames: keywords.
        in_tree: the tree of ``(args, kwargs)``, or of `args` alone.
        kws: whether it is the former.
    """
    args_tree, kwargs_tree = in_tree.children() if kws else (in_tree, None)
    donated: list[bool] = []
    for index, child in enumerate(args_tree.children()):
        donated += [index in donate_argnums] * child.num_leaves
    if kwargs_tree is not None:
        names = kwargs_tree.node_data()[1]
        for name, child in zip(names, kwargs_tree.children(), strict=True):
            donated += [name in donate_argnames] * child.num_leaves
    return tuple(donated)


def rebase_donate_argnums(
    donate_argnums: Sequence[int], static_argnums: Sequence[int]
) -> tuple[int, ...]:
    """Positions of donated arguments once the static ones are gone, sorted.

    Examples:
        >>> jax.api_util.rebase_donate_argnums((3, 4), (0, 1))
        (1, 2)
    """
    static = set(static_argnums)
    moved = {n - sum(s < n for s in static) for n in donate_argnums if n not in static}
    return tuple(sorted(moved))


def flatten_axes(
    name: str,
    treedef: Any,
    axis_tree: Any,
    *,
    kws: bool = False,
    tupled_args: bool = False,
) -> list[Any]:
    """A tree prefix of axes, spread over the leaves of a tree; None counts as an axis.

    Raises:
        ValueError: `axis_tree` is no prefix of `treedef`.
    """
    try:
        return tree.spread_over(name, axis_tree, treedef, lambda x: x is None)
    except ValueError as error:
        raise errors.value_error(
            f"{name} must be a tree prefix of the corresponding value.",
            [(name, str(axis_tree)), ("tree", str(treedef))],
            ways=str(error).splitlines()[0],
        ) from None


def shaped_abstractify(x: Any) -> avals.ShapedArray:
    """The type of a value, or of anything that has `shape` and `dtype`."""
    return differentiate.shaped_aval(x)


safe_map = util.safe_map
