"""One entry of the matrix: a composition of transformations on a program."""

import zlib

import numpy as np
import pytest

import jax
from tests.compose import oracle, programs, transformations

# Of the largest number. Float64 rounding, through three derivatives of programs whose
# numbers are near 1.
TOLERANCE = 2e-9
# How far the oracle may be from itself at half the step; else a kink is near, or the step
# does not suit the numbers.
TRUST = 2e-10


def point(names, program, attempt):
    """The argument of an entry; the same in every run."""
    seed = zlib.crc32("/".join((*names, program, str(attempt))).encode())
    return np.random.RandomState(seed).uniform(-1, 1, oracle.SIZE).round(3)


def meaning(names, program, step):
    fun = programs.PROGRAMS[program][1]
    for name in names:
        fun = transformations.TABLE[name].meaning(fun, step)
    return fun


def composed(names, program):
    fun = programs.PROGRAMS[program][0]
    for name in names:
        fun = transformations.TABLE[name].apply(fun)
    return fun


def expected_at(names, program):
    """A point without kinks nearby, and what the composition means there."""
    for attempt in range(20):
        x = point(names, program, attempt)
        for step in oracle.STEPS:
            found = meaning(names, program, step)(oracle.extended(x))
            again = meaning(names, program, step / 2)(oracle.extended(x))
            if np.abs(found - again).max() <= TRUST * max(1, np.abs(found).max()):
                return x, again
    raise AssertionError("The oracle found no point that it trusts.")


def check(names, program):
    """Checks a composition, the inner transformation first."""
    with jax.enable_x64(True):
        _check(names, program)


def _check(names, program):
    if transformations.expected_refusal(names):
        with pytest.raises((TypeError, ValueError)):
            composed(names, program)(point(names, program, 0))
        return
    x, want = expected_at(names, program)
    found = composed(names, program)(x)
    assert found.shape == want.shape and found.dtype == np.float64
    scale = max(1, np.abs(want).max())
    np.testing.assert_allclose(
        np.asarray(found) / float(scale), np.asarray(want / scale, float), 0, TOLERANCE
    )
