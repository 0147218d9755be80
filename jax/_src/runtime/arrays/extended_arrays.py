"""Arrays of extended dtypes: an array of numbers, and the dtype that says what they are."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core import avals, shardings
from jax._src.runtime.arrays import array
from jax._src.runtime.transfers import device_put_get


class AbstractExtendedArray(abc.ABC):
    """What arrays of random keys and of other libraries' dtypes have in common.

    The array behind has the axes of an element after those of the array itself. Its
    elements cannot be computed with, only moved.
    """

    __slots__ = ("__weakref__", "_base_array", "_dtype")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 100

    _base_array: Any
    _dtype: Any

    @abc.abstractmethod
    def _of(self, base: Any) -> Any:
        """An array of the same dtype with another array behind it."""

    dtype = property(lambda self: self._dtype)
    shape = property(lambda self: tuple(self._base_array.shape[: self.ndim]))
    size = property(lambda self: int(np.prod(self.shape, dtype=int)))
    nbytes = property(lambda self: self.size * self._dtype.itemsize)
    itemsize = property(lambda self: self._dtype.itemsize)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._base_array.ndim - len(self._dtype.physical(())[0])

    @property
    def sharding(self) -> shardings.Sharding:
        """The sharding of the array."""
        sharding = self._base_array.sharding
        if (
            isinstance(sharding, shardings.NamedSharding)
            and len(sharding.spec) > self.ndim
        ):
            spec = sharding.spec.update(
                partitions=sharding.spec.partitions[: self.ndim]
            )
            return sharding.update(spec=spec)
        return sharding

    device = property(lambda self: self._base_array.device)
    committed = property(lambda self: self._base_array.committed)
    weak_type = property(lambda self: False)
    is_fully_addressable = property(lambda self: self._base_array.is_fully_addressable)
    is_fully_replicated = property(lambda self: self._base_array.is_fully_replicated)

    @property
    def aval(self) -> avals.ShapedArray:
        """The type of the array."""
        aval = avals.ShapedArray(self.shape, self._dtype)
        behind = avals.get_aval(self._base_array)
        if behind.memory_space is not aval.memory_space:
            aval = aval.update(memory_space=behind.memory_space)
        if not behind.is_placed:
            return aval
        # The words of an element are on one device.
        spec = behind.sharding.spec.update(
            partitions=behind.sharding.spec.partitions[: aval.ndim]
        )
        return aval.update(sharding=behind.sharding.update(spec=spec))

    def addressable_data(self, index: int) -> Any:
        """The part on the `index`-th of the devices."""
        return self._of(self._base_array.addressable_data(index))

    def devices(self) -> set[Any]:
        """The devices that hold the elements."""
        return self._base_array.devices()

    def on_device_size_in_bytes(self) -> int:
        """The bytes that the elements take on the devices."""
        return self._base_array.on_device_size_in_bytes()

    def unsafe_buffer_pointer(self) -> int:
        """The address of the elements."""
        return self._base_array.unsafe_buffer_pointer()

    def unsafe_raw_buffer(self) -> Any:
        """The memory of the elements, with its address as `ptr`."""
        return self._base_array.unsafe_raw_buffer()

    def __bool__(self) -> bool:
        raise TypeError(f"An array of {self._kind} is neither true nor false.")

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        if not self.shape:
            raise TypeError(f"iteration over a 0-d array of {self._kind}")
        return (self[i] for i in range(len(self)))  # type: ignore[index]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise errors.type_error(
            f"JAX array with {self._named_kind} dtype cannot be converted to a NumPy array.",
            [("array", self.aval.str_short())],
            ways=self._way_to_numbers,
        )

    def _jax_put(self, sharding: Any) -> Any:
        """The array on the devices of `sharding`."""
        return self._of(device_put_get.put(self._base_array, sharding))

    @property
    def addressable_shards(self) -> list[array.Shard]:
        """The parts on each device of this process."""
        return [
            array.Shard(shard.device, self.sharding, self.shape, self._of(shard.data))
            for shard in self._base_array.addressable_shards
        ]

    global_shards = addressable_shards

    def is_deleted(self) -> bool:
        """Whether the elements are gone."""
        return self._base_array.is_deleted()

    def delete(self) -> None:
        """Frees the elements."""
        self._base_array.delete()

    def copy_to_host_async(self) -> None:
        """Starts to copy the elements to the host."""
        self._base_array.copy_to_host_async()

    def block_until_ready(self) -> Any:
        """Waits for the elements to be computed."""
        self._base_array.block_until_ready()
        return self

    def __repr__(self) -> str:
        return (
            f"Array({self.shape}, dtype={self.dtype.name}) overlaying:\n"
            f"{np.asarray(self._base_array)}"
        )

    # For messages.
    _kind = _named_kind = property(lambda self: self._dtype.name)
    _way_to_numbers = property(
        lambda self: (
            "For the array behind, where the rules of the dtype allow it: "
            f"jax.lax.convert_element_type(x, '{self._dtype.physical(())[1]}')."
        )
    )


class EArray(AbstractExtendedArray):
    """An array of a dtype that another library defines."""

    __slots__ = ()
    __module__ = "jax._src.earray"

    def __init__(self, aval: avals.ShapedArray, data: Any):
        self._dtype = aval.dtype
        self._base_array = data

    @classmethod
    def of(cls, dtype: Any, data: Any) -> EArray:
        """The array of `dtype` that stands for another array."""
        made = cls.__new__(cls)
        made._dtype, made._base_array = dtype, data
        return made

    _aval = property(lambda self: self.aval)
    _data = property(lambda self: self._base_array)

    def _of(self, base: Any) -> EArray:
        return EArray.of(self._dtype, base)

    def __reduce__(self):
        return _restored, (self._dtype, np.asarray(self._base_array))


def _restored(dtype, data):
    """An array from a pickle; it goes to the default device."""
    return EArray.of(dtype, device_put_get.put_on_device(data))


def register(kind: type) -> None:
    """Makes objects of a class of such arrays values that functions take."""
    avals.register_value_type(kind, lambda x: x.aval)
    array.register_extended_array_type(kind)


register(EArray)
