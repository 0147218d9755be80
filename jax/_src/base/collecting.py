"""Rare garbage collections while the package is imported.

An import makes a hundred thousand objects and no garbage. Passes over them took a quarter
of its time. Importing this module sets the threshold of the youngest generation high, and
`resume` sets it back; an import that fails in between leaves a collector that is slow to
start, and no more. `paused` is for other work that makes many objects and no garbage.
"""

import contextlib
import gc
from collections.abc import Iterator

_OBJECTS_OF_THE_PACKAGE = 1_000_000

_thresholds = gc.get_threshold()

# A threshold of 0 means never: so it stays.
if _thresholds[0]:
    gc.set_threshold(max(_thresholds[0], _OBJECTS_OF_THE_PACKAGE), *_thresholds[1:])


def resume() -> None:
    """Sets the thresholds back, with all that the import made in the oldest generation.

    A freeze and its undoing move every object there without looking at one: else the next
    collection of young objects would pass over all of them. Objects that a program froze
    itself stay frozen.
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
    gc.set_threshold(*_thresholds)


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """A block without collections, for what makes many objects that live until its end.

    Each collection would pass over all of them, so that the time of long programs grew
    faster than they.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
