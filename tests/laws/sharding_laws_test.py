"""Every primitive gives on several devices what it gives on one, and lies where its rule says.

A sample of samples and ways; with SHARDING_LAWS=all, every one.
"""

import os

import pytest

from jax.sharding import AxisType
from tests.testing import laws, sharding_laws

IS_WHOLE = os.environ.get("SHARDING_LAWS") == "all"
AT_ONCE = 60
LIMITS = {"most_samples": None, "most_ways": None} if IS_WHOLE else {}

# Where the compiler puts results elsewhere than the types of an Explicit mesh say, and why it may: propagation
# is that of the real XLA's compiler, whose table knows these otherwise.
PLACED_OTHERWISE = {
    "clamp": "propagation hears the larger operands too, the type the number that is clamped",
    "hessenberg": "a call to a library whose operands nothing is known of",
    "lu": "a call to a library whose results have no rule",
    "rng_bit_generator": "the state is whole to the compiler, which every device needs",
    "select_and_gather_add": "two operands that want different axes: the compiler takes neither",
    "split": "of the second part the compiler knows only that it is behind the first",
}


def chunks(cases):
    return [cases[i : i + AT_ONCE] for i in range(0, len(cases), AT_ONCE)]


@pytest.mark.parametrize("sizes", [(2, 2), (3,)], ids=["2x2", "3"])
def test_in_pieces_results_are_those_of_the_whole(sizes):
    mesh = sharding_laws.mesh_of(sizes)
    limits = LIMITS or {"most_samples": 1, "most_ways": 2 if len(sizes) > 1 else 1}
    cases = sharding_laws.cases(mesh.axis_names, **limits)
    assert len(cases) > 100
    wrong = [
        w for some in chunks(cases) for w in sharding_laws.value_differences(some, mesh)
    ]
    assert not wrong, "\n".join(wrong)


def test_results_lie_where_their_types_say():
    left, typed = (
        sharding_laws.mesh_of((2, 2), kind)
        for kind in (AxisType.Auto, AxisType.Explicit)
    )
    limits = LIMITS or {"most_samples": 1, "most_ways": 3}
    cases = [
        case
        for case in sharding_laws.cases(left.axis_names, **limits)
        if sharding_laws.is_even(
            laws.sample_of(case.name, case.number)[1], case.way, left
        )
    ]
    agreed = 0
    wrong = []
    for some in chunks(cases):
        count, found = sharding_laws.placement_differences(some, left, typed)
        agreed += count
        wrong += found
    assert agreed > 60, "almost nothing was determined"
    assert not [text for name, text in wrong if name not in PLACED_OTHERWISE]
