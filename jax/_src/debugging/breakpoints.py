"""`jax.debug.breakpoint`: a prompt in the middle of a running program."""

import sys
import threading
from typing import Any

from jax._src import tree
from jax._src.base import records, source
from jax._src.callbacks import calls
from jax._src.core import avals, trace
from jax._src.debugging import prompts
from jax._src.debugging.callback import callback
from jax._src.runtime.arrays.array import Array

# Devices that stop at once wait for each other.
_one_at_a_time = threading.RLock()


class _Break:
    """What the program calls."""

    def __init__(self, frames, backend, options):
        self.frames = frames
        self.backend = backend
        self.options = options
        self.__name__ = "breakpoint"

    def __call__(self, values):
        frames = [
            records.replace(frame, values={**frame.values, **found})
            for frame, found in zip(self.frames, values, strict=True)
        ]
        with _one_at_a_time:
            prompt = prompts.prompt_of(self.backend, frames, self.options)
            prompt.cmdloop("Entering jdb:")


def breakpoint(
    *,
    backend: str | None = None,
    filter_frames: bool = True,
    num_frames: int | None = None,
    ordered: bool = False,
    token: Any = None,
    **kwargs: Any,
) -> Any:
    """Stops the program when it comes by, and reads commands; works under `jit`.

    Commands: ``p expression``, ``pp expression``, ``list``, ``where``, ``up``, ``down``,
    ``continue``, ``quit``. Expressions see the variables of the chosen frame, with
    values in place of traced ones.

    Args:
        backend: the name of a front end: "cli", "notebook" in a kernel of IPython, "web"
            where the package `web_pdb` is, which serves a page for a browser. None: that of
            the notebook, or of the terminal.
        filter_frames: accepted; frames of this package are never shown.
        num_frames: how many frames to keep; None: all.
        ordered: whether the program stops in the order in which it is written.
        token: a tree of arrays; the program stops where they are ready, before what is
            returned is used, and does not stop where that is not used.
        **kwargs: options of the front end: of "cli" the files `stdin` and `stdout`, of "web"
            `host`, this machine alone unless said, and `port`, 5555.

    Returns:
        `token`.

    Raises:
        ValueError: both `ordered` and `token` are given.
    """
    if ordered and token is not None:
        raise ValueError(
            "`ordered` and `token` are mutually exclusive arguments of "
            "jax.debug.breakpoint: a token orders the stop by what it is computed from. "
            "Give one of them."
        )
    frames, values = [], []
    frame: Any = sys._getframe(1)
    while frame is not None and (num_frames is None or len(frames) < num_frames):
        if not source.is_internal(frame.f_code.co_filename):
            found, fixed = _passed_and_fixed(frame.f_locals)
            frames.append(
                prompts.Frame(frame.f_code, frame.f_lineno, fixed, frame.f_globals)
            )
            values.append(found)
        frame = frame.f_back
    stop = _Break(tuple(frames), backend, kwargs)
    if token is None:
        callback(stop, values, ordered=ordered)
        return None

    def stop_at(token, values):
        stop(values)
        return token

    return calls.pure_callback(
        stop_at, tree.tree_map(avals.typeof, token), token, values
    )


def _passed_and_fixed(variables):
    """The variables that are trees of arrays, which the program passes; the others.

    What has traced values among others stays behind.
    """
    passed, fixed = {}, {}
    for name, value in variables.items():
        try:
            leaves = tree.tree_leaves(value)
        except Exception:  # noqa: BLE001  (the classes are the user's)
            continue
        if not any(isinstance(leaf, trace.Tracer | Array) for leaf in leaves):
            fixed[name] = value
        elif all(avals.is_value(leaf) for leaf in leaves):
            passed[name] = value
    return passed, fixed
