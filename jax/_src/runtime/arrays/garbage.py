"""Arrays that wait for Python's garbage collector: `jax_array_garbage_collection_guard`.

An array whose last reference goes away frees its memory at once. One that an object in a
cycle of references holds keeps it until the collector comes by. While the option is
``"log"`` or ``"fatal"``, every array that is alive is watched during each collection: one
that dies meanwhile was held by garbage. Nothing is watched otherwise.
"""

import faulthandler
import functools
import gc
import logging
import os
import sys
import threading
import weakref
from typing import Any

from jax._src.base import errors, options, source
from jax._src.lib import client

array_garbage_collection_guard = options.array_garbage_collection_guard
_LEVELS = ("log", "fatal")
_log = logging.getLogger("jax.arrays")


class _Watch(threading.local):
    """The weak references to arrays that this thread holds during a collection."""

    references: list[Any] | None = None


_watch = _Watch()
_lock = threading.Lock()


def _around_collections(phase: str, info: dict[str, int]) -> None:
    """Called by the collector before and after its work."""
    if phase != "start":
        _watch.references = None
        return
    level = array_garbage_collection_guard.value
    if level in _LEVELS:
        thread = threading.get_ident()
        _watch.references = [
            weakref.ref(array, functools.partial(_died, level, thread, array.aval))
            for array in client.live_arrays()
        ]


def _died(level, thread, aval, _):
    # Another thread may release an array while a finalizer of this one runs.
    if threading.get_ident() != thread:
        return
    message = errors.explain(
        "`jax.Array` was deleted by the Python garbage collector, not with its last "
        "reference.",
        [("array", aval.str_short()), ("collected at", str(source.capture(2)))],
        "Objects that refer to each other in a cycle keep their arrays until the collector "
        "comes by.",
        "Break the cycle: delete the attribute that holds the array, or make the reference "
        "back a weakref.ref. gc.get_referrers(array) lists what holds it while it lives.",
    )
    if level == "log":
        _log.error("%s", message)
        return
    sys.stderr.write(f"Fatal Python error: {message}\n")
    sys.stderr.flush()
    faulthandler.dump_traceback()
    os.abort()


def _watching(convert):
    """The conversion of the option's values, which begins to watch when one asks for it."""

    def converted(value):
        level = convert(value)
        if level in _LEVELS:
            with _lock:
                if _around_collections not in gc.callbacks:
                    gc.callbacks.append(_around_collections)
        return level

    return converted


array_garbage_collection_guard.convert = _watching(
    array_garbage_collection_guard.convert
)
# The environment may have set it already.
array_garbage_collection_guard.check(array_garbage_collection_guard.process_value)
