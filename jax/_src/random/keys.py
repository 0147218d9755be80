"""Making, splitting and inspecting random keys."""

from __future__ import annotations

import functools as ft
from collections.abc import Sequence
from typing import Any, NewType

import numpy as np

from jax._src import dtypes
from jax._src.base import config, errors, options, traceback_filter
from jax._src.core import avals
from jax._src.numpy import creation, lax_api as lax, operands
from jax._src.numpy.jit_wrapper import jit
from jax._src.random import (
    generators as gen,
    key_arrays,
    key_reuse as _followed,  # noqa: F401
)
from jax._src.runtime.arrays import array

Array = Any
ArrayLike = Any

# For annotations of arguments that are keys.
Key = NewType("Key", array.Array)
Key.__module__ = "jax._src.random.core"


def explain(fun_name: str, what: str, facts=(), rule: str = "", ways: str = "") -> str:
    """A four-part message that starts with the user's name for the function."""
    return errors.explain(f"jax.random.{fun_name}: {what}", list(facts), rule, ways)


type_error = errors.maker(TypeError, explain)
value_error = errors.maker(ValueError, explain)
not_implemented = errors.maker(NotImplementedError, explain)


# ---------------------------------------------------------------- generators


def generator_of(impl: Any) -> gen.Generator:
    """Returns the generator that a user names; for None, the default one.

    Raises:
        ValueError: there is none of that name.
        TypeError: `impl` is neither a name nor a key dtype.
    """
    if impl is None:
        return gen.registry[options.default_prng_impl.value]
    if isinstance(impl, gen.Generator):
        return impl
    if isinstance(impl, key_arrays.KeyDType):
        return impl.generator
    if not isinstance(impl, str):
        raise type_error(
            "key",
            f"unrecognized type {type(impl)} for specifying PRNG implementation.",
            [("impl", repr(impl))],
            ways="Give a name, such as 'threefry2x32', or the dtype of keys.",
        )
    if impl not in gen.registry:
        names = ", ".join(map(repr, gen.registry))
        raise value_error(
            "key",
            f'unrecognized PRNG implementation "{impl}".',
            ways=f"Did you mean one of {names}?",
        )
    return gen.registry[impl]


def _chosen(impl, dtype, name="key"):
    if impl is not None and dtype is not None:
        raise value_error(
            name,
            "Cannot specify both `impl` and `dtype` arguments.",
            ways="Pass one of them.",
        )
    return generator_of(impl if dtype is None else dtype)


# ---------------------------------------------------------------- seeds


def _seed_words(seed: Any, name: str = "key") -> tuple[Any, Any]:
    """The high and low words of a seed."""
    if isinstance(seed, int):
        seed = np.int64(seed)
    if seed is None:
        raise value_error(
            name,
            "None is no seed.",
            rule="There is no randomness of its own: the same seed gives the same numbers.",
            ways="Pass a whole number, such as 0.",
        )
    if not avals.is_value(seed):
        seed = creation.asarray(seed)
    if operands.ndim(seed):
        raise type_error(
            name,
            f"{name} accepts a scalar seed, but was given an array of shape "
            f"{operands.shape(seed)} != ().",
            [("seed", operands.type_name(seed))],
            ways="For many keys: jax.random.split(key, n), or vmap over seeds.",
        )
    if operands.kind_of(seed) not in "iu":
        raise type_error(
            name,
            f"PRNG key seed must be an integer; got {operands.type_name(seed)}.",
        )
    return words_of_seed(_with_offset(seed))


def words_of_seed(seed: Any) -> tuple[Any, Any]:
    """The high and low words of a whole number."""
    if isinstance(seed, np.generic):
        return _words_on_host(seed)
    if operands.dtype_of(seed).itemsize < 8:
        low = operands.convert(seed, np.uint32)
        return gen.constant(low, 0), low
    high = lax.shift_right_logical(seed, gen.constant(seed, 32))
    return operands.convert(high, np.uint32), operands.convert(seed, np.uint32)


def _with_offset(seed):
    offset = options.random_seed_offset.value
    if isinstance(seed, np.ndarray):
        seed = seed[()]
    if isinstance(seed, np.generic):
        narrow = dtypes.canonicalize_dtype(seed.dtype)
        # A seed of 64 bits keeps its low half where arrays have 32.
        seed = seed.astype(narrow)
    if not offset:
        return seed
    if not options.enable_x64.value and not -(2**31) <= offset < 2**31:
        raise OverflowError(
            explain("key", f"jax_random_seed_offset={offset} does not fit int32.")
        )
    added = np.asarray(offset).astype(operands.dtype_of(seed))
    with np.errstate(over="ignore"):
        return (
            seed + added[()]
            if isinstance(seed, np.generic)
            else lax.add(seed, added[()])
        )


def _words_on_host(seed):
    whole = int(seed)
    bits = 64 if seed.dtype.itemsize == 8 else 32
    whole &= (1 << bits) - 1
    return np.uint32(whole >> 32), np.uint32(whole & 0xFFFFFFFF)


