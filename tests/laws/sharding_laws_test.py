"""Every primitive gives on several devices what it gives on one, and shards results as its rule says.

A sample of samples and ways; with SHARDING_LAWS=all, every one.
"""

import os

import numpy as np
import pytest

from jax.sharding import AxisType
from tests.testing import laws, sharding_laws

IS_WHOLE = os.environ.get("SHARDING_LAWS") == "all"
AT_ONCE = 60
LIMITS = {"most_samples": None, "most_ways": None} if IS_WHOLE else {}

# Where the compiler shards results otherwise than the types of an Explicit mesh say, and why.
PLACED_OTHERWISE = {
    "clamp": "propagation hears the bounds too, the type only what is clamped",
    "conv_general_dilated": "of groups the compiler cuts the features rather than the batch",
    "reduce_window_sum": "the compiler does not report how uneven windows are sharded",
    "rng_bit_generator": "every device needs the whole state",
    "select_and_gather_add": "propagation hears both operands, the type one",
    "split": "the compiler leaves parts whole that begin within a piece",
}

# What repeats work along an axis that cuts an operand, without a gather.
REPEATED_OTHERWISE = {
    "symmetric_product": "its product has operands cut along one axis, its sum along another",
}


def chunks(cases):
    return [cases[i : i + AT_ONCE] for i in range(0, len(cases), AT_ONCE)]


def _can_be_placed(case, mesh):
    """Pieces are equal, as results of programs must be, and not empty: of those the compiler puts none anywhere."""
    _, sample = laws.sample_of(case.name, case.number)
    is_even = sharding_laws.is_even(sample, case.way, mesh)
    return is_even and all(np.size(x) for x in sample.args)


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


def test_results_are_sharded_as_their_types_say():
    left, typed = (
        sharding_laws.mesh_of((2, 2), kind)
        for kind in (AxisType.Auto, AxisType.Explicit)
    )
    limits = LIMITS or {"most_samples": 1, "most_ways": 3}
    cases = [
        case
        for case in sharding_laws.cases(left.axis_names, **limits)
        if _can_be_placed(case, left)
    ]
    agreed = 0
    wrong = []
    for some in chunks(cases):
        count, found = sharding_laws.placement_differences(some, left, typed)
        agreed += count
        wrong += found
    assert agreed > 60, "almost nothing was determined"
    assert not [text for name, text in wrong if name not in PLACED_OTHERWISE]


@pytest.mark.parametrize("sizes", [(2, 2), (3,)], ids=["2x2", "3"])
def test_what_is_computed_whole_of_pieces_is_noted(sizes):
    mesh = sharding_laws.mesh_of(sizes)
    limits = LIMITS or {"most_samples": 1, "most_ways": 3}
    cases = [
        case
        for case in sharding_laws.cases(mesh.axis_names, **limits)
        if _can_be_placed(case, mesh)
    ]
    assert len(cases) > 50
    wrong = [
        text
        for case in cases
        if case.name not in REPEATED_OTHERWISE
        for text in sharding_laws.silent_repetitions(case, mesh)
    ]
    assert not wrong, "\n".join(wrong)
