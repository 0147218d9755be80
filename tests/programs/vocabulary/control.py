"""Control flow: each function writes the functions that it needs and gives an expression."""

import jax
import jax.numpy as jnp
from tests.programs import body
from tests.programs.scope import Scope, Unsuited


def _operands(scope: Scope, count: int = 2) -> list:
    return [body.parameter(scope) for _ in range(scope.choose.randint(1, count))]


def _texts(scope: Scope, trees) -> str:
    return ", ".join(body.argument(scope, tree) for tree in trees)


def _result(scope: Scope, trees) -> object:
    """Types that branches agree on."""
    if scope.maybe(0.6):
        return trees[0]
    return (body.parameter(scope, body.is_array), {"a": trees[-1]})


def _strong(tree):
    return jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), tree)


def cond(scope: Scope) -> str:
    operands = _operands(scope)
    result = _strong(_result(scope, operands))
    branches = [
        scope.function(operands, body.writer(CONTROL, result, 2)) for _ in range(2)
    ]
    predicate = scope.one("True", "False", "x", "x", "x")
    if predicate == "x":
        value = scope.pick(body.is_array, lambda: scope.constant((), "int32"))
        predicate = f"jnp.sum({value.text}).real > 0"
    return f"lax.cond({predicate}, {', '.join(branches)}, {_texts(scope, operands)})"


def cond_of_lambdas(scope: Scope) -> str:
    """Branches that return what they like; their types often differ."""
    operands = _operands(scope)
    branches = [scope.function(operands, body.writer((), None, 1)) for _ in range(2)]
    predicate = scope.one("True", "jnp.bool_(False)", "jnp.int32(2)", "np.True_")
    return f"lax.cond({predicate}, {', '.join(branches)}, {_texts(scope, operands)})"


def switch(scope: Scope) -> str:
    operands = _operands(scope)
    result = _strong(_result(scope, operands))
    count = scope.one(1, 2, 3)
    branches = [
        scope.function(operands, body.writer((), result, 1)) for _ in range(count)
    ]
    index = scope.one("0", "1", "jnp.int32(1)", "7", "-2", "jnp.uint8(1)")
    return f"lax.switch({index}, [{', '.join(branches)}], {_texts(scope, operands)})"


def while_loop(scope: Scope) -> str:
    carry = body.parameter(scope)
    counted = (jax.ShapeDtypeStruct((), jnp.int32), carry)

    def write(inner: Scope) -> str:
        counter = next(v.text for v in inner.pool[::-1] if v.text.endswith("[0]"))
        body.statements(inner, CONTROL, 2)
        return f"({counter} + 1, {body.fitted_tree(inner, _strong(carry))})"

    step = scope.function([counted], write)
    initial = f"(jnp.int32(0), {body.argument(scope, carry)})"
    return f"lax.while_loop(lambda c: c[0] < {scope.one(0, 1, 3)}, {step}, {initial})"


def fori_loop(scope: Scope) -> str:
    carry = body.parameter(scope)
    index = jax.ShapeDtypeStruct((), jnp.int32, weak_type=scope.maybe(0.5))
    step = scope.function([index, carry], body.writer(CONTROL, _strong(carry), 2))
    low, high = (
        scope.one("0", "1", "-1", "jnp.int32(0)"),
        scope.one("0", "2", "3", "jnp.int8(2)"),
    )
    unroll = scope.one("", "", "", ", unroll=2", ", unroll=True")
    initial = body.argument(scope, carry)
    return f"lax.fori_loop({low}, {high}, {step}, {initial}{unroll})"


def _without_axis(aval):
    return jax.ShapeDtypeStruct(aval.shape[1:], aval.dtype)


def scan(scope: Scope) -> str:
    carry = body.parameter(scope)
    length, xs, row = scope.one(0, 1, 2, 3), "None", None
    arrays = [v for v in scope.pool if v.ndim]
    if arrays and scope.maybe(0.7):
        over = scope.choose.choice(arrays)
        xs, row, length = over.text, _without_axis(over.aval), over.shape[0]
    tree = (_strong(carry), body.parameter(scope, body.is_array))
    if scope.maybe(0.2):
        tree = (_strong(carry), None)
    step = scope.function([carry, row], body.writer(CONTROL, tree, 2))
    options = scope.one(
        "",
        "",
        ", reverse=True",
        ", unroll=2",
        ", unroll=True",
        ", _split_transpose=True",
    )
    if xs == "None" or scope.maybe(0.2):
        options += f", length={length}"
    return f"lax.scan({step}, {body.argument(scope, carry)}, {xs}{options})"


def mapped(scope: Scope) -> str:
    over = scope.pick(lambda v: v.ndim > 0)
    row = scope.function([_without_axis(over.aval)], body.writer(CONTROL, None, 2))
    size = scope.one("", "", ", batch_size=2")
    return f"lax.map({row}, {over.text}{size})"


def associative_scan(scope: Scope) -> str:
    over = scope.pick(lambda v: v.ndim > 0 and body.is_array(v))
    tree = (over.aval, over.aval)
    combine = scope.function(tree, body.writer((), _strong(over.aval), 1))
    reverse = scope.one("", ", reverse=True")
    if scope.maybe(0.5):
        combine = "lambda a, b: a + b * 2" if scope.maybe(0.5) else "jnp.maximum"
    return f"lax.associative_scan({combine}, {over.text}{reverse})"


def reference(scope: Scope) -> str:
    """A mutable array that a function writes into and reads."""
    value = scope.pick(body.is_array, lambda: scope.constant((3,), "float32"))
    number = scope.one("1", "2", "0.5") if value.isa(jnp.floating) else "1"
    write = scope.one(
        "r[...] += {}",
        "r[...] = r[...] * {}",
        "jax.ref.addupdate(r, ..., {})",
        "r[()] = r[()]",
    )
    name = scope.book.fresh("f")
    text = (
        f"def {name}(u):\n    r = jax.new_ref(u)\n    {write.format(f'jnp.asarray({number}, u.dtype)')}\n"
        f"    return jax.freeze(r)"
        if scope.maybe(0.4)
        else f"def {name}(u):\n    r = jax.new_ref(u)\n    {write.format(f'jnp.asarray({number}, u.dtype)')}\n    return r[...]"
    )
    scope.lines.append(text)
    scope.definitions.append(text)
    return f"{name}({value.text})"


def named(scope: Scope) -> str:
    """A function called at once, in a named scope or with a name."""
    operands = _operands(scope)
    function = scope.function(operands, body.writer(CONTROL, None, 2))
    wrapped = scope.one(
        "{}",
        "jax.named_call({}, name='inner')",
        "jax.named_scope('part')({})",
        "jax.jit({})",
        "jax.jit({}, inline=True)",
    )
    return f"{wrapped.format(function)}({_texts(scope, operands)})"


def custom_root(scope: Scope) -> str:
    value = scope.pick(body.is_float)
    if value.ndim:
        raise Unsuited
    return (
        f"lax.custom_root(lambda u: u * u - jnp.abs({value.text}) - 1, jnp.ones_like({value.text}), "
        "lambda f, u: lax.fori_loop(0, 8, lambda i, v: v - f(v) / (2 * v), u), lambda g, y: y / g(jnp.ones_like(y)))"
    )


CONTROL = (
    cond,
    cond,
    cond_of_lambdas,
    switch,
    while_loop,
    fori_loop,
    scan,
    scan,
    mapped,
    associative_scan,
    reference,
    named,
    custom_root,
)
