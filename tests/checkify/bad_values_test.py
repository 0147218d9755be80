"""`jax_debug_nans` and `jax_debug_infs` name the operation, its line, iteration and device."""

import re

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from tests.checkify import planted


@pytest.mark.parametrize(
    "program, iterations, device, element", planted.PROGRAMS, ids=planted.names()
)
def test_the_line_the_iteration_and_the_device_of_a_nan(
    program, iterations, device, element
):
    text = planted.found_in(program)
    assert planted.iterations_in(text) == iterations, text
    found = re.search(r"^  device .*d=(\d)", text, re.MULTILINE)
    assert (found and found[1]) == device, text
    found = re.search(r"^  batch element +(\d+) of vmap", text, re.MULTILINE)
    if element is not None:
        assert found[1] == element, text


def test_the_message_has_the_line_the_operands_and_the_element():
    text = planted.message(
        lambda: jax.jit(lambda x, y: x / y)(jnp.array([1.0, 0.0]), 0.0)
    )
    assert re.search(r"^  operation +div$", text, re.MULTILINE)
    assert re.search(r"^  line +lambda: jax.jit\(", text, re.MULTILINE)
    assert re.search(r"^  first +at \[1\] of float32\[2\]$", text, re.MULTILINE)
    assert "operand 0  float32[2], from 0 to 1, there 0" in text
    assert "turn off jax_debug_nans" in text


def test_an_infinity_is_found_where_it_is_made():
    def f(x):
        def body(c, i):
            return c + jnp.exp(c * (i == 3) * 1e3), None  # here

        return lax.scan(body, x, jnp.arange(5.0))[0]

    text = planted.message(lambda: jax.jit(f)(planted.X), jax.debug_infs)
    assert text.startswith("invalid value (inf) encountered in exp.")
    assert "iteration 3 of scan" in text


def test_infinities_that_become_nans_are_found_by_either_option():
    def f(x):
        y = jnp.exp(x * 1e3)
        return y - y

    assert "encountered in sub" in planted.message(lambda: jax.jit(f)(planted.X))
    text = planted.message(
        lambda: jax.jit(lambda x: jnp.exp(x * 1e3))(planted.X), jax.debug_infs
    )
    assert "encountered in exp" in text


@pytest.mark.parametrize("is_eager", [False, True])
def test_a_loop_that_runs_by_itself_is_looked_into(is_eager):
    text = planted.message(
        lambda: (
            planted.in_scan(planted.X)
            if is_eager
            else jax.jit(planted.in_scan)(planted.X)
        )
    )
    assert "encountered in log" in text
    assert "iteration 3 of scan" in text


def test_a_program_compiled_ahead_is_looked_into_and_keeps_donated_arguments():
    def f(x):
        return planted.bad_log(x, x > 1.2) + 1

    compiled = jax.jit(f, donate_argnums=0).lower(jnp.asarray(planted.X)).compile()
    x = jnp.asarray(planted.X)
    text = planted.message(lambda: compiled(x))
    assert "encountered in log" in text and "there -1.2" in text
    assert not x.is_deleted()


def test_donated_arguments_are_kept_while_the_option_is_on():
    f = jax.jit(lambda x: planted.bad_log(x, x > 1.2), donate_argnums=0)
    x = jnp.asarray(planted.X)
    assert "encountered in log" in planted.message(lambda: f(x))
    assert not x.is_deleted()
    with jax.debug_nans(True):
        jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    assert not x.is_deleted()


def test_random_programs_are_found_the_same_each_time():
    @jax.jit
    def f(key):
        def body(key, _):
            key, new = jax.random.split(key)
            return key, jnp.sqrt(jax.random.uniform(new, (4,)) - 0.2)

        return lax.scan(body, key, None, length=20)[1]

    texts = {planted.message(lambda: f(jax.random.key(3))) for _ in range(3)}
    assert len(texts) == 1
    values = []
    key = jax.random.key(3)
    for _ in range(20):
        key, new = jax.random.split(key)
        values.append(np.asarray(jax.random.uniform(new, (4,))))
    first = int(np.argmax((np.array(values) < 0.2).any(1)))
    assert f"iteration {first} of scan" in texts.pop()


