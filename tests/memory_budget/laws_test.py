"""Random programs under budgets: values are equal, peaks are no larger, refusals are true."""

import pytest

from tests.memory_budget import programs

# `python -m tests.memory_budget.programs --count 500` checks more.
COUNT, BLOCK = 24, 6


@pytest.mark.filterwarnings("ignore:Some donated buffers")
@pytest.mark.parametrize("first", range(0, COUNT, BLOCK))
def test_random_programs_fit_with_equal_values_or_are_refused(first):
    found = [
        programs.check(programs.Program(seed)) for seed in range(first, first + BLOCK)
    ]
    assert set(found) <= {"same", "equal", "refused"}
