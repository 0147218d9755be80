"""The matrix: transformations of transformations of sample programs mean what they say.

Each entry is compared with the same composition of plain loops and differences. Where a
composition has no derivative, that is refused.
"""

import itertools
import random

import pytest

from tests.compose import check, programs, transformations

ROWS = list(transformations.TABLE)
PROGRAMS = list(programs.PROGRAMS)


def sample(entries, count, seed):
    """Some of the entries, the same in every run, each with a program in turn."""
    chosen = random.Random(seed).sample(entries, count)
    return [
        pytest.param(names, PROGRAMS[i % len(PROGRAMS)], id="-".join(names))
        for i, names in enumerate(chosen)
    ]


def derivatives(names):
    """How many derivatives a composition takes."""
    return sum(len(transformations.TABLE[name].modes) for name in names)


# Differences of differences run out of digits after four derivatives.
PAIRS = list(itertools.product(ROWS, repeat=2))
TRIPLES = [t for t in itertools.product(ROWS, repeat=3) if derivatives(t) <= 4]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_agree_with_numpy(program):
    check.check((), program)


@pytest.mark.parametrize("name", ROWS)
def test_one_transformation(name):
    for program in PROGRAMS[ROWS.index(name) % 4 :: 4]:
        check.check((name,), program)


@pytest.mark.parametrize(("names", "program"), sample(PAIRS, 600, 2))
def test_two_transformations(names, program):
    check.check(names, program)


@pytest.mark.parametrize(("names", "program"), sample(TRIPLES, 250, 3))
def test_three_transformations(names, program):
    check.check(names, program)


# What once went wrong, inner transformation first.
FOUND = [
    ("checkpoint", "grad", "recurrent"),
    ("checkpoint_dots", "jit", "grad", "solved"),
    ("custom_root", "checkpoint", "grad", "solved"),
    ("scan_of_checkpoint", "vjp", "solved"),
    ("leaks_checked", "activated"),
    ("leaks_checked", "value_and_grad", "recurrent"),
    ("custom_linear_solve", "leaks_checked", "layer"),
]


@pytest.mark.parametrize("entry", FOUND, ids="-".join)
def test_compositions_that_once_failed(entry):
    *names, program = entry
    check.check(tuple(names), program)