def test_nans_of_inputs_and_constants_are_named_as_such():
    x = np.array([1.0, np.nan], np.float32)
    text = planted.message(lambda: jax.jit(lambda scale: scale * 3.0)(x))
    assert re.search(r"the de-optimized function did not .*input", text)
    assert "`scale`: float32[2] has nan at [1], 1 in all" in text
    text = planted.message(lambda: jax.jit(lambda y: y + jnp.asarray(x) * 2)(1.0))
    assert "has nan" in text


@pytest.mark.parametrize("is_loop", [False, True])
def test_a_program_traced_with_64_bits_is_looked_into_without_them(is_loop):
    def f(x):
        with jax.enable_x64(True):
            return jnp.log(x - 2) + jnp.arange(2) % 2

    def step(x, _):
        return x, f(x)

    loop = lambda x: lax.scan(step, x, None, length=2)[1]  # noqa: E731
    text = planted.message(lambda: jax.jit(loop if is_loop else f)(jnp.ones(2)))
    assert "encountered in log" in text
    assert "float32[2], from -1 to -1, there -1" in text


def test_a_nan_that_a_choice_drops_is_none():
    with jax.debug_nans(True):
        jax.jit(lambda x: jnp.where(x > 1, jnp.log(x - 1), 0.0))(planted.X)


def test_an_operation_that_runs_by_itself_names_its_operands():
    text = planted.message(lambda: jnp.log(jnp.array([1.0, -2.0])))
    assert "encountered in log" in text
    assert "from -2 to 1" in text and "at [1] of float32[2]" in text


def test_what_prints_prints_once(capsys):
    @jax.jit
    def f(x):
        jax.debug.print("seen {}", x[0])
        return planted.bad_log(x, True)

    planted.message(lambda: f(planted.X))
    jax.effects_barrier()
    assert capsys.readouterr().out.count("seen") == 1


def test_the_search_is_no_compilation_that_is_unexpected():
    f = jax.jit(lambda x: planted.bad_log(x, x > 5))
    with jax.debug_nans(True):
        f(planted.X)
        with jax.expect_no_compile(), pytest.raises(FloatingPointError):
            f(planted.X * 10)


def test_searches_are_not_counted_as_compilations_of_the_program(caplog):
    f = jax.jit(lambda x: planted.bad_log(x, x > 1.2))
    with jax.explain_cache_misses(True):
        planted.message(lambda: f(planted.X))
    told = [r.getMessage() for r in caplog.records if "COMPILING" in r.getMessage()]
    assert len(told) == 1 and "checks_of" not in told[0], told


def two_that_arrive(x):
    a = jnp.log(-x)
    return a[:2], jnp.sqrt(x - 5)


def dropped_in_a_loop(x):
    def body(c, i):
        d = jnp.where(i == 1, 0.0, jnp.log(c - 10))
        return c, jnp.where(i == 3, jnp.sqrt(c - 9), d * (i > 5))

    return lax.scan(body, x, jnp.arange(1, 5))[1][::2]


def many_operations(x):
    for _ in range(4):
        x = jnp.sqrt(x + 1) / 2
    return jnp.log(x - 7)


@pytest.mark.parametrize(
    "program, operation",
    [(two_that_arrive, "log"), (dropped_in_a_loop, "sqrt"), (many_operations, "log")],
)
def test_the_first_of_several_is_found_with_its_operands(program, operation):
    """Where more than one operation made a NaN, that is named whose NaN is in the result."""
    text = planted.message(lambda: jax.jit(program)(planted.X))
    assert text.startswith(f"invalid value (nan) encountered in {operation}."), text
    assert re.search(r"^  operand 0 ", text, re.MULTILINE), text


def test_records_are_taken_of_operations_in_several_branches_and_loops():
    def f(x):
        def body(c, i):
            c = lax.cond(i == 2, lambda c: jnp.log(c - 5), lambda c: jnp.cos(c), c)
            return c, None

        y = lax.scan(body, x, jnp.arange(4))[0]
        return lax.while_loop(
            lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * 2), (0, y)
        )

    text = planted.message(lambda: jax.jit(f)(planted.X))
    assert "encountered in log" in text and "iteration 2 of scan" in text
    assert "branch 1 of cond" in text
    assert re.search(r"operand 0 +float32\[8\], from -[0-9.]+ to -", text), text


def log_and_double(x):
    return jnp.log(x) * 2


def accumulated(column):
    def add(total, _):
        return total + jnp.log(column), None

    return lax.scan(add, column, None, length=2)[0]


