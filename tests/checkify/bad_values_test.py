"""`jax_debug_nans` and `jax_debug_infs` name the operation, its line, iteration and device.

Each program has one planted NaN or infinity, on a line with the mark ``# here``.
"""

import inspect
import re

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

X = np.linspace(0.5, 1.5, 8, dtype=np.float32)


@pytest.fixture(scope="module")
def mesh():
    return jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))


def bad_log(x, is_bad):
    return jnp.log(jnp.where(is_bad, -x, x))  # here


def in_scan(x):
    def body(c, i):
        c = c + 0 * bad_log(c, i == 3)
        return c, c

    return lax.scan(body, x, jnp.arange(6))[0]


def in_reverse_scan(x):
    def body(c, i):
        c = c + 0 * bad_log(c, i == 2)
        return c, c

    return lax.scan(body, x, jnp.arange(6), reverse=True)[1].sum(0)


def in_stacked_scan(x):
    def body(c, i):
        return c, bad_log(x, i == 4)

    return lax.scan(body, 0.0, jnp.arange(6))[1].sum(0)


def in_while(x):
    def body(c):
        i, x = c
        return i + 1, x + 0 * bad_log(x, i == 2)

    return lax.while_loop(lambda c: c[0] < 5, body, (0, x))[1]


def in_fori(x):
    return lax.fori_loop(0, 5, lambda i, x: x + 0 * bad_log(x, i == 1), x)


def in_cond(x):
    return lax.cond(x[0] < 1, lambda x: bad_log(x, True), lambda x: x, x)


def in_switch(x):
    return lax.switch(2, [lambda x: x, jnp.sin, lambda x: bad_log(x, True)], x)


def in_map(x):
    return lax.map(lambda i: bad_log(x, i == 5), jnp.arange(7)).sum(0)


def in_jit(x):
    return jax.jit(lambda x: bad_log(x, x > 1.2))(x) + 1


def in_remat(x):
    return jax.checkpoint(lambda x: bad_log(x, x > 1.2))(x) + 1


def in_custom_jvp(x):
    @jax.custom_jvp
    def f(x):
        return bad_log(x, x > 1.2)

    f.defjvp(lambda p, t: (f(*p), t[0]))
    return f(x)


def in_custom_vjp(x):
    @jax.custom_vjp
    def f(x):
        return bad_log(x, x > 1.2)

    f.defvjp(lambda x: (f(x), None), lambda _, ct: (ct,))
    return f(x)


def in_vmap(x):
    return jax.vmap(lambda x: bad_log(x, x > 1.4))(x)


def scan_in_cond(x):
    return lax.cond(x[0] < 1, in_scan, jnp.sin, x)


def cond_in_scan(x):
    def body(c, i):
        d = lax.cond(i == 3, lambda c: bad_log(c, True), lambda c: c, c)
        return c + 0 * d, None

    return lax.scan(body, x, jnp.arange(5))[0]


def scan_in_scan(x):
    def outer(c, i):
        def inner(c, j):
            return c + 0 * bad_log(c, (i == 1) & (j == 2)), None

        return lax.scan(inner, c, jnp.arange(4))[0], None

    return lax.scan(outer, x, jnp.arange(3))[0]


def while_in_scan(x):
    def outer(c, i):
        def body(s):
            return s[0] + 1, s[1] + 0 * bad_log(s[1], (i == 2) & (s[0] == 1))

        return lax.while_loop(lambda s: s[0] < 3, body, (0, c))[1], None

    return lax.scan(outer, x, jnp.arange(4))[0]


def scan_in_while(x):
    def body(s):
        i, c = s

        def inner(c, j):
            return c + 0 * bad_log(c, (i == 1) & (j == 3)), None

        return i + 1, lax.scan(inner, c, jnp.arange(5))[0]

    return lax.while_loop(lambda s: s[0] < 3, body, (0, x))[1]


def vmap_of_scan(x):
    def one(x):
        def body(c, i):
            return c + 0 * bad_log(c, (i == 1) & (x > 1.4)), None

        return lax.scan(body, x, jnp.arange(3))[0]

    return jax.vmap(one)(x)


