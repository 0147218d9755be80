"""What is done to the weights of attention: windows of keys, and dropout."""

from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.numpy import numpy_api as jnp
from jax._src.random.discrete import bernoulli


def in_window(queries: int, keys: int, window: tuple[int, int]) -> Any:
    """Which queries see which keys: so many before their own number, and so many behind it.

    Args:
        queries: the number of queries.
        keys: the number of keys.
        window: how many keys before and behind; both are nonnegative.

    Raises:
        ValueError: they are not.
    """
    if len(window) != 2 or min(window) < 0:
        raise errors.value_error(
            "Attention has a window of an impossible size.",
            [("window", str(window))],
            "A window is how many keys a query sees before and behind its own number.",
            "window=(255, 0): the last 256 keys.",
        )
    before, behind = window
    distance = jnp.arange(keys) - jnp.arange(queries)[:, None]
    return (distance >= -before) & (distance <= behind)


def dropped(weights: Any, rate: float, key: Any) -> Any:
    """The weights of which a part is zero, and others are larger in turn.

    Args:
        weights: an array.
        rate: the probability that one is zero; zero: all stay.
        key: of `jax.random`; it decides which are.

    Raises:
        ValueError: the rate is no probability below one, or there is no key.
    """
    if rate == 0:
        return weights
    if not 0 < rate < 1 or key is None:
        raise errors.value_error(
            "Attention cannot leave out weights as requested.",
            [("dropout_rate", str(rate)), ("dropout_key", "given" if key is not None else "None")],
            "Weights are left out with a probability below one, by a key.",
            "dropout_rate=0.1, dropout_key=jax.random.key(0); without dropout: "
            "dropout_rate=0.0.",
        )  # fmt: skip
    is_kept = bernoulli(key, 1 - rate, weights.shape)
    larger = weights / np.asarray(1 - rate, weights.dtype)
    return jnp.where(is_kept, larger, np.asarray(0, weights.dtype))
