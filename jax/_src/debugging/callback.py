"""`jax.debug.callback`: a function called for its side effect, whatever is transformed."""

from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors
from jax._src.base.traceback_filter import api_boundary
from jax._src.callbacks import host, primitives, vmap_methods
from jax._src.core import avals as avals_lib, effects as effects_lib, primitive
from jax._src.runtime import tokens


class DebugEffect(effects_lib.Effect):
    """The program calls a function that only looks."""

    def __repr__(self) -> str:
        return "Debug"


class OrderedDebugEffect(effects_lib.Effect):
    """The program calls functions that only look, in a certain order."""

    def __repr__(self) -> str:
        return "OrderedDebug"


debug_effect, ordered_debug_effect = DebugEffect(), OrderedDebugEffect()
primitives.register_effect(DebugEffect, is_ordered=False, is_repeatable=True)
primitives.register_effect(OrderedDebugEffect, is_ordered=True, is_repeatable=True)


def _refuse_transpose(cts, *operands, **params):
    raise ValueError("Debug callbacks have no transpose: they are not linear.")


@primitive.declare("debug_callback", multiple_results=True)
class debug_callback_p:
    """Calls a Python function that only looks."""

    sharding = primitive.BY_TYPES

    def types(*avals, callback, effect, partitioned):
        return primitives.with_tokens(avals, ())

    def effects(*avals, effect, **params):
        return {effect}

    def impl(*args, callback, effect, partitioned):
        if effect is ordered_debug_effect:
            tokens.wait_for_ordered()
        host.call_now(callback, args, ())
        return []

    def lower(ctx, *operands, callback, effect, partitioned):
        return primitives.lower_callback(
            ctx, operands, callback, has_side_effect=True, in_parts=partitioned
        )

    def jvp_all(primals, tangents, **params):
        return debug_callback_p.bind(*primals, **params), []

    transpose = _refuse_transpose
    order = primitives.take_token

    def by_device(operands, is_shared, *, callback, effect, partitioned):
        if effect is ordered_debug_effect:
            tokens.wait_for_ordered()
        # What all devices share is seen once.
        for values in operands[:1] if is_shared else operands:
            host.call_now(callback, values, ())
        return [[] for _ in operands]

    def batch(axis, args, dims, **params):
        return vmap_methods.one_by_one(debug_callback_p, axis, args, dims, params)

    def show(*, callback, effect, **params):
        return {"callback": callback, "effect": effect}


@api_boundary
def callback(
    callback: Callable[..., None] | None = None,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    **kwargs: Any,
) -> Any:
    """Calls a Python function that only looks; works under every transformation.

    Under `grad` it sees the values, not the derivatives; under `vmap` it is called for
    each row. `jax.effects_barrier` waits for the calls.

    Args:
        callback: gets arrays in trees like `args` and `kwargs`; leaves that are no arrays
            are passed as they are. What it returns is not used. None: returns a function
            that takes `callback` and its arguments, by whatever name.
        *args: trees.
        ordered: whether calls are made in the order in which they stand in the program.
        partitioned: whether, in a program over several devices, each of them calls with
            the parts that it has. Else, and with another compiler than jaxlib's, one does,
            with whole arrays, which are collected.
        **kwargs: trees, by name.

    Raises:
        TypeError: `callback` is not callable.

    Examples:
        >>> jax.debug.callback(lambda x: print("saw", x), 3); jax.effects_barrier()
        saw 3
    """
    if callback is None:
        refuse_arguments("jax.debug.callback", args, kwargs)

        def later(callback: Callable[..., None], *args: Any, **kwargs: Any) -> None:
            call(callback, args, kwargs, ordered=ordered, partitioned=partitioned)

        return later
    call(callback, args, kwargs, ordered=ordered, partitioned=partitioned)
    return None


def refuse_arguments(what: str, args: tuple, kwargs: dict) -> None:
    """Refuses arguments of a call that gives options alone, and not yet the function.

    Raises:
        TypeError: there are such.
    """
    if args or kwargs:
        raise errors.type_error(
            f"{what} received unexpected arguments in the two-call form.",
            [("positional", str(len(args))), ("keywords", ", ".join(kwargs))],
            "The first call takes options, the second one what is called and shown.",
            f"Write {what}(ordered=True)(first, ...).",
        )


def call(
    callback: Callable[..., None],
    args: tuple,
    kwargs: dict,
    *,
    ordered: bool,
    partitioned: bool,
) -> None:
    """`jax.debug.callback`, whose function may have arguments of any name."""
    if not callable(callback):
        raise errors.type_error(
            "jax.debug.callback: the first argument must be a function.",
            [("got", f"{callback!r} of type {type(callback).__name__}")],
        )
    leaves, in_tree = tree.tree_flatten((args, kwargs))
    is_array = tuple(avals_lib.is_value(leaf) for leaf in leaves)
    fixed = tuple(x for x, a in zip(leaves, is_array, strict=True) if not a)
    given = [x for x, a in zip(leaves, is_array, strict=True) if a]
    function = _WithFixed(callback, is_array, fixed, in_tree) if fixed else callback
    flat_tree = tree.tree_structure((tuple(given), {})) if fixed else in_tree
    debug_callback_p.bind(
        *given,
        callback=host.FlatCallback("jax.debug.callback", function, flat_tree, None),
        effect=ordered_debug_effect if ordered else debug_effect,
        partitioned=partitioned,
    )


class _WithFixed:
    """A function of which some leaves of the arguments are fixed: they are no arrays."""

    def __init__(self, fun, is_array, fixed, in_tree):
        self.fun = fun
        self.is_array = is_array
        self.fixed = fixed
        self.in_tree = in_tree

    def __call__(self, *given: Any) -> Any:
        arrays, others = iter(given), iter(self.fixed)
        leaves = [next(arrays) if a else next(others) for a in self.is_array]
        args, kwargs = tree.tree_unflatten(self.in_tree, leaves)
        return self.fun(*args, **kwargs)