def vmap_of_while(x):
    def one(x):
        def body(s):
            return s[0] + 1, s[1] + 0 * bad_log(s[1], (s[0] == 1) & (x > 1.4))

        return lax.while_loop(lambda s: s[0] < 3, body, (0, x))[1]

    return jax.vmap(one)(x)


def vmap_of_cond(x):
    return jax.vmap(
        lambda x: lax.cond(x > 1.4, lambda x: bad_log(x, True), lambda x: x, x)
    )(x)


def masked_before(x):
    # The first NaN is dropped; the second one arrives.
    y = jnp.where(x > 0, x, jnp.log(-x))
    return jnp.sqrt(y - 2)  # here


def slope(f):
    return lambda x: jax.value_and_grad(lambda x: f(x).sum())(x)


def backward_in_scan(x):
    def loss(x):
        def body(c, i):
            c = jnp.sqrt(c * (i - 2.0) ** 2)  # here
            return c + 1, c

        return lax.scan(body, x, jnp.arange(5.0))[0].sum()

    return jax.grad(loss)(x)


def backward_of_sqrt(x):
    return jax.grad(lambda x: (0 * jnp.sqrt(0 * x)).sum())(x)  # here


def over_devices(f):
    def run(x):
        mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
        return jax.shard_map(f, mesh=mesh, in_specs=P("d"), out_specs=P("d"))(x)

    return run


def on_one_device(x):
    return bad_log(x, lax.axis_index("d") == 5)


def scan_on_one_device(x):
    def body(c, i):
        return c + 0 * bad_log(c, (lax.axis_index("d") == 6) & (i == 2)), None

    return lax.scan(body, x, jnp.arange(4))[0]


def cond_on_one_device(x):
    bad = lax.axis_index("d") == 3
    return lax.cond(bad, lambda x: bad_log(x, True), lambda x: x, x)


def while_on_one_device(x):
    def body(s):
        bad = (lax.axis_index("d") == 1) & (s[0] == 3)
        return s[0] + 1, s[1] + 0 * bad_log(s[1], bad)

    return lax.while_loop(lambda s: s[0] < 4, body, (0, x))[1]


def sum_over_devices(x):
    return x + 0 * lax.psum(bad_log(x, lax.axis_index("d") == 7), "d")


def devices_in_scan(x):
    def body(c, i):
        def local(c):
            return bad_log(c, (lax.axis_index("d") == 2) & (i == 1))

        return c + 0 * over_devices(local)(c), None

    return lax.scan(body, x, jnp.arange(3))[0]


# Program, iterations, device, batch element.
PROGRAMS = [
    (in_scan, ["3 of scan"], None, None),
    (in_reverse_scan, ["2 of scan"], None, None),
    (in_stacked_scan, ["4 of scan"], None, None),
    (in_while, ["2 of while"], None, None),
    (in_fori, ["1 of scan"], None, None),
    (in_cond, [], None, None),
    (in_switch, [], None, None),
    (in_map, ["5 of scan"], None, None),
    (in_jit, [], None, None),
    (in_remat, [], None, None),
    (in_custom_jvp, [], None, None),
    (in_custom_vjp, [], None, None),
    (in_vmap, [], None, "7"),
    (scan_in_cond, ["3 of scan"], None, None),
    (cond_in_scan, ["3 of scan"], None, None),
    (scan_in_scan, ["1 of scan", "2 of scan"], None, None),
    (while_in_scan, ["2 of scan", "1 of while"], None, None),
    (scan_in_while, ["1 of while", "3 of scan"], None, None),
    (vmap_of_scan, ["1 of scan"], None, "7"),
    (vmap_of_while, ["1 of while"], None, "7"),
    (vmap_of_cond, [], None, "7"),
    (masked_before, [], None, None),
    (slope(in_scan), ["3 of scan"], None, None),
    (slope(in_stacked_scan), ["4 of scan"], None, None),
    (slope(in_jit), [], None, None),
    (slope(in_cond), [], None, None),
    (slope(in_remat), [], None, None),
    (slope(scan_in_cond), ["3 of scan"], None, None),
    (slope(cond_in_scan), ["3 of scan"], None, None),
    (slope(vmap_of_scan), ["1 of scan"], None, "7"),
    (backward_in_scan, ["2 of scan"], None, None),
    (backward_of_sqrt, [], None, None),
    (over_devices(on_one_device), [], "5", None),
    (over_devices(scan_on_one_device), ["2 of scan"], "6", None),
    (over_devices(cond_on_one_device), [], "3", None),
    (over_devices(while_on_one_device), ["3 of while"], "1", None),
    (over_devices(sum_over_devices), [], "7", None),
    (slope(over_devices(on_one_device)), [], "5", None),
    (slope(over_devices(scan_on_one_device)), ["2 of scan"], "6", None),
    (devices_in_scan, ["1 of scan"], "2", None),
]


