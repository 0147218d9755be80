"""Re-export modules hold re-exports only, and each re-exported name is documented."""

import ast

from tests.house import tree


def reexports():
    """The public modules: what is not below `_src`, and every package's `__init__`."""
    for module, path in tree.python_modules().items():
        if path.name == "__main__.py":
            continue  # a program, which is run and not imported
        if not module.startswith("jax._src") or path.name == "__init__.py":
            yield path


def test_reexport_modules_hold_reexports_only():
    wrong = [tree.name(path) for path in reexports() if not tree.is_reexport(path)]
    assert not wrong, "more than re-exports: " + ", ".join(wrong)


def exported_functions():
    """(path, node) of the functions and classes below `_src` that a public reexport re-exports by name."""
    modules = tree.python_modules()
    for path in reexports():
        if tree.module_name(path).startswith("jax._src"):
            continue
        for node in ast.walk(tree.parsed(path)):
            if not isinstance(node, ast.ImportFrom) or node.module not in modules:
                continue
            source = modules[node.module]
            wanted = {alias.name for alias in node.names}
            for item in tree.parsed(source).body:
                if (
                    isinstance(item, ast.FunctionDef | ast.ClassDef)
                    and item.name in wanted
                ):
                    yield source, item


def test_public_names_have_docstrings():
    missing = sorted(
        {
            f"{tree.name(path)}:{node.lineno} {node.name}"
            for path, node in exported_functions()
            if not node.name.startswith("_") and not ast.get_docstring(node)
        }
    )
    assert not missing, f"{len(missing)} without a docstring:\n" + "\n".join(missing)
