"""Arrays of the extended dtypes of libraries."""

from typing import Any

import numpy as np

from jax._src.base import scalars
from jax._src.core import avals as av, trace as tr
from jax._src.runtime import array as ra, placement


class EArray:
    """An array that stands for another one, which has the dtype that the library's rules say.

    Args:
        aval: its type.
        data: the array behind it.
    """

    __slots__ = ("__weakref__", "_data", "_dtype", "aval")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 100

    def __init__(self, aval: av.ShapedArray, data: Any):
        self.aval = aval
        self._data = data
        self._dtype = aval.dtype

    dtype = property(lambda self: self._dtype)
    shape = property(lambda self: self.aval.shape)
    ndim = property(lambda self: len(self.aval.shape))
    size = property(lambda self: self.aval.size)
    weak_type = property(lambda self: False)
    sharding = property(lambda self: self._data.sharding)
    committed = property(lambda self: self._data.committed)
    is_fully_addressable = property(lambda self: self._data.is_fully_addressable)
    is_fully_replicated = property(lambda self: self._data.is_fully_replicated)

    def devices(self) -> set[Any]:
        """The devices that hold the array behind."""
        return self._data.devices()

    def _jax_put(self, sharding: Any) -> "EArray":
        """The array on the devices of `sharding`."""
        return EArray(self.aval, placement.put(self._data, sharding))

    def copy(self) -> "EArray":
        """An array of its own."""
        return EArray(self.aval, self._data.copy())

    def is_deleted(self) -> bool:
        """Whether the array behind is gone."""
        return self._data.is_deleted()

    def delete(self) -> None:
        """Frees the array behind."""
        self._data.delete()

    def copy_to_host_async(self) -> None:
        """Starts to copy the array behind to the host."""
        self._data.copy_to_host_async()

    def block_until_ready(self) -> "EArray":
        """Waits for the array behind to be computed."""
        self._data.block_until_ready()
        return self

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise TypeError(
            f"An array of dtype {self._dtype.name} cannot become a NumPy array.\n"
            "Convert it first: jax.lax.convert_element_type(x, dtype)."
        )

    def __repr__(self) -> str:
        return f"E{self._data!r}"


def _wrapped(dtype: scalars.ExtendedDType, array: Any) -> Any:
    if isinstance(array, tr.Tracer):
        raise NotImplementedError(
            f"An operation does not take traced values of dtype {dtype.name}.\n"
            "Convert them first: jax.lax.convert_element_type(x, dtype)."
        )
    # Rules of libraries say the shape of one element: its axes are the array's last ones.
    element = dtype._rules.physical_element_aval(dtype).ndim  # type: ignore[attr-defined]
    shape = array.shape[: array.ndim - element]
    return EArray(av.ShapedArray(shape, dtype), array)


scalars.set_guest_values(_wrapped, lambda value: value._data)
av.register_value_type(EArray, lambda x: x.aval)
ra.register_extended_array_type(EArray, base_attribute="_data")
