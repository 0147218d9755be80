"""The search for a NaN by what operations computed in each run, and the other ways of searching."""

import re

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.checkify import bad_value_details, bad_value_search, bad_values
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
from tests.checkify import planted

X = planted.X


@pytest.fixture
def recorded_only(monkeypatch):
    """Fails where a program is compiled that checks operations while it runs."""

    def fail(*args):
        raise AssertionError("another program was compiled")

    monkeypatch.setattr(bad_values, "origins_program", fail)
    monkeypatch.setattr(bad_value_details, "details_program", fail)


PLANTED = [p[0] for p in planted.PROGRAMS + planted.DROPPED]


@pytest.mark.parametrize("program", PLANTED)
def test_the_message_is_the_same_whether_runs_are_recorded_or_origins_followed(
    program, monkeypatch
):
    text = planted.message(lambda: jax.jit(program)(X))
    monkeypatch.setattr(bad_value_search, "_SOME", 0)
    assert planted.message(lambda: jax.jit(program)(X)) == text


def test_the_forty_programs_are_searched_in_one_program(recorded_only, monkeypatch):
    compiled = []
    run = bad_value_search._run

    def counted(program, args, name):
        compiled.append(name)
        return run(program, args, name)

    monkeypatch.setattr(bad_value_search, "_run", counted)
    for program, *_ in planted.PROGRAMS:
        compiled.clear()
        planted.message(lambda program=program: jax.jit(program)(X))
        assert len(compiled) == 1, program


def bad_at(x, is_bad):
    return x + 0 * jnp.log(jnp.where(is_bad, -x, x))


def loop(count, body, x):
    """A loop whose number of iterations is not known."""
    return lax.while_loop(
        lambda s: s[0] < count, lambda s: (s[0] + 1, body(s[0], s[1])), (0, x)
    )[1]


@pytest.mark.parametrize("bad", [0, 3, 4000, 29_000])
def test_loops_longer_than_what_is_recorded_are_searched(bad):
    text = planted.message(
        lambda: jax.jit(lambda x: loop(30_000, lambda i, x: bad_at(x, i == bad), x))(X)
    )
    assert f"inside     iteration {bad} of while" in text
    assert "operand 0  float32[8], from -1.5 to -0.5, there -0.5" in text


@pytest.mark.parametrize("outer, inner", [(2, 3), (25, 38)])
def test_a_loop_within_a_loop_is_searched_whatever_their_lengths(outer, inner):
    def f(x):
        def body(i, x):
            return loop(40, lambda j, x: bad_at(x, (i == outer) & (j == inner)), x)

        return loop(30, body, x)

    text = planted.message(lambda: jax.jit(f)(X))
    assert planted.iterations_in(text) == [f"{outer} of while", f"{inner} of while"]


def test_large_values_in_loops_are_searched():
    def body(c, i):
        return c + 0 * jnp.log(c - (i == 5)), None

    f = jax.jit(lambda x: lax.scan(body, x, jnp.arange(64))[0])
    text = planted.message(lambda: f(jnp.full((256, 256), 0.5)))
    assert "iteration 5 of scan" in text
    assert "operand 0  float32[256,256], from -0.5 to -0.5" in text


def test_of_several_operations_that_is_named_whose_value_arrives(recorded_only):
    def f(x):
        dropped = jnp.log(-x)
        kept = jnp.sqrt(x - 5)
        shown = jnp.tanh(kept.reshape(2, 4)).T
        return jnp.where(x > 0, x, dropped).sum(), shown * 2

    text = planted.message(lambda: jax.jit(f)(X))
    assert text.startswith("invalid value (nan) encountered in sqrt.")


def test_where_the_way_back_is_not_known_origins_are_followed():
    def f(x, is_first):
        return jnp.where(is_first, jnp.log(-x), jnp.sqrt(x - 5))

    assert "encountered in log" in planted.message(lambda: jax.jit(f)(X, X > 0))
    assert "encountered in sqrt" in planted.message(lambda: jax.jit(f)(X, X < 0))


