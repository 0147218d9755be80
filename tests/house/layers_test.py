"""Imports and includes go downwards only, and never hide inside a function."""

import re
import tomllib

from tests.house import tree

TABLE = tomllib.loads((tree.ROOT / "tests/house/layers.toml").read_text())
RANKS = {
    package: rank
    for rank, packages in enumerate(TABLE["python"]["layers"])
    for package in packages
}


def package_of(module: str) -> str | None:
    """`jax._src.core.avals` -> `core`; None for what is not in a package of a layer."""
    parts = module.split(".")
    if parts[:2] == ["jax", "_src"] and len(parts) > 2 and parts[2] in RANKS:
        return parts[2]
    return None


def test_python_imports_go_downwards():
    modules = tree.python_modules()
    wrong = []
    for module, path in modules.items():
        here = package_of(module)
        if here is None:
            continue
        for target, line, _ in tree.imports(path):
            there = package_of(target)
            if there is not None and RANKS[there] > RANKS[here]:
                wrong.append(f"{tree.name(path)}:{line}: {here} imports {there}")
            elif there is None and (target == "jax" or target.startswith("jax.")):
                wrong.append(f"{tree.name(path)}:{line}: imports the reexport {target}")
    assert not wrong, "\n".join(wrong)


def test_every_module_below_src_is_in_a_layer_or_a_reexport_module():
    wrong = [
        tree.name(path)
        for module, path in tree.python_modules().items()
        if module.startswith("jax._src.")
        and package_of(module) is None
        and not tree.is_reexport(path)
    ]
    assert not wrong, "neither in layers.toml nor a reexport: " + ", ".join(wrong)


# Headers that an outside contract puts at this path (third_party/xla_ffi).
FETCHED = "xla/ffi/api"


def test_the_table_names_what_is_there():
    """Beside folders, it may name single modules and headers."""
    named = {f"jax/_src/{package}" for package in RANKS} | set(TABLE["cpp"])
    for allowed in (TABLE["cpp"], TABLE["cpp_foreign"]):
        named.update(*allowed.values())
    missing = [
        name
        for name in sorted(named - {FETCHED})
        if not any((tree.ROOT / path).exists() for path in (name, f"{name}.py"))
    ]
    assert not missing, "not there: " + ", ".join(missing)


def test_no_import_hides_inside_a_function():
    modules = tree.python_modules()
    wrong = [
        f"{tree.name(path)}:{line}: {target}"
        for path in modules.values()
        for target, line, deferred in tree.imports(path)
        if deferred and target.split(".")[0] in ("jax", "jaxlib")
    ]
    assert not wrong, "\n".join(wrong)


def test_imports_by_call_are_in_the_table():
    """`import_module` and `__import__` hide an import as well as a function does."""
    allowed = TABLE["imports_by_call"]
    found: dict[str, set[str]] = {}
    for path in tree.files(".py", below="jax") + tree.files(".py", below="jaxlib"):
        for target, _ in tree.imports_by_call(path):
            found.setdefault(tree.name(path), set()).add(target)
    assert found == {name: set(row["modules"]) for name, row in allowed.items()}
    assert all(row["reason"] for row in allowed.values())


def test_calls_that_import_are_seen(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        "import importlib as il\nfrom importlib import import_module as load\n"
        "def f(name):\n    il.import_module('a')\n    load(name)\n    __import__('b.c')\n    other('d')\n"
    )
    assert tree.imports_by_call(path) == [("a", 4), ("name", 5), ("b.c", 6)]


def test_only_the_lib_package_imports_jaxlib():
    modules = tree.python_modules()
    reexport = f"jax._src.{TABLE['python']['jaxlib_reexport']}"
    wrong = [
        f"{tree.name(path)}:{line}"
        for module, path in modules.items()
        if not (module + ".").startswith(reexport + ".")
        for target, line, _ in tree.imports(path)
        if target.split(".")[0] == "jaxlib"
    ]
    assert not wrong, "\n".join(wrong)


def test_python_imports_have_no_cycles():
    modules = tree.python_modules()
    graph = {
        module: {
            target
            for target, _, _ in tree.imports(path)
            if target in modules and target != module
        }
        for module, path in modules.items()
    }
    # Take away, again and again, the modules that import none of those left: what stays holds a cycle.
    while leaves := [module for module, targets in graph.items() if not targets]:
        for leaf in leaves:
            del graph[leaf]
        for targets in graph.values():
            targets.difference_update(leaves)
    # Of the rest, those that nothing else imports only lead to a cycle.
    while roots := set(graph) - set().union(*graph.values()):
        for root in roots:
            del graph[root]
    assert not graph, "cycles among: " + ", ".join(sorted(graph))


def cpp_includes():
    for path in tree.files(".h", ".cpp"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line):
                yield path, number, match[1]


def folder_of(name: str) -> str | None:
    return next((f for f in TABLE["cpp"] if name.startswith(f + "/")), None)


def test_cpp_includes_follow_the_table():
    wrong = []
    for path, line, target in cpp_includes():
        here, there = folder_of(tree.name(path)), folder_of(target)
        if here is None or there is None or here == there or path.stem.endswith("Test"):
            continue
        if not any(target.startswith(allowed) for allowed in TABLE["cpp"][here]):
            wrong.append(f"{tree.name(path)}:{line}: {here} includes {target}")
    assert not wrong, "\n".join(wrong)


def test_foreign_headers_stay_in_their_folders():
    wrong = []
    for path, line, target in cpp_includes():
        here = folder_of(tree.name(path))
        for prefix, allowed in TABLE["cpp_foreign"].items():
            if here and target.startswith(prefix) and here not in allowed:
                wrong.append(f"{tree.name(path)}:{line}: {here} includes {target}")
    assert not wrong, "\n".join(wrong)


def test_every_cpp_folder_is_in_the_table():
    wrong = {
        tree.name(path.parent)
        for path in tree.files(".h", ".cpp")
        if tree.name(path).startswith(("xla/", "jaxlib/"))
        and folder_of(tree.name(path)) is None
    }
    assert not wrong, "not in layers.toml: " + ", ".join(sorted(wrong))
