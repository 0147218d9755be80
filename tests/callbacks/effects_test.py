"""Effects happen, in order where that is requested, under every transformation."""

import threading

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src import effects
from jax.experimental import io_callback
from jax.extend import core as extend_core

SCALAR = jax.ShapeDtypeStruct((), jnp.float32)


class Recorder:
    """Collects what its callbacks see."""

    def __init__(self, ordered):
        self.ordered = ordered
        self.seen = []

    def look(self, x):
        jax.debug.callback(
            lambda v: self.seen.append(float(v)), x, ordered=self.ordered
        )

    def act(self, x):
        def note(v):
            self.seen.append(float(v))
            return np.asarray(v)

        return io_callback(note, SCALAR, x, ordered=self.ordered)

    def taken(self):
        jax.effects_barrier()
        seen, self.seen = self.seen, []
        return seen


@pytest.fixture(params=[False, True], ids=["unordered", "ordered"])
def recorder(request):
    return Recorder(request.param)


OUTER = pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])

# Program, argument, and what callbacks see.
PROGRAMS = {
    "straight": (lambda see, x: (see(x), see(x + 1))[0], [2.0, 3.0]),
    "call": (lambda see, x: jax.jit(lambda x: see(x))(x), [2.0]),
    "scan": (
        lambda see, x: lax.scan(
            lambda c, i: ((see(c), c + i)[1], None), x, jnp.arange(3.0)
        ),
        [2.0, 2.0, 3.0],
    ),
    "while": (
        lambda see, x: lax.while_loop(lambda c: c < 5, lambda c: (see(c), c + 1)[1], x),
        [2.0, 3.0, 4.0],
    ),
    "condition of while": (
        lambda see, x: lax.while_loop(lambda c: (see(c), c < 5)[1], lambda c: c + 1, x),
        [2.0, 3.0, 4.0, 5.0],
    ),
    "both of while": (
        lambda see, x: lax.while_loop(
            lambda c: (see(c), c < 4)[1], lambda c: (see(10 * c), c + 1)[1], x
        ),
        [2.0, 20.0, 3.0, 30.0, 4.0],
    ),
    "fori": (
        lambda see, x: lax.fori_loop(0, 3, lambda i, c: (see(c), c + 1)[1], x),
        [2.0, 3.0, 4.0],
    ),
    "cond": (
        lambda see, x: (
            lax.cond(x > 0, lambda: (see(x), 0)[1], lambda: 0),
            lax.cond(x < 0, lambda: (see(x), 0)[1], lambda: 0),
        ),
        [2.0],
    ),
    "switch": (
        lambda see, x: lax.switch(
            x.astype(int), [lambda i=i: (see(1.0 * i), i)[1] for i in range(4)]
        ),
        [2.0],
    ),
    "map": (
        lambda see, x: lax.map(lambda y: (see(y), y)[1], jnp.arange(3.0)),
        [0.0, 1.0, 2.0],
    ),
    "scan in cond in scan": (
        lambda see, x: lax.scan(
            lambda c, i: (
                lax.cond(
                    i > 0,
                    lambda c: lax.fori_loop(0, 2, lambda j, c: (see(c), c + 1)[1], c),
                    lambda c: c,
                    c,
                ),
                None,
            ),
            x,
            jnp.arange(3),
        ),
        [2.0, 3.0, 4.0, 5.0],
    ),
    "checkpoint": (lambda see, x: jax.checkpoint(lambda x: (see(x), x)[1])(x), [2.0]),
}


@OUTER
@pytest.mark.parametrize("kind", ["look", "act"])
@pytest.mark.parametrize(("program", "expected"), PROGRAMS.values(), ids=PROGRAMS)
def test_programs_have_their_effects(outer, kind, program, expected, recorder):
    see = getattr(recorder, kind)
    run = outer(lambda x: program(see, x))
    for _ in range(2):
        run(jnp.float32(2.0))
        assert recorder.taken() == expected


