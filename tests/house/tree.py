"""Reads the repository's own sources for the house tests."""

import ast
import functools
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = {"third_party", "__pycache__", ".git", ".venv", "dist"}
# Yardsticks: the same programs judge every implementation, so they stay as they are.
# With the digests (SHA-256) of their bytes.
YARDSTICKS = {
    "benchmarks/compare.py": "55086d207242d09532a39c00b4c9c84aea8b89adaa895fb5fd8c372d08506a54",
    "benchmarks/devices.py": "d9b38a580a93d3545ae1906832b0d207d57ba945754da477ae97a0f2ed564102",
    "benchmarks/run.py": "c1c04a4abd25e684a3f7b5cdc3258834a9f9a862587320284e21ab10331e65d1",
    "benchmarks/workloads.py": "b7d12d26d6e081a2a83b5660861d896413d03873918de77d9c9c98b8c8048379",
    "tests/api/api_parity.py": "98869cc73bbdd45099201dd42f6b1c0f85804d562584dbe70af1dc648e7166aa",
    "tests/golden/check_golden.py": "03327a4742c1ef4c620db6b8d5089b561d607d025d9d8d08cb72804dca4792b3",
    "tests/golden/pallas.json": "88dd18f165c032c545542a29f16fe8f8c8695bdb0f3daf025d89f92690cc873c",
    "tests/golden/pallas.npz": "eccffca3f0055ec55184039343ddd6babe1366fea94bdf5b1bcb87ccd6bd944f",
    "tests/golden/sparse.json": "1bdab515e49c5e391da34b8c97d767eff2aa4ef724236b668c7d58fd5526e4ce",
    "tests/golden/sparse.npz": "ee474b46753d355c97e6617e15ef78f1a7516668434c8eb0955d0e3c189e156f",
}

# How a re-export module names submodules, and names of other modules, that are imported at their first use (jax/_src/base/lazy.py).
LAZY_PARTS = {
    "__getattr__ = _lazy.submodules(__name__, _PARTS)",
    "__dir__ = _lazy.listing(__name__, _PARTS)",
    "__getattr__ = _lazy.names(__name__, _LAZY_NAMES)",
    "__dir__ = _lazy.listing(__name__, _LAZY_NAMES)",
}

# Appends the examples of jax/_src/doc_examples to docstrings.
ATTACHES_EXAMPLES = "_doc_examples.attach(__name__)"


def files(*suffixes: str, below: str = "") -> list[pathlib.Path]:
    """The sources with one of `suffixes` below a folder of the repository, sorted."""
    found = []
    for path in (ROOT / below).rglob("*"):
        parts = path.relative_to(ROOT).parts
        if path.suffix not in suffixes or SKIPPED & set(parts):
            continue
        if parts[0].startswith("bazel-") or "/".join(parts) in YARDSTICKS:
            continue
        if path.name.endswith("_gen.py"):  # by TableGen, copied for a quick run
            continue
        found.append(path)
    return sorted(found)


def name(path: pathlib.Path) -> str:
    """The path as a person would say it."""
    return path.relative_to(ROOT).as_posix()


@functools.cache
def parsed(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def module_name(path: pathlib.Path) -> str:
    """`jax/_src/core/avals.py` -> `jax._src.core.avals`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def python_modules() -> dict[str, pathlib.Path]:
    return {module_name(path): path for path in files(".py", below="jax")}


@functools.cache
def imports(path: pathlib.Path) -> list[tuple[str, int, bool]]:
    """The imports in a file: (module, line, whether it stands inside a function)."""
    tree, known = parsed(path), python_modules()
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # `from package import module` names a module, `from module import name` does not.
            base = _absolute(node, path)
            targets = [
                full if (full := f"{base}.{alias.name}") in known else base
                for alias in node.names
            ]
        else:
            continue
        found += [(target, node.lineno, id(node) in inside) for target in targets]
    return found


IMPORTERS = {
    "importlib.import_module",
    "importlib.__import__",
    "builtins.__import__",
    "__import__",
}


@functools.cache
def imports_by_call(path: pathlib.Path) -> list[tuple[str, int]]:
    """The calls in a file that import: (the module as it is written, line)."""
    tree = parsed(path)
    meaning = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        if isinstance(node, ast.ImportFrom)
        else alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }

    def is_importer(node: ast.expr) -> bool:
        head, dot, rest = ast.unparse(node).partition(".")
        return meaning.get(head, head) + dot + rest in IMPORTERS

    def written(node: ast.expr) -> str:
        return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)

    return [
        (written(node.args[0]) if node.args else "?", node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and is_importer(node.func)
    ]


def _absolute(node: ast.ImportFrom, path: pathlib.Path) -> str:
    """The module that an import names, also where it counts dots."""
    if not node.level:
        return node.module or ""
    package = path.relative_to(ROOT).parent.parts
    parts = package[: len(package) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


RUN_AS_PROGRAM = "if __name__ == '__main__':\n    _run_as_program()"


def is_reexport(path: pathlib.Path) -> bool:
    """Whether a module holds nothing but a docstring, imports, `__all__`-like assignments and lazy submodules."""
    for node in parsed(path).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.Assign | ast.AnnAssign) and _is_plain(node.value):
            continue
        if isinstance(node, ast.Assign) and ast.unparse(node) in LAZY_PARTS:
            continue
        # The end of what the first import of jax/__init__.py begins, and the examples of docstrings.
        if ast.unparse(node) in ("_collecting.resume()", ATTACHES_EXAMPLES):
            continue
        if isinstance(node, ast.Delete):
            continue
        # A program that `python -m` starts: one call of what was imported.
        if ast.unparse(node) == RUN_AS_PROGRAM:
            continue
        return False
    return True


def _is_plain(node: ast.expr | None) -> bool:
    """A name, a dotted name, a constant, or a list, tuple or table of those: nothing that computes."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(map(_is_plain, node.elts))
    if isinstance(node, ast.Dict):
        return all(map(_is_plain, (*node.keys, *node.values)))
    if isinstance(node, ast.Attribute):
        return _is_plain(node.value)
    return node is None or isinstance(node, ast.Name | ast.Constant)
