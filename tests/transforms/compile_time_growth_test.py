"""Tracing and compiling grow no faster than the program, in depth and in length.

What would double with each level, or take the square of a length, is counted where that
is possible. Where only time says, a program of twice the depth may take twelve times as
long: what doubles would take thousands of times as long.
"""

import collections
import sys
import time

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.core import evaluate, jaxpr
from jax._src.interpreters import partial_eval
from jax._src.interpreters.mlir import contexts, donating
from jax._src.interpreters.partial_eval import dce, staging

SHALLOW, DEEP = 14, 28


def _sine(x):
    return jnp.sin(x) + 1


def _cond(f, level):
    return lambda x: lax.cond(x.sum() > level, f, lambda x: x - 1, x)


def _switch(f, level):
    def g(x):
        index = (x.sum() > level).astype(np.int32)
        return lax.switch(index, [f, lambda x: x - 1, lambda x: x * 2], x)

    return g


def _scan(f, level):
    length = 1 if level else 2
    return lambda x: lax.scan(lambda c, _: (f(c) * 0.5, None), x, length=length)[0]


def _while(f, level):
    del level
    step = lambda c: (c[0] + 1, f(c[1]) * 0.5)  # noqa: E731
    return lambda x: lax.while_loop(lambda c: c[0] < 1, step, (0, x))[1]


def _unused(f, level):
    """A conditional in a loop, each with a result that nobody needs."""

    def g(x):
        both = lambda x: (f(x), jnp.cos(x))  # noqa: E731
        found, _ = lax.cond(x.sum() > level, both, lambda x: (x, x), x)
        step = lambda c, _: (c * found, jnp.exp(c))  # noqa: E731
        return lax.scan(step, x, length=1)[0]

    return g


def _checkpoint(f, level):
    del level
    return jax.checkpoint(lambda x: f(x) + jnp.cos(x))


def _jit(f, level):
    return jax.jit(lambda x: f(x) * np.float32(level + 1) + x)


def _mixed(f, level):
    wraps = (_jit, _scan, _cond, _switch)
    return wraps[level % len(wraps)](f, level)


WRAPS = [_cond, _switch, _scan, _while, _unused, _checkpoint, _jit, _mixed]


def _nested(wrap, depth):
    f = _sine
    for level in range(depth):
        f = wrap(f, level)
    return f


def _gradient(f):
    return jax.grad(lambda x: f(x).sum())


def _tangent(f):
    return lambda x: jax.jvp(f, (x,), (x,))


CHANGES = [lambda f: f, _gradient, _tangent, jax.vmap]
NAMES = ["plain", "gradient", "tangent", "mapped"]


@pytest.mark.parametrize("change", CHANGES, ids=NAMES)
@pytest.mark.parametrize("wrap", WRAPS, ids=[w.__name__[1:] for w in WRAPS])
def test_compiling_what_is_nested_does_not_double_with_each_level(wrap, change):
    if wrap is _while and change is _gradient:
        pytest.skip("a while loop has no reverse mode")
    x = jnp.ones((2, 4)) if change is jax.vmap else jnp.ones(4)

    def seconds(depth):
        start = time.process_time()
        jax.jit(change(_nested(wrap, depth))).lower(x).compile()
        return time.process_time() - start

    seconds(2)  # What is done once.
    shallow = seconds(SHALLOW)
    assert seconds(DEEP) < 12 * shallow + 0.1


def _calls(stage):
    """The result of a stage, and how many calls of functions it made."""
    count = 0

    def watch(frame, event, value):
        nonlocal count
        del frame, value
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        result = stage()
    finally:
        sys.setprofile(before)
    return result, count


# A gradient's program itself grows faster: what each level keeps passes through the others.
@pytest.mark.parametrize("change", ["plain", "tangent", "mapped"])
@pytest.mark.parametrize("wrap", WRAPS, ids=[w.__name__[1:] for w in WRAPS])
def test_twice_the_levels_take_twice_the_calls_in_every_stage(wrap, change):
    x = jnp.ones((2, 4)) if change == "mapped" else jnp.ones(4)

    def stages(depth):
        f = jax.jit(CHANGES[NAMES.index(change)](_nested(wrap, depth)))
        traced, of_trace = _calls(lambda: f.trace(x))
        _, of_program = _calls(lambda: str(traced.jaxpr))
        lowered, of_lowering = _calls(traced.lower)
        _, of_text = _calls(lowered.as_text)
        compiled = lowered.compile()
        _, of_hlo = _calls(compiled.as_text)
        return np.array([of_trace, of_program, of_lowering, of_text, of_hlo])

    stages(4)  # What is done once.
    few, more, many = (stages(depth) for depth in (8, 16, 32))
    assert (many[[0, 1, 2, 4]] > 1000).all()
    assert (many - more <= 2.3 * (more - few) + 100).all(), (few, more, many)


class _Counting(collections.Counter):
    """Counts the calls of functions that it wraps."""

    def calls_of(self, name, fun):
        def counted(*args, **kwargs):
            self[name] += 1
            return fun(*args, **kwargs)

        return counted


@pytest.fixture
def count(monkeypatch):
    counting = _Counting()

    def install(owner, name):
        fun = getattr(owner, name)
        monkeypatch.setattr(owner, name, counting.calls_of(name, fun))

    counting.install = install
    return counting


