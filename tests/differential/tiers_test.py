"""Random programs give the same bits in every tier of compilation."""

from tests.differential import tiers

SAMPLE = 40


def test_a_sample_of_programs_has_the_same_bits():
    assert not [found for seed in range(SAMPLE) if (found := tiers.difference(seed))]
