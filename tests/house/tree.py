"""Reads the repository's own sources for the house tests."""

import ast
import functools
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = {"third_party", "__pycache__", ".git", ".venv", "dist"}
# Yardsticks: the same programs judge every implementation, so they stay as they came, byte for byte.
YARDSTICKS = {
    "benchmarks/compare.py",
    "benchmarks/run.py",
    "benchmarks/workloads.py",
    "tests/api/api_parity.py",
    "tests/golden/check_golden.py",
}

# How a door names the submodules that are loaded when first asked for (jax/_src/base/lazy.py).
LAZY_PARTS = {
    "__getattr__ = _lazy.submodules(__name__, _PARTS)",
    "__dir__ = _lazy.listing(__name__, _PARTS)",
}


def files(*suffixes: str, below: str = "") -> list[pathlib.Path]:
    """The sources with one of `suffixes` below a folder of the repository, sorted."""
    found = []
    for path in (ROOT / below).rglob("*"):
        parts = path.relative_to(ROOT).parts
        if path.suffix not in suffixes or SKIPPED & set(parts):
            continue
        if parts[0].startswith("bazel-") or "/".join(parts) in YARDSTICKS:
            continue
        if path.name.endswith("_ops_gen.py"):  # by TableGen, copied for a quick run
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


def python_modules() -> dict[str, pathlib.Path]:
    return {module_name(path): path for path in files(".py", below="jax")}


def imports(path: pathlib.Path, known: set[str]) -> list[tuple[str, int, bool]]:
    """The imports in a file: (module, line, whether it stands inside a function)."""
    tree = parsed(path)
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
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            # `from package import module` names a module, `from module import name` does not.
            targets = [
                full
                if (full := f"{node.module}.{alias.name}") in known
                else node.module
                for alias in node.names
            ]
        else:
            continue
        found += [(target, node.lineno, id(node) in inside) for target in targets]
    return found


def is_door(path: pathlib.Path) -> bool:
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
        if isinstance(node, ast.Delete):
            continue
        return False
    return True


def _is_plain(node: ast.expr | None) -> bool:
    """A name, a dotted name, a constant, or a list or tuple of those: nothing that computes."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(map(_is_plain, node.elts))
    if isinstance(node, ast.Attribute):
        return _is_plain(node.value)
    return node is None or isinstance(node, ast.Name | ast.Constant)
