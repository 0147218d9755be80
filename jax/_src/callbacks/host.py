"""The host's side of callbacks: from the arrays of a program to a Python function and back."""

import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, options, util
from jax._src.core import avals
from jax._src.lib import client
from jax._src.runtime import tokens
from jax._src.runtime.arrays import extended
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import device_put_get


class FlatCallback:
    """A function of trees as one from a list of arrays to the leaves of its result.

    Two are equal where they call the same function with the same trees.
    """

    __slots__ = ("__name__", "fun", "in_tree", "is_queued", "out_tree", "what")

    def __init__(
        self,
        what: str,
        fun: Callable,
        in_tree: Any,
        out_tree: Any,
        *,
        is_queued: bool = False,
    ):
        self.what = what
        # Whether programs call it from their device's queue, whoever runs them.
        self.is_queued = is_queued
        self.fun = fun
        # The tree of (args, kwargs); that of the result, or None for "not looked at".
        self.in_tree = in_tree
        self.out_tree = out_tree
        self.__name__ = util.function_name(fun)

    def _key(self):
        return self.what, self.fun, self.in_tree, self.out_tree

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FlatCallback) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"FlatCallback({self.__name__})"

    def __call__(self, *leaves: Any) -> list[Any]:
        args, kwargs = tree.tree_unflatten(self.in_tree, leaves)
        result = self.fun(*args, **kwargs)
        if self.out_tree is None:
            return []
        outs, structure = tree.tree_flatten(result)
        # A list for a tuple, or a result class of NumPy, is no mistake.
        if structure.num_leaves != self.out_tree.num_leaves:
            raise errors.type_error(
                f"{self.what}: the callback returned another tree than was promised.",
                [
                    ("callback", self.__name__),
                    ("promised", str(self.out_tree)),
                    ("returned", str(structure)),
                ],
                "The result must be like result_shape_dtypes.",
            )
        return outs


class HostFunction:
    """What compiled code calls: from NumPy arrays to a list of NumPy arrays.

    Made where 64-bit dtypes are off, it narrows them: callbacks return what NumPy makes.
    """

    __slots__ = ("callback", "narrows", "out_avals")

    def __init__(self, callback: FlatCallback, out_avals: Sequence[avals.ShapedArray]):
        self.callback = callback
        self.narrows = not options.enable_x64.value
        self.out_avals = tuple(out_avals)

    def __call__(self, *operands: Any) -> list[np.ndarray]:
        with tokens.inside_callback():
            outs = self.callback(*[_as_array(x) for x in operands])
            pairs = enumerate(zip(outs, self.out_avals, strict=True))
            return [self._checked(i, out, aval) for i, (out, aval) in pairs]

    def _checked(self, index, out, aval):
        array = np.asarray(out)
        wanted = np.dtype(aval.dtype)
        dtype = _narrowed(array.dtype) if self.narrows else array.dtype
        if array.shape != aval.shape or dtype != wanted:
            raise errors.value_error(
                f"{self.callback.what}: a result of the callback is not as promised.",
                [
                    ("callback", self.callback.__name__),
                    ("result", str(index)),
                    ("promised", aval.str_short()),
                    ("returned", f"{array.dtype.name}{list(array.shape)}"),
                ],
                "Shapes and dtypes must be those of result_shape_dtypes.",
                "Convert it: np.asarray(result, dtype), or change what is promised.",
            )
        return array.astype(wanted, copy=False)


_NARROWED = {
    "float64": "float32",
    "int64": "int32",
    "uint64": "uint32",
    "complex128": "complex64",
}


def _narrowed(dtype):
    return np.dtype(_NARROWED.get(dtype.name, dtype))


def _as_array(x):
    """An array of the host's device; no conversion, as the configuration may be another."""
    if isinstance(x, client.Array):
        return x
    return device_put_get.put_on_device(x, _host_device(), dtype=x.dtype)


def _host_device():
    started = backends.backends()
    if "cpu" in started:
        return backends.local_devices(backend="cpu")[0]
    return backends.default_device()


def call_now(callback: FlatCallback, args: Sequence[Any], out_avals: Sequence[Any]):
    """Calls the function at once, with the arrays of an evaluation.

    Returns:
        The results as NumPy arrays.
    """
    operands = [on_device(x) for x in args]
    return HostFunction(callback, out_avals)(*operands)


def on_device(x: Any) -> Any:
    """A value as an array; of random keys, their words."""
    physical = extended.physical_value(x)
    if isinstance(physical, client.Array):
        return physical
    return device_put_get.put_on_device(physical)


def as_runtime_error(what: str, error: BaseException) -> errors.JaxRuntimeError:
    """The error of a callback as that of a running program: it names the Python one."""
    text = "".join(traceback.format_exception(error))
    return errors.JaxRuntimeError(f"INTERNAL: {what}: {text}")
