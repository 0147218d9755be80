"""Typed random keys: the dtype ``key<fry>``, key arrays, and their raw words."""

from __future__ import annotations

from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors
from jax._src.core import avals, shardings as sh
from jax._src.core.primitive import Trait, declare
from jax._src.lax.ops import splitting
from jax._src.numpy import lax_api as lax, methods, operands as op, shaping
from jax._src.random import (
    counter_generators as _registered,  # noqa: F401
    generators as gen,
)
from jax._src.runtime import array as runtime_array, placement

Array = Any


class KeyDType(dtypes.ExtendedDType):
    """The dtype of keys of one generator."""

    __slots__ = ("generator",)

    type = dtypes.prng_key

    def __init__(self, generator: gen.Generator):
        self.generator = generator

    @property
    def name(self) -> str:
        return f"key<{self.generator.tag}>"

    @property
    def itemsize(self) -> int:
        return 4 * self.generator.words

    @property
    def _impl(self) -> gen.Generator:
        return self.generator

    def physical(self, shape: tuple) -> tuple[tuple, np.dtype]:
        return (*shape, self.generator.words), gen.U32

    def wrap(self, words: Any) -> Any:
        """Keys of raw words, whose last axis disappears."""
        return wrap(words, self.generator)

    def unwrap(self, keys: Any) -> Any:
        """The raw words of keys, along a new last axis."""
        return unwrap(keys)

    def full(self, shape: tuple, fill_value: Any) -> Any:
        """Keys whose words are all `fill_value`."""
        return self.wrap(lax.full((*shape, self.generator.words), fill_value, gen.U32))

    def equal(self, x: Any, y: Any) -> Any:
        """Whether keys are equal in all words; shapes broadcast."""
        shape = op.broadcast_shapes("equal", x.shape, y.shape)
        full = (*shape, self.generator.words)
        a, b = (op.broadcast_to(unwrap(keys), full) for keys in (x, y))
        return lax.reduce_and(lax.eq(a, b), (len(shape),))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeyDType) and self.generator is other.generator

    def __hash__(self) -> int:
        return hash((KeyDType, self.generator.name))

    def __reduce__(self) -> tuple:
        # Known generators are the same in each process: their names are enough.
        name = self.generator.name
        if gen.registry.get(name) is self.generator:
            return _dtype_named, (name,)
        return dtype_of, (self.generator,)

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


_dtypes: dict[gen.Generator, KeyDType] = {}


def dtype_of(generator: gen.Generator) -> KeyDType:
    """The dtype of keys of a generator, one object each."""
    return _dtypes.setdefault(generator, KeyDType(generator))


def _dtype_named(name):
    return dtype_of(gen.registry[name])


class PRNGKeyArray:
    """An array of random keys. Its elements cannot be computed with, only used."""

    __slots__ = ("__weakref__", "_base_array", "_dtype", "_keys")
    __module__ = "jax._src.prng"
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 100

    def __init__(self, generator: gen.Generator, words: Any):
        self._dtype = dtype_of(generator)
        self._base_array = words

    dtype = property(lambda self: self._dtype)
    _impl = property(lambda self: self._dtype.generator)
    shape = property(lambda self: tuple(op.shape(self._base_array)[:-1]))
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: op.size(self._base_array) // self._impl.words)
    nbytes = property(lambda self: self.size * self._dtype.itemsize)
    itemsize = property(lambda self: self._dtype.itemsize)

    @property
    def sharding(self) -> sh.Sharding:
        """Where the keys lie."""
        place = self._base_array.sharding
        if isinstance(place, sh.NamedSharding) and len(place.spec) > self.ndim:
            spec = place.spec.update(partitions=place.spec.partitions[: self.ndim])
            return place.update(spec=spec)
        return place

    device = property(lambda self: self._base_array.device)
    committed = property(lambda self: self._base_array.committed)
    weak_type = property(lambda self: False)
    is_fully_addressable = property(lambda self: self._base_array.is_fully_addressable)
    is_fully_replicated = property(lambda self: self._base_array.is_fully_replicated)

    @property
    def aval(self) -> avals.ShapedArray:
        """The type of the keys."""
        aval = avals.ShapedArray(self.shape, self._dtype)
        words = avals.get_aval(self._base_array)
        if words.memory_space is not aval.memory_space:
            aval = aval.update(memory_space=words.memory_space)
        if not words.is_placed:
            return aval
        # The words of a key lie together.
        spec = words.sharding.spec.update(
            partitions=words.sharding.spec.partitions[: aval.ndim]
        )
        return aval.update(sharding=words.sharding.update(spec=spec))

    def addressable_data(self, index: int) -> PRNGKeyArray:
        """The keys on the `index`-th of the devices."""
        return PRNGKeyArray(self._impl, self._base_array.addressable_data(index))

    def devices(self) -> set[Any]:
        """The devices that hold the words."""
        return self._base_array.devices()

    def on_device_size_in_bytes(self) -> int:
        """The bytes that the words take on the devices."""
        return self._base_array.on_device_size_in_bytes()

    def unsafe_buffer_pointer(self) -> int:
        """The address of the words."""
        return self._base_array.unsafe_buffer_pointer()

    def __bool__(self) -> bool:
        raise TypeError("An array of random keys is neither true nor false.")

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        if not self.shape:
            raise TypeError("iteration over a 0-d key array")
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise TypeError(
            errors.explain(
                "An array of random keys cannot become a NumPy array.",
                [("keys", self.aval.str_short())],
                ways="For the raw words: jax.random.key_data(keys).",
            )
        )

    def __reduce__(self):
        return _restored, (self._impl.name, np.asarray(self._base_array))

    def _jax_put(self, sharding: Any) -> PRNGKeyArray:
        """The keys on the devices of `sharding`."""
        return PRNGKeyArray(self._impl, placement.put(self._base_array, sharding))

    @property
    def addressable_shards(self) -> list[runtime_array.Shard]:
        """The keys on each device of this process."""
        return [
            runtime_array.Shard(
                shard.device,
                self.sharding,
                self.shape,
                PRNGKeyArray(self._impl, shard.data),
            )
            for shard in self._base_array.addressable_shards
        ]

    global_shards = addressable_shards

    def is_deleted(self) -> bool:
        """Whether the words are gone."""
        return self._base_array.is_deleted()

    def delete(self) -> None:
        """Frees the words."""
        self._base_array.delete()

    def copy_to_host_async(self) -> None:
        """Starts to copy the words to the host."""
        self._base_array.copy_to_host_async()

    def block_until_ready(self) -> PRNGKeyArray:
        """Waits for the words to be computed."""
        self._base_array.block_until_ready()
        return self

    def __repr__(self) -> str:
        return (
            f"Array({self.shape}, dtype={self.dtype.name}) overlaying:\n"
            f"{np.asarray(self._base_array)}"
        )


