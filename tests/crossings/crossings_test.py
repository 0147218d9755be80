"""Settings change nothing but what they exist for; and the search for crossings finds what is wrong."""

import pytest

import jax
from tests.crossings import constructs, crossing as cr, faults, search
from tests.crossings.settings import SETTINGS

SAMPLE = """
def f1(x):
    return {body}
function, arguments = f1, (array((3,), "float32", 5, "positive"),)
"""


@pytest.fixture(autouse=True)
def quiet():
    search.quiet()


@pytest.mark.parametrize("seed", range(2))
def test_no_setting_changes_what_random_functions_give(seed):
    found = search.Search(most_shown=0, run_every=16)
    found.run(60, seed * 3)
    assert found.programs == 60
    assert not found.found


@pytest.mark.parametrize("name", sorted(set(constructs.WRAPPERS) - {"plain"}))
def test_no_setting_changes_what_a_construct_gives(name):
    # The text decides which settings each construct meets; the search meets all.
    names = sorted(SETTINGS)
    number = sorted(constructs.WRAPPERS).index(name)
    for setting in (names[number % len(names)], names[(number * 7 + 3) % len(names)]):
        text = SAMPLE.format(body="jnp.sin(x) * x[0] + jnp.cumsum(x)")
        one = cr.Crossing(text, (name,), "call", (setting,))
        assert not cr.judge(one, cr.plain(one)), one.words


NUMBERS_AND_REFUSALS = [
    ("lax.clamp(-1.5, x, 2.25)", True),
    ("lax.clamp(x, x, 2)", True),
    ("lax.max(x, 0.5)", False),
    ("jnp.clip(x, -1.5, 2.25)", False),
    ("x * 2.0", False),
]


@pytest.mark.parametrize(("body", "is_refused"), NUMBERS_AND_REFUSALS)
def test_numbers_beside_wide_arrays_are_refused_by_functions_of_lax_alone(
    body, is_refused
):
    text = SAMPLE.format(body=body)
    one = cr.Crossing(text, ("jit",), "call", ("64-bit arguments outside",))
    found = cr.under(one)[0]
    assert ("error" in found) == is_refused
    assert not cr.judge(one, cr.plain(one))
    # The same words of a call that the program does not make are a fault.
    other = "lax.nextafter requires arguments to have the same dtypes"
    assert not cr._is_unpromoted(text, other)


@pytest.mark.parametrize(("number", "wrong"), [("0", "1"), ("2.5", "2"), ("True", "0")])
def test_numbers_stay_numbers_without_jit(number, wrong):
    text = SAMPLE.format(body=f"jnp.sin(x), {number}")
    one = cr.Crossing(text, ("cond",), "compiled", ("jax_disable_jit=True",))
    assert not cr.judge(one, cr.plain(one))
    other = SAMPLE.format(body=f"jnp.sin(x), {wrong}")
    assert cr.judge(one, cr.plain(cr.Crossing(other, one.wrappers, one.end, ())))


@pytest.mark.parametrize("name", faults.FAULTS)
def test_the_search_finds_planted_faults(name):
    planted = faults.FAULTS[name]
    text = SAMPLE.format(body=planted.body)
    one = cr.Crossing(text, planted.wrappers, planted.end, planted.settings)
    wanted = cr.plain(one)
    assert not cr.judge(one, wanted), "the crossing is explained without the fault"
    with planted.plant():
        assert cr.judge(one, cr.plain(one)), "the fault is not seen"


def test_each_pair_of_construct_and_setting_has_its_turn():
    choose = search.random.Random(0)
    names, pairs = set(SETTINGS), set()
    ends = set()
    for seed in range(len(constructs.WRAPPERS) * len(names)):
        for wrappers, end, settings in search._nests(choose, seed):
            pairs |= {(wrappers[-1], chosen[0]) for chosen in settings}
            ends.add(end)
    assert pairs == {(w, s) for w in constructs.WRAPPERS for s in names}
    assert ends == set(constructs.ENDS)
    assert jax.device_count() == 8
