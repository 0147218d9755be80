"""Bodies of functions and of programs: statements drawn from the vocabulary, and what is returned."""

import numpy as np

import jax
import jax.numpy as jnp
from tests.programs.holes import Filler
from tests.programs.scope import Scope, Unsuited, Value, is_key
from tests.programs.vocabulary import arrays, products, smooth

DEEPEST = 3


def _rows(*texts: str) -> list[str]:
    return [line for text in texts for line in text.strip().splitlines()]


TEMPLATES = {
    name: _rows(text)
    for name, text in {
        "unary": arrays.UNARY,
        "binary": arrays.BINARY,
        "reductions": arrays.REDUCTIONS,
        "movement": arrays.MOVEMENT,
        "indexing": arrays.INDEXING,
        "products": products.PRODUCTS,
        "random": products.RANDOM,
    }.items()
}
SMOOTH = _rows(smooth.SMOOTH)
WEIGHTS = {
    "unary": 12,
    "binary": 14,
    "reductions": 10,
    "movement": 12,
    "indexing": 11,
    "products": 8,
    "random": 4,
}


def expression(scope: Scope) -> str:
    """One filled template."""
    (family,) = scope.choose.choices(list(WEIGHTS), list(WEIGHTS.values()))
    template = scope.choose.choice(TEMPLATES[family])
    return Filler(scope).fill(template)


def statement(scope: Scope, control=()) -> None:
    """Writes a statement, if it finds one in a few tries."""
    for _ in range(6):
        try:
            with scope.attempt():
                if control and scope.depth < DEEPEST and scope.maybe(0.22):
                    text = scope.choose.choice(control)(scope)
                else:
                    text = expression(scope)
                scope.bind(text)
                return
        except Unsuited:
            continue


def statements(scope: Scope, control=(), longest: int = 3) -> None:
    for _ in range(scope.choose.randint(1, longest)):
        statement(scope, control)


# -- what functions return --------------------------------------------------------------------


def fitted(scope: Scope, aval) -> str:
    """An expression of a shape and dtype that are prescribed."""
    if is_key(aval):
        suits = lambda v: is_key(v.aval) and v.shape == aval.shape  # noqa: E731
        return scope.pick(suits).text
    value = scope.pick(
        lambda v: not is_key(v.aval), lambda: scope.constant((), "float32")
    )
    text = value.text
    exact = value.shape == aval.shape
    if value.dtype != aval.dtype:
        is_cut = value.isa(jnp.complexfloating) and not jnp.issubdtype(
            aval.dtype, jnp.complexfloating
        )
        text = (
            f'jnp.real({text}).astype("{aval.dtype}")'
            if is_cut
            else f'{text}.astype("{aval.dtype}")'
        )
    elif not exact and _goes_to(value.shape, aval.shape):
        return f"jnp.broadcast_to({text}, {aval.shape})"
    if exact:
        return text
    if _goes_to(value.shape, aval.shape):
        return f"jnp.broadcast_to({text}, {aval.shape})"
    return f'jnp.full({aval.shape}, jnp.sum({text}), "{aval.dtype}")'


def _goes_to(a, b) -> bool:
    try:
        return np.broadcast_shapes(a, b) == tuple(b)
    except ValueError:
        return False


def fitted_tree(scope: Scope, tree) -> str:
    """Fits each leaf of a structure of tuples, lists, dictionaries and None."""
    if tree is None:
        return "None"
    if isinstance(tree, dict):
        return (
            "{"
            + ", ".join(f'"{k}": {fitted_tree(scope, v)}' for k, v in tree.items())
            + "}"
        )
    if isinstance(tree, list):
        return "[" + ", ".join(fitted_tree(scope, v) for v in tree) + "]"
    if isinstance(tree, tuple):
        return "(" + "".join(fitted_tree(scope, v) + ", " for v in tree) + ")"
    return fitted(scope, tree)


def returned(scope: Scope) -> str:
    """Some of the newer values, in some structure."""
    written = [v for v in scope.pool if v.text.startswith("t")]
    own = written[-3:] if written and scope.maybe(0.85) else scope.pool[-4:]
    if not own:
        return "jnp.float32(1)"
    a, b = scope.choose.choice(own).text, scope.choose.choice(own).text
    return scope.one(
        a, a, a, a, f"({a}, {b})", f'{{"a": {a}, "b": {b}}}', f"[{a}, None]", f"({a},)"
    )


def writer(control=(), tree=None, longest: int = 3):
    """Writes a body, returning what it likes or what `tree` says."""

    def write(scope: Scope) -> str:
        statements(scope, control, longest)
        return returned(scope) if tree is None else fitted_tree(scope, tree)

    return write


def scalar_loss(control=(), longest: int = 3):
    """Writes a body that returns a float without axes, of what it computed."""

    def write(scope: Scope) -> str:
        statements(scope, control, longest)
        inexact = [v for v in scope.pool if not is_key(v.aval) and v.isa(jnp.inexact)]
        if not inexact:
            raise Unsuited
        return f"total([{', '.join(v.text for v in inexact[-3:])}])"

    return write


# -- arguments --------------------------------------------------------------------------------


def argument(scope: Scope, tree) -> str:
    """An expression for an argument with these types: known values or new ones."""
    if isinstance(tree, dict):
        return (
            "{"
            + ", ".join(f'"{k}": {argument(scope, v)}' for k, v in tree.items())
            + "}"
        )
    if isinstance(tree, tuple | list):
        return "(" + "".join(argument(scope, v) + ", " for v in tree) + ")"
    if tree is None:
        return "None"
    aval = tree

    def make() -> str:
        if is_key(aval):
            key = f"jax.random.key({scope.seed()})"
            if not aval.shape:
                return key
            return f"jax.random.split({key}, {aval.shape})"
        return scope.constant(aval.shape, str(aval.dtype))

    return scope.pick(
        lambda v: (
            v.shape == aval.shape
            and v.dtype == aval.dtype
            and v.aval.weak_type == aval.weak_type
        ),
        make,
    ).text


def parameter(scope: Scope, suits=lambda value: True):
    """The types of a parameter: those of a value that is known, or of a few."""
    value = scope.pick(suits, lambda: scope.constant(scope.shape(), scope.dtype()))
    if scope.maybe(0.15):
        return (value.aval, None)
    if scope.maybe(0.1):
        return {"a": value.aval, "b": (value.aval,)}
    return value.aval


def is_float(value: Value) -> bool:
    return (
        not is_key(value.aval) and value.isa(jnp.floating) and value.dtype.itemsize > 1
    )


def is_array(value: Value) -> bool:
    return not is_key(value.aval)


def types_of(tree):
    return jax.tree.leaves(tree)