# With the batch elements of the first bad element of an array that is -1 at [2, 1] or
# [0, 1, 2] and has equal sizes, so that they cannot be guessed.
MAPPED = {
    "axis 1": (jax.vmap(log_and_double, in_axes=1), 2, "1"),
    "axis 0": (jax.vmap(log_and_double), 2, "2"),
    "axis 1 of results": (jax.vmap(log_and_double, 1, 1), 2, "1"),
    "the last axis": (jax.vmap(log_and_double, -1), 3, "2"),
    "within jit": (jax.vmap(jax.jit(log_and_double), 1), 2, "1"),
    "within a loop": (jax.vmap(accumulated, 1), 2, "1"),
    "of a slope": (jax.vmap(jax.grad(lambda c: (c * jnp.log(c)).sum()), 1), 2, "1"),
    "two axes, 1 and 0": (jax.vmap(jax.vmap(log_and_double), 1), 2, "1, 2"),
    "two axes, 0 and 1": (jax.vmap(jax.vmap(log_and_double)), 2, "2, 1"),
    "axes 1 and 1": (jax.vmap(jax.vmap(log_and_double, 1), 1), 3, "1, 2"),
    "axes 2 and 0": (jax.vmap(jax.vmap(log_and_double), 2), 3, "2, 0"),
    "a loop between": (
        jax.vmap(lambda r: lax.map(jax.vmap(log_and_double), r), 2),
        3,
        "2, 1",
    ),
}


@pytest.mark.parametrize("fun, rank, element", MAPPED.values(), ids=MAPPED)
def test_batch_elements_are_named_along_whichever_axis_is_mapped(fun, rank, element):
    x = np.ones((3,) * rank, np.float32)
    x[(2, 1) if rank == 2 else (0, 1, 2)] = -1
    text = planted.message(lambda: jax.jit(fun)(x))
    assert re.search(r"^  batch element +(.+) of vmap$", text, re.MULTILINE)[1] == (
        element
    ), text


def chosen(x):
    return jnp.log(x)


def dropped(x):
    return jnp.sqrt(x)


@pytest.mark.parametrize(
    "choose",
    [
        lambda x, p: jnp.where(p, chosen(x), dropped(x)),
        lambda x, p: lax.cond(p[0], chosen, dropped, x),
    ],
    ids=["where", "cond"],
)
def test_the_operation_of_the_chosen_case_is_named(choose):
    fun = jax.jit(jax.vmap(choose))
    x = jnp.array([[1.0, -1.0], [1.0, -1.0]])
    is_chosen = jnp.ones((2, 2), bool)
    assert "encountered in log" in planted.message(lambda: fun(x, is_chosen))
    assert "encountered in sqrt" in planted.message(lambda: fun(x, ~is_chosen))


@pytest.mark.parametrize("program, iterations, device, element", planted.DROPPED)
def test_the_run_whose_nan_arrives_is_named_and_none_that_a_choice_dropped(
    program, iterations, device, element
):
    text = planted.found_in(program)
    assert planted.iterations_in(text) == iterations, text
    devices = re.findall(r"^  device .*d=(\d)", text, re.MULTILINE)
    assert devices == ([device] if device else []), text
    found = re.search(r"^  batch element +(\d+) of vmap", text, re.MULTILINE)
    assert (found and found[1]) == element, text


def to_dtype(dtype):
    return lambda x: (x * 1e5).astype(dtype)


@pytest.mark.parametrize(
    "program, option, bad",
    [
        (to_dtype(jnp.float16), jax.debug_infs, "inf"),
        (lambda x: to_dtype(jnp.int32)(x).astype(jnp.float16), jax.debug_infs, "inf"),
        (to_dtype(jnp.float8_e4m3fn), jax.debug_nans, "nan"),
        (lambda x: lax.reduce_precision(x * 1e5, 5, 10), jax.debug_infs, "inf"),
    ],
)
def test_a_conversion_to_what_has_no_such_number_is_found(program, option, bad):
    text = planted.message(lambda: jax.jit(program)(planted.X), option)
    kinds = "convert_element_type|reduce_precision"
    assert re.match(rf"invalid value \({bad}\) encountered in ({kinds})\.", text), text
    with option(True):
        jax.jit(lambda x: x.astype(jnp.bfloat16) + x.astype(jnp.float16))(planted.X)