def names():
    return [f"{i}-{p[0].__qualname__.split('.')[0]}" for i, p in enumerate(PROGRAMS)]


def planted_lines():
    source, first = inspect.getsourcelines(inspect.getmodule(planted_lines))
    return {
        i
        for i, line in enumerate(source, max(first, 1))
        if line.rstrip().endswith("# here")
    }


def found_in(program):
    """The message about the NaN of a program, which names the line with the mark."""
    with jax.debug_nans(True), pytest.raises(FloatingPointError) as caught:
        jax.jit(program)(X)
    text = str(caught.value)
    assert text.startswith("invalid value (nan) encountered in ")
    line = int(re.search(r"^  at +bad_values_test.py:(\d+)", text, re.MULTILINE)[1])
    assert line in planted_lines(), text
    return text


def iterations_in(text):
    return re.findall(r"iteration (\d+ of \w+)", text)


@pytest.mark.parametrize("program, iterations, device, element", PROGRAMS, ids=names())
def test_the_line_the_iteration_and_the_device_of_a_nan(
    program, iterations, device, element
):
    text = found_in(program)
    assert iterations_in(text) == iterations, text
    found = re.search(r"^  device .*d=(\d)", text, re.MULTILINE)
    assert (found and found[1]) == device, text
    found = re.search(r"^  batch element +(\d+) of vmap", text, re.MULTILINE)
    if element is not None:
        assert found[1] == element, text


def message(call, option=jax.debug_nans):
    with option(True), pytest.raises(FloatingPointError) as caught:
        call()
    return str(caught.value)


def test_the_message_has_the_line_the_operands_and_the_element():
    text = message(lambda: jax.jit(lambda x, y: x / y)(jnp.array([1.0, 0.0]), 0.0))
    assert re.search(r"^  operation +div$", text, re.MULTILINE)
    assert re.search(r"^  line +text = message\(lambda", text, re.MULTILINE)
    assert re.search(r"^  first +at \[1\] of float32\[2\]$", text, re.MULTILINE)
    assert "operand 0  float32[2], from 0 to 1, there 0" in text
    assert "turn off jax_debug_nans" in text


def test_an_infinity_is_found_where_it_is_made():
    def f(x):
        def body(c, i):
            return c + jnp.exp(c * (i == 3) * 1e3), None  # here

        return lax.scan(body, x, jnp.arange(5.0))[0]

    text = message(lambda: jax.jit(f)(X), jax.debug_infs)
    assert text.startswith("invalid value (inf) encountered in exp.")
    assert "iteration 3 of scan" in text


def test_infinities_that_become_nans_are_found_by_either_option():
    def f(x):
        y = jnp.exp(x * 1e3)
        return y - y

    assert "encountered in sub" in message(lambda: jax.jit(f)(X))
    text = message(lambda: jax.jit(lambda x: jnp.exp(x * 1e3))(X), jax.debug_infs)
    assert "encountered in exp" in text


