"""Differences are found, judged and made small."""

import pytest

from tests.programs import (
    compare,
    freedoms,
    generate,
    prelude,
    search,
    shrink,
    worker,
)

PROGRAM = """
x1 = array((2, 3), "int16", 4)
x2 = array((3,), "float32", 5)
def f3(p4):
    t5 = jnp.sin(p4)
    return {"a": (t5, None), "b": p4}
t6 = jax.jit(f3)(x2)
t7 = jnp.add(x1, x2)
t8 = jnp.reshape(x1, (4,))
t9 = t8 + 1
t10 = jax.eval_shape(f3, x2)
"""


def _run(text: str, **options) -> list:
    return worker.run(text, prelude.HEADER, **options)


class Changed:
    """A side that answers for a program in which words are replaced."""

    def __init__(self, old: str = "", new: str = "") -> None:
        self._words = old, new

    def send(self, text: str, **options) -> None:
        self._program = (
            (text.replace(*self._words) if self._words[0] else text),
            options,
        )

    def receive(self) -> list:
        text, options = self._program
        return [list(pair) for pair in _run(text, **options)]

    def run(self, text: str, **options) -> list:
        self.send(text, **options)
        return self.receive()


def _differences(old: str, new: str, **options):
    return search.differences(Changed(), Changed(old, new), PROGRAM, **options)


def test_outcomes_have_types_structures_and_refusals():
    found = dict(_run(PROGRAM))
    (leaf, other) = found["t6"]["leaves"]
    assert (leaf["dtype"], leaf["shape"], leaf["weak"]) == ("float32", [3], False)
    assert "None" in found["t6"]["tree"]
    assert found["t7"]["leaves"][0]["dtype"] == "float32"
    assert found["t8"]["error"] == "TypeError"
    assert found["t9"]["error"] == "NameError"
    assert found["t10"]["leaves"][0]["kind"] == "type"
    traced = dict(_run(PROGRAM, traced=True))
    assert traced["t7"]["leaves"][0]["kind"] == "traced"
    assert traced["t8"]["error"] == "TypeError"


def test_settings_of_a_program_end_with_it():
    text = 'jax.config.update("jax_enable_x64", True)\nt1 = jnp.arange(2.0)'
    assert dict(_run(text))["t1"]["leaves"][0]["dtype"] == "float64"
    text = "t1 = jnp.arange(2.0)"
    assert dict(_run(text))["t1"]["leaves"][0]["dtype"] == "float32"


@pytest.mark.parametrize(
    "old, new, sort",
    [
        ("jnp.sin(p4)", "jnp.cos(p4)", "value"),
        ("jnp.sin(p4)", "jnp.sin(p4)[None]", "shape"),
        ("jnp.sin(p4)", 'p4.astype("int8")', "dtype"),
        ("jnp.sin(p4)", "jnp.full(3, 0.5)", "weak"),
        ("(t5, None)", "[t5]", "tree"),
        ("jnp.sin(p4)", "jnp.sin(p4, p4)", "theirs refuses, TypeError"),
        ("(4,)", "(6,)", "ours refuses, TypeError"),
        ("jnp.reshape(x1, (4,))", "[][1]", "class of error, TypeError for IndexError"),
    ],
)
def test_each_sort_of_difference_is_found(old, new, sort):
    found = _differences(old, new)
    if "IndexError" in sort:
        assert not found  # what is no promise
    else:
        assert found[0].sort == sort


def test_the_same_program_has_no_difference():
    assert not _differences("", "")
    assert not _differences("", "", traced=True)
    assert (
        _differences("jnp.sin(p4)", 'p4.astype("int8")', traced=True)[0].sort == "dtype"
    )


def test_what_a_rounding_does_is_noise():
    side = Changed()
    text = "t1 = jnp.sin(1e7 * array((3,), 'float32', 1))"
    assert search.is_noise(side, text, compare.Difference("t1", "value", ""))
    text = "t1 = jnp.sin(array((3,), 'float32', 1))"
    assert not search.is_noise(side, text, compare.Difference("t1", "value", ""))
    assert not search.is_noise(side, text, compare.Difference("t1", "dtype", ""))


def test_a_program_is_made_small():
    ours, theirs = Changed(), Changed("jnp.add(", "jnp.subtract(")
    (found,) = search.differences(ours, theirs, PROGRAM)
    small, facts = search.reduced(ours, theirs, PROGRAM, found, False)
    assert "value" in facts
    assert small.count("\n") <= 3 and "jnp.add(" in small and "f3" not in small
    names = {}
    exec(search.program_file(small, 4, facts), names)  # runs by itself


def test_shrinking_leaves_what_matters():
    wanted = lambda text: "vander" in text and "grad" in text  # noqa: E731
    text = "a = 1\ndef f(x):\n    y = x + a\n    return jnp.vander(y * 2)\nb = jax.grad(f)(a, k=3)\n"
    small = shrink.shrink(text, wanted)
    assert wanted(small) and "y" not in small and "k=3" not in small
    assert shrink.shrink("a = 1\n", wanted) == "a = 1\n"


def test_freedoms_are_of_some_sort_of_difference():
    for row in freedoms.FREEDOMS:
        assert row.reason and (row.facts or row.statement)
        assert (
            freedoms.explain("jnp.sin(x)", compare.Difference("t", "weak", "")) is None
        )


@pytest.mark.parametrize("seed", range(0, 12))
def test_programs_run_and_agree_with_themselves(seed):
    text = generate.generate(seed, traced=True)
    compile(text, "<program>", "exec")
    assert text == generate.generate(seed, traced=True)
    assert not search.differences(Changed(), Changed(), text, traced=True)


def test_the_prelude_gives_the_same_numbers():
    names = prelude.namespace()
    one, other = (names["array"]((2, 2), "bfloat16", 3) for _ in range(2))
    assert one.dtype == "bfloat16" and (one == other).all()
    assert names["array"]((0,), "int4", 3).dtype == "int4"
