"""Putting values on devices; the one module of `jax.numpy` that uses the runtime."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import scalars
from jax._src.core import avals, state, trace
from jax._src.interpreters import ad
from jax._src.lax import filling, mesh_modes
from jax._src.lib import client
from jax._src.numpy import lax_api as lax, operands as op
from jax._src.runtime.arrays import array
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import device_put_get as runtime, transfer_guard

_NUMBERS = (bool, int, float, complex)
_HOST = (np.ndarray, np.generic, *_NUMBERS)


def is_plain_call() -> bool:
    """Whether a call computes values at once, and nobody watches what it moves to devices."""
    return state.current() is trace.evaluation and transfer_guard.key() is None


_PLAIN_HOST = frozenset((np.ndarray, *_NUMBERS))


def uploaded(x: Any) -> Any:
    """A NumPy array or number as an array of its own dtype; None: that takes more than to copy it."""
    kind = type(x)
    if kind not in _PLAIN_HOST or not is_plain_call():
        return None
    if kind is np.ndarray and not dtypes.is_array_dtype(x.dtype):
        return None
    return mesh_modes.on_current_mesh(runtime.put_on_device(x))


def as_array(x: Any, dtype: Any, weak: bool, copy: bool) -> Any:
    """Converts `x` to a JAX array of `dtype`; a new one if `copy` is true."""
    if _goes_as_it_is(x, dtype) and state.current() is trace.evaluation:
        if transfer_guard.key() is not None:
            target = backends.default_device()
            transfer_guard.check(transfer_guard.TO_DEVICE, x, target, is_explicit=False)
        made = runtime.put_on_device(x, dtype=dtype, weak_type=weak)
        return mesh_modes.on_current_mesh(made)
    if isinstance(x, (bool, int, float, complex)) and not dtypes.is_extended(dtype):
        dtypes.refuse_complex(x, dtype)
        if isinstance(x, int) and np.dtype(dtype).kind == "u":
            np.asarray(x, dtype)  # Raises for integers that do not fit.
        with np.errstate(all="ignore"):
            x = np.asarray(x)
            x = x.astype(dtype) if x.dtype == object else scalars.converted(x, dtype)
    result = ad.with_primal(op.convert(x, dtype, weak), _array_of_number)
    if result is x and isinstance(x, client.Array) and x.is_deleted():
        x.block_until_ready()  # Raises, as every use does.
    return fresh(result) if copy and result is x else result


def _array_of_number(x):
    """A number of Python as an array of its type; anything else as it is."""
    if not isinstance(x, _NUMBERS):
        return x
    return runtime.put_on_device(x, dtype=avals.get_aval(x).dtype, weak_type=True)


def own(constant: Any) -> Any:
    """A constant of ours as an operand of a compiled function.

    Watches over transfers speak of what the user moves: under one it is moved before.
    """
    is_watched = (
        transfer_guard.key() is not None and state.current() is trace.evaluation
    )
    if is_watched and isinstance(constant, _HOST):
        return runtime.put_on_device(constant)
    return constant


def _goes_as_it_is(x, dtype):
    """Whether `x` is a host value that no compiled conversion need touch."""
    if not isinstance(x, _HOST) or dtypes.is_extended(dtype):
        return False
    return np.can_cast(np.asarray(x).dtype, dtype, "same_kind")


def fresh(x: Any) -> Any:
    """A copy of an array; a traced value stands for itself, since nothing changes it."""
    return x if isinstance(x, trace.Tracer) else lax.copy_p.bind(x)


def complete_array_type() -> None:
    """Gives `jax.Array`, which has no objects of its own, the members of arrays."""
    for name in dir(client.Array):
        is_inherited = getattr(object, name, None) is getattr(client.Array, name)
        if name not in vars(array.Array) and not is_inherited:
            setattr(array.Array, name, inspect.getattr_static(client.Array, name))


def put(x: Any, device: Any) -> Any:
    """`x` on `device`, or where it is for None."""
    if device is None:
        return x
    return runtime.device_put(x, device)


def holds_strings(x: Any) -> bool:
    """Whether the elements are of NumPy's `StringDType`."""
    return getattr(getattr(x, "dtype", None), "kind", "") == "T"


def strings(x: Any, device: Any) -> Any:
    """An array of strings on `device`; None: where it is, or on the default device."""
    return runtime.device_put(x, device)


def gathered(x: Any) -> Any:
    """`x`, for which Python asks part by part: in one piece, if it was in several."""
    if not isinstance(x, client.Array) or x.sharding.is_fully_replicated:
        return x
    return runtime.put_on_device(x._value, dtype=x.dtype, weak_type=x.weak_type)


def moved(name: str, result: Any, out_sharding: Any) -> Any:
    """The result, lying as the argument `out_sharding` says."""
    if out_sharding is None:
        return result
    return mesh_modes.reshard(result, out_sharding)


def spread(name: str, a: Any, shape: Any, value: Any, device: Any) -> Any:
    """Returns an array filled with `value`, on the devices of `a` or on `device`."""
    made = filling.filled_like(a, shape, value) if device is None else None
    if made is not None:
        return made
    return put(op.broadcast_to(value, shape, name), device)


def sharding_like(a: Any, shape: Any) -> Any:
    """Returns the sharding of an array over Explicit mesh axes, for an array of the same shape.

    Returns None if it has none, or if `beside` returns its devices.
    """
    if not avals.is_value(a) or lax.committed_sharding(a, shape) is not None:
        return None
    aval = avals.get_aval(a)
    if not aval.sharding.mesh.explicit_axes or tuple(shape) != aval.shape:
        return None
    return aval.sharding


def beside(a: Any, shape: Any, device: Any, out_sharding: Any) -> Any:
    """The device or sharding given, or else that to which an array was put, or None."""
    if device is not None or out_sharding is not None:
        return device
    return lax.committed_sharding(a, shape)