@pytest.mark.parametrize("is_eager", [False, True])
def test_a_loop_that_runs_by_itself_is_looked_into(is_eager):
    text = message(lambda: in_scan(X) if is_eager else jax.jit(in_scan)(X))
    assert "encountered in log" in text
    assert "iteration 3 of scan" in text


def test_a_program_compiled_ahead_is_looked_into_and_keeps_donated_arguments():
    def f(x):
        return bad_log(x, x > 1.2) + 1

    compiled = jax.jit(f, donate_argnums=0).lower(jnp.asarray(X)).compile()
    x = jnp.asarray(X)
    text = message(lambda: compiled(x))
    assert "encountered in log" in text and "there -1.2" in text
    assert not x.is_deleted()


def test_donated_arguments_are_kept_while_the_option_is_on():
    f = jax.jit(lambda x: bad_log(x, x > 1.2), donate_argnums=0)
    x = jnp.asarray(X)
    assert "encountered in log" in message(lambda: f(x))
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

    texts = {message(lambda: f(jax.random.key(3))) for _ in range(3)}
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
    text = message(lambda: jax.jit(lambda scale: scale * 3.0)(x))
    assert re.search(r"the de-optimized function did not .*input", text)
    assert "`scale`: float32[2] has nan at [1], 1 in all" in text
    text = message(lambda: jax.jit(lambda y: y + jnp.asarray(x) * 2)(1.0))
    assert "has nan" in text


@pytest.mark.parametrize("is_loop", [False, True])
def test_a_program_traced_with_64_bits_is_looked_into_without_them(is_loop):
    def f(x):
        with jax.enable_x64(True):
            return jnp.log(x - 2) + jnp.arange(2) % 2

    def step(x, _):
        return x, f(x)

    loop = lambda x: lax.scan(step, x, None, length=2)[1]  # noqa: E731
    text = message(lambda: jax.jit(loop if is_loop else f)(jnp.ones(2)))
    assert "encountered in log" in text
    assert "float32[2], from -1 to -1, there -1" in text


def test_a_nan_that_a_choice_drops_is_none():
    with jax.debug_nans(True):
        jax.jit(lambda x: jnp.where(x > 1, jnp.log(x - 1), 0.0))(X)


def test_an_operation_that_runs_by_itself_names_its_operands():
    text = message(lambda: jnp.log(jnp.array([1.0, -2.0])))
    assert "encountered in log" in text
    assert "from -2 to 1" in text and "at [1] of float32[2]" in text


def test_what_prints_prints_once(capsys):
    @jax.jit
    def f(x):
        jax.debug.print("seen {}", x[0])
        return bad_log(x, True)

    message(lambda: f(X))
    jax.effects_barrier()
    assert capsys.readouterr().out.count("seen") == 1


def test_the_search_is_no_compilation_that_is_unexpected():
    f = jax.jit(lambda x: bad_log(x, x > 5))
    with jax.debug_nans(True):
        f(X)
        with jax.expect_no_compile(), pytest.raises(FloatingPointError):
            f(X * 10)


def test_searches_are_not_counted_as_compilations_of_the_program(caplog):
    f = jax.jit(lambda x: bad_log(x, x > 1.2))
    with jax.explain_cache_misses(True):
        message(lambda: f(X))
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
    text = message(lambda: jax.jit(program)(X))
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

    text = message(lambda: jax.jit(f)(X))
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
    text = message(lambda: jax.jit(fun)(x))
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
    assert "encountered in log" in message(lambda: fun(x, is_chosen))
    assert "encountered in sqrt" in message(lambda: fun(x, ~is_chosen))


def also_on(axes):
    """Whether this is the device with these coordinates."""
    return jnp.all(jnp.stack([lax.axis_index(a) == i for a, i in axes.items()]))


def dropped_in_scan(x):
    def body(c, i):
        return c + jnp.where(i == 3, jnp.log(-c), 0.0), None  # here

    return lax.scan(body, x, jnp.arange(6))[0]


