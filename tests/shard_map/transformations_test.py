"""Transformations of `shard_map`, and in it, agree with those of the whole function."""

import itertools

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.interpreters import partial_eval as pe
from jax.sharding import AbstractMesh, PartitionSpec as P
from tests.testing import devices_by_rows as rows

MESH = AbstractMesh((4, 2), ("x", "y"))
ENTRIES = [None, "x", "y", ("x", "y"), ("y", "x")]
SPECS = [
    P(a, b)
    for a, b in itertools.product(ENTRIES, ENTRIES)
    if not {*(a or ())} & {*(b or ())}
]


def values(*shape, seed=0):
    return np.random.default_rng(seed).integers(-8, 9, shape) / np.float32(8)


def elementwise(a, b):
    return jnp.sin(a) * b + jnp.where(a > 0, b, 2.0)


def mapped(f, in_specs, out_specs, **options):
    return jax.shard_map(
        f, mesh=MESH, in_specs=in_specs, out_specs=out_specs, **options
    )


@pytest.mark.parametrize("check_vma", [True, False])
@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_what_goes_element_by_element_is_the_same_however_it_is_split(spec, check_vma):
    a, b = values(8, 8), values(8, 8, seed=1)
    f = mapped(elementwise, (spec, spec), spec, check_vma=check_vma)
    np.testing.assert_allclose(rows.run(f, a, b), elementwise(a, b), rtol=1e-6)
    got = rows.run(lambda *xs: jax.grad(lambda *v: f(*v).sum(), (0, 1))(*xs), a, b)
    want = jax.grad(lambda *v: elementwise(*v).sum(), (0, 1))(a, b)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def loss(w, a):
    hidden = jnp.tanh(a @ w)
    return lax.pmean(jnp.sum(hidden * hidden), ("x", "y"))


def whole_loss(w, a):
    hidden = jnp.tanh(a @ w)
    return jnp.sum(hidden * hidden) / 8


@pytest.mark.parametrize("check_vma", [True, False])
@pytest.mark.parametrize(
    "change",
    [
        lambda f: jax.grad(f),
        lambda f: jax.jit(jax.grad(f)),
        lambda f: lambda w, a: jax.jvp(f, (w, a), (w, a)),
        lambda f: lambda w, a: jax.linearize(f, w, a)[1](w, a),
        lambda f: jax.grad(jax.checkpoint(f)),
        lambda f: jax.jacfwd(jax.grad(f)),
        lambda f: jax.grad(f, 1),
    ],
    ids=["grad", "jit", "jvp", "linearize", "checkpoint", "hessian", "grad_1"],
)
def test_derivatives_are_those_of_the_whole(change, check_vma):
    f = mapped(loss, (P(), P(("x", "y"))), P(), check_vma=check_vma)
    w, a = values(4, 3), values(16, 4, seed=1)
    got = rows.run(change(f), w, a)
    want = change(whole_loss)(w, a)
    for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_rows_may_be_spread_over_a_mesh_axis():
    f = mapped(lambda a: lax.psum(a, "y"), P("y"), P())
    a = values(4, 8)
    got = rows.run(jax.vmap(f, spmd_axis_name="x"), a)
    np.testing.assert_allclose(got, a[:, :4] + a[:, 4:])


def test_values_that_are_closed_over_are_shared():
    c = values(8)

    def f(w):
        return mapped(lambda a: a * w + c, P("x"), P("x"))(values(8, 8)).sum()

    got = rows.run(lambda w: jax.value_and_grad(f)(w), np.float32(3))
    np.testing.assert_allclose(got[1], values(8, 8).sum(), rtol=1e-6)


def test_loops_carry_collectives():
    def body(a):
        ring = [(i, (i + 1) % 4) for i in range(4)]
        total, _ = lax.fori_loop(
            0,
            3,
            lambda _, s: (
                s[0] + lax.ppermute(s[1], "x", ring),
                lax.ppermute(s[1], "x", ring),
            ),
            (a, a),
        )
        return total

    a = values(8, 8)
    got = rows.run(mapped(body, P("x"), P("x")), a)
    np.testing.assert_allclose(
        got, np.tile(a.reshape(4, 2, 8).sum(0), (4, 1)), rtol=1e-6
    )


def test_only_what_is_needed_stays():
    def f(a):
        used, _ = mapped(lambda b: (b * 2, jnp.sin(b)), P("x"), P("x"))(a)
        return used

    jaxpr = jax.make_jaxpr(jax.jit(f))(values(8, 8))
    inner = jaxpr.jaxpr.eqns[0].params["jaxpr"]
    smaller, _ = pe.dce_closed(inner, (True,))
    names = [e.primitive.name for e in smaller.jaxpr.eqns[0].params["jaxpr"].eqns]
    assert "sin" not in names


def test_one_device_needs_no_mesh_of_others():
    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    f = jax.shard_map(
        lambda a: (
            lax.psum(a, "x") + lax.all_gather(a, "x", tiled=True) + lax.axis_index("x")
        ),
        mesh=mesh,
        in_specs=P("x"),
        out_specs=P("x"),
    )
    np.testing.assert_array_equal(f(np.arange(3.0)), [0.0, 2.0, 4.0])
    np.testing.assert_array_equal(jax.jit(f)(np.arange(3.0)), [0.0, 2.0, 4.0])
    np.testing.assert_array_equal(
        jax.grad(lambda a: f(a).sum())(np.arange(3.0)), [2.0] * 3
    )


def decides(a):
    total = lax.psum(a.sum(), "x")
    if total > 0:
        a = jnp.sin(a) * float(total)
    slope = jax.grad(lambda w: lax.psum((a * w).sum(), "x"))(2.0)
    return jax.jit(lambda v: v + 1)(a), slope


def test_a_body_that_decides_by_shared_values_runs_step_by_step():
    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    f = jax.shard_map(decides, mesh=mesh, in_specs=P("x"), out_specs=(P("x"), P()))
    a = values(8) + 1
    out, slope = f(a)
    np.testing.assert_allclose(out, np.sin(a) * a.sum() + 1, rtol=1e-6)
    np.testing.assert_allclose(slope, (np.sin(a) * a.sum()).sum(), rtol=1e-6)
    with pytest.raises(jax.errors.TracerBoolConversionError):
        jax.jit(f)(a)


def test_a_body_that_decides_by_values_of_its_own_is_refused():
    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    f = jax.shard_map(
        lambda a: a if a.sum() > 0 else -a, mesh=mesh, in_specs=P("x"), out_specs=P("x")
    )
    with pytest.raises(jax.errors.TracerBoolConversionError):
        f(values(8))


def test_without_the_check_a_shared_gather_gives_back_each_ones_part():
    def body(a):
        out, back = jax.vjp(lambda v: lax.all_gather(v, "x", to="invarying"), a)
        return back(jnp.ones_like(out) * 3)[0]

    f = mapped(body, P("x"), P("x"), check_vma=False)
    np.testing.assert_array_equal(rows.run(f, values(8, 8)), np.full((8, 8), 3.0))
