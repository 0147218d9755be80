"""Names of scopes and transformations: in equations, and in the text of lowered programs."""

import contextlib
import re

import pytest

import jax
import jax.numpy as jnp


def _inner(x):
    with jax.named_scope("inner"):
        return jnp.sin(x)


def _outer(fun):
    def outer(*args):
        with jax.named_scope("outer"):
            return fun(*args)

    return outer


def _names(fun, *args):
    eqns = jax.make_jaxpr(fun)(*args).eqns
    return [f"{e.source_info.name_stack} {e.primitive}" for e in eqns]


def _along(fun):
    return lambda x: jax.jvp(fun, (x,), (x,))


def _slope(fun):
    return lambda x: jax.linearize(fun, x)[1](x)


_ROWS = [
    ("scope", _inner, 1.0, "inner sin"),
    ("jvp", _along(_inner), 1.0, "jvp(inner) sin|jvp(inner) cos|jvp(inner) mul"),
    ("linearize", _slope(_inner), 1.0, "jvp(inner) sin|jvp(inner) cos|jvp(inner) mul"),
    (
        "grad",
        jax.grad(_outer(_inner)),
        1.0,
        "jvp(outer)/inner sin|jvp(outer)/inner cos|transpose(jvp(outer))/inner mul",
    ),
    (
        "inside and outside",
        _outer(jax.grad(_outer(_inner))),
        1.0,
        "outer/jvp(outer)/inner sin|outer/jvp(outer)/inner cos"
        "|outer/transpose(jvp(outer))/inner mul",
    ),
    ("vmap", _outer(jax.vmap(_inner)), (1.0, 2.0), "outer/vmap(inner) sin"),
    (
        "grad of vmap",
        jax.grad(lambda x: jax.vmap(_inner)(x).sum()),
        (1.0, 2.0),
        "jvp(vmap(inner)) sin|jvp(vmap(inner)) cos|jvp() reduce_sum"
        "|transpose(jvp()) broadcast_in_dim|transpose(jvp(vmap(inner))) mul",
    ),
    (
        "vmap of grad",
        jax.vmap(jax.grad(_inner)),
        (1.0, 2.0),
        "vmap(jvp(inner)) sin|vmap(jvp(inner)) cos|vmap(transpose(jvp(inner))) mul",
    ),
    (
        "second derivative",
        jax.grad(jax.grad(_inner)),
        1.0,
        "jvp(jvp(inner)) sin|jvp(jvp(inner)) cos|jvp(jvp(inner)) cos|jvp(jvp(inner)) sin"
        "|jvp(transpose(jvp(inner))) mul|transpose(jvp(transpose(jvp(inner)))) mul"
        "|transpose(jvp(jvp(inner))) neg|transpose(jvp(jvp(inner))) mul",
    ),
    (
        "programs are named from their start",
        _outer(jax.grad(jax.jit(_inner))),
        1.0,
        "outer/jvp() jit|outer/transpose(jvp()) jit",
    ),
]


@pytest.mark.parametrize(
    ("fun", "x", "want"), [r[1:] for r in _ROWS], ids=[r[0] for r in _ROWS]
)
def test_equations(fun, x, want):
    assert _names(fun, jnp.asarray(x)) == want.split("|")


def test_inside_a_jit_names_start_anew():
    (eqn,) = jax.make_jaxpr(_outer(jax.vmap(jax.jit(_inner))))(jnp.ones(2)).eqns
    inside = eqn.params["jaxpr"].jaxpr.eqns
    assert [str(e.source_info.name_stack) for e in inside] == ["inner"]


def _steps(x):
    return jax.lax.while_loop(lambda c: c < 5.0, lambda c: c + _inner(c) + 2, x)


def _branches(x):
    return jax.lax.cond(x > 0, lambda: _inner(x), lambda: jnp.cos(x))


@pytest.mark.parametrize(
    ("fun", "want"),
    [
        (
            jax.grad(_outer(_inner)),
            {"jvp(outer)/inner/cos", "transpose(jvp(outer))/inner/mul"},
        ),
        (_along(jax.jit(_inner)), {"jvp(jit(_inner))/inner/sin"}),
        (_along(_steps), {"jvp()/while/cond/lt", "jvp()/while/body/inner/sin"}),
        (
            _along(_branches),
            {"jvp()/cond/branch_1_fun/inner/sin", "jvp()/cond/branch_0_fun/cos"},
        ),
    ],
    ids=["grad", "jit", "while", "cond"],
)
def test_locations(fun, want):
    def program(x):
        return fun(x)

    text = jax.jit(program).lower(1.0).as_text(debug_info=True)
    names = set(re.findall(r'loc\("jit\(program\)/([^"]*)"\(', text))
    assert want <= names


def test_stacks_by_hand():
    from jax._src.core.jaxpr import NameStack

    stack = (
        NameStack()
        .extend("a")
        .transform("vmap")
        .transform("jvp")
        .extend("b")
        .extend("c")
    )
    assert str(stack) == "a/vmap(jvp(b))/c"
    assert str(NameStack().transform("vmap")) == "vmap()"
    assert str(stack[1:3]) == "vmap(jvp())"


def _sines(depth):
    """A function whose sines are in one scope more each."""

    def deep(x):
        with contextlib.ExitStack() as scopes:
            for level in range(depth):
                scopes.enter_context(jax.named_scope(f"scope{level}"))
                x = jnp.sin(x)
        return x

    return deep


def _locations(fun):
    return jax.jit(fun).lower(1.0).as_text(debug_info=True)


def _paths(depth):
    return re.findall(r'loc\("([^"]*/sin)"', _locations(_sines(depth)))


def test_a_long_path_keeps_its_first_and_last_scopes():
    path = max(_paths(300), key=lambda path: int(path.split("/")[-2][5:]))
    assert path.startswith("jit(deep)/scope0/scope1/")
    assert path.endswith("/scope298/scope299/sin")
    assert path.count("/.../") == 1 and len(path) < 2100
    first, last = (part.split("/") for part in path.split("/.../"))
    assert all(re.fullmatch(r"scope\d+", name) for name in first[1:] + last[:-1])


def test_paths_of_usual_length_are_whole():
    expected = {
        "/".join(["jit(deep)", *(f"scope{i}" for i in range(n + 1)), "sin"])
        for n in range(60)
    }
    assert set(_paths(60)) == expected


def test_locations_grow_no_faster_than_the_depth():
    short, long = (len(_locations(_sines(depth))) for depth in (1000, 2000))
    assert long < 2.2 * short
