"""Every compilation has a cause: the report, `expect_no_compile`, warnings, slow calls."""

import dataclasses
import functools as ft
import gc
import os
import re
import subprocess
import sys
import warnings
import weakref

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src.base import options
from jax.experimental.layout import Format, Layout

X = jnp.arange(3.0)


def until_warning(count):
    return options.recompilations_until_warning(count)


def cause(call):
    """The record of what one call compiles of user functions."""
    before = jax.compilation_report()[-1].number
    call()
    found = [one for one in jax.compilation_report() if one.number > before]
    mine = [one for one in found if __file__ in one.location]
    assert len(mine) == 1, found
    return mine[0]


def total(tree):
    return sum(jnp.sum(x) for x in jax.tree.leaves(tree))


def test_a_first_call_is_one_with_its_line_signature_phases_and_size():
    @jax.jit
    def area(x):
        return x * x

    one = cause(lambda: area(X))
    assert (one.function, one.cause) == ("area", "first call of `area`")
    assert one.kinds == ("first call",)
    assert "compilation_causes_test.py:" in one.called_at
    assert one.signature == "f32[3]"
    assert one.trace_seconds > 0 and one.lower_seconds > 0 and one.compile_seconds > 0
    assert one.seconds == one.trace_seconds + one.lower_seconds + one.compile_seconds
    assert one.code_bytes > 0 and not one.from_disk


@pytest.mark.parametrize(
    "first, second, kinds, text",
    [
        (
            X,
            jnp.ones(4),
            ("shape",),
            "the shape of argument `x` changed from (3,) to (4,)",
        ),
        (
            X,
            X > 1,
            ("dtype",),
            "the dtype of argument `x` changed from float32 to bool",
        ),
        (
            {"a": [X, X, X]},
            {"a": [X, X, jnp.ones((2, 2))]},
            ("shape",),
            "the shape of argument `x['a'][2]` changed from (3,) to (2, 2)",
        ),
        (
            np.float32(1),
            1.0,
            ("weak type",),
            "the weak type of argument `x` changed from strong (an array or a NumPy value) "
            "to weak (a Python number, or a result of such)",
        ),
        (
            {"a": X},
            {"b": X},
            ("structure",),
            "the structure of argument `x` changed from having `x['a']` to having `x['b']`",
        ),
        (
            [X],
            [X, X],
            ("structure",),
            "the structure of argument `x` changed to having `x[1]`",
        ),
        ([X], (X,), ("structure",), "the structure of the arguments changed"),
    ],
)
def test_what_changed_of_an_argument_is_named(first, second, kinds, text):
    f = jax.jit(lambda x: total(x))
    f(first)
    one = cause(lambda: f(second))
    assert one.kinds == kinds
    assert text in one.cause


@dataclasses.dataclass(frozen=True)
class Settings:
    sizes: tuple
    name: str = "s"


@pytest.mark.parametrize(
    "first, second, text",
    [
        (2, 3, "the static value of argument `n` changed from 2 to 3"),
        (1, 1.0, "the static value of argument `n` changed from 1 to 1.0"),
        (
            Settings((1, 2, 3)),
            Settings((1, 2, 4)),
            "the static value of argument `n.sizes[2]` changed from 3 to 4",
        ),
        (
            ((1, "a"),),
            ((1, "b"),),
            "the static value of argument `n[0][1]` changed from 'a' to 'b'",
        ),
        (
            len,
            sum,
            "the static value of argument `n` changed from <built-in function len>",
        ),
    ],
)
@pytest.mark.parametrize("by_name", [False, True])
def test_the_part_of_a_static_value_that_changed_is_named(first, second, text, by_name):
    f = jax.jit(lambda x, n: x + 1, static_argnames="n")
    call = (lambda n: f(X, n=n)) if by_name else (lambda n: f(X, n))
    call(first)
    one = cause(lambda: call(second))
    assert one.kinds == ("static value",)
    assert text in one.cause