def _restored(generator, words):
    """Keys from a pickle; their words go to the default device."""
    return PRNGKeyArray(gen.registry[generator], placement.put_on_device(words))


# What moves elements works on keys; what computes with them says so in its own words.
methods.install_on(PRNGKeyArray)
avals.register_value_type(PRNGKeyArray, lambda keys: keys.aval)
runtime_array.register_extended_array_type(PRNGKeyArray)


@declare("random_wrap", traits=Trait.NOT_DIFFERENTIABLE)
class random_wrap_p:
    """Makes keys of raw words; the last axis disappears."""

    def types(words, *, impl):
        return avals.ShapedArray(words.shape[:-1], dtype_of(impl))

    def sharding(words, *, impl, out):
        splitting.whole_along("random_wrap", words, range(out.ndim, words.ndim))
        return splitting.entries(words)[: out.ndim]

    def impl(words, *, impl):
        return PRNGKeyArray(impl, words)

    def lower(ctx, words, *, impl):
        return words

    def batch(axis, args, dims, *, impl):
        words, dim = args[0], dims[0]
        if dim == op.ndim(words) - 1:
            words, dim = shaping.moveaxis(words, dim, 0), 0
        return random_wrap_p.bind(words, impl=impl), dim


@declare("random_unwrap", traits=Trait.NOT_DIFFERENTIABLE)
class random_unwrap_p:
    """The raw words of keys, along a new last axis."""

    def types(keys):
        shape, dtype = keys.dtype.physical(keys.shape)
        return avals.ShapedArray(shape, dtype)

    def sharding(keys, *, out):
        return (*splitting.entries(keys), *(None,) * (out.ndim - keys.ndim))

    def impl(keys):
        return keys._base_array

    def lower(ctx, keys):
        return keys

    def batch(axis, args, dims):
        return random_unwrap_p.bind(args[0]), dims[0]


@declare("random_use", traits=Trait.NOT_DIFFERENTIABLE)
class random_use_p:
    """The keys themselves, which count as used from here on, or as new ones."""

    def types(keys, *, is_new):
        return keys

    def sharding(keys, *, is_new):
        return splitting.entries(keys)

    def lower(ctx, keys, *, is_new):
        return keys

    def batch(axis, args, dims, *, is_new):
        return random_use_p.bind(args[0], is_new=is_new), dims[0]


def wrap(words: Any, generator: gen.Generator) -> Any:
    """Keys of raw words, whose last axis disappears."""
    return random_wrap_p.bind(words, impl=generator)


def unwrap(keys: Any) -> Any:
    """The raw words of keys, along a new last axis."""
    if isinstance(keys, PRNGKeyArray):
        return keys._base_array
    return random_unwrap_p.bind(keys)
