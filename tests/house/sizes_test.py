"""Files and functions stay small. A size that is over its limit may only shrink: sizes.toml holds it down."""

import ast
import tomllib

from tests.house import tree

FILE_LIMITS = {".py": 800, ".cpp": 1000, ".h": 500, ".td": 1200}
FUNCTION_LIMIT = 80
RATCHET = tomllib.loads((tree.ROOT / "tests/house/sizes.toml").read_text())


def function_lengths(path):
    """Lines of each function, without its docstring."""
    for node in ast.walk(tree.parsed(path)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        lines = node.end_lineno - node.lineno + 1
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            lines -= first.end_lineno - first.lineno + 1
        yield f"{tree.name(path)}:{node.name}", lines


def check(sizes: dict[str, int], limits: dict[str, int], table: str):
    allowed = RATCHET[table]
    over = [
        f"{name}: {size} lines, the limit is {allowed.get(name, limits[name])}"
        for name, size in sizes.items()
        if size > allowed.get(name, limits[name])
    ]
    assert not over, "\n".join(over)
    loose = [
        name
        for name, size in allowed.items()
        if sizes.get(name, 0) <= limits.get(name, 0) or sizes[name] < size
    ]
    assert not loose, "lower or drop these rows of sizes.toml: " + ", ".join(loose)


def test_files_are_small():
    paths = tree.files(*FILE_LIMITS)
    sizes = {tree.name(p): len(p.read_text().splitlines()) for p in paths}
    check(sizes, {tree.name(p): FILE_LIMITS[p.suffix] for p in paths}, "files")


def test_functions_are_small():
    sizes = {
        name: lines
        for path in tree.files(".py")
        for name, lines in function_lengths(path)
    }
    check(sizes, dict.fromkeys(sizes, FUNCTION_LIMIT), "functions")