def test_the_nearest_earlier_compilation_is_compared():
    f = jax.jit(lambda x, y, n: x.sum() + y.sum() + n, static_argnums=2)
    f(X, X, 1)
    f(jnp.ones(5), jnp.ones(6), 2)
    one = cause(lambda: f(jnp.ones(5), jnp.ones(7), 2))
    assert one.cause == "the shape of argument `y` changed from (6,) to (7,)"


def test_an_option_of_the_context_is_named():
    f = jax.jit(lambda x: x @ x)
    f(X)
    with jax.default_matmul_precision("float32"):
        one = cause(lambda: f(X))
    assert one.kinds == ("option",)
    assert (
        "option jax_default_matmul_precision changed from None to 'float32'"
        in one.cause
    )


def test_an_option_of_jit_is_named():
    def f(x):
        return x + 1

    jax.jit(f)(X)
    one = cause(lambda: jax.jit(f, keep_unused=True)(X))
    assert one.kinds == ("jit option",)
    assert "`keep_unused` of jit changed from None to True" in one.cause


def test_a_committed_argument_is_named():
    f = jax.jit(lambda x: x + 1)
    f(X)
    one = cause(lambda: f(jax.device_put(X, jax.devices()[0])))
    assert one.kinds == ("committed",)
    assert (
        "changed from uncommitted to committed to a device (jax.device_put" in one.cause
    )


def test_a_layout_is_named():
    f = jax.jit(lambda x: x + 1)
    types = [
        jax.ShapeDtypeStruct(
            (2, 3),
            jnp.float32,
            sharding=Format(Layout(order), X.sharding),
        )
        for order in ((0, 1), (1, 0))
    ]
    f.lower(types[0]).compile()
    one = cause(lambda: f.lower(types[1]).compile())
    assert one.kinds == ("layout",)
    assert "the layout of argument `x` changed from" in one.cause


def test_a_function_made_anew_is_named_with_the_line_that_makes_it():
    def train(scale):
        return jax.jit(lambda x: x * scale)(X)  # this line

    train(2.0)
    one = cause(lambda: train(3.0))
    line = train.__code__.co_firstlineno + 1
    assert one.kinds == ("new function", "captured")
    assert (
        f"is a new function object each time: compilation_causes_test.py:{line} makes it"
    ) in one.cause
    assert "anew in `train`" in one.cause
    assert "closure variable `scale` changed from 2.0 to 3.0" in one.cause


def test_a_partial_made_anew_is_named_with_its_argument():
    def add(a, b):
        return a + b

    def run(a):
        return jax.jit(ft.partial(add, a))(X)

    run(1)
    one = cause(lambda: run(2))
    assert one.cause.startswith("a partial of `add` (compilation_causes_test.py:")
    assert "argument 0 of the partial changed from 1 to 2" in one.cause


def test_a_changed_global_is_named_where_the_function_is_compiled_again(monkeypatch):
    monkeypatch.setitem(globals(), "SCALE", 1.0)
    f = jax.jit(lambda x: x * SCALE)  # noqa: F821
    f(X)
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    one = cause(lambda: f(jnp.ones(4)))
    assert one.kinds == ("shape", "captured")
    assert one.cause.endswith("the global `SCALE` changed from 1.0 to 2.0")


def test_cleared_caches_are_named():
    f = jax.jit(lambda x: x - 1)
    f(X)
    jax.clear_caches()
    assert (
        cause(lambda: f(X)).cause == "first call of `<lambda>` after jax.clear_caches()"
    )


