"""The kernels that upstream's package ships, imported as a third party's code beside ours.

`use(folder)` makes `jax.experimental.pallas.ops` the package of that name in a folder with
upstream's release; everything else that it imports is ours.
"""

import importlib
import importlib.util
import pathlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

PREFIX = "jax.experimental.pallas.ops"


class _Shipped:
    """Finds the modules of the package in the folder."""

    def __init__(self, root: pathlib.Path):
        self.root = root

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name != PREFIX and not name.startswith(PREFIX + "."):
            return None
        base = self.root.joinpath(*name.removeprefix(PREFIX).split("."))
        package = base / "__init__.py"
        if package.exists():
            return importlib.util.spec_from_file_location(
                name, package, submodule_search_locations=[str(base)]
            )
        file = base.with_suffix(".py")
        if not file.exists():
            # Another finder would give ours.
            raise ModuleNotFoundError(f"{file} does not exist", name=name)
        return importlib.util.spec_from_file_location(name, file)


def use(folder: str | pathlib.Path) -> None:
    """Takes the package from a folder of upstream's packages.

    Args:
        folder: it has `jax` in it.

    Raises:
        RuntimeError: ours was imported already, or the folder has none.
    """
    root = pathlib.Path(folder, *PREFIX.split("."))
    if not (root / "__init__.py").exists():
        raise RuntimeError(f"{root} has no kernels")
    if any(name.startswith(PREFIX) for name in sys.modules):
        raise RuntimeError(f"{PREFIX} of ours was imported before")
    sys.meta_path.insert(0, _Shipped(root))


def module(name: str) -> ModuleType:
    """A module of the package, such as ``gpu.softmax``."""
    return importlib.import_module(f"{PREFIX}.{name}")