@ft.partial(jit, static_argnums=(2,))
def _seeded(high, low, generator):
    return generator.seed(high, low)


def key(seed: int | ArrayLike, *, impl: Any = None, dtype: Any = None) -> Array:
    """A random key, from which all randomness comes.

    Args:
        seed: a whole number.
        impl: the generator, by name or as a key dtype; default: `jax_default_prng_impl`.
        dtype: the same as a dtype.

    Returns:
        A scalar array of a key dtype.

    Raises:
        TypeError: the seed is not one whole number.
        OverflowError: the seed needs more than 64 bits.

    Examples:
        >>> jax.random.key(0)
        Array((), dtype=key<fry>) overlaying:
        [0 0]
    """
    generator = _chosen(impl, dtype)
    return key_arrays.wrap(_seeded(*_seed_words(seed), generator), generator)


def PRNGKey(seed: int | ArrayLike, *, impl: Any = None) -> Array:
    """A key as raw words; new code uses `jax.random.key`.

    The arguments are those of `jax.random.key`, and so are errors.

    Returns:
        Vector of dtype uint32, of shape ``(2,)`` for the default generator.
    """
    generator = generator_of(impl)
    words = _seeded(*_seed_words(seed, "PRNGKey"), generator)
    return (
        key_arrays.wrap(words, generator) if options.enable_custom_prng.value else words
    )


def key_dtype(impl_spec: Any = None) -> key_arrays.KeyDType:
    """The dtype of keys of a generator; an array of keys has it, whatever its shape.

    Args:
        impl_spec: the generator, as for `jax.random.key`; default: the configured one.

    Raises:
        ValueError: there is no such generator.
    """
    return key_arrays.dtype_of(generator_of(impl_spec))


# ---------------------------------------------------------------- checking


def is_typed(keys: Any) -> bool:
    """Whether `keys` are typed, and not raw words."""
    return dtypes.is_extended(getattr(keys, "dtype", None))


def taken(
    name: str, keys: Any, allow_batched: bool = False, *, is_used: bool = True
) -> tuple[Any, gen.Generator, bool]:
    """The words of the key that a function was given, their generator, and typedness.

    With `is_used`, the function draws from the key: `jax_debug_key_reuse` finds that.

    Raises:
        TypeError: it is no key.
        ValueError: it is an array of keys, and the function takes one.
    """
    if is_typed(keys):
        if is_used and options.debug_key_reuse.value:
            keys = key_arrays.random_use_p.bind(keys, is_new=False)
        words, generator, typed = key_arrays.unwrap(keys), keys.dtype.generator, True
        batch = keys.shape
        shown = tuple(batch)
    else:
        generator, typed = generator_of(None), False
        words = _checked_words(name, keys, generator)
        batch, shown = operands.shape(words)[:-1], operands.shape(words)
    if batch and not allow_batched:
        raise value_error(
            name,
            f"{name} accepts a single key, but was given a key array of shape "
            f"{shown} != ().",
            ways="Use jax.vmap for batching.",
        )
    return words, generator, typed


def _checked_words(name, keys, generator):
    if not operands.is_arraylike(keys) or isinstance(keys, (bool, int, float, complex)):
        raise type_error(
            name,
            "JAX encountered invalid PRNG key data: this is no key.",
            [("key", repr(keys)[:60]), ("type", type(keys).__name__)],
            ways="Make one with jax.random.key(seed).",
        )
    keys = operands.to_array(keys)
    fits = operands.dtype_of(keys) == gen.U32 and operands.shape(keys)[-1:] == (
        generator.words,
    )
    if not fits:
        raise type_error(
            name,
            "JAX encountered invalid PRNG key data: expected key_data.shape to end with "
            f"({generator.words},) and dtype uint32.",
            [("key", operands.type_name(keys))],
            f"A raw key of {generator.name} is uint32[{generator.words}].",
            "Make one with jax.random.key(seed).",
        )
    mode = options.legacy_prng_key.value
    if mode == config.LegacyPrngKeyState.ERROR:
        raise value_error(
            name,
            "a raw key was given, which jax_legacy_prng_key refuses.",
            ways="Make typed keys with jax.random.key(seed).",
        )
    if mode == config.LegacyPrngKeyState.WARN:
        traceback_filter.warn(
            explain(name, "a raw key was given.", ways="Prefer jax.random.key(seed)."),
            FutureWarning,
        )
    return creation.asarray(keys) if isinstance(keys, np.ndarray) else keys


def _returned(words, generator, typed):
    return key_arrays.wrap(words, generator) if typed else words


# ---------------------------------------------------------------- new keys


@ft.partial(jit, static_argnums=(1, 2))
def _split(words, generator, shape):
    return generator.split(words, shape)


