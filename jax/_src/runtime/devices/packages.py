"""What is installed beside this package, without `importlib.metadata` where that has nothing to add.

To load that and to let it read all packages takes 16 ms, at each start; most machines have no plugin that it
could find. The look-up here takes one.
"""

import importlib
import os
import re
import sys
from typing import Any


def entry_points(group: str) -> list[Any]:
    """The entry points of a group, as `importlib.metadata` has them."""
    folders = _folders()
    if folders is not None and not any(_names(f, group.encode()) for f in folders):
        return []
    return list(importlib.import_module("importlib.metadata").entry_points(group=group))


def version_of(package: str) -> str | None:
    """The release of an installed package; None: it is not installed."""
    folders = _folders()
    start = re.sub(r"[-_.]+", "_", package).lower() + "-"
    if folders is not None:
        found = [f for f in map(os.path.basename, folders) if _normal(f, start)]
        if not found:
            return None
        if found[0].endswith(".dist-info"):
            return found[0].removesuffix(".dist-info")[len(start) :]
    metadata = importlib.import_module("importlib.metadata")
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _folders() -> list[str] | None:
    """Where packages say what they are, in the order in which Python looks; None: there are others, too."""
    for finder in sys.meta_path:
        # Python's own finder looks where this does; other finders look in other folders.
        if hasattr(finder, "find_distributions") and finder.__module__ != (
            "_frozen_importlib_external"
        ):
            return None
    folders = []
    for folder in sys.path:
        try:
            children = os.listdir(folder or os.curdir)
        except OSError:
            if os.path.isfile(folder):
                return None  # an archive may hold packages, too
            continue
        folders += [
            os.path.join(folder, child)
            for child in children
            if child.lower().endswith((".dist-info", "egg-info"))
        ]
    return folders


def _normal(folder: str, start: str) -> bool:
    """Whether a folder is that of a package and a release, by the start of its name."""
    name, dash, _ = folder.partition("-")
    return re.sub(r"[-_.]+", "_", name).lower() + dash == start


def _names(folder: str, group: bytes) -> bool:
    """Whether a package may have entry points of the group."""
    try:
        with open(os.path.join(folder, "entry_points.txt"), "rb") as file:
            return group in file.read()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # whoever needs it, says what is wrong with it
