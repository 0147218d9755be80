"""Traced values that outlive their trace: what holds them, and the line that stored them there."""

import ast
import linecache
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from jax._src.base import holders, source
from jax._src.core import rewrites

# Methods that put an argument into what they belong to.
_STORING = frozenset(
    "add append appendleft extend insert put setdefault update __setitem__".split()
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class _Store(NamedTuple):
    """A statement that stores a value outside of the function, perhaps."""

    line: int
    # The name that its target begins with, and all attributes on the way.
    root: str
    attributes: frozenset[str]
    # Its target and the value, as they are written.
    target: str
    value: str


def facts_about(
    tracer: Any, location: source.Location, defined: str
) -> tuple[list[tuple[str, str]], str]:
    """What is known about a leak, as facts of a message, and how to write it.

    Args:
        tracer: the value.
        location: where it was made.
        defined: the traced function and where it is defined, "step at train.py:12".
    """
    (held,) = holders.holders_of([tracer], [location])
    facts = [("held by", str(holder)) for holder in held[:2]]
    found = _leaking_line(held, location, defined)
    if found is None:
        return facts, ""
    file, store = found
    frame = source.Frame(file, store.line, store.line, 0, 0, "")
    facts.append(("leaked", f"at {frame}"))
    facts.append(("line", source.source_line(frame)))
    name = defined.partition(" at ")[0] or "f"
    if not store.value.isidentifier():
        return facts, f"return ..., {store.value}  instead of  {store.target}"
    return facts, (
        f"In `{name}`:         return ..., {store.value}\n"
        f"Where it is called:  out, {store.value} = {name}(...), and then "
        f"{store.target}"
    )


def _leaking_line(held, location, defined):
    """The file and the statement that stored the value, if it is certain enough."""
    names = {holder.name for holder in held if holder.name}
    attributes = {
        part for holder in held for part in re.findall(r"\.(\w+)", holder.path)
    }
    found = [
        (file, store)
        for file, line in _functions(location, defined)
        for store in _stores(file, line)
    ]
    certain = [
        (file, store)
        for file, store in found
        if store.root in names or store.attributes & attributes
    ]
    if certain:
        return certain[-1]
    if not names and not attributes and len(found) == 1:
        return found[0]
    return _only_store(held)


def _only_store(held):
    """The statement of a file that stores under the name of a holder, if there is one alone.

    Not every trace knows the function that it traces.
    """
    found = {
        (holder.file, store)
        for holder in held
        if holder.file and not source.is_internal(holder.file)
        for store in _stores(holder.file, holder.first)
        if store.root == holder.name
    }
    return found.pop() if len(found) == 1 else None


def _functions(location, defined) -> Iterator[tuple[str, int]]:
    """File and first line of the functions that ran when the value was made."""
    seen = set()
    file, _, line = defined.partition(" at ")[2].rpartition(":")
    spans = [(code.co_filename, code.co_firstlineno) for code, _ in location.codes]
    if line.isdigit():
        spans.append((file, int(line)))
    for one in spans:
        if one not in seen:
            seen.add(one)
            yield one


def _stores(file: str, first: int | None = None) -> Iterator[_Store]:
    """The statements of a function that may store a value outside of it.

    Args:
        file: where the function is defined.
        first: its first line; None: of all functions.
    """
    tree = rewrites.parsed("".join(linecache.getlines(file)))
    if tree is None:
        return
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS) and (first is None or _begins_at(node, first)):
            yield from _stores_in(node)


def _begins_at(node, first):
    decorators = getattr(node, "decorator_list", ())
    return min([node.lineno, *(d.lineno for d in decorators)]) == first


def _stores_in(function) -> Iterator[_Store]:
    outer = {
        name
        for node in ast.walk(function)
        if isinstance(node, ast.Global | ast.Nonlocal)
        for name in node.names
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _store(node, target, node.value, outer)
        elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
            if node.value is not None:
                yield from _store(node, node.target, node.value, outer)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _STORING and node.args:
                root, attributes = _root_of(node.func.value)
                yield _Store(
                    node.lineno,
                    root,
                    attributes,
                    ast.unparse(node),
                    ast.unparse(node.args[-1]),
                )


def _store(node, target, value, outer):
    if isinstance(target, ast.Tuple | ast.List):
        for one in target.elts:
            yield from _store(node, one, value, outer)
        return
    root, attributes = _root_of(target)
    is_name = isinstance(target, ast.Name)
    if is_name and root not in outer:
        return
    yield _Store(node.lineno, root, attributes, ast.unparse(node), ast.unparse(value))


def _root_of(node):
    """The name with which `a.b[c].d` begins, and its attributes."""
    attributes = set()
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.Call):
        if isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        node = node.func if isinstance(node, ast.Call) else node.value
    return (node.id if isinstance(node, ast.Name) else ""), frozenset(attributes)
