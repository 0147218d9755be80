"""Functions of `jax.interpreters` that change and split programs keep what they compute."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.core import eval_jaxpr
from jax.extend.core import jaxpr_as_fun
from jax.interpreters import ad, partial_eval as pe

C = jnp.arange(3.0)
ARGS = (jnp.array([0.5, 1.0, 2.0]), 2.0, 3)


def program(x, y, z):
    return jnp.sin(x) * y * C, jnp.cos(x), z


@pytest.fixture
def closed():
    return jax.make_jaxpr(program)(*ARGS)


def equal(found, expected):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_constants_become_the_first_inputs(closed):
    moved = pe.convert_constvars_jaxpr(closed.jaxpr)
    assert not moved.constvars and len(moved.invars) == 4
    equal(eval_jaxpr(moved, (), C, *ARGS), program(*ARGS))
    equal(jaxpr_as_fun(pe.close_jaxpr(moved))(C, *ARGS), program(*ARGS))


def test_inputs_move_to_the_back(closed):
    moved = pe.move_binders_to_back(closed, [True, False, True])
    x, y, z = ARGS
    equal(jaxpr_as_fun(moved)(y, x, z), program(*ARGS))


def test_outputs_are_left_out(closed):
    smaller = pe.prune_closed_jaxpr_outputs(closed, [False, True, False])
    assert len(smaller.jaxpr.invars) == 3
    equal(jaxpr_as_fun(smaller)(*ARGS), program(*ARGS)[1:2])


@pytest.mark.parametrize("instantiate", [False, True, [False, True, False]])
def test_a_program_is_split_by_what_is_known(closed, instantiate):
    x, y, z = ARGS
    known, unknown, is_unknown, residual_types = pe.partial_eval_jaxpr_nounits(
        closed, [False, True, False], instantiate
    )
    early = jaxpr_as_fun(known)(x, z)
    count = len(early) - len(residual_types)
    late = iter(jaxpr_as_fun(unknown)(*early[count:], y))
    first = iter(early[:count])
    equal([next(late if u else first) for u in is_unknown], program(*ARGS))
    assert [jax.typeof(r) for r in early[count:]] == residual_types


def test_types_of_a_function(closed):
    types = pe.abstract_eval_fun(
        lambda x, *, k: [x * k], jax.typeof(C), debug_info=closed.jaxpr.debug_info, k=2
    )
    assert types == [jax.typeof(C)]


@pytest.mark.parametrize("instantiate", [False, [True, True, False]])
def test_tangents_follow_the_results(closed, instantiate):
    x, y, z = ARGS
    pushed, has_tangent = ad.jvp_jaxpr(closed, [False, True, False], instantiate)
    assert has_tangent == [True, instantiate is not False, False]
    outs = jaxpr_as_fun(pushed)(x, y, z, 1.0)
    equal(outs[:3], program(*ARGS))
    equal(outs[3:4], [jnp.sin(x) * C])
    if instantiate:
        equal(outs[4:], [jnp.zeros(3)])