def test_a_program_compiled_ahead_is_told_from_those_of_calls():
    f = jax.jit(lambda x: x - 5)
    f.lower(X).compile()
    with pytest.raises(jax.errors.UnexpectedCompilationError, match="ahead of time"):
        with jax.expect_no_compile():
            f(X)
    one = cause(lambda: f(X))
    assert one.kinds == ("ahead of time",)
    assert "calls of the function do not use that program" in one.cause
    one = cause(lambda: f.lower(X).compile())
    assert one.cause.startswith("it is compiled ahead of time now")
    one = cause(lambda: f.lower(X).compile())
    assert "what compile() returned was not kept" in one.cause
    assert cause(lambda: f(jnp.ones(4))).kinds == ("shape",)


def test_functions_that_wrap_another_are_not_compared_with_it():
    def f(x):
        return jnp.sum(jnp.sin(x))

    wraps = "a function that wraps `f` (jax.grad, jax.vmap, a decorator, ...)"
    assert cause(lambda: jax.jit(f)(X)).cause == "first call of `f`"
    assert cause(lambda: jax.jit(jax.grad(f))(X)).cause == f"first call of {wraps}"
    again = cause(lambda: jax.jit(jax.grad(f))(X))
    assert again.cause == f"{wraps} is a new function object each time"
    assert again.kinds == ("new function",)
    jnp.multiply(jnp.ones((7, 11)), 2)
    found = [r for r in jax.compilation_report() if r.function == "multiply"]
    assert not any("wraps" in r.cause for r in found)
    kept = jax.jit(jax.grad(f))
    kept(X)
    assert cause(lambda: kept(jnp.ones(4))).kinds == ("shape",)


def test_a_function_made_anew_under_a_transformation_is_said_to_be_another_one():
    def run():
        jax.vmap(jax.jit(lambda x: jnp.cos(x) - 7))(X)

    run()
    assert cause(run).cause.startswith(
        "a program like it was compiled before, for a function object that is another"
    )


def test_the_search_for_a_nan_is_named_as_the_cause_of_its_programs():
    f = jax.jit(lambda x: jnp.log(x - 9))
    before = jax.compilation_report()[-1].number
    for _ in range(2):
        with jax.debug_nans(True), pytest.raises(FloatingPointError):
            f(X)
    found = [one for one in jax.compilation_report() if one.number > before]
    (one,) = [one for one in found if one.function.startswith("checks_of")]
    assert one.kinds == ("search",)
    assert "search for the operation that made a bad value (nan)" in one.cause


def test_options_of_calls_and_of_programs_are_not_compared():
    f = jax.jit(lambda x, n: x * n, static_argnums=1)
    with jax.debug_nans(True):
        f(X, 2)
        cause(lambda: f(X, 3))
    assert cause(lambda: f(X, 3)).kinds == ("option",)


@pytest.mark.parametrize(
    "first, second, text",
    [
        (("relu", 1), ("relu", 2), "the static field at [1] of a Layer in the arguments changed from 1 to 2"),
        ("relu", "tanh", "the static fields of a Layer in the arguments changed from 'relu' to 'tanh'"),
        (lambda x: x, lambda x: x, "to another one, which is not equal to it"),
    ],
)  # fmt: skip
def test_a_static_field_of_a_class_of_the_user_that_changed_is_named(
    first, second, text
):
    @jax.tree_util.register_pytree_node_class
    class Layer:
        def __init__(self, w, static):
            self.w, self.static = w, static

        def tree_flatten(self):
            return (self.w,), self.static

        @classmethod
        def tree_unflatten(cls, static, children):
            return cls(*children, static)

    f = jax.jit(lambda p: p["a"][0].w * 2)
    cause(lambda: f({"a": (Layer(X, first), 1.0)}))
    one = cause(lambda: f({"a": (Layer(X, second), 1.0)}))
    assert one.kinds == ("structure",)
    assert text in one.cause, one.cause


def test_a_function_that_another_cell_of_a_notebook_defines_says_so():
    text = "import jax\n@jax.jit\ndef cell_function(x): return x * %d\n"

    def run(number):
        scope = {}
        file = f"/tmp/ipykernel_4/{number}.py"
        exec(compile(text % number, file, "exec"), scope)
        scope["cell_function"](X)
        return jax.compilation_report()[-1]

    assert run(1).cause == "first call of `cell_function`"
    assert run(2).cause == (
        "first call of `cell_function` as 2.py:2 defines it: 1.py:2 defined it before, "
        "and each definition is compiled"
    )
    assert run(2).kinds == ("new function",)


