"""`buffer_callback`: Python functions that write their results in place."""

import enum
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, records
from jax._src.base.traceback_filter import api_boundary
from jax._src.callbacks import calls, host, primitives, vmap_methods
from jax._src.core import avals as avals_lib


class ExecutionStage(enum.IntEnum):
    """When a native function is called."""

    INSTANTIATE = 0
    PREPARE = 1
    INITIALIZE = 2
    EXECUTE = 3


@records.record
class ExecutionContext:
    """What a call is part of."""

    stage: ExecutionStage = ExecutionStage.EXECUTE

    @property
    def stream(self) -> int:
        """The stream of the device.

        Raises:
            ValueError: always, as the CPU has none.
        """
        raise errors.value_error(
            "XLA FFI GPU context is not available: programs of the CPU run on no "
            "stream.",
            [("attribute", "ExecutionContext.stream"), ("platform", "cpu")],
        )


class Buffer:
    """The memory of an array while a callback runs."""

    __slots__ = ("_array",)

    def __init__(self, array: np.ndarray, writeable: bool):
        self._array = array.view()
        self._array.flags.writeable = writeable

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""
        return self._array.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._array.ndim

    @property
    def dtype(self) -> np.dtype:
        """The dtype."""
        return self._array.dtype

    @property
    def writeable(self) -> bool:
        """Whether it is a result, which the callback fills."""
        return self._array.flags.writeable

    @property
    def __cuda_array_interface__(self) -> Any:
        raise AttributeError("Buffer: memory of the CPU has no CUDA interface.")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The memory itself, as a NumPy array."""
        if dtype is not None and dtype != self.dtype:
            return self._array.astype(dtype)
        return self._array.copy() if copy else self._array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()

    def __repr__(self) -> str:
        kind = "out" if self.writeable else "in"
        return f"Buffer({kind}, {self.dtype.name}{list(self.shape)})"


def _check_aliases(aliases, operands, results):
    for index, out in aliases.items():
        is_known = 0 <= index < len(operands) and 0 <= out < len(results)
        if not is_known:
            raise errors.value_error(
                "buffer_callback: input_output_aliases names what is not there.",
                [("alias", f"{index}: {out}"), ("arguments", str(len(operands)))]
                + [("results", str(len(results)))],
                "Keys count the leaves of the arguments, values those of the results.",
            )
        x, aval = avals_lib.get_aval(operands[index]), results[out]
        if (x.shape, x.dtype) != (aval.shape, aval.dtype):
            raise errors.value_error(
                f"buffer_callback: argument {index} cannot give its memory to "
                f"result {out}.",
                [("argument", x.str_short()), ("result", aval.str_short())],
                "Shape and dtype must be equal.",
            )


@records.record
class _Filling:
    """A function of arrays to arrays that calls one which fills buffers."""

    callback: Callable[..., None]
    in_tree: Any
    out_tree: Any
    # How many axes each leaf of the arguments has besides the batch dimension.
    ranks: tuple[int, ...]
    results: tuple[Any, ...]
    aliases: tuple[tuple[int, int], ...]

    def _batch_shape(self, leaves):
        # Under vmap all operands have as many axes more; some of size 1.
        pairs = zip(leaves, self.ranks, strict=True)
        return np.broadcast_shapes(*(x.shape[: x.ndim - r] for x, r in pairs))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves = [np.asarray(x) for x in tree.tree_leaves((args, kwargs))]
        batch = self._batch_shape(leaves)
        outs = [np.empty((*batch, *r.shape), r.dtype) for r in self.results]
        for index, out in self.aliases:
            outs[out][...] = leaves[index]
        given = tree.tree_unflatten(self.in_tree, [Buffer(x, False) for x in leaves])
        filled = tree.tree_unflatten(self.out_tree, [Buffer(x, True) for x in outs])
        returned = self.callback(ExecutionContext(), filled, *given[0], **given[1])
        if returned is not None:
            raise errors.value_error(
                "buffer_callback: the callback returned a value.",
                [("returned", f"a {type(returned).__name__}")],
                "It fills the buffers of its second argument, and returns None.",
                "np.asarray(out)[...] = value fills one; jax.pure_callback takes "
                "functions that return values.",
            )
        return tree.tree_unflatten(self.out_tree, outs)


def buffer_callback(
    callback: Callable[..., None],
    result_shape_dtypes: object,
    *,
    has_side_effect: bool = False,
    vmap_method: str | None = None,
    input_output_aliases: dict[int, int] | None = None,
    command_buffer_compatible: bool = False,
) -> Callable[..., Any]:
    """A function of arrays that calls a Python function with memory.

    Args:
        callback: ``callback(ctx, out, *args, **kwargs)``: `out` is a tree of `Buffer` like
            `result_shape_dtypes`, which it fills; the arguments are trees of `Buffer`.
            ``np.asarray(buffer)`` is its memory. It returns None.
        result_shape_dtypes: a tree of objects with `shape` and `dtype`; 64-bit dtypes are
            narrowed where they are off, as those of the arguments are.
        has_side_effect: whether the call stays though its results be unused.
        vmap_method: how `vmap` treats the call; see `jax.pure_callback`.
        input_output_aliases: from leaves of the arguments to those of the results that
            begin with their values.
        command_buffer_compatible: accepted; the CPU records no commands.

    Raises:
        ValueError: the aliases do not fit, or the call is differentiated.
        JaxRuntimeError: the callback raised, or returned a value.

    Examples:
        >>> def twice(ctx, out, x):
        ...     np.multiply(x, 2, out=np.asarray(out))
        >>> f = buffer_callback(twice, jax.ShapeDtypeStruct((2,), jnp.float32))
        >>> f(jnp.ones(2))
        Array([2., 2.], dtype=float32)
    """
    what = "buffer_callback"
    vmap_methods.check_method(what, vmap_method)
    aliases = dict(input_output_aliases or {})

    @api_boundary
    def call(*args: Any, **kwargs: Any) -> Any:
        made, leaves, avals = calls.prepared(
            what, callback, result_shape_dtypes, args, kwargs, narrows=True
        )
        _check_aliases(aliases, leaves, avals)
        filling = _Filling(
            callback,
            made.in_tree,
            made.out_tree,
            tuple(len(avals_lib.get_aval(x).shape) for x in leaves),
            avals,
            tuple(sorted(aliases.items())),
        )
        flat = host.FlatCallback(what, filling, made.in_tree, made.out_tree)
        params = {"callback": flat, "result_avals": avals, "sharding": None}
        if has_side_effect and vmap_method is None:
            outs = primitives.io_callback_p.bind(*leaves, ordered=False, **params)
        else:
            outs = primitives.pure_callback_p.bind(
                *leaves, vmap_method=vmap_method, **params
            )
        return calls.results(made.out_tree, outs, result_shape_dtypes)

    return call
