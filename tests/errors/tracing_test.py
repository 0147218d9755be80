"""Mistakes in traced code: class, facts, way out, and no frame of ours."""

import gc
import inspect
import math
import pickle
import re
import traceback
import weakref

import numpy as np
import pytest

import jax
import jax.numpy as jnp


def message_of(kind, fun, *args, **kwargs):
    """The message of the error that a call raises."""
    with pytest.raises(kind) as caught:
        fun(*args, **kwargs)
    return caught.value, str(caught.value)


def raised(kind, fun, *args, **kwargs):
    """The exception that a call raises, whose traceback shows no frame of ours."""
    error, text = message_of(kind, fun, *args, **kwargs)
    files = [f.filename for f in traceback.extract_tb(error.__traceback__)]
    assert [f for f in files if "/jax/_src/" in f] == []
    return text


def relu(x):
    return x if x > 0 else 0.0 * x


def test_a_python_decision_on_a_traced_value():
    text = raised(jax.errors.TracerBoolConversionError, jax.jit(relu), 1.0)
    assert "bool[], made by `gt` at tracing_test.py:" in text
    assert "traced array with shape bool[]" in text
    assert "while tracing the function relu for jit" in text
    assert "depends on the value of the argument x." in text
    assert "jnp.where(condition, a, b)" in text and 'static_argnames="x"' in text
    assert issubclass(
        jax.errors.TracerBoolConversionError, jax.errors.ConcretizationTypeError
    )


def test_a_traced_value_as_a_python_number():
    text = raised(jax.errors.ConcretizationTypeError, jax.jit(lambda n: int(n)), 1)
    assert "with the `int` function" in text and "the argument n." in text
    assert "x.astype(int)" in text


def test_a_traced_value_as_an_index_of_a_list():
    fun = jax.jit(lambda i: [1, 2, 3][i])
    text = raised(jax.errors.TracerIntegerConversionError, fun, 1)
    assert "__index__() method was called" in text and "jnp.array first" in text


def test_a_traced_value_given_to_numpy():
    fun = jax.jit(lambda x: np.sin(x))
    text = raised(jax.errors.TracerArrayConversionError, fun, 1.0)
    assert "float32[]" in text and "jax.numpy" in text


def test_where_an_escaped_value_was_made_is_told_as_far_as_the_option_says():
    kept = []

    def inner(x):
        kept.append(jnp.sin(x))
        return x

    def middle(x):
        return inner(x)

    jax.jit(lambda x: middle(x))(1.0)
    use = lambda: kept[0] + 1.0  # noqa: E731
    text = raised(jax.errors.UnexpectedTracerError, use)
    assert "in `inner`" in text and "called   at" in text and "in `middle`" in text
    jax.config.update("jax_tracer_error_num_traceback_frames", 1)
    try:
        text = raised(jax.errors.UnexpectedTracerError, use)
        assert "in `inner`" in text and "called" not in text
    finally:
        jax.config.update("jax_tracer_error_num_traceback_frames", 5)


def test_a_value_that_escaped_its_trace():
    kept = []

    @jax.jit
    def leak(x):
        kept.append(jnp.sin(x))
        return x

    leak(1.0)
    text = raised(jax.errors.UnexpectedTracerError, lambda: kept[0] + 1.0)
    assert "float32[], made by `sin` at tracing_test.py:" in text
    assert "jit of `leak`" in text and "ended" in text
    assert "Return this one from `leak`" in text


@pytest.mark.parametrize(
    "transform", [jax.jacfwd, jax.jacrev, jax.hessian, jax.named_call]
)
def test_errors_of_the_user_show_no_frame_of_ours(transform):
    def broken(x):
        raise KeyError("mine")

    assert raised(KeyError, transform(broken), jnp.ones(2)).startswith("'mine'")


@pytest.mark.parametrize("transform", [jax.jit, jax.vmap])
def test_leaks_are_found_where_they_happen(transform):
    kept = []

    def leak(x):
        kept.append(jnp.sin(x))
        return x

    with jax.checking_leaks():
        text = raised(jax.errors.UnexpectedTracerError, transform(leak), jnp.ones(2))
        transform(jnp.sin)(jnp.ones(2))
    assert "Leaked trace" in text and "`leak`" in text


@pytest.mark.parametrize(
    "transform",
    [
        jax.jit,
        jax.grad,
        jax.checkpoint,
        lambda f: jax.jit(jax.grad(f)),
        lambda f: jax.jit(jax.vmap(f)),
        lambda f: lambda x: jax.lax.scan(lambda c, y: (c, f(y)), 0.0, jnp.stack([x, x])),
        lambda f: lambda x: jax.lax.cond(x[0] > 0, f, f, x),
        lambda f: jax.make_jaxpr(f),
    ],
)  # fmt: skip
def test_a_finished_trace_ends_without_the_collector(transform, monkeypatch):
    constant, ref = jnp.arange(2.0), jax.new_ref(jnp.ones(2))

    def fun(x):
        return jnp.sum(x * constant + ref[...]) + jnp.sin(constant).sum()

    ended = []

    def vectors(x):
        ended.append(weakref.ref(jax._src.core.state.current()))
        return fun(jnp.atleast_1d(x))

    monkeypatch.setattr(gc, "collect", lambda: 0)
    gc.disable()
    try:
        with jax.checking_leaks():
            transform(vectors)(jnp.ones(2))
        assert [trace() for trace in ended if trace() is not None] == []
    finally:
        gc.enable()


