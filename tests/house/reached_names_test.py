"""What modules of jax reach in each other by attribute is there: an import that looks unused may be another module's way."""

import ast
import importlib
import types

from tests.house import tree


def bound(parsed):
    """Names that a module binds otherwise than by imports: such a name may stand for something else in a function."""
    for node in ast.walk(parsed):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name


def imported(name):
    """The module, or nothing where a package is not installed that it is for."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] in ("jax", "jaxlib"):
            raise
        return None


def not_there(module, path):
    """(line, text) of what the module reaches in modules of jax that do not have it."""
    parsed = tree.parsed(path)
    others = set(bound(parsed))
    for node in ast.walk(parsed):
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            continue
        name = node.value.id
        reached = vars(module).get(name)
        if name in others or not isinstance(reached, types.ModuleType):
            continue
        if reached.__name__.partition(".")[0] == "jax" and not hasattr(
            reached, node.attr
        ):
            yield node.lineno, f"{name}.{node.attr} ({reached.__name__})"


def test_what_modules_reach_by_attribute_is_there():
    wrong = []
    for name, path in tree.python_modules().items():
        if path.name == "__main__.py" or name.partition(".")[0] != "jax":
            continue
        module = imported(name)
        if module is not None:
            wrong += [
                f"{tree.name(path)}:{line} {what}"
                for line, what in not_there(module, path)
            ]
    assert not wrong, "not there:\n" + "\n".join(wrong)


def test_a_name_that_is_gone_is_found(tmp_path):
    path = tmp_path / "uses.py"
    path.write_text("from jax._src import dtypes\ndtypes.float0\ndtypes.gone\n")
    module = types.ModuleType("uses")
    exec(path.read_text().splitlines()[0], vars(module))
    (found,) = not_there(module, path)
    assert found == (3, "dtypes.gone (jax._src.dtypes)")
