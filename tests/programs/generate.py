"""From a seed to a program, as text."""

import contextlib
import random

import jax
from tests.programs import body
from tests.programs.holes import Filler
from tests.programs.scope import Book, Scope, Unsuited
from tests.programs.vocabulary import collectives, control, transformations

SETTINGS = (
    ("jax_enable_x64", True),
    ("jax_enable_x64", True),
    ("jax_enable_x64", True),
    ("jax_numpy_rank_promotion", "raise"),
    ("jax_numpy_dtype_promotion", "strict"),
    ("jax_default_matmul_precision", "highest"),
    ("jax_debug_nans", True),
    ("jax_disable_jit", True),
    ("jax_check_tracer_leaks", True),
    ("jax_threefry_partitionable", False),
    ("jax_default_prng_impl", "rbg"),
    ("jax_default_prng_impl", "unsafe_rbg"),
    ("jax_enable_custom_prng", True),
    ("jax_enable_checks", True),
)
PLAIN = 0.55  # how many programs have no setting


@contextlib.contextmanager
def _under(settings):
    old = {name: getattr(jax.config, name) for name, _ in settings}
    try:
        for name, value in settings:
            jax.config.update(name, value)
        yield
    finally:
        for name, value in old.items():
            jax.config.update(name, value)


def _with_axis(axis):
    """Writes a body that also works along a named axis."""

    def write(scope: Scope) -> str:
        for _ in range(scope.choose.randint(1, 3)):
            if scope.maybe(0.5):
                body.statement(scope)
                continue
            template = scope.choose.choice(collectives.ROWS)
            template = template.replace("AXIS", axis[0]).replace("SIZE", str(axis[1]))
            with contextlib.suppress(Unsuited):
                scope.bind(Filler(scope).fill(template))
        return body.returned(scope)

    return write


def _nest(scope: Scope) -> transformations.Function:
    """A function under a few transformations."""
    params = [body.parameter(scope) for _ in range(scope.one(1, 1, 2, 2, 3))]
    if scope.maybe(0.6):  # so that there is something to differentiate
        params[0] = scope.pick(
            body.is_float, lambda: scope.constant(scope.shape(), "float32")
        ).aval
    axis = None
    if scope.maybe(0.12):
        axis = ("i", scope.one(1, 2, 3))
        name = scope.function(params, _with_axis(axis), (axis,))
    else:
        name = scope.function(params, body.writer(control.CONTROL))
    function = transformations.Function(name, tuple(params))
    if axis:
        function = transformations.vmap(scope, function, axis)
    for _ in range(scope.one(0, 1, 1, 2, 2, 3) + (axis is None)):
        with contextlib.suppress(Unsuited):
            wrap = scope.choose.choice(transformations.WITHIN)
            inner = function
            if len(function.text) > 12:
                inner = transformations.Function(
                    scope.define("g", function.text), function.params
                )
            function = wrap(scope, inner)
    return function


def _call(scope: Scope, ends) -> None:
    """A nest and a call of it; refused ones stay, so that refusals are compared."""
    function = _nest(scope)
    name = scope.define("g", function.text)
    texts = [body.argument(scope, tree) for tree in function.params]
    end = scope.choose.choice(ends)
    text = end.replace("{f}", name).replace("{a}", ", ".join(texts))
    if text.startswith(f"({name})"):
        text = text.replace(f"({name})", name, 1)
        try:
            scope.bind(text)
            return
        except Unsuited:
            pass
    scope.lines.append(f"{scope.book.fresh('t')} = {text}")


def _refusals(scope: Scope, most: int = 3) -> None:
    """What was refused inside of functions, each as a statement of its own."""
    refused = scope.book.refused
    for text, taken in scope.choose.sample(refused, min(most, len(refused))):
        arguments = ", ".join(body.argument(_nothing(scope), t) for t in taken.values())
        name = scope.book.fresh("t")
        scope.lines.append(
            f"{name} = jax.eval_shape(lambda {', '.join(taken)}: {text}, {arguments})"
        )


def _nothing(scope: Scope) -> Scope:
    """A scope where nothing is known."""
    empty = Scope(scope.book)
    empty.pool = []
    return empty


def function(seed: int) -> str:
    """A program that gives `function` and `arguments` of it."""
    scope = Scope(Book(random.Random(seed)))
    params = [body.parameter(scope) for _ in range(scope.one(1, 2, 2))]
    name = scope.function(params, body.writer(control.CONTROL))
    return _with_arguments(scope, name, params)


def smooth_function(seed: int) -> str:
    """A random function of double precision whose derivatives agree with finite differences."""
    scope = Scope(Book(random.Random(seed), True))

    def write(inner: Scope) -> str:
        for _ in range(inner.choose.randint(2, 5)):
            with contextlib.suppress(Unsuited):
                inner.bind(Filler(inner).fill(inner.choose.choice(body.SMOOTH)))
        return body.returned(inner)

    with _under([("jax_enable_x64", True)]):
        shapes = [scope.one((), (2,), (3,), (2, 3)) for _ in range(scope.one(1, 2))]
        params = [jax.ShapeDtypeStruct(shape, "float64") for shape in shapes]
        return _with_arguments(scope, scope.function(params, write), params)


def _with_arguments(scope: Scope, name: str, params) -> str:
    texts = [body.argument(_nothing(scope), tree) for tree in params]
    last = f"function, arguments = {name}, ({', '.join(texts)},)"
    return "\n".join([*scope.lines, last]) + "\n"


def generate(seed: int, traced: bool = False) -> str:
    """The program of a seed, always the same; `traced`: one that can be traced as a whole."""
    ends = transformations.TRACED_ENDS if traced else transformations.ENDS
    choose = random.Random(seed)
    settings = []
    if choose.random() > PLAIN:
        settings = [choose.choice(SETTINGS)]
        if choose.random() < 0.2:
            settings.append(choose.choice(SETTINGS))
    x64 = ("jax_enable_x64", True) in settings
    scope = Scope(Book(choose, x64))
    lines = [f'jax.config.update("{name}", {value!r})' for name, value in settings]
    with _under(settings):
        for _ in range(choose.randint(1, 3)):
            sort = "wild" if choose.random() < 0.04 else "small"
            text = scope.constant(scope.shape(), scope.dtype(), sort)
            scope.bind(text, "x")
        if scope.maybe(0.15):
            scope.bind(f"jax.random.key({scope.seed()})", "k")
        if scope.maybe(0.15):
            weak = ("jnp.asarray(2.0)", "jnp.asarray(3)", "jnp.arange(3) * 1.0")
            with contextlib.suppress(Unsuited):
                scope.bind(scope.one(*weak), "x")
        body.statements(scope, control.CONTROL, 4)
        for _ in range(choose.randint(0, 2)):
            with contextlib.suppress(Unsuited), scope.attempt():
                _call(scope, ends)
        with contextlib.suppress(Unsuited):
            _refusals(scope)
    return "\n".join(lines + scope.lines) + "\n"
