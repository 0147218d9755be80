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
    place = sorted(constructs.WRAPPERS).index(name)
    for setting in (names[place % len(names)], names[(place * 7 + 3) % len(names)]):
        text = SAMPLE.format(body="jnp.sin(x) * x[0] + jnp.cumsum(x)")
        one = cr.Crossing(text, (name,), "call", (setting,))
        assert not cr.judge(one, cr.plain(one)), one.words


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
    nests = [n for seed in range(200) for n in search._nests(choose, seed)]
    assert {w[-1] for w, _ in nests} == set(constructs.WRAPPERS)
    assert {e for _, e in nests} == set(constructs.ENDS)
    turns = search.itertools.count()
    met = {s[0] for _ in range(10) for s in search._settings(choose, turns)}
    assert met == set(SETTINGS)
    assert jax.device_count() == 8
