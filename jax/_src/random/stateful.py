"""A generator of random numbers that changes in place, on top of keys and references."""

import dataclasses
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes, tree
from jax._src.base import errors, traceback_filter
from jax._src.core import trace
from jax._src.numpy import creation, numpy_api as jnp, operands
from jax._src.random import keys, uniform_normal
from jax._src.state import refs

Array = Any
Shape = int | Sequence[int] | None


@dataclasses.dataclass(frozen=True)
class StatefulPRNG:
    """A generator whose methods draw from keys that are made one after the other.

    The n-th key is ``jax.random.fold_in(_base_key, n)``. A generator is a tree of its two
    parts, so compiled functions take it as an argument, and count on.

    Args:
        _base_key: a key; after `split`, an array of keys.
        _counter: a reference to 32-bit numbers, of the shape of the keys.

    Raises:
        ValueError: one of them is something else.
    """

    _base_key: Any
    _counter: Any

    def __post_init__(self) -> None:
        # Trees are put together with anything as leaves: types without a dtype pass.
        key, counter = self._base_key, self._counter
        dtype = getattr(key, "dtype", None)
        if isinstance(key, _NUMBERS) or (
            dtype is not None and not dtypes.issubdtype(dtype, dtypes.prng_key)
        ):
            raise _not_a_part("_base_key", "a key", key)
        if isinstance(counter, _NUMBERS):
            raise _not_a_part("_counter", "a reference", counter)

    def key(self, shape: int | Sequence[int] = ()) -> Array:
        """A new key, or an array of them.

        Args:
            shape: of the array of keys.

        Raises:
            ValueError: this is a batch of generators that is not mapped over.
        """
        if operands.ndim(self._base_key):
            raise errors.value_error(
                "StatefulPRNG: a batch of generators was used as one.",
                [("shape", str(operands.shape(self._base_key)))],
                "split() makes generators for the rows of a mapped function.",
                "Map over it with jax.vmap.",
            )
        found = keys.fold_in(self._base_key, refs.get(self._counter, ...))
        refs.addupdate(self._counter, ..., 1)
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        return keys.split(found, sizes) if sizes else found

    def random(self, size: Shape = None, dtype: Any = float) -> Array:
        """Numbers of [0, 1), of shape `size` (default: one number)."""
        return uniform_normal.uniform(self.key(), _sizes(size), dtype)

    def uniform(
        self,
        low: Any = 0,
        high: Any = 1,
        size: Shape = None,
        *,
        dtype: Any = float,
    ) -> Array:
        """Numbers of [low, high).

        Args:
            low: the least value.
            high: what is above all values.
            size: the shape; default: that of `low` and `high` together.
            dtype: the dtype.
        """
        shape = _sizes(size, low, high)
        return uniform_normal.uniform(self.key(), shape, dtype, minval=low, maxval=high)

    def normal(
        self,
        loc: Any = 0,
        scale: Any = 1,
        size: Shape = None,
        *,
        dtype: Any = float,
    ) -> Array:
        """Numbers of a normal distribution.

        Args:
            loc: its mean.
            scale: its standard deviation.
            size: the shape; default: that of `loc` and `scale` together.
            dtype: the dtype.
        """
        drawn = uniform_normal.normal(self.key(), _sizes(size, loc, scale), dtype)
        return jnp.asarray(loc + scale * drawn, drawn.dtype)

    def integers(
        self, low: Any, high: Any = None, size: Shape = None, *, dtype: Any = int
    ) -> Array:
        """Whole numbers of [low, high), or of [0, low) without `high`.

        Args:
            low: the least value.
            high: what is above all values.
            size: the shape; default: that of `low` and `high` together.
            dtype: the dtype.
        """
        if high is None:
            low, high = 0, low
        shape = _sizes(size, low, high)
        return uniform_normal.randint(self.key(), shape, low, high, dtype)

    def split(self, num: int | Sequence[int]) -> "StatefulPRNG":
        """A batch of generators, one for each row of a mapped function.

        Args:
            num: how many, or the shape of the batch.
        """
        many = self.key(num)
        return StatefulPRNG(many, _counters(operands.shape(many)))

    def spawn(self, n_children: int) -> list["StatefulPRNG"]:
        """Several generators, independent of each other and of this one."""
        count = operator.index(n_children)
        if count < 0:
            raise ValueError(f"StatefulPRNG.spawn: {count} generators.")
        many = self.key((count,))
        return [StatefulPRNG(many[i], _counters(())) for i in range(count)]


tree.register_dataclass(StatefulPRNG)

_NUMBERS = (bool, int, float, complex)


def _not_a_part(name, wanted, given):
    return errors.value_error(
        f"StatefulPRNG: {name} is not {wanted}.",
        [(name, f"{given!r:.60} of type {type(given).__name__}")],
        ways="Make a generator with jax.experimental.random.stateful_rng(seed).",
    )


def _counters(shape):
    return refs.new_ref(creation.zeros(shape, np.uint32))


def _sizes(size, *parameters):
    if size is None:
        return (
            np.broadcast_shapes(*map(operands.shape, parameters)) if parameters else ()
        )
    return (size,) if isinstance(size, int) else tuple(size)


def stateful_rng(seed: Any = None, *, impl: Any = None) -> StatefulPRNG:
    """A generator of random numbers that changes in place.

    Args:
        seed: a whole number; default: one from the operating system.
        impl: which generator makes the numbers; default: ``jax_default_prng_impl``.

    Raises:
        TypeError: there is no seed while a function is traced, or it is no whole number.
    """
    if seed is None:
        if not trace.is_evaluating():
            raise errors.type_error(
                "stateful_rng: When used within transformed code, a seed must be given.",
                [],
                "The compiled function would use the same seed in every call.",
                "Pass a seed, or a generator, as an argument.",
            )
        seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) >> 1
    return StatefulPRNG(keys.key(seed, impl=impl), _counters(()))


traceback_filter.hide_frames(globals())
