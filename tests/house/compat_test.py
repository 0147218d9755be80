"""The core knows nothing of what upstream's private names mean to other libraries: `compat` installs them."""

import ast
import importlib

import jax  # noqa: F401  (installs the tables)
from jax._src.compat import members
from jax._src.compat.names import members as table
from tests.house import tree

PACKAGES = ("base", "dtypes", "tree", "lib", "core", "interpreters", "runtime", "lax")
# Names of members that mean something else in these packages.
COMMON = {"main", "process", "replicated_axes", "is_valid"}


def sources():
    for module, path in tree.python_modules().items():
        parts = module.split(".")
        if parts[:2] == ["jax", "_src"] and len(parts) > 2 and parts[2] in PACKAGES:
            yield path


def rows():
    for module, classes in table.TABLE.items():
        for name, listed in classes.items():
            yield module, name, listed.split()


def test_the_core_does_not_name_compat():
    wrong = [
        tree.name(path)
        for path in sources()
        if "_src.compat" in path.read_text() or "import compat" in path.read_text()
    ]
    assert not wrong


def test_no_module_below_src_only_re_exports_for_other_libraries():
    """Upstream's paths that hold nothing of ours are rows of the table of names."""
    wrong = [
        tree.name(path)
        for path in tree.files(".py", below="jax/_src")
        if "re-exports for third-party libraries"
        in (ast.get_docstring(tree.parsed(path)) or "")
    ]
    assert not wrong


def test_the_core_does_not_use_members_that_compat_gives_its_classes():
    given = {m for _, _, listed in rows() for m in listed} - COMMON
    wrong = [
        f"{tree.name(path)}:{node.lineno}: {node.attr}"
        for path in sources()
        for node in ast.walk(tree.parsed(path))
        if isinstance(node, ast.Attribute) and node.attr in given
    ]
    assert not wrong


def test_the_table_of_members_names_what_compat_has_and_our_classes_lack():
    for module, name, listed in rows():
        path = tree.ROOT / (module.replace(".", "/") + ".py")
        (ours,) = (
            node
            for node in tree.parsed(path).body
            if isinstance(node, ast.ClassDef) and node.name == name
        )
        own = {getattr(node, "name", None) for node in ours.body} - {"process"}
        assert not own & set(listed), (name, own & set(listed))
        theirs = vars(getattr(members, f"{name}Members"))
        assert {m for m in theirs if not m.startswith("__")} == set(listed), name
        owner = getattr(importlib.import_module(module), name)
        for member in listed:
            getattr(owner, member)
            assert vars(owner)[member] is theirs[member]
