"""Random kernels compute the same compiled as interpreted; see `random_kernels`."""

import pytest

import jax
from tests.pallas import random_kernels

EACH = 20


@pytest.mark.parametrize("first", range(0, 240, EACH))
def test_random_kernels_compute_the_same_compiled_as_interpreted(first):
    # Each has functions of its own: that is no mistake here.
    before = jax.config.jax_recompilations_until_warning
    jax.config.update("jax_recompilations_until_warning", 0)
    try:
        for seed in range(first, first + EACH):
            made = random_kernels.case(seed)
            assert random_kernels.difference(made) is None, f"{seed}: {made.text}"
    finally:
        jax.config.update("jax_recompilations_until_warning", before)
