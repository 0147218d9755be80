"""A submodule is what its package gives under its name, also where tables of other libraries' names are installed."""

import importlib

import jax  # noqa: F401  (installs the tables)
from tests.house import tree


def test_no_name_of_a_package_hides_a_submodule():
    hidden = []
    for name in sorted(tree.python_modules()):
        package, _, last = name.rpartition(".")
        if not package.startswith("jax._src"):
            continue
        # What `from package import name` gives, which is not the submodule where the package has the name otherwise.
        given = getattr(importlib.import_module(package), last, None)
        try:
            module = importlib.import_module(name)
        except ImportError:  # of a package that is not installed here
            continue
        if given not in (None, module):
            hidden.append(name)
    assert not hidden