@pytest.mark.parametrize("transform", [jax.jit, jax.vmap, jax.jacfwd])
def test_traced_values_are_not_pickled(transform):
    text = raised(
        jax.errors.ConcretizationTypeError, transform(pickle.dumps), jnp.ones(2)
    )
    assert "__reduce__" in text and "float32" in text


def test_a_string_as_an_argument():
    text = raised(TypeError, jax.jit(lambda name: name), "adam")
    assert "as an abstract array" in text and "at path name." in text
    assert "'adam'" in text and "static_argnames" in text


def test_none_where_an_array_is_wanted():
    text = raised(TypeError, jnp.sin, None)
    assert "NoneType" in text


def test_shapes_that_do_not_fit():
    text = raised(TypeError, jnp.matmul, jnp.ones((8, 3)), jnp.ones((5, 3)))
    assert "float32[8,3]" in text.replace(", ", ",")
    assert "float32[5,3]" in text.replace(", ", ",")


def test_shapes_that_do_not_broadcast():
    text = raised(ValueError, jnp.add, jnp.ones((2, 3)), jnp.ones((4,)))
    assert "3" in text and "4" in text


def test_a_dtype_that_an_operation_does_not_take():
    text = raised(TypeError, jax.lax.sin, jnp.arange(3))
    assert "int32" in text and "sin" in text


def test_gradients_of_integers():
    text = raised(TypeError, jax.grad(jnp.sin), 1)
    assert "int32" in text and "1.0 instead of 1" in text


def test_a_result_that_is_no_array():
    text = raised(TypeError, jax.jit(lambda x: "done"), 1.0)
    assert "<class 'str'>, which is not a valid JAX type" in text


def test_a_static_argument_without_a_hash():
    fun = jax.jit(lambda x, sizes: x, static_argnums=1)
    text = raised(ValueError, fun, 1.0, [1, 2])
    assert "Non-hashable static arguments" in text and "list" in text


def test_a_static_argument_that_does_not_exist():
    text = raised(ValueError, jax.jit, lambda x: x, static_argnames="y")
    assert "invalid argnames {'y'} in static_argnames" in text


def test_results_that_differ_by_row_have_an_axis():
    def fun(x):
        return {"q": (1.0, x)}

    text = raised(ValueError, jax.vmap(fun, out_axes=None), np.ones((4, 2), np.float32))
    assert (
        "at vmap out_axes['q'][1], got axis spec None but output was batched on axis 0"
        in text
    )
    assert "float32[4,2]" in text and "Give an axis" in text
    named = jax.vmap(fun, out_axes=None, axis_name="i")
    text = raised(ValueError, named, np.ones((4, 2), np.float32))
    assert "vmap has mapped output (axis_name=i) but out_axes is None" in text
    assert "out_axes['q'][1]" in text


def test_a_name_of_an_axis_that_is_not_bound():
    text = raised(NameError, lambda: jax.lax.psum(1.0, "rows"))
    assert "unbound axis name: rows" in text and "axis_name='rows'" in text


def test_forward_mode_through_a_backward_rule():
    fun = jax.custom_vjp(lambda x: x)
    fun.defvjp(lambda x: (x, None), lambda _, ct: (ct,))
    text = raised(TypeError, lambda: jax.jvp(fun, (1.0,), (1.0,)))
    assert "can't apply forward-mode autodiff (jvp) to a custom_vjp" in text


@pytest.mark.parametrize("outer", [lambda f: f, jax.jit])
def test_what_has_no_reverse_derivative_is_named_and_not_what_follows(outer):
    def products(x):
        return jax.lax.reduce_window(x, 1.0, jax.lax.mul, (2,), (1,), "VALID")

    loss = outer(lambda x: jnp.cos(products(jnp.sin(x))).sum())
    text = raised(NotImplementedError, jax.grad(loss), np.ones(3, np.float32))
    assert "not possible through 'reduce_window'" in text
    assert "in `products`" in text and "jax.custom_vjp" in text


STORE: dict = {}


class _Holder:
    """Has an attribute that a traced function sets."""


HOLDER = _Holder()


def stores_in_a_dict(x):
    y = jnp.sin(x)
    STORE["y"] = y  # stored
    return x


def stores_in_a_global(x):
    global LEAKED
    LEAKED = x * 2  # stored
    return x


def stores_in_an_attribute(x):
    HOLDER.cache = x  # stored
    return x


