"""Makes a program smaller while it stays interesting: any Python text, by its syntax tree.

A step removes a statement, an element of a list, an argument or a keyword, or replaces an
expression by one of its parts. Nothing is known of what programs mean: a candidate that makes no sense is not
interesting.
"""

import ast
import copy
from collections.abc import Callable, Iterator

MOST_TRIES = 200
SIMPLE = ("1", "jnp.float32(1)")


def _size(text: str) -> int:
    return sum(1 for _ in ast.walk(ast.parse(text)))


def _bodies(tree: ast.AST) -> Iterator[list]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef):
            yield node.body


def _without_statements(tree: ast.Module) -> Iterator[ast.Module]:
    """Halves of what a body does, then single statements."""
    for number, body in enumerate(_bodies(tree)):
        length = len(body)
        width = max(length // 2, 1)
        while width:
            for start in range(length - width, -1, -width):
                changed = copy.deepcopy(tree)
                del list(_bodies(changed))[number][start : start + width]
                if all(list(_bodies(changed))):
                    yield changed
            width //= 2


def _expressions(tree: ast.AST) -> list[tuple[ast.AST, str, int | None]]:
    """Where each expression stands: its parent, the field, the index in it; outer ones first."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.arguments):
            continue
        for field, value in ast.iter_fields(node):
            if field in ("targets", "func", "ctx", "args") and isinstance(
                node, ast.Assign | ast.Lambda
            ):
                continue
            if isinstance(value, ast.expr):
                found.append((node, field, None))
            elif isinstance(value, list):
                found += [
                    (node, field, n)
                    for n, v in enumerate(value)
                    if isinstance(v, ast.expr)
                ]
    return found


def _get(slot):
    node, field, number = slot
    value = getattr(node, field)
    return value if number is None else value[number]


def _put(slot, value) -> None:
    node, field, number = slot
    if number is None:
        setattr(node, field, value)
    else:
        getattr(node, field)[number] = value


def _parts(expression: ast.expr) -> list[ast.expr]:
    """Smaller expressions that could replace it."""
    if isinstance(expression, ast.Name | ast.Constant):
        return []
    parts = [
        node for node in ast.iter_child_nodes(expression) if isinstance(node, ast.expr)
    ]
    if isinstance(expression, ast.Call):
        parts = [*expression.args, *(k.value for k in expression.keywords)]
        if isinstance(expression.func, ast.Attribute):
            parts.append(expression.func.value)
    if isinstance(expression, ast.Lambda):
        parts = [expression.body]
    return parts


def _hoisted(tree: ast.Module) -> Iterator[ast.Module]:
    for number in range(len(_expressions(tree))):
        expression = _get(_expressions(tree)[number])
        for choice in range(len(_parts(expression))):
            changed = copy.deepcopy(tree)
            slot = _expressions(changed)[number]
            _put(slot, _parts(_get(slot))[choice])
            yield changed


def _simplified(tree: ast.Module) -> Iterator[ast.Module]:
    for number in range(len(_expressions(tree))):
        expression = _get(_expressions(tree)[number])
        if (
            isinstance(expression, ast.Constant | ast.Lambda)
            or ast.unparse(expression) in SIMPLE
        ):
            continue
        for text in SIMPLE:
            changed = copy.deepcopy(tree)
            _put(_expressions(changed)[number], ast.parse(text, mode="eval").body)
            yield changed


def _lists(tree: ast.AST) -> Iterator[list]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node.keywords
            yield node.args
        elif isinstance(node, ast.Tuple | ast.List):
            yield node.elts
        elif isinstance(node, ast.Dict):
            yield node.keys


def _shortened(tree: ast.Module) -> Iterator[ast.Module]:
    """Without an argument, a keyword, an element."""
    for number, elements in enumerate(_lists(tree)):
        for index in range(len(elements)):
            changed = copy.deepcopy(tree)
            target = list(_lists(changed))[number]
            owner = next(
                (
                    n
                    for n in ast.walk(changed)
                    if isinstance(n, ast.Dict) and n.keys is target
                ),
                None,
            )
            del target[index]
            if owner:
                del owner.values[index]
            yield changed


def _inlined(tree: ast.Module) -> Iterator[ast.Module]:
    """A statement's expression where its name is used once."""
    for statement in tree.body:
        if not isinstance(statement, ast.Assign):
            continue
        name = ast.unparse(statement.targets[0])
        changed = copy.deepcopy(tree)
        changed.body = [
            s for s in changed.body if ast.unparse(s) != ast.unparse(statement)
        ]
        uses = [
            slot
            for slot in _expressions(changed)
            if isinstance(_get(slot), ast.Name) and _get(slot).id == name
        ]
        if len(uses) == 1:
            _put(uses[0], copy.deepcopy(statement.value))
            yield changed


def _needed(tree: ast.Module) -> Iterator[ast.Module]:
    """One statement and what it needs, with the settings."""
    for index in range(len(tree.body) - 1, -1, -1):
        wanted = {n.id for n in ast.walk(tree.body[index]) if isinstance(n, ast.Name)}
        kept = [tree.body[index]]
        for statement in reversed(tree.body[:index]):
            if isinstance(statement, ast.FunctionDef):
                made = {statement.name}
            elif isinstance(statement, ast.Assign):
                made = {ast.unparse(statement.targets[0])}
            else:
                made = wanted  # a setting
            if made & wanted:
                kept.insert(0, statement)
                wanted |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
        if len(kept) < len(tree.body):
            yield ast.Module(copy.deepcopy(kept), [])


STEPS = (_needed, _without_statements, _hoisted, _shortened, _simplified, _inlined)


def shrink(text: str, is_interesting: Callable[[str], bool]) -> str:
    """The smallest program that the steps lead to; `text` itself if it is not interesting."""
    tries = 0
    seen = {text}
    if not is_interesting(text):
        return text
    changed = True
    while changed and tries < MOST_TRIES:
        changed = False
        for step in STEPS:
            again = True
            while again and tries < MOST_TRIES:
                again = False
                for candidate in step(ast.parse(text)):
                    smaller = ast.unparse(ast.fix_missing_locations(candidate)) + "\n"
                    if smaller in seen:
                        continue
                    seen.add(smaller)
                    tries += 1
                    if is_interesting(smaller):
                        text, again, changed = smaller, True, True
                        break
                    if tries >= MOST_TRIES:
                        break
    return text
