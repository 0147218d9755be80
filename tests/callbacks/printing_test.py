"""`jax.debug.print`, `callback` and `breakpoint`: what they write, and what they refuse."""

import io

import numpy as np
import pytest

import jax
import jax.numpy as jnp

OUTER = pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])


@OUTER
@pytest.mark.parametrize(
    ("fmt", "args", "kwargs", "expected"),
    [
        ("{}", (1,), {}, "1"),
        ("{x} {}", (2,), {"x": 1}, "1 2"),
        ("{0} {1} {0}", (1, 2), {}, "1 2 1"),
        ("{:.3f}", (1.5,), {}, "1.500"),
        ("plain", (), {}, "plain"),
        ("{x[a]}", (), {"x": {"a": 3}}, "3"),
        ("{}", (np.arange(3),), {}, "[0 1 2]"),
    ],
)
def test_lines_are_formatted(outer, fmt, args, kwargs, expected, capsys):
    outer(lambda args, kwargs: jax.debug.print(fmt, *args, **kwargs))(args, kwargs)
    jax.effects_barrier()
    assert capsys.readouterr().out == expected + "\n"


def test_leaves_that_are_no_arrays_are_printed_too(capsys):
    jax.jit(lambda x: jax.debug.print("{} {} {}", "name", x, None))(2)
    jax.effects_barrier()
    assert capsys.readouterr().out == "name 2 None\n"


@pytest.mark.parametrize(
    ("fmt", "args", "kwargs", "error"),
    [
        ("{}", (), {}, IndexError),
        ("{} {}", (1,), {}, IndexError),
        ("{x}", (1,), {}, KeyError),
        ("{", (), {}, ValueError),
        ("{}", (1, 2), {}, ValueError),
        ("{}", (1,), {"x": 2}, ValueError),
        (3, (), {}, TypeError),
    ],
)
def test_formats_are_checked_while_tracing(fmt, args, kwargs, error):
    with pytest.raises(error):
        jax.make_jaxpr(lambda: jax.debug.print(fmt, *args, **kwargs))()


def test_a_callback_must_be_a_function():
    with pytest.raises(TypeError, match="must be a function"):
        jax.debug.callback(3)


def test_a_callback_called_at_once_raises_its_own_error():
    with pytest.raises(ZeroDivisionError):
        jax.debug.callback(lambda: 1 / 0)


def test_print_without_a_format_waits_for_one(capsys):
    jax.debug.print(ordered=True)("{}", 1)
    assert capsys.readouterr().out == "1\n"


@OUTER
def test_a_breakpoint_reads_commands(outer):
    commands = io.StringIO("p y\np z\nwhere\nup\np outside\ncontinue\n")
    written = io.StringIO()

    def f(x):
        y = x * 2
        jax.debug.breakpoint(stdin=commands, stdout=written)
        return y

    outside = jnp.float32(7.0)  # noqa: F841  (read by the breakpoint)
    outer(f)(jnp.float32(3.0))
    jax.effects_barrier()
    text = written.getvalue()
    assert "Array(6." in text
    assert "NameError" in text
    assert text.startswith("Entering jdb:\n(jdb) Array(6.")
    assert 'Traceback:\n  File "' in text
    assert "->          jax.debug.breakpoint" not in text
    assert "\n->      outer(f)(jnp.float32(3.0))\n" in text
    assert "Array(7." in text


def test_a_breakpoint_walks_no_further_than_its_frames():
    walk = ["up"] * 200 + ["where"] + ["down"] * 200 + ["where", "continue"]
    written = io.StringIO()
    jax.debug.breakpoint(stdin=io.StringIO("\n".join(walk)), stdout=written)
    lines = [line.removeprefix("(jdb) ") for line in written.getvalue().splitlines()]
    frames = sum(line.startswith('  File "') for line in lines) // 2
    assert sum(line.startswith("> /") for line in lines) == 400
    for end in ("At topmost frame.", "At bottommost frame."):
        assert lines.count(end) == 200 - (frames - 1)


@OUTER
@pytest.mark.parametrize("command", ["quit\n", "q\n", "exit\n", "EOF\n", ""])
def test_a_breakpoint_that_is_left_ends_the_program(outer, command):
    """The end of the input does, too, as in upstream's prompt."""
    written = io.StringIO()

    def f(x):
        jax.debug.breakpoint(stdin=io.StringIO(command), stdout=written)
        return x

    with pytest.raises((KeyboardInterrupt, jax.errors.JaxRuntimeError), match="quit"):
        jax.block_until_ready(outer(f)(jnp.float32(3.0)))
        jax.effects_barrier()


def stopped(**options):
    """What a program returns that stops with these options, and what it wrote."""
    written = io.StringIO()

    def f(x):
        commands = io.StringIO("p x\nc\n")
        found = jax.debug.breakpoint(stdin=commands, stdout=written, **options)
        return x if found is None else found

    out = jax.jit(f)(1.5)
    jax.effects_barrier()
    return out, written.getvalue()


@pytest.mark.parametrize("options", [{}, {"backend": "cli"}, {"backend": "other"}])
def test_an_unknown_front_end_of_breakpoint_is_the_command_line(options):
    out, text = stopped(**options)
    assert out == 1.5
    assert text.count("(jdb)") == 2 and "1.5" in text


def test_a_breakpoint_returns_its_token_and_stops_where_that_is_used():
    out, text = stopped(token={"a": jnp.ones(2)})
    assert out["a"].tolist() == [1.0, 1.0]
    assert text.count("Entering jdb:") == 1 and "1.5" in text


def test_a_breakpoint_whose_token_is_not_used_does_not_stop():
    written = io.StringIO()

    @jax.jit
    def f(x):
        jax.debug.breakpoint(stdin=io.StringIO("c\n"), stdout=written, token=x)
        return x + 1

    assert f(1.0) == 2.0
    assert written.getvalue() == ""


def test_a_breakpoint_takes_no_token_where_it_is_ordered():
    with pytest.raises(ValueError, match="mutually exclusive"):
        stopped(token=jnp.ones(2), ordered=True)


def test_a_breakpoint_reads_from_whatever_has_lines():
    class Lines:
        def __init__(self, *lines):
            self.lines = iter(lines)

        def readline(self):
            return next(self.lines, "")

    written = io.StringIO()

    @jax.jit
    def f(x):
        jax.debug.breakpoint(stdin=Lines("p x\n", "c\n"), stdout=written)
        return x

    f(jnp.float32(2))
    jax.effects_barrier()
    assert written.getvalue() == (
        "Entering jdb:\n(jdb) Array(2., dtype=float32)\n(jdb) "
    )
