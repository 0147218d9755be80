"""`jax.debug.progress`: how far a loop is, without a change to the loop."""

import importlib
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src.base import errors, traceback_filter, util
from jax._src.callbacks import calls as callback_calls
from jax._src.core import avals as avals_lib, mesh_context, vma
from jax._src.lax.collectives import axis_index
from jax._src.lax.control_flow import conditionals
from jax._src.numpy import creation
from jax._src.state import refs

# The bar is drawn about so often: each drawing costs some 50 microseconds.
_SECONDS_BETWEEN_DRAWINGS = 0.1
# How many times as far as the last time the next drawing may be.
_MOST_GROWTH = 16
_INT = np.dtype(np.int32)


def progress(
    n: int, description: str | None = None, **options: Any
) -> Callable[[Callable], Callable]:
    """Shows how far a loop is: wraps the body of `scan`, `fori_loop`, `while_loop` or `map`.

    The program counts its iterations, and calls Python some ten times a second. Works under
    `jit`, `vmap` (one bar for all batch elements), `shard_map` (that of the first device)
    and `grad` (of the forward pass). A wrapped body belongs to one loop at a time.

    Args:
        n: how many iterations there will be; of a `while_loop` the most.
        description: the text before the bar.
        **options: options of `tqdm.tqdm`, such as ``leave=False``.

    Returns:
        A function from the body to a body with the same arguments and results.

    Raises:
        ValueError: `n` is no positive integer of 32 bits.
        ImportError: there is no package `tqdm`.

    Examples:
        >>> def body(carry, x):
        ...     return carry + x, None
        >>> total, _ = jax.lax.scan(
        ...     jax.debug.progress(1000, "summing")(body), 0.0, jnp.arange(1000.0)
        ... )  # doctest: +SKIP
    """
    is_integer = isinstance(n, int | np.integer) and not isinstance(n, bool)
    if not is_integer or not 0 < n <= np.iinfo(_INT).max:
        raise ValueError(
            errors.explain(
                "jax.debug.progress: the number of iterations must be a positive integer.",
                [("n", f"{n!r} of type {type(n).__name__}")],
                "The bar shows the share of the iterations that are done.",
                "Pass the length of the loop, such as len(xs).",
            )
        )
    bar = _Bar(int(n), description, options)

    def wrap(body: Callable) -> Callable:
        # Of a function that is mapped over devices, the first one draws.
        axes = mesh_context.get_abstract_mesh().manual_axes
        # What it holds: how many iterations are done, and after how many to draw.
        start = creation.asarray(np.array([0, 1], _INT))
        counts = refs.new_ref(vma.vary_along(start, frozenset(axes)))

        @util.wraps(body)
        def counted(*args, **kwargs):
            out = body(*args, **kwargs)
            done, following = counts[0] + 1, counts[1]
            is_due = done >= following
            if axes:
                is_due &= axis_index.axis_index(axes) == 0
            following = conditionals.cond(
                is_due, _draw(bar, axes), lambda done, following: following,
                done, following,
            )  # fmt: skip
            ends = done >= n
            counts[0] = done * ~ends
            counts[1] = following * ~ends + ends
            return out

        return counted

    return wrap


def _draw(bar, axes):
    def draw(done, following):
        ahead = callback_calls.io_callback(bar, avals_lib.ShapedArray((), _INT), done)
        return vma.vary_along(ahead, frozenset(axes))

    return draw


class _Bar:
    """A bar of tqdm, which is there from the first iteration of a loop to the last."""

    def __init__(self, n, description, options):
        self.n = n
        self.options = {"total": n, "desc": description, **options}
        self.make = _tqdm()
        self.lock = threading.Lock()
        self.bar = None
        self.done = 0
        self.time = 0.0

    def __call__(self, done: Any) -> np.ndarray:
        """Draws, and says at which iteration to draw next."""
        done = int(done)
        with self.lock:
            now = time.perf_counter()
            if self.bar is None or done <= self.done:
                self._close()
                self.bar, self.done, self.time = self.make(**self.options), 0, now
            step = done - self.done
            self.bar.update(step)
            spent = max(now - self.time, 1e-9)
            # Not much farther than the last time: the first steps say little. They seem
            # to take longer than they do, for what is measured is the drawing, too.
            ahead = int(step * _SECONDS_BETWEEN_DRAWINGS / spent) + 1
            ahead = min(_MOST_GROWTH * step, ahead)
            self.done, self.time = done, now
            if done >= self.n:
                self._close()
        return np.asarray(min(done + max(ahead, 1), self.n), _INT)

    def _close(self):
        if self.bar is not None:
            self.bar.close()
        self.bar = None


def _tqdm():
    try:
        with warnings.catch_warnings():
            # In a notebook without widgets the bar is drawn as text.
            warnings.filterwarnings("ignore", message="IProgress not found")
            return importlib.import_module("tqdm.auto").tqdm
    except ImportError as error:
        raise ImportError(
            errors.explain(
                "jax.debug.progress draws with the package tqdm, which is not installed.",
                [("reason", str(error))],
                ways="pip install tqdm",
            )
        ) from error


traceback_filter.hide_frames(globals())