@OUTER
@pytest.mark.parametrize("kind", ["look", "act"])
def test_custom_rules_may_have_effects(outer, kind, recorder):
    see = getattr(recorder, kind)

    def square(x):
        see(x)
        return x * x

    f = jax.custom_jvp(square)
    f.defjvp(lambda p, t: (f(*p), t[0]))
    g = jax.custom_vjp(square)
    g.defvjp(lambda x: (square(x), x), lambda x, ct: ((see(ct), x * ct)[1],))
    assert outer(f)(3.0) == 9.0 and recorder.taken() == [3.0]
    assert outer(jax.grad(f))(3.0) == 1.0 and recorder.taken() == [3.0]
    assert outer(g)(3.0) == 9.0 and recorder.taken() == [3.0]
    assert outer(jax.grad(g))(3.0) == 3.0 and sorted(recorder.taken()) == [1.0, 3.0]


@OUTER
def test_looking_does_not_disturb_derivatives(outer, recorder):
    def f(x):
        recorder.look(x)
        return lax.fori_loop(0, 3, lambda i, c: (recorder.look(c), c * x)[1], x)

    assert outer(jax.grad(f))(2.0) == 32.0
    assert sorted(recorder.taken()) == [2.0, 2.0, 4.0, 8.0]
    assert outer(lambda x: jax.jvp(f, (x,), (1.0,)))(2.0) == (16.0, 32.0)
    assert sorted(recorder.taken()) == [2.0, 2.0, 4.0, 8.0]
    _, linear = jax.linearize(outer(f), 2.0)
    assert linear(1.0) == 32.0
    assert sorted(recorder.taken()) == [2.0, 2.0, 4.0, 8.0]


@OUTER
def test_rows_are_looked_at_one_by_one(outer, recorder):
    outer(jax.vmap(lambda x: (recorder.look(x), x * x)[1]))(jnp.arange(3.0))
    assert recorder.taken() == [0.0, 1.0, 2.0]
    outer(jax.vmap(lambda x: (recorder.look(7.0), x * x)[1]))(jnp.arange(3.0))
    assert recorder.taken() == [7.0]


def test_rows_act_one_by_one_where_no_order_is_requested():
    recorder = Recorder(ordered=False)
    found = jax.vmap(recorder.act)(jnp.arange(3.0))
    assert found.tolist() == [0.0, 1.0, 2.0]
    assert recorder.taken() == [0.0, 1.0, 2.0]


def test_acts_are_not_batched_over_a_choice(recorder):
    with pytest.raises(NotImplementedError, match="predicate"):
        jax.vmap(lambda p: lax.cond(p, lambda: recorder.act(1.0), lambda: 0.0))(
            jnp.array([True, False])
        )


def test_acts_are_not_recomputed(recorder):
    f = jax.checkpoint(lambda x: jnp.sin(x) + recorder.act(1.0))
    with pytest.raises(NotImplementedError, match="checkpoint"):
        jax.grad(f)(1.0)


def test_programs_keep_their_order_among_each_other():
    recorder = Recorder(ordered=True)
    first = jax.jit(
        lambda x: (recorder.look(x), recorder.look(x + 0.25), jnp.sin(x))[2]
    )
    second = jax.jit(lambda x: (recorder.act(x + 0.5), x)[1])
    expected = []
    for i in range(20):
        first(float(i))
        second(float(i))
        expected += [i, i + 0.25, i + 0.5]
    recorder.look(100.0)
    assert recorder.taken() == [*expected, 100.0]


def test_effects_whose_results_are_not_used_happen():
    recorder = Recorder(ordered=False)
    jax.jit(lambda x: (recorder.act(x), x)[1])(1.0)
    assert recorder.taken() == [1.0]


def test_a_failed_effect_is_reported_by_the_barrier_and_then_forgotten(recorder):
    def fail(x):
        raise KeyError("the reason")

    bad = jax.jit(lambda x: jax.debug.callback(fail, x, ordered=recorder.ordered))
    with pytest.raises(jax.errors.JaxRuntimeError, match="the reason"):
        bad(1.0)
        jax.effects_barrier()
    jax.effects_barrier()
    jax.jit(recorder.look)(2.0)
    assert recorder.taken() == [2.0]


def test_callbacks_may_have_effects_of_their_own(recorder):
    inner = jax.jit(recorder.look)

    def outer_callback(x):
        inner(x)
        jax.effects_barrier()

    jax.jit(lambda x: jax.debug.callback(outer_callback, x, ordered=True))(3.0)
    assert recorder.taken() == [3.0]


