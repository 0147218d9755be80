"""Mistakes around `shard_map` are explained: class, facts, and the way out."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import shard_map as first
from jax.sharding import AbstractMesh, AxisType, PartitionSpec as P

MESH = AbstractMesh((4, 2), ("x", "y"))
X = np.ones((8, 8), np.float32)


def call(body, in_specs, out_specs, *args, **options):
    options = {"mesh": MESH, **options}
    f = jax.shard_map(body, in_specs=in_specs, out_specs=out_specs, **options)
    return jax.eval_shape(f, *(args or (X,)))


def same(a):
    return a


@pytest.mark.parametrize(
    ("run", "error", "texts"),
    [
        (
            lambda: call(same, P("x"), P()),
            ValueError,
            ["may differ along", "'x'", "check_vma=False"],
        ),
        (lambda: call(same, P("q"), P("x")), ValueError, ["'q'"]),
        (lambda: call(same, P("x"), P("q")), ValueError, ["'q'"]),
        (
            lambda: call(same, P(None, None, "x"), P("x")),
            ValueError,
            ["too long", "rank 2", "float32[8,8]"],
        ),
        (
            lambda: call(same, P("x"), P("x"), np.ones(6)),
            ValueError,
            ["not evenly divisible", "into 4 parts"],
        ),
        (lambda: call(lambda a: a.sum(), P("x"), P("x")), ValueError, ["x[None]"]),
        (lambda: call(same, (P("x"), P("x")), P("x")), ValueError, ["in_specs"]),
        (lambda: call(lambda a: (a, a), P("x"), (P("x"),)), ValueError, ["out_specs"]),
        (lambda: call(same, "x", P("x")), TypeError, ["in_specs", "'x'", "P()"]),
        (lambda: call(same, P("x"), "x"), TypeError, ["out_specs", "'x'"]),
        (lambda: call(same, P("x"), None), ValueError, ["out_specs"]),
        (lambda: call(same, P("x", "x"), P("x")), Exception, ["x"]),
        (
            lambda: call(same, P("x"), P("x"), axis_names={"q"}),
            ValueError,
            ["axis_names"],
        ),
        (
            lambda: call(same, P("x"), P("x"), axis_names=["x"]),
            TypeError,
            ["axis_names"],
        ),
        (
            lambda: call(same, P("y"), P("y"), axis_names={"x"}),
            ValueError,
            ["not manual", "axis_names"],
        ),
        (lambda: call(same, P("x"), P("x"), mesh="m"), TypeError, ["'m'"]),
        (
            lambda: call(same, P("x"), P("x"), mesh=None),
            ValueError,
            ["The context mesh cannot be empty", "set_mesh"],
        ),
        (lambda: call(3, P("x"), P("x")), TypeError, ["function"]),
        (
            lambda: jax.shard_map(same, mesh=MESH, out_specs=P("x"))(X),
            TypeError,
            ["Explicit", "in_specs"],
        ),
        (
            lambda: jax.shard_map(same, mesh=MESH, in_specs=P("x"), out_specs=P("x"))(
                a=X
            ),
            TypeError,
            [],
        ),
        (
            lambda: call(lambda a: call(same, P("x"), P("x"), a) and a, P("x"), P("x")),
            ValueError,
            ["around already"],
        ),
        (
            lambda: call(lambda a: lax.psum(a, ("x", "y")), P("x"), P()),
            ValueError,
            ["invarying, varying", "pcast"],
        ),
        (
            lambda: call(
                lambda a: lax.psum(a, "x", axis_index_groups=[[0, 1], [2, 3]]),
                P("x"),
                P("x"),
            ),
            NotImplementedError,
            ["check_vma=False"],
        ),
        (
            lambda: call(lambda a: lax.psum(jax.random.key(0), "x"), P("x"), P()),
            TypeError,
            ["psum", "key<fry>"],
        ),
        (
            lambda: call(
                lambda a: lax.psum_scatter(a > 0, "y", tiled=True), P("x"), P("x")
            ),
            TypeError,
            ["psum_scatter", "bool"],
        ),
        (
            lambda: call(
                lambda a: lax.psum(a, "x", axis_index_groups=[[0, 1]]),
                P("x"),
                P("x"),
                check_vma=False,
            ),
            ValueError,
            ["do not cover"],
        ),
        (
            lambda: call(
                lambda a: lax.all_gather(a, "x", axis_index_groups=[[0], [1, 2, 3]]),
                P("x"),
                P("x"),
                check_vma=False,
            ),
            ValueError,
            ["differ in size"],
        ),
        (
            lambda: call(
                lambda a: lax.ppermute(a, "x", [(0, 1), (0, 2)]), P("x"), P("x")
            ),
            ValueError,
            ["sources and destinations must be unique"],
        ),
        (
            lambda: call(lambda a: lax.ppermute(a, "x", [(0, 9)]), P("x"), P("x")),
            IndexError,
            ["9"],
        ),
        (
            lambda: call(lambda a: lax.psum_scatter(a, "x"), P("x"), P("x")),
            ValueError,
            ["tiled=True"],
        ),
        (
            lambda: call(lambda a: lax.all_to_all(a, "x", 1, 0), P("x"), P("x")),
            ValueError,
            ["split_axis"],
        ),
        (
            lambda: call(lambda a: lax.all_gather(a, "x", to="nope"), P("x"), P("x")),
            ValueError,
            ["'nope'", "invarying"],
        ),
        (
            lambda: call(lambda a: lax.pcast(a, "x", to="nope"), P("x"), P("x")),
            ValueError,
            ["nope"],
        ),
        (
            lambda: call(lambda a: lax.pcast(a, "x", to="varying"), P("x"), P("x")),
            ValueError,
            ["Unsupported pcast"],
        ),
        (
            lambda: call(lambda a: lax.pcast(a, {"x"}, to="varying"), P("x"), P("x")),
            TypeError,
            ["not a set"],
        ),
        (
            lambda: lax.pcast(jnp.ones(2), "x", to="varying"),
            ValueError,
            ["no such axis"],
        ),
        (lambda: lax.psum(jnp.ones(2), "x"), NameError, ["x"]),
        (lambda: call(lambda a: lax.psum("s", "x"), P("x"), P()), TypeError, ["psum"]),
        (
            lambda: call(lambda a: lax.pbroadcast(a, "y", 0), P("x"), P("x")),
            ValueError,
            ["does not vary"],
        ),
        (
            lambda: call(
                lambda a: lax.scan(lambda c, r: (c + r[0], None), 0.0, a)[0][None],
                P("x"),
                P("x"),
            ),
            TypeError,
            ["manual axis types", "pcast"],
        ),
        (
            lambda: call(
                lambda a: lax.while_loop(lambda s: s < 3, lambda s: s + a[0, 0], 0.0)[
                    None
                ],
                P("x"),
                P("x"),
            ),
            TypeError,
            ["manual axis types"],
        ),
        (
            lambda: call(
                lambda a: lax.cond(True, lambda: a, lambda: jnp.ones((2, 8))),
                P("x"),
                P("x"),
            ),
            TypeError,
            ["manual axis types", "pcast"],
        ),
        (
            lambda: jax.smap(same, in_axes=0, out_axes=0, axis_name="x")(X),
            ValueError,
            ["The context mesh cannot be empty"],
        ),
        (
            lambda: jax.eval_shape(
                jax.vmap(
                    jax.shard_map(
                        same, mesh=MESH, in_specs=P(), out_specs=P(), axis_names={"x"}
                    ),
                    spmd_axis_name=("x", "y"),
                ),
                np.ones((16, 4)),
            ),
            ValueError,
            ["spmd_axis_name", "others", "'y'"],
        ),
        (
            lambda: jax.eval_shape(
                jax.vmap(
                    jax.shard_map(same, mesh=MESH, in_specs=P(), out_specs=P()),
                    spmd_axis_name="q",
                ),
                np.ones((16, 4)),
            ),
            ValueError,
            ["spmd_axis_name", "'q'", "mesh"],
        ),
        (
            lambda: jax.pmap(jax.pmap(same))(np.ones((1, 1))),
            ValueError,
            ["pmap", "around already"],
        ),
        (
            lambda: jax.smap(same, in_axes="x", out_axes=0, axis_name="x"),
            TypeError,
            ["in_axes"],
        ),
        (
            lambda: jax.smap(same, in_axes=0, out_axes=0, axis_name=("x", "y")),
            TypeError,
            ["axis_name", "('x', 'y')"],
        ),
        (
            lambda: jax.eval_shape(
                jax.vmap(
                    jax.shard_map(same, mesh=MESH, in_specs=P(), out_specs=P()),
                    spmd_axis_name=("x", "y"),
                ),
                np.ones((12, 4)),
            ),
            ValueError,
            ["spmd_axis_name", "rows", "12", "parts"],
        ),
    ],
)
def test_a_mistake_is_explained(run, error, texts):
    with pytest.raises(error) as caught:
        run()
    for text in texts:
        assert text in str(caught.value)


def test_messages_in_two_halves_are_for_devices_with_channels():
    def body(a):
        token = lax.psend(a, "x", [(0, 1)])
        return lax.precv(token, a, "x", [(0, 1)])

    run = jax.shard_map(body, mesh=MESH, in_specs=P("x"), out_specs=P("x"))
    assert jax.eval_shape(run, X).shape == (8, 8)
    with pytest.raises(NotImplementedError, match="ppermute sends and receives"):
        jax.jit(run).lower(X)


def test_the_first_path_still_works_and_names_the_new_one():
    with pytest.warns(DeprecationWarning, match="use jax.shard_map, whose"):
        run = first.shard_map(same, MESH, P("x"), P(), check_rep=False)
    assert jax.eval_shape(run, X).shape == (2, 8)


def test_the_types_say_how_arguments_are_sharded_over_explicit_axes():
    mesh = AbstractMesh((8,), ("x",), axis_types=(AxisType.Explicit,))
    with pytest.raises(ValueError, match="differ from the type"):
        call(same, P("x"), P("x"), np.ones(8), mesh=mesh)


def test_the_mesh_has_axes_of_the_types_of_the_context():
    kinds = AxisType.Explicit, AxisType.Auto
    context = AbstractMesh((4, 2), ("x", "y"), (AxisType.Explicit,) * 2)
    mixed = AbstractMesh((4, 2), ("x", "y"), kinds)
    for mesh in (MESH, mixed):
        with jax.sharding.use_abstract_mesh(context):
            with pytest.raises(ValueError, match="differs from that of the context"):
                call(same, P("x"), P("x"), mesh=mesh)
    with jax.sharding.use_abstract_mesh(MESH):
        assert call(same, P(), P(), mesh=context).shape == (8, 8)
