"""How a line that needs a value in Python is written for traced values."""

import ast
import functools
import linecache
import sys

from jax._src.base import source

_MOST_CHARACTERS = 120
_OF_NUMPY = frozenset(("np", "numpy", "onp", "math"))
_OPERATORS = {ast.And: "logical_and", ast.Or: "logical_or"}


def rewrite_of(frame: source.Frame | None) -> str:
    """The expression or statement at a line of the user's program as it would be traced.

    Args:
        frame: the line, with the columns of the expression that needed the value.

    Returns:
        One line of Python, or "" where the line says too little.
    """
    if frame is None:
        return ""
    tree = parsed("".join(linecache.getlines(frame.file_name)))
    if tree is None:
        return ""
    found = _chain(tree, frame)
    for i in range(len(found) - 1, -1, -1):
        written = _written(found[i], found[i + 1] if i + 1 < len(found) else None)
        if written:
            short = len(written) <= _MOST_CHARACTERS and "\n" not in written
            return written if short else ""
        if isinstance(found[i], ast.stmt):
            return ""
    return ""


@functools.lru_cache(maxsize=8)
def parsed(text: str) -> ast.Module | None:
    """The syntax of a file, or None where it is no Python; libraries catch many errors."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _chain(tree, frame):
    """The nodes around an expression, the outermost first."""
    start, end = (frame.line, frame.column), (frame.end_line, frame.end_column)
    chain: list[ast.AST] = []
    level: list[ast.AST] = [tree]
    while level:
        # Columns count bytes, of nodes and of positions alike.
        inner = [
            node
            for parent in level
            for node in ast.iter_child_nodes(parent)
            if _covers(node, start, end)
        ]
        chain += inner[:1]
        level = inner[:1]
    return chain


def _covers(node, start, end):
    if not hasattr(node, "lineno"):
        return isinstance(node, ast.comprehension | ast.arguments) and any(
            _covers(child, start, end) for child in ast.iter_child_nodes(node)
        )
    first, last = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return first <= start and end <= last


def _written(node, inside):
    """What one writes instead of a node, given the node within it that needs the value."""
    match node:
        case ast.IfExp() if inside is node.test:
            return _where(node.test, node.body, node.orelse)
        case ast.If() if inside is node.test:
            return _choice(node)
        case ast.While() if inside is node.test:
            names = {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}
            if len(names) != 1:
                return "lax.while_loop(condition, body, state)"
            (name,) = names
            test = ast.unparse(node.test)
            return f"lax.while_loop(lambda {name}: {test}, body, {name})"
        case ast.Assert() if inside is node.test:
            return f'checkify.check({ast.unparse(node.test)}, "...")'
        case ast.BoolOp():
            values = ", ".join(map(ast.unparse, node.values))
            if len(node.values) == 2:
                return f"jnp.{_OPERATORS[type(node.op)]}({values})"
        case ast.UnaryOp(op=ast.Not()):
            return f"jnp.logical_not({ast.unparse(node.operand)})"
        case ast.Call():
            return _call(node)
        case ast.Subscript() if isinstance(node.ctx, ast.Load):
            of, index = ast.unparse(node.value), ast.unparse(node.slice)
            return f"jnp.asarray({of})[{index}]"
    return ""


def _where(test, body, orelse):
    return f"jnp.where({', '.join(map(ast.unparse, (test, body, orelse)))})"


def _choice(node):
    """An `if` whose branches are one assignment or one `return` each."""
    if len(node.body) == 1 and len(node.orelse) == 1:
        match node.body[0], node.orelse[0]:
            case ast.Return(value=ast.expr() as a), ast.Return(value=ast.expr() as b):
                return f"return {_where(node.test, a, b)}"
            case ast.Assign(targets=[one], value=a), ast.Assign(targets=[two], value=b):
                if ast.unparse(one) == ast.unparse(two):
                    return f"{ast.unparse(one)} = {_where(node.test, a, b)}"
    if len(node.body) == 1 and not node.orelse:
        match node.body[0]:
            case ast.Assign(targets=[ast.Name() as one], value=a):
                return f"{one.id} = {_where(node.test, a, one)}"
            case ast.AugAssign(target=ast.Name() as one, op=op, value=b):
                a = ast.BinOp(ast.Name(one.id), op, b)
                return f"{one.id} = {_where(node.test, a, one)}"
    test = ast.unparse(node.test)
    return f"lax.cond({test}, if_true, if_false, operands)"


def _call(node):
    arguments = ", ".join(map(ast.unparse, [*node.args, *node.keywords]))
    match node.func:
        case ast.Name(id="float" | "int" | "complex" | "bool" as kind):
            if len(node.args) == 1:
                of = ast.unparse(node.args[0])
                simple = isinstance(node.args[0], ast.Name | ast.Attribute | ast.Call)
                return f"{of if simple else f'({of})'}.astype({kind})"
        case ast.Name(id="range"):
            bounds = arguments if len(node.args) > 1 else f"0, {arguments}"
            if len(node.args) <= 2:
                return f"lax.fori_loop({bounds}, body, state)"
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            known = sys.modules.get("jax.numpy")
            if module in _OF_NUMPY and hasattr(known, name):
                return f"jnp.{name}({arguments})"
    return ""