def test_a_program_compiled_ahead_and_an_operation_are_in_the_report():
    f = jax.jit(lambda x: x - 2)
    assert cause(lambda: f.lower(jnp.ones(9)).compile()).trace_seconds > 0
    jax.lax.add(jnp.ones((3, 1, 7)), jnp.ones((3, 1, 7)))
    found = [one for one in jax.compilation_report() if one.function == "add"]
    assert found[-1].signature == "f32[3,1,7], f32[3,1,7]"


def test_the_report_prints_as_a_table():
    f = jax.jit(lambda x: x - 3)
    f(X)
    report = jax.compilation_report()[-1:]
    head, names, row = repr(report).splitlines()
    assert head.startswith("1 compilation, ")
    assert names.split() == [
        "function",
        "trace",
        "lower",
        "compile",
        "code",
        "disk",
        "cause",
    ]
    assert "<lambda>(f32[3])" in row and "KiB" in row and "first call" in row
    assert repr(report[:0]) == "0 compilations, 0.0 ms"


def test_the_report_holds_neither_functions_nor_their_values():
    class Model:
        def __call__(self, x):
            return x + self.array

    model = Model()
    model.array = jnp.ones(3)
    gone = weakref.ref(model), weakref.ref(model.array)
    f = jax.jit(lambda x, m: m(x), static_argnums=1)
    f(X, model)
    del f, model
    gc.collect()
    assert [r() for r in gone] == [None, None]


def test_within_expect_no_compile_what_is_compiled_already_runs():
    f = jax.jit(lambda x: x * 4)
    f(X)
    with jax.expect_no_compile():
        assert np.asarray(f(X))[1] == 4


@pytest.mark.parametrize("nested", [False, True])
def test_expect_no_compile_raises_with_the_cause_before_compiling(nested):
    f = jax.jit(lambda x: x * 5)
    f(X)
    y = jnp.ones(6)
    last = jax.compilation_report()[-1]
    with pytest.raises(jax.errors.UnexpectedCompilationError) as caught:
        with jax.expect_no_compile():
            if nested:
                with jax.expect_no_compile():
                    pass
            f(y)
    text = str(caught.value)
    assert "the shape of argument `x` changed from (3,) to (6,)" in text
    assert "compilation_causes_test.py:" in text
    assert "Pad to a few sizes" in text
    assert jax.compilation_report()[-1] is last
    assert f(y)[0] == 5


def test_expect_no_compile_refuses_operations_and_programs_compiled_ahead():
    x = jnp.ones((5, 3, 1))
    lowered = jax.jit(lambda x: x * 6).lower(x)
    with jax.expect_no_compile():
        with pytest.raises(jax.errors.UnexpectedCompilationError, match="`mul`"):
            jax.lax.mul(x, x)
        with pytest.raises(jax.errors.UnexpectedCompilationError, match="<lambda>"):
            lowered.compile()
        # Tracing and lowering compile nothing.
        jax.jit(lambda x: x * 7).lower(x)
        jax.eval_shape(lambda x: x * 7, x)


def test_expect_no_compile_decorates():
    f = jax.jit(lambda x: x * 8)
    once = jax.expect_no_compile()(f)
    with pytest.raises(jax.errors.UnexpectedCompilationError):
        once(X)
    f(X)
    assert np.asarray(once(X))[1] == 8