def split(key: ArrayLike, num: int | Sequence[int] = 2) -> Array:
    """New keys, independent of each other and of `key`, which is then used up.

    Args:
        key: a key.
        num: how many, or the shape of the array of keys.

    Returns:
        An array of keys, of shape ``(num,)`` and the dtype of `key`; raw keys have a
        last axis of words.

    Raises:
        TypeError: `key` is no key, or a size is negative. ValueError: it is several
            keys.

    Examples:
        >>> first, second = jax.random.split(jax.random.key(0))
    """
    words, generator, typed = taken("split", key)
    shape = operands.canonical_shape("random.split", num)
    return _returned(_split(words, generator, shape), generator, typed)


@ft.partial(jit, static_argnums=(2,))
def _fold_in(words, data, generator):
    return generator.fold_in(words, data)


def fold_in(key: ArrayLike, data: ArrayLike) -> Array:
    """Derives a key from `key` and a number.

    Args:
        key: a key.
        data: a whole number of 32 bits.

    Returns:
        A scalar key of the dtype of `key`, or a raw key for a raw one.

    Raises:
        OverflowError: a Python number does not fit.
        TypeError: `data` is not one real number.

    Examples:
        >>> keys = [jax.random.fold_in(jax.random.key(0), step) for step in range(3)]
    """
    words, generator, typed = taken("fold_in", key, is_used=False)
    return _returned(_fold_in(words, _folded(data), generator), generator, typed)


def _folded(data):
    if isinstance(data, (bool, float)):
        data = int(data)
    if isinstance(data, int):
        return np.asarray(data, np.uint32)[()]
    if not avals.is_value(data):
        data = creation.asarray(data)
    if operands.ndim(data) or operands.kind_of(data) == "c":
        raise type_error(
            "fold_in",
            "fold_in accepts a scalar: the data is not one real number.",
            [("data", operands.type_name(data))],
            ways="For many keys: vmap fold_in over the numbers.",
        )
    if isinstance(data, (np.ndarray, np.generic)):
        return (
            np.asarray(data)
            .astype(np.int64 if data.dtype.kind == "f" else data.dtype)
            .astype(np.uint32)[()]
        )
    return operands.convert(data, np.uint32)


def clone(key: ArrayLike) -> Array:
    """Returns the key unchanged; it counts as not yet used.

    Args:
        key: array of keys, or raw words, of which `vmap` may hand single ones.

    Returns:
        Array of the shape and dtype of `key`.

    Raises:
        TypeError: `key` is no array.
    """
    if is_typed(key) and options.debug_key_reuse.value:
        return key_arrays.random_use_p.bind(key, is_new=True)
    if not is_typed(key):
        return creation.asarray(operands.ensure_arraylike("random.clone", key))
    words, generator, typed = taken("clone", key, True, is_used=False)
    return _returned(words, generator, typed)


# ---------------------------------------------------------------- raw words


def key_data(keys: ArrayLike) -> Array:
    """The raw words of keys, along a new last axis (or as many as a key has).

    Args:
        keys: array of keys; raw words stay as they are.

    Returns:
        Array of dtype uint32 whose shape is that of `keys` and one axis.

    Raises:
        TypeError: `keys` is no key.
    """
    words, generator, is_typed_key = taken("key_data", keys, True, is_used=False)
    return generator.shown(words) if is_typed_key else words


def wrap_key_data(
    key_bits_array: ArrayLike, *, impl: Any = None, dtype: Any = None
) -> Array:
    """Keys of raw words, the inverse of `key_data`.

    Args:
        key_bits_array: array of `uint32` whose last axis holds the words of one key.
        impl: the generator, by name or as a key dtype.
        dtype: the same as a dtype.

    Raises:
        TypeError: the array does not hold words of such keys.
    """
    generator = _chosen(impl, dtype, "wrap_key_data")
    words = operands.ensure_arraylike("random.wrap_key_data", key_bits_array)
    axes = generator.key_shape
    shape = operands.shape(words)
    if operands.dtype_of(words) != gen.U32 or shape[-len(axes) :] != axes:
        broken = (
            f"ndim to be at least {len(axes)}, got {len(shape)}"
            if not shape
            else f"shape to end with {axes}, got {shape}"
            if shape[-len(axes) :] != axes
            else f"dtype = uint32, got {operands.dtype_of(words)}"
        )
        raise type_error(
            "wrap_key_data",
            f"JAX encountered invalid PRNG key data: expected key_data.{broken}.",
            [
                ("key_bits_array", operands.type_name(words)),
                ("impl", generator.name),
            ],
            f"Its dtype is uint32, and its last axes have the sizes {axes}.",
        )
    return key_arrays.wrap(generator.flat(creation.asarray(words)), generator)


def key_impl(keys: ArrayLike) -> Any:
    """The name of the generator of keys, or the generator itself if it has no name.

    Args:
        keys: array of keys of any shape, or raw words (uint32), which count as the
            default generator's.

    Returns:
        Its name as text, such as ``"threefry2x32"``; what
        `jax.extend.random.define_prng_impl` returned for a generator of others.

    Raises:
        TypeError: `keys` is no key.
    """
    generator = taken("key_impl", keys, True, is_used=False)[1]
    is_known = gen.registry.get(generator.name) is generator
    return generator.name if is_known else generator


traceback_filter.hide_frames(globals())
