"""Operations on parts of sums: the same over Explicit axes and over Manual ones."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

A = (np.arange(64, dtype=np.float32) % 7 / 3).reshape(8, 8)
# `u` is part of the sum that is A @ A.T; `r` is A, and its cotangents are such parts.
WHOLE = A @ A.T
PART, SAME = "{U:x}", "{R:x}"
STE, NIE = "ShardingTypeError", "NotImplementedError"
ROWS = np.arange(8)[:, None] % 3 == 0

OPERATIONS = {
    "neg": (lambda u, r: -u, PART),
    "add": (lambda u, r: u + u, PART),
    "subtract": (lambda u, r: u - u.T, PART),
    "add a number": (lambda u, r: u + 1, STE),
    "add what is whole": (lambda u, r: u + r, STE),
    "scale": (lambda u, r: u * 2, PART),
    "multiply": (lambda u, r: u * r, PART),
    "multiply parts": (lambda u, r: u * u, STE),
    "multiply others": (lambda u, r: u * jnp.ones((8, 8)), STE),
    "divide": (lambda u, r: u / 2, NIE),
    "tanh": (lambda u, r: jnp.tanh(u), NIE),
    "largest": (lambda u, r: u.max(0), NIE),
    "sum": (lambda u, r: u.sum(0), PART),
    "cumulative sum": (lambda u, r: jnp.cumsum(u, 0), PART),
    "transpose": (lambda u, r: u.T, PART),
    "merge": (lambda u, r: u.reshape(64), PART),
    "slice": (lambda u, r: u[2:5], PART),
    "slice at": (lambda u, r: lax.dynamic_slice_in_dim(u, 3, 2), PART),
    "replace at": (lambda u, r: u.at[2].set(1.0), NIE),
    "update at": (
        lambda u, r: lax.dynamic_update_slice_in_dim(u, -u[:2], 1, 0),
        PART,
    ),
    "update others at": (
        lambda u, r: lax.dynamic_update_slice_in_dim(u, jnp.ones((2, 8)), 1, 0),
        STE,
    ),
    "reverse": (lambda u, r: jnp.flip(u, 0), PART),
    "broadcast": (lambda u, r: jnp.broadcast_to(u, (2, 8, 8)), PART),
    "join": (lambda u, r: jnp.concatenate([u, -u]), PART),
    "join others": (lambda u, r: lax.concatenate([u, r], 0), STE),
    "half": (lambda u, r: u.astype(jnp.bfloat16).astype(jnp.float32), PART),
    "select": (lambda u, r: jnp.where(ROWS, u, -u), PART),
    "select by a number": (lambda u, r: jnp.where(True, u, u.T), PART),
    "select others": (lambda u, r: jnp.where(ROWS, u, 0.0), STE),
    "pad": (lambda u, r: jnp.pad(u, 1), PART),
    "pad, with gaps": (lambda u, r: lax.pad(u, 0.0, ((0, 0, 1), (1, 0, 0))), PART),
    "contract": (lambda u, r: u @ r, STE),
    "program": (lambda u, r: jax.jit(jnp.negative)(u), PART),
    "branch": (lambda u, r: lax.cond(r[0, 0] > 9, lambda: u, lambda: -u), PART),
    "loop": (lambda u, r: lax.scan(lambda c, x: (c, -x), 0.0, u)[1], PART),
    "whole, tanh": (lambda u, r: jnp.tanh(r), SAME),
    "whole, number": (lambda u, r: r + 1, SAME),
    "whole, multiply": (lambda u, r: r * r, SAME),
    "whole, select": (lambda u, r: jnp.where(ROWS, r, r.T), SAME),
}


def over_explicit_axes(operation, types):
    mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y")).update(
        axis_types=(AxisType.Explicit,) * 2
    )

    def run(a, b, c):
        u = jnp.einsum("ij,jk->ik", a, b, out_sharding=P(unreduced={"x"}))
        out = operation(u, jax.reshard(c, P(reduced={"x"})))
        types.append(jax.typeof(out).str_short())
        return jax.reshard(out, P())

    with jax.set_mesh(mesh):
        given = [jax.device_put(A, P(None, "x")), jax.device_put(A.T, P("x"))]
        return jax.jit(run)(*given, jax.device_put(A, P()))


def over_manual_axes(operation, types):
    mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))

    def run(a, b, c):
        u = lax.pcast(a @ b, "x", to="unreduced")
        out = operation(u, lax.pcast(c, "x", to="reduced"))
        types.append(jax.typeof(out).str_short())
        if jax.typeof(out).manual_axis_type.reduced:
            return lax.pmean(lax.pcast(out, "x", to="varying"), "x")
        return lax.psum(out, "x")

    specs = (P(None, "x"), P("x"), P())
    f = jax.shard_map(run, mesh=mesh, in_specs=specs, out_specs=P())
    given = [
        jax.device_put(a, NamedSharding(mesh, spec))
        for a, spec in zip((A, A.T, A), specs, strict=True)
    ]
    return jax.jit(f)(*given)


WAYS = {"Explicit": over_explicit_axes, "Manual": over_manual_axes}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_parts_of_sums_are_operated_on(name, way):
    operation, wanted = OPERATIONS[name]
    types = []
    if wanted in (STE, NIE):
        with pytest.raises(Exception, match="reduced|alike") as caught:
            WAYS[way](operation, types)
        assert caught.type.__name__ == wanted
        return
    found = WAYS[way](operation, types)
    assert types[0].endswith("]" + wanted)
    # Sums of other values would be far off; the parts of one are rounded each.
    bound = 2e-2 if name == "half" else 1e-5
    expected = operation(jnp.asarray(WHOLE), jnp.asarray(A))
    np.testing.assert_allclose(found, expected, rtol=bound, atol=bound)


SEEN = {
    "cut": lambda u, r: u.astype(jnp.int32),
    "pad by a number": lambda u, r: lax.pad(u, 1.0, ((1, 0, 0), (0, 0, 0))),
}


@pytest.mark.parametrize("name", SEEN)
def test_what_is_not_linear_in_parts_is_left_to_the_compiler(name):
    found = over_explicit_axes(SEEN[name], [])
    np.testing.assert_allclose(found, SEEN[name](jnp.asarray(WHOLE), A), rtol=1e-5)
    with pytest.raises(Exception, match="psum") as caught:
        over_manual_axes(SEEN[name], [])
    assert caught.type.__name__ in (STE, NIE)


def test_gradients_of_parts_of_what_is_whole_are_parts_of_sums():
    mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))

    def run(a, w):
        same = lax.pcast(w, "x", to="reduced")
        part = jax.grad(
            lambda v: (
                a * jnp.where(ROWS[1:3], v[1:3], -lax.dynamic_slice_in_dim(v, 4, 2))
            ).sum()
        )(same)
        assert jax.typeof(part).str_short() == "float32[8,8]{U:x}"
        return lax.psum(part, "x")

    f = jax.shard_map(run, mesh=mesh, in_specs=(P("x"), P()), out_specs=P())
    want = np.zeros((8, 8), np.float32)
    total = A.reshape(4, 2, 8).sum(0)
    want[1:3] = np.where(ROWS[1:3], total, 0)
    want[4:6] = np.where(ROWS[1:3], 0, -total)
    np.testing.assert_allclose(jax.jit(f)(A, A), want, rtol=1e-5)