def test_five_recompilations_for_one_reason_warn_once_with_the_way_out():
    def step(n):
        return jax.jit(lambda x: x + n)(X)

    with warnings.catch_warnings(record=True) as caught, until_warning(5):
        warnings.simplefilter("always")
        for n in range(5):
            step(n)
        assert not caught
        for n in range(5, 12):
            step(n)
    assert [w.category for w in caught] == [jax.errors.RecompilationWarning]
    text = str(caught[0].message)
    assert "was compiled 5 times again for the same reason" in text
    assert "call jax.jit once, outside of the loop" in text
    assert caught[0].filename == __file__


def test_an_option_says_how_many_recompilations_warn():
    def warned(f, count):
        with warnings.catch_warnings(record=True) as caught, until_warning(count):
            warnings.simplefilter("always")
            for n in range(8):
                f(np.ones(n, np.float32))
        return [str(w.message).split(" again")[0] for w in caught]

    assert warned(jax.jit(lambda x: x - 11), 0) == []
    assert warned(jax.jit(lambda x: x - 12), 2) == ["`<lambda>` was compiled 2 times"]


def test_recompilations_warn_unless_the_option_says_otherwise(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("""
import warnings, numpy as np, jax
f = jax.jit(lambda x: x - 12)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for n in range(8):
        f(np.ones(n, np.float32))
assert [w.category for w in caught] == [jax.errors.RecompilationWarning], caught
""")
    environment = dict(os.environ)
    environment.pop("JAX_RECOMPILATIONS_UNTIL_WARNING", None)
    subprocess.run([sys.executable, program], env=environment, check=True)


def test_recompilations_for_several_reasons_do_not_warn():
    f = jax.jit(lambda x, n, m: x + n + m, static_argnums=(1, 2))
    with warnings.catch_warnings(record=True) as caught, until_warning(5):
        warnings.simplefilter("always")
        for i in range(1, 4):
            f(jnp.ones(i), 0, 0)
            f(X, i, 0)
            f(X, 0, i)
    assert not caught


def test_advice_is_an_error_only_where_it_is_requested_by_name():
    def again(count):
        f = jax.jit(lambda x: x - 9)
        for n in range(count):
            f(np.ones(n, np.float32))

    with warnings.catch_warnings(), until_warning(5):
        warnings.simplefilter("error")
        again(8)
        warnings.simplefilter("error", jax.errors.RecompilationWarning)
        g = jax.jit(lambda x: x - 10)
        with pytest.raises(jax.errors.RecompilationWarning):
            for n in range(8):
                g(np.ones(n, np.float32))


def test_compilations_that_follow_no_trace_are_explained_too(caplog):
    f = jax.jit(lambda x: x - 4)
    f(X)
    with jax.explain_cache_misses(True):
        f(jax.device_put(X, jax.devices()[0]))
    texts = [r.getMessage() for r in caplog.records]
    (text,) = [t for t in texts if t.startswith("COMPILING")]
    assert "COMPILING <lambda>(f32[3]) at " in text
    assert "committed to a device" in text


SLOW = [
    (
        "a first call",
        lambda f: f(X),
        "no call of it was seen since the option is on",
    ),
    ("a gradient", lambda f: jax.grad(lambda x: f(x).sum())(X), "a transformation"),
    ("vmap", lambda f: jax.vmap(f)(X), "a transformation"),
]


@pytest.mark.parametrize("call, text", [s[1:] for s in SLOW], ids=[s[0] for s in SLOW])
def test_a_slow_call_says_why(caplog, call, text):
    f = jax.jit(lambda x: x * 11)
    with jax.explain_slow_calls(True):
        call(f)
    found = [r.getMessage() for r in caplog.records if "SLOW CALL of" in r.getMessage()]
    assert len(found) == 1
    assert "compilation_causes_test.py" in found[0]
    assert text in found[0]


def test_a_slow_call_names_what_differs_and_a_fast_one_says_nothing(caplog):
    f = jax.jit(lambda x, n=1: x * n, static_argnames="n")

    def reason(*args, **kwargs):
        caplog.clear()
        f(*args, **kwargs)
        found = [r.getMessage() for r in caplog.records if "SLOW" in r.getMessage()]
        return found[0] if found else None

    with jax.explain_slow_calls(True):
        assert reason(X)
        assert reason(X) is None
        committed = jax.device_put(X, jax.devices()[0])
        assert "argument `x` was uncommitted on" in reason(committed)
        assert "argument `x` was float32[3], and is float32[4]" in reason(jnp.ones(4))
        assert "the static argument `n` was None, and is 2" in reason(X, n=2)
        with jax.debug_nans(True):
            assert "jax_debug_nans" in reason(X)


def test_a_slow_call_that_is_never_kept_says_so(caplog):
    def shown(x):
        jax.debug.print("{}", x, ordered=True)
        return x

    f = jax.jit(shown)
    with jax.explain_slow_calls(True):
        for _ in range(2):
            f(X)
    texts = [r.getMessage() for r in caplog.records if "SLOW" in r.getMessage()]
    assert len(texts) == 2
    assert "always go through Python" in texts[1]


class Scaled:
    def __init__(self, scale):
        self.scale = scale
        self.jitted = jax.jit(self.forward)

    def forward(self, x):
        return x * self.scale


def test_a_method_that_is_jitted_for_each_object_is_named():
    Scaled(1).jitted(X)
    one = cause(lambda: Scaled(2).jitted(X))
    assert one.kinds == ("new function",)
    assert one.cause.startswith("`forward` is a method of another object each time")
    assert "class Scaled" in one.cause
    same = Scaled(3)
    same.jitted(X)
    with jax.expect_no_compile():
        jax.jit(same.forward)(X)
    with until_warning(2), pytest.warns(jax.errors.RecompilationWarning, match="once"):
        for i in range(3):
            Scaled(i).jitted(X)


LOOPS = {
    "scan": lambda f: jax.lax.scan(lambda c, x: (f(c), None), 0.0, X),
    "map": lambda f: jax.lax.map(lambda x: f(x), X),
    "fori_loop": lambda f: jax.lax.fori_loop(0, 3, lambda i, c: f(c), 0.0),
    "while_loop": lambda f: jax.lax.while_loop(lambda c: c < 3, lambda c: f(c), 0.0),
    "cond": lambda f: jax.lax.cond(
        jnp.array(True), lambda x: f(x), lambda x: f(f(x)), 0.0
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_the_body_of_an_eager_loop_that_is_made_anew_is_named(name):
    def run(i):
        LOOPS[name](lambda x: x + 1.0 + i)

    run(1)
    one = cause(lambda: run(2))
    assert one.kinds == ("new function",)
    line = LOOPS[name].__code__.co_firstlineno
    text = r"`<lambda>` is a new function object each time: compilation_causes_test.py"
    found = re.fullmatch(rf"{text}:(\d+) makes it anew", one.cause)
    assert found and line <= int(found[1]) <= line + 2, one.cause
    with until_warning(2), pytest.warns(jax.errors.RecompilationWarning, match="once"):
        for i in range(3):
            run(i)


def test_programs_under_transformations_are_not_compared_with_calls():
    f = jax.jit(lambda x: jnp.sin(x) * 3)
    before = jax.compilation_report()[-1].number

    def use(x):
        jax.grad(lambda x: f(x).sum())(x)
        jax.vmap(f)(x[None])
        jax.jvp(f, (x,), (x,))
        f(x)

    def mine(x):
        use(x)
        found = [one for one in jax.compilation_report() if one.number > before]
        return [one.cause for one in found if __file__ in one.location]

    under = "first call of `<lambda>` under a transformation (grad, vmap, ...), which has its own program"
    assert mine(X) == [under] * 4 + ["first call of `<lambda>`"]
    # With another shape each is compared with that of its kind.
    assert len(mine(jnp.ones(4))) == 10
    for one in mine(jnp.ones(4))[5:]:
        assert one.startswith("the shape of argument"), one