@pytest.mark.parametrize("wrap", [_cond, _switch, _unused], ids=lambda w: w.__name__)
def test_a_program_without_unused_equations_is_made_once_per_level(count, wrap):
    for owner in (dce, partial_eval):
        count.install(owner, "dce_jaxpr")
    visits = []
    for depth in (6, 12):
        count.clear()
        jax.jit(_gradient(_nested(wrap, depth))).lower(jnp.ones(4))
        visits.append(count["dce_jaxpr"])
    assert visits[1] < 3 * visits[0]


def test_carries_that_depend_on_each_other_in_turn_are_followed_once(count):
    for owner in (dce, partial_eval):
        count.install(owner, "dce_jaxpr")

    def f(xs):
        step = lambda c, _: ([*c[1:], jnp.sin(c[0])], None)  # noqa: E731
        return lax.scan(step, xs, length=3)[0][0]

    visits = []
    for n in (3, 10, 20):  # The first prunes what all three call, once.
        count.clear()
        lowered = jax.jit(_gradient(f)).lower([jnp.ones(2)] * n)
        visits.append(count["dce_jaxpr"])
    assert visits[2] == visits[1]
    found = lowered.compile()([jnp.full(2, i / 8) for i in range(20)])
    # Three steps later, what came in fourth is the first.
    assert [float(x.sum()) for x in found] == [2.0 * (i == 3) for i in range(20)]


@pytest.mark.parametrize("wrap", [_cond, _switch], ids=lambda w: w.__name__)
def test_conditionals_by_row_trace_what_is_inside_once(count, wrap):
    count.install(staging.StagingTrace, "add_equation")
    equations = []
    for depth in (6, 12):
        count.clear()
        jax.make_jaxpr(jax.vmap(_nested(wrap, depth)))(jnp.ones((2, 4)))
        equations.append(count["add_equation"])
    assert equations[1] < 2.5 * equations[0]


def test_a_carry_that_loses_its_weakness_is_traced_once():
    calls = []

    def nested(depth):
        if not depth:
            return lambda x: x * jnp.float32(2)

        def body(c):
            calls.append(depth)
            return nested(depth - 1)(c) * jnp.float32(0.5)

        return lambda x: lax.while_loop(lambda c: c < 1, body, 0.0)

    jax.make_jaxpr(nested(8))(1.0)
    assert len(calls) == 8


def test_a_loop_lets_a_carry_follow_a_weak_one():
    # The weak carry is float32 and strong after a step, but the other stays bfloat16.
    def body(c):
        return c[0] * jnp.float32(2) + 1, c[1] + c[0]

    start = 0.0, jnp.bfloat16(1)
    first, second = lax.while_loop(lambda c: c[0] < 4, body, start)
    assert (first.dtype, second.dtype) == (np.float32, jnp.bfloat16)
    assert not first.weak_type


def test_checked_programs_are_checked_once_however_deep_they_stand(count):
    count.install(evaluate, "_check_types")
    checks = []
    for depth in (6, 12):
        count.clear()
        with jax.enable_checks(True):
            jax.make_jaxpr(_nested(_cond, depth))(jnp.ones(4))
        checks.append(count["_check_types"])
    assert checks[1] < 2.5 * checks[0]


def _cond_in_scan(f, level):
    inner = _cond(f, level)
    return lambda x: lax.scan(lambda c, _: (inner(c), None), x, length=2)[0]


def _stacking_scan(f, level):
    length = 2 + level % 2
    step = lambda c, _: (f(c) * 0.5, c.sum())  # noqa: E731
    return lambda x: lax.scan(step, x, length=length)[0]


@pytest.mark.parametrize("wrap", [_cond_in_scan, _stacking_scan])
def test_code_for_stacks_of_stacks_grows_with_the_program(wrap):
    # The residuals of inner loops have as many dimensions as there are loops: updates and
    # slices of them that are written out element by element double with each level.
    def code(depth):
        gradient = jax.jit(_gradient(_nested(wrap, depth)))
        compiled = gradient.lower(jnp.ones(16)).compile()
        return compiled.memory_analysis().generated_code_size_in_bytes

    assert code(10) < 4 * code(5)


class _CountingSet(set):
    lookups = 0

    def __contains__(self, x):
        self.lookups += 1
        return super().__contains__(x)


def test_functions_of_one_name_are_named_without_a_search():
    context = contexts.ModuleContext(("cpu",), None, None)
    context.names = _CountingSet(context.names)
    names = [context.fresh_name("f") for _ in range(1000)]
    assert names[:3] == ["f", "f_0", "f_1"]
    assert len(set(names)) == 1000
    assert context.names.lookups <= 3000


def test_donated_arguments_find_results_in_order():
    x = jnp.ones(3)
    made = jax.make_jaxpr(lambda *xs: [x + 1 for x in xs])(*[x] * 50)
    signature = contexts.Signature(donated=(True,) * 50)
    assert donating.donations(made.jaxpr, signature) == list(range(50))


def test_programs_of_one_name_are_printed_with_numbers():
    calls = [jax.jit(lambda x, i=i: jnp.sin(x) + i) for i in range(30)]

    def f(x):
        for g in calls:
            x = g(g(x))
        return x

    made = jax.make_jaxpr(f)(1.0)
    names = [part.split()[0] for part in str(made).split("let ")[1:] if " = {" in part]
    assert len(names) == len(set(names)) >= 30
    assert jaxpr.count_eqns(made.jaxpr) == 180