def test_threads_have_effects_side_by_side(recorder):
    run = jax.jit(recorder.look)
    threads = [
        threading.Thread(target=lambda n=n: [run(float(n)) for _ in range(10)])
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(recorder.taken()) == sorted(
        float(n) for n in range(4) for _ in range(10)
    )


class Custom(effects.Effect):
    """An effect of a library, of which nobody said where it may stand."""


custom = Custom()
custom_p = extend_core.Primitive("custom_effect")
custom_p.multiple_results = True
custom_p.def_effectful_abstract_eval(lambda *avals: ([], {custom}))


def acting(x):
    custom_p.bind()
    return x


CONSTRUCTS = {
    "scan": lambda x: jax.lax.scan(lambda c, _: (acting(c), None), x, None, length=2),
    "map": lambda x: jax.lax.map(acting, jnp.stack([x, x])),
    "fori": lambda x: jax.lax.fori_loop(0, 2, lambda i, c: acting(c), x),
    "while": lambda x: jax.lax.while_loop(lambda c: c < 3, lambda c: acting(c) + 1, x),
    "while condition": lambda x: jax.lax.while_loop(
        lambda c: acting(c) < 3, lambda c: c + 1, x
    ),
    "cond": lambda x: jax.lax.cond(x > 0, acting, lambda x: x, x),
    "switch": lambda x: jax.lax.switch(0, [lambda x: x, acting], x),
    "remat": jax.grad(jax.checkpoint(acting)),
}


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_effects_stand_only_where_it_is_said_that_they_may(name):
    with pytest.raises(NotImplementedError, match="Effects not supported in"):
        jax.make_jaxpr(CONSTRUCTS[name])(jnp.float32(1))
    with pytest.raises(ValueError, match="Cannot lower jaxpr with effects"):
        jax.jit(acting).lower(1.0)


def test_options_and_what_is_shown_may_come_in_two_calls(capsys):
    x = jnp.float32(2)
    jax.debug.print(ordered=True)("{x} {ordered}", x=x, ordered=3)
    jax.debug.print()("{}", x)
    jax.effects_barrier()
    assert capsys.readouterr().out == "2.0 3\n2.0\n"
    seen = []
    jax.debug.callback(ordered=True)(lambda *a, **k: seen.append((a, k)), x, ordered=x)
    assert seen == [((x,), {"ordered": x})]
    with pytest.raises(ValueError, match="may be passing an f-string"):
        jax.debug.print()("{x}", x=x, ordered=True)
    for call in (jax.debug.print, jax.debug.callback):
        with pytest.raises(TypeError, match="two-call form"):
            call(x=x)


def test_programs_list_their_effects():
    recorder = Recorder(ordered=True)
    jaxpr = jax.make_jaxpr(
        lambda x: lax.cond(x > 0, lambda: recorder.look(x), lambda: None)
    )(1.0)
    assert [type(e).__name__ for e in jaxpr.effects] == ["OrderedDebugEffect"]


def mixed(say, ask, x):
    """Several ordered callbacks of two kinds, in a loop, a branch and a loop in it."""

    def body(carry, i):
        say("row", i)
        carry = lax.cond(
            i % 2 == 0,
            lambda c: ask("even", c) + 1,
            lambda c: lax.fori_loop(0, 2, lambda j, c: (say("odd", c), c * 2)[1], c),
            carry,
        )
        say("carry", carry)
        return carry, ask("square", carry * carry)

    carry, squares = lax.scan(body, x, jnp.arange(3.0))
    say("end", lax.while_loop(lambda c: c > 10, lambda c: ask("half", c / 2), carry))
    return squares


@OUTER
def test_several_ordered_callbacks_keep_the_order_of_python(outer):
    seen = []

    def note(name, value):
        seen.append((name, float(value)))
        return np.asarray(value)

    def say(name, x):
        jax.debug.callback(lambda v: note(name, v) and None, x, ordered=True)

    def ask(name, x):
        return io_callback(lambda v: note(name, v), SCALAR, x, ordered=True)

    with jax.disable_jit():
        wanted = mixed(note, note, 3.0)
    expected, seen[:] = list(seen), []
    assert len(expected) > 12
    run = outer(lambda x: mixed(say, ask, x))
    for _ in range(2):
        np.testing.assert_allclose(run(jnp.float32(3.0)), wanted)
        jax.effects_barrier()
        assert seen == expected
        seen.clear()
