"""Inside of `shard_map`, types say along which mesh axes values vary."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AbstractMesh, PartitionSpec as P

MESH = AbstractMesh((4, 2), ("x", "y"))


def types_in(body, spec, x=np.ones((8, 8), np.float32), **options):
    """The types of what a body makes, as text."""
    seen = []

    def run(a):
        out = body(a)
        seen.extend(jax.typeof(leaf).str_short(True) for leaf in jax.tree.leaves(out))
        return a

    jax.eval_shape(
        jax.shard_map(run, mesh=MESH, in_specs=spec, out_specs=spec, **options), x
    )
    return seen[0] if len(seen) == 1 else seen


@pytest.mark.parametrize(
    ("body", "want"),
    [
        (lambda a: a, "f32[2,8]{V:x}"),
        (lambda a: jnp.ones(3), "f32[3]"),
        (lambda a: a * jnp.ones(8), "f32[2,8]{V:x}"),
        (lambda a: jnp.zeros_like(a), "f32[2,8]{V:x}"),
        (lambda a: lax.full_like(a, 2), "f32[2,8]{V:x}"),
        (lambda a: lax.psum(a, "x"), "f32[2,8]"),
        (lambda a: lax.psum(jnp.ones(2), ("x", "y")), "f32[2]"),
        (lambda a: lax.pmax(a, ("x", "y")), "f32[2,8]"),
        (lambda a: lax.all_gather(a, "y"), "f32[2,2,8]{V:(x,y)}"),
        (lambda a: lax.all_gather(a, "x", to="invarying"), "f32[4,2,8]"),
        (lambda a: lax.all_gather(a, "x", to="reduced"), "f32[4,2,8]{R:x}"),
        (lambda a: lax.ppermute(a, "y", [(0, 1)]), "f32[2,8]{V:(x,y)}"),
        (lambda a: lax.axis_index("y"), "i32[]{V:y}"),
        (lambda a: lax.pcast(a, "y", to="varying"), "f32[2,8]{V:(x,y)}"),
        (lambda a: lax.pcast(a, "x", to="unreduced"), "f32[2,8]{U:x}"),
        (lambda a: lax.pcast(a, "y", to="reduced"), "f32[2,8]{V:x, R:y}"),
        (lambda a: -lax.pcast(a, "x", to="unreduced"), "f32[2,8]{U:x}"),
        (lambda a: lax.scan(lambda c, x: (c + x, c), a[0], a)[1], "f32[2,8]{V:x}"),
        (lambda a: lax.cond(a[0, 0] > 0, lambda: 1.0, lambda: 2.0), "f32[]"),
        (lambda a: jax.jit(lambda b: lax.psum(b, "x"))(a), "f32[2,8]"),
        (lambda a: jax.checkpoint(jnp.sin)(a), "f32[2,8]{V:x}"),
        (lambda a: jax.grad(lambda w: jnp.sum(a * w))(2.0), "f32[]"),
        (
            lambda a: jax.grad(lambda w: jnp.sum(a * w))(
                lax.pcast(2.0, "x", to="varying")
            ),
            "f32[]{V:x}",
        ),
    ],
)
def test_the_type_says_what_varies(body, want):
    assert types_in(body, P("x")) == want


def test_without_the_check_types_do_not_show_what_varies():
    assert types_in(lambda a: a, P("x"), check_vma=False) == "f32[2,8]"
    assert types_in(lambda a: lax.psum(a, "x"), P("x"), check_vma=False) == "f32[2,8]"


def test_axes_that_are_not_named_stay_with_the_compiler():
    assert types_in(lambda a: a, P("x"), axis_names={"x"}) == "f32[2,8]{V:x}"


def test_nested_maps_add_their_axes():
    def outer(a):
        return jax.shard_map(
            lambda b: b,
            mesh=MESH,
            in_specs=P(None, "y"),
            out_specs=P(None, "y"),
            axis_names={"y"},
        )(a)

    assert types_in(outer, P("x"), axis_names={"x"}) == "f32[2,8]{V:x}"


def test_operands_must_match_where_casts_are_off():
    jax.config.update("jax_auto_pcast", False)
    try:
        with pytest.raises(ValueError, match="requires varying manual axes to match"):
            types_in(lambda a: a * jnp.ones(8), P("x"))
    finally:
        jax.config.update("jax_auto_pcast", True)
