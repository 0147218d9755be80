"""Inside of `no_collectives`, operations that communicate along its mesh axes are refused while they are traced."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P, no_collectives

MESH = jax.make_mesh((4, 2), ("x", "y"))
X = np.arange(8.0, dtype=np.float32).reshape(4, 2)


@pytest.fixture(autouse=True)
def mesh():
    with jax.set_mesh(MESH):
        yield


@pytest.fixture
def x():
    return jax.device_put(X, NamedSharding(MESH, P("x", "y")))


def within(names, f):
    def run(*args):
        with no_collectives(names):
            return f(*args)

    return run


# Function -> the axis along which it communicates.
OVER_EXPLICIT_AXES = {
    "a sum": (lambda x: x.sum(0), "reduce_sum"),
    "a minimum": (lambda x: x.min(0), "reduce_min"),
    "an index of the largest": (lambda x: jnp.argmax(x, 0), "argmax"),
    "a contraction": (
        lambda x: jnp.dot(x.T, x, out_sharding=P("y")),
        "contracts over axis 'x'",
    ),
    "a reshard": (lambda x: jax.sharding.reshard(x, P(None, "y")), "reshard"),
    "rows at indices": (
        lambda x: x.at[jnp.array([0])].get(out_sharding=P(None, "y")),
        "reshard",
    ),
    "a sum in a branch": (lambda x: lax.cond(x is X, jnp.sum, jnp.sum, x), "reduce_"),
    "a gradient": (jax.grad(lambda x: x.sum()), "reduce_sum"),
    "an auto block": (
        jax.sharding.auto_axes(lambda x: x.sum(0), out_sharding=P("y")),
        "reshard",
    ),
}


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("name", OVER_EXPLICIT_AXES)
def test_a_result_that_is_no_longer_split_is_refused(name, jitted, x):
    function, text = OVER_EXPLICIT_AXES[name]
    run = within({"x"}, jax.jit(function) if jitted else function)
    with pytest.raises(
        Exception, match="across axis 'x' is forbidden by `no_collectives`"
    ) as error:
        run(x)
    assert type(error.value).__name__ == "ForbiddenCollectiveError"
    assert text in str(error.value)
    function(x)  # Outside of the block it is as it was.


QUIET = {
    "a sum along the other axis": lambda x: x.sum(1),
    "elements": lambda x: jnp.sin(x) + 1,
    "a reshard that keeps the axis": lambda x: jax.sharding.reshard(x, P("x", None)),
    "more rows": lambda x: jnp.concatenate([x, x]),
    "a part of a sum": lambda x: jnp.dot(
        x.T, x.sum(1), out_sharding=P("y", unreduced={"x"})
    ),
}


@pytest.mark.parametrize("name", QUIET)
def test_what_communicates_along_no_such_axis_runs(name, x):
    out, expected = jax.jit(within({"x"}, QUIET[name]))(x), jax.jit(QUIET[name])(x)
    assert jax.typeof(out) == jax.typeof(expected)
    assert jax.typeof(within({"x"}, QUIET[name])(x)) == jax.typeof(expected)
    if not jax.typeof(out).sharding.spec.unreduced:
        np.testing.assert_array_equal(out, expected)


BY_NAME = {
    "psum": lambda x: lax.psum(x, "x"),
    "pmax": lambda x: lax.pmax(x, "x"),
    "pmean": lambda x: lax.pmean(x, "x"),
    "all_gather": lambda x: lax.all_gather(x, "x"),
    "ppermute": lambda x: lax.ppermute(x, "x", [(0, 1)]),
    "psum_scatter": lambda x: lax.psum_scatter(
        jnp.concatenate([x] * 4), "x", tiled=True
    ),
    "all_to_all": lambda x: lax.all_to_all(
        jnp.concatenate([x] * 4), "x", 0, 0, tiled=True
    ),
    "pbroadcast": lambda x: lax.pbroadcast(x, "x", 0),
}


def mapped(f, **options):
    return jax.shard_map(
        lambda x: (f(x), x)[1], in_specs=P("x", "y"), out_specs=P("x", "y"), **options
    )


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("name", BY_NAME)
def test_collectives_along_the_axis_are_refused(name, checked, x):
    function = mapped(BY_NAME[name], check_vma=checked)
    with pytest.raises(Exception, match="`no_collectives`, but `.*` acts on axis 'x'"):
        jax.jit(within({"x"}, function))(x)
    jax.jit(within({"y"}, function))(x)


@pytest.mark.parametrize(
    "f",
    [lambda x: lax.axis_index("x"), lambda x: lax.pcast(1.0, "x", to="varying")],
    ids=["axis_index", "pcast"],
)
def test_what_exchanges_nothing_runs_inside_of_shard_map(f, x):
    np.testing.assert_array_equal(jax.jit(within({"x", "y"}, mapped(f)))(x), X)


def test_an_axis_of_vmap_is_no_mesh_axis():
    f = jax.vmap(lambda x: lax.psum(x, "x"), axis_name="x")
    np.testing.assert_array_equal(within({"x"}, f)(jnp.ones(3)), [3, 3, 3])


def test_a_function_that_was_traced_outside_is_traced_again(x):
    f = jax.jit(lambda x: x.sum(0))
    f(x)
    with pytest.raises(Exception, match="forbidden"):
        within({"x"}, f)(x)
    f(x)


def test_the_innermost_block_counts_and_it_decorates(x):
    np.testing.assert_array_equal(
        within({"x"}, within({"y"}, lambda x: x.sum(0)))(x), X.sum(0)
    )
    with pytest.raises(Exception, match="forbidden"):
        no_collectives(frozenset({"x"}))(lambda x: x.sum(0))(x)


@pytest.mark.parametrize("names", ["x", ["x"], ("x",), None])
def test_names_come_in_a_set(names):
    with pytest.raises(TypeError, match="Expected axis name.* as set or frozenset"):
        no_collectives(names)
