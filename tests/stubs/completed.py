"""Stubs of packages of others, with the types that they leave open as `Any`.

The strict mode of pyright reports every use of a function of which one parameter has no type, as the ``**kwargs`` of
matplotlib's methods. What the stubs do say is checked.
"""

import ast
import pathlib
import shutil

# Classes that stubs name without saying of what.
_GENERIC = {"IO": 1, "PathLike": 1, "dict": 2, "list": 1}


class _Completed(ast.NodeTransformer):
    def visit_arg(self, node: ast.arg) -> ast.arg:
        if node.annotation is not None:
            node.annotation = _Known().visit(node.annotation)
        elif node.arg not in ("self", "cls"):
            node.annotation = ast.Name("Any")
        return node


class _Known(ast.NodeTransformer):
    """Says of what the classes in an annotation are."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:  # noqa: N802
        node.slice = self.visit(node.slice)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802
        return self._of_any(node, node.id)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:  # noqa: N802
        return self._of_any(node, node.attr)

    def _of_any(self, node: ast.expr, name: str) -> ast.expr:
        if name not in _GENERIC:
            return node
        many = [ast.Name("Any")] * _GENERIC[name]
        return ast.Subscript(node, ast.Tuple(many) if len(many) > 1 else many[0])


def write(folder: pathlib.Path, matplotlib: pathlib.Path) -> None:
    """Writes stubs of matplotlib, from those beside its sources, and of tqdm into a folder."""
    for path in matplotlib.rglob("*.pyi"):
        tree = _Completed().visit(ast.parse(path.read_text()))
        copy = folder / "matplotlib" / path.relative_to(matplotlib)
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = ast.unparse(ast.fix_missing_locations(tree))
        copy.write_text(f"from typing import Any\n{text}\n")
    (folder / "tqdm").mkdir(parents=True)
    stub = pathlib.Path(__file__).with_name("tqdm.pyi")
    shutil.copyfile(stub, folder / "tqdm/__init__.pyi")