def dropped_in_reverse_scan(x):
    def body(c, i):
        return c, jnp.where(i == 1, jnp.log(-x), x)  # here

    return lax.scan(body, 0.0, jnp.arange(5), reverse=True)[1]


def dropped_in_while_in_scan_in_cond(x):
    def outer(c, i):
        def inner(s):
            is_it = (i == 2) & (s[0] == 1)
            return s[0] + 1, jnp.where(is_it, jnp.log(-s[1]), s[1])  # here

        return lax.while_loop(lambda s: s[0] < 3, inner, (0, c))[1], None

    def yes(x):
        return lax.scan(outer, x, jnp.arange(4))[0]

    return lax.cond(x[0] < 9, yes, jnp.sin, x)


def dropped_of_elements(x):
    def bad(c):
        return jnp.log(-c)  # here

    def one(x, n):
        def body(c, i):
            return lax.cond((i == 2) & (n == 3), bad, lambda c: c + 1, c), None

        return lax.scan(body, x, jnp.arange(4))[0]

    return jax.vmap(one)(x, jnp.arange(8))


def dropped_on_devices(x):
    return jnp.where(lax.axis_index("d") == 5, jnp.log(-x), x)  # here


def dropped_in_scan_on_devices(x):
    def body(c, i):
        return jnp.where(also_on({"d": 5}) & (i == 2), jnp.log(-c), c), None  # here

    return lax.scan(body, x, jnp.arange(4))[0]


def dropped_on_devices_in_scan(x):
    def local(x, i):
        def body(c, j):
            is_it = also_on({"d": 2}) & (i == 1) & (j == 3)
            return jnp.where(is_it, jnp.log(-c), c), None  # here

        return lax.scan(body, x, jnp.arange(5))[0]

    mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
    shared = jax.shard_map(local, mesh=mesh, in_specs=(P("d"), P()), out_specs=P("d"))
    return lax.scan(lambda c, i: (shared(c, i), None), x, jnp.arange(3))[0]


def dropped_in_shard_map_in_shard_map(x):
    def inner(x):
        return jnp.where(also_on({"a": 1, "d": 3}), jnp.log(-x), x)  # here

    def outer(x):
        return jax.shard_map(
            inner, in_specs=P("d"), out_specs=P("d"), axis_names={"d"}
        )(x)

    types = (AxisType.Auto,) * 2
    mesh = jax.make_mesh((2, 4), ("a", "d"), axis_types=types)
    return jax.shard_map(outer, mesh=mesh, in_specs=P("a"), out_specs=P("a"), axis_names={"a"})(x)  # fmt: skip


# Programs whose operation makes a NaN in many runs, of which one arrives: choices drop the others.
DROPPED = [
    (dropped_in_scan, ["3 of scan"], None, None),
    (dropped_in_reverse_scan, ["1 of scan"], None, None),
    (slope(dropped_in_scan), ["3 of scan"], None, None),
    (dropped_in_while_in_scan_in_cond, ["2 of scan", "1 of while"], None, None),
    (dropped_of_elements, ["2 of scan"], None, "3"),
    (over_devices(dropped_on_devices), [], "5", None),
    (over_devices(dropped_in_scan_on_devices), ["2 of scan"], "5", None),
    (dropped_on_devices_in_scan, ["1 of scan", "3 of scan"], "2", None),
    (slope(dropped_on_devices_in_scan), ["1 of scan", "3 of scan"], "2", None),
    (dropped_in_shard_map_in_shard_map, [], "3", None),
]


@pytest.mark.parametrize("program, iterations, device, element", DROPPED)
def test_the_run_whose_nan_arrives_is_named_and_none_that_a_choice_dropped(
    program, iterations, device, element
):
    text = found_in(program)
    assert iterations_in(text) == iterations, text
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
    text = message(lambda: jax.jit(program)(X), option)
    kinds = "convert_element_type|reduce_precision"
    assert re.match(rf"invalid value \({bad}\) encountered in ({kinds})\.", text), text
    with option(True):
        jax.jit(lambda x: x.astype(jnp.bfloat16) + x.astype(jnp.float16))(X)
