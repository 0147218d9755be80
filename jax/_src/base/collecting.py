"""Rare garbage collections while the package is imported.

An import makes a hundred thousand objects and no garbage. Passes over them took a quarter
of its time. Importing this module sets the threshold of the youngest generation high, and
`resume` sets it back; an import that fails in between leaves a collector that is slow to
start, and no more.
"""

import gc

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
