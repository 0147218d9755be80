"""Typed random keys: the dtype ``key<fry>``, key arrays, and their raw words."""

from __future__ import annotations

from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.core import avals
from jax._src.core.primitive import Trait, declare
from jax._src.lax.ops import splitting
from jax._src.numpy import lax_api as lax, operands, reshaping
from jax._src.random import (
    counter_generators as _registered,  # noqa: F401
    generators as gen,
)
from jax._src.runtime.arrays import extended_arrays
from jax._src.runtime.transfers import device_put_get

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

    def zero(self) -> Any:
        """A key of zeros; keys have no tangents."""
        return self.full((), 0)

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


class PRNGKeyArray(extended_arrays.AbstractExtendedArray):
    """An array of random keys. Its elements cannot be computed with, only used."""

    __slots__ = ("_keys",)
    __module__ = "jax._src.prng"

    def __init__(self, generator: gen.Generator, words: Any):
        self._dtype = dtype_of(generator)
        self._base_array = words

    _impl = property(lambda self: self._dtype.generator)

    def _of(self, base: Any) -> PRNGKeyArray:
        return PRNGKeyArray(self._impl, base)

    def __reduce__(self):
        return _restored, (self._impl.name, np.asarray(self._base_array))

    _kind = "random keys"
    _named_kind = "PRNGKey"
    _way_to_numbers = "For the raw words: jax.random.key_data(keys)."


def _restored(generator, words):
    """Keys from a pickle; their words go to the default device."""
    return PRNGKeyArray(gen.registry[generator], device_put_get.put_on_device(words))


extended_arrays.register(PRNGKeyArray)


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
        if dim == operands.ndim(words) - 1:
            words, dim = reshaping.moveaxis(words, dim, 0), 0
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