@pytest.mark.parametrize("construct", ["none", "cond", "scan", "while", "shard_map"])
def test_arrays_sharded_over_explicit_axes_are_searched(construct):
    def bad(x):
        return x + 0 * jnp.log(x - 1)

    def run(x):
        if construct == "cond":
            return lax.cond(x.sum() > 0, bad, lambda x: x, x)
        if construct == "scan":
            return lax.scan(lambda c, _: (bad(c), None), x, None, length=3)[0]
        if construct == "while":
            return loop(3, lambda i, x: bad(x), x)
        if construct == "shard_map":
            return jax.shard_map(bad, in_specs=P("d"), out_specs=P("d"))(x)
        return bad(x)

    mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Explicit,))
    with jax.set_mesh(mesh):
        x = jax.device_put(X, NamedSharding(mesh, P("d")))
        text = planted.message(lambda: jax.jit(run)(x))
    assert "encountered in log" in text
    assert re.search(r"^  operand 0 .* there -0.5$", text, re.MULTILINE), text


def test_prints_in_loops_choices_and_calls_are_not_repeated(capsys, monkeypatch):
    def f(x):
        def body(c, i):
            jax.debug.print("in scan")
            return c + 1, None

        x = lax.scan(body, x, jnp.arange(1))[0]
        x = lax.cond(x[0] > 0, lambda x: (jax.debug.print("in cond"), x)[1], jnp.sin, x)
        x = jax.jit(lambda x: (jax.debug.print("in jit", ordered=True), x)[1])(x)
        return jnp.log(-x)

    for few in (512, 0):
        monkeypatch.setattr(bad_value_search, "_SOME", few)
        planted.message(lambda: jax.jit(f)(X))
        jax.effects_barrier()
        out = capsys.readouterr().out
        assert sorted(out.split("\n")) == ["", "in cond", "in jit", "in scan"]


def test_what_adds_to_a_reference_is_run_again():
    def f(x):
        ref = jax.new_ref(jnp.zeros(8))
        jax.ref.addupdate(ref, ..., x)
        return jnp.log(ref[...] - 1)

    text = planted.message(lambda: jax.jit(f)(X))
    assert "operand 0  float32[8], from -0.5 to 0.5, there -0.5" in text


def test_operations_without_elements_are_passed_over():
    f = jax.jit(lambda x: jnp.log(x[:0]).sum() + jnp.log(-x))
    assert "from -1.5 to -0.5" in planted.message(lambda: f(X))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "complex64", "float8_e5m2"])
def test_values_of_other_dtypes_are_recorded(dtype):
    f = jax.jit(lambda x: lax.scan(lambda c, i: (c, (i - i) / (i - i)), 0, x)[1])
    text = planted.message(lambda: f(np.ones(4).astype(dtype)))
    assert "encountered in div" in text and "iteration 0 of scan" in text


@pytest.mark.parametrize("length", [3, 300])
def test_a_loop_of_known_length_in_one_of_unknown_length_is_recorded(
    length, recorded_only
):
    def f(x):
        def inner(c, j):
            return c, bad_at(x, j == 2)

        def body(i, x):
            return x + lax.scan(inner, i, jnp.arange(length))[1].sum(0)

        return loop(12, body, x)

    text = planted.message(lambda: jax.jit(f)(X))
    assert planted.iterations_in(text) == ["0 of while", "2 of scan"]


def test_a_long_program_is_searched_in_one_program(recorded_only):
    def layer(x, w):
        x = jnp.maximum(x @ w, 0)
        return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1)

    def f(x, weights):
        for w in weights:
            x = layer(x, w)
        return jnp.log(x.sum() - 1e9)

    weights = [jnp.ones((8, 8))] * 6
    text = planted.message(lambda: jax.jit(f)(X, weights))
    assert text.startswith("invalid value (nan) encountered in log."), text