@pytest.mark.parametrize(
    "leak, use, name, rewrite",
    [
        (
            stores_in_a_dict,
            lambda: STORE["y"] + 1,
            "`STORE['y']`, global of ",
            "out, y = stores_in_a_dict(...), and then STORE['y'] = y",
        ),
        (
            stores_in_a_global,
            lambda: LEAKED + 1,
            "`LEAKED`, global of ",
            "return ..., x * 2  instead of  LEAKED = x * 2",
        ),
        (
            stores_in_an_attribute,
            lambda: HOLDER.cache + 1,
            "`HOLDER.cache`, global of ",
            "out, x = stores_in_an_attribute(...), and then HOLDER.cache = x",
        ),
    ],
)
@pytest.mark.parametrize("is_checked", [False, True])
def test_a_leak_names_what_holds_the_value_the_line_that_stored_it_and_the_rewrite(
    leak, use, name, rewrite, is_checked
):
    def run():
        if is_checked:
            with jax.checking_leaks():
                jax.jit(leak)(jnp.float32(1))
        jax.jit(leak)(jnp.float32(1))
        use()

    text = raised(jax.errors.UnexpectedTracerError, run)
    rows, first = inspect.getsourcelines(leak)
    (line,) = [first + i for i, row in enumerate(rows) if "# stored" in row]
    assert re.search(rf"leaked +at tracing_test.py:{line}\b", text), text
    assert name in text and rewrite in text


@pytest.mark.parametrize("transform", [jax.grad, jax.vmap])
def test_a_leak_from_a_trace_that_knows_no_function_is_found_by_its_name(transform):
    kept = []

    def leak(x):
        kept.append(x)  # the one line
        return x

    transform(leak)(jnp.ones(2) if transform is jax.vmap else jnp.float32(1))
    text = raised(jax.errors.UnexpectedTracerError, lambda: kept[0] + 1)
    assert "`kept[0]`" in text and "the one line" in text


NUMBERS = [1, 2, 3]


def if_and_else(x):
    if x > 0:
        y = x
    else:
        y = -x
    return y


def if_alone(x):
    if x > 0:
        x += 1
    return x


def while_loop(x):
    while x > 0:
        x = x - 1


def for_loop(x):
    for _ in range(x):
        pass


def large_if(x):
    if x > 0:
        x = x + 1
        x = x * 2
    return x


REWRITES = {
    if_and_else: "y = jnp.where(x > 0, x, -x)",
    if_alone: "x = jnp.where(x > 0, x + 1, x)",
    large_if: "lax.cond(x > 0, if_true, if_false, operands)",
    while_loop: "lax.while_loop(lambda x: x > 0, body, x)",
    for_loop: "lax.fori_loop(0, x, body, state)",
    (lambda x: 1 if x > 0 else 2): "jnp.where(x > 0, 1, 2)",
    (lambda x: x > 0 and x < 3): "jnp.logical_and(x > 0, x < 3)",
    (lambda x: not x): "jnp.logical_not(x)",
    (lambda x: float(x) + 1): "x.astype(float)",
    (lambda x: int(x * 2)): "(x * 2).astype(int)",
    (lambda x: np.sin(x)): "jnp.sin(x)",
    (lambda x: math.sin(x)): "jnp.sin(x)",
    (lambda x: NUMBERS[x]): "jnp.asarray(NUMBERS)[x]",
}


@pytest.mark.parametrize("fun", REWRITES)
def test_an_error_about_a_value_that_is_not_known_shows_how_to_write_the_line(fun):
    with pytest.raises(jax.errors.JAXTypeError) as caught:
        jax.jit(fun)(3)
    (found,) = re.findall(r"^  for example +(.*)$", str(caught.value), re.MULTILINE)
    assert found == REWRITES[fun]


def test_a_line_that_says_too_little_shows_no_rewrite():
    space = {"jnp": jnp}
    exec(
        compile("def f(x):\n  return 1 if x else 2", "/no/such/file.py", "exec"), space
    )
    text = raised(jax.errors.TracerBoolConversionError, jax.jit(space["f"]), 3)
    assert "for example" not in text


@pytest.mark.parametrize(
    "use",
    [jnp.zeros, lambda n: jnp.ones(4).reshape((n,)), lambda n: jnp.empty((2, n))],
)
def test_a_traced_size_names_its_value_the_line_and_the_argument(use):
    def f(count):
        size = count + 1
        return use(size)

    with pytest.raises(jax.errors.ConcretizationTypeError) as caught:
        jax.jit(f)(3)
    text = str(caught.value)
    assert text.startswith("Shapes must be 1D sequences of concrete values of integer")
    line = f.__code__.co_firstlineno + 1
    assert re.search(
        rf"^  value +int32\[\], made by `add` at tracing_test.py:{line} in `f`$",
        text,
        re.MULTILINE,
    ), text
    assert re.search(r"^  needed at +tracing_test.py:\d+ in ", text, re.MULTILINE), text
    assert "depends on the value of the argument count." in text
    assert 'jit(f, static_argnames="count")' in text
