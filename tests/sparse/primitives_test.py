"""The primitives of sparse arrays obey the laws of all primitives."""

import numpy as np
import pytest

import jax
from jax._src.core import primitive as primitive_lib
from jax.experimental import sparse  # noqa: F401  (declares them)
from tests.testing import laws

NAMES = [
    name
    for name in primitive_lib.declared_primitives()
    if name.startswith(("bcoo_", "bcsr_", "coo_", "csr_", "spsolve"))
]
CASES = [(n, k) for n, k in laws.cases() if n in NAMES]
every_sample = pytest.mark.parametrize(("name", "number"), CASES)


def test_every_one_has_samples():
    assert len(NAMES) == 22
    assert {name for name, _ in CASES} == set(NAMES)


@every_sample
def test_program_and_types(name, number):
    primitive, sample = laws.sample_of(name, number)
    jitted = jax.jit(lambda *xs: primitive.bind(*xs, **sample.params))
    found, eager = jitted(*sample.args), primitive.bind(*sample.args, **sample.params)
    shapes = jax.eval_shape(jitted, *sample.args)
    for a, b, c in zip(*map(jax.tree.leaves, (found, eager, shapes)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
        assert (a.shape, a.dtype) == (c.shape, c.dtype)
    laws.prints(primitive, sample)


@every_sample
def test_batching_is_a_loop(name, number):
    primitive, sample = laws.sample_of(name, number)

    def run(*xs):
        return primitive.bind(*xs, **sample.params)

    for index, x in enumerate(sample.args):
        rows = np.stack([x, x])
        axes = [0 if k == index else None for k in range(len(sample.args))]
        args = [rows if k == index else y for k, y in enumerate(sample.args)]
        many, one = jax.vmap(run, axes)(*args), run(*sample.args)
        for a, b in zip(*map(jax.tree.leaves, (many, one)), strict=True):
            np.testing.assert_allclose(a[1], b, rtol=1e-5)
