"""Callbacks that every device makes with the parts that it has; the outcomes are upstream's."""

import numpy as np
import pytest

import jax
import jax.experimental
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

COUNT = 4
PARTS = [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]


@pytest.fixture
def x():
    assert jax.device_count() == COUNT
    mesh = jax.make_mesh((COUNT,), ("x",))
    return jax.device_put(jnp.arange(8.0), jax.NamedSharding(mesh, P("x")))


def seen_by(function, *args):
    """What a callback, which `function` gets first, has seen."""
    seen = []
    look = lambda *values: seen.append([np.asarray(v).tolist() for v in values])  # noqa: E731
    function(look, *args)
    jax.effects_barrier()
    return sorted(seen)


def in_jit(body):
    return lambda look, *args: jax.jit(lambda *a: body(look, *a))(*args)


def test_each_device_calls_with_its_parts(x):
    look = in_jit(lambda see, x: jax.debug.callback(see, x, partitioned=True))
    assert seen_by(look, x) == [[part] for part in PARTS]
    whole = in_jit(lambda see, x: jax.debug.callback(see, x))
    assert seen_by(whole, x) == [[sum(PARTS, [])]]


def test_each_operand_has_its_own_sharding(x):
    both = in_jit(
        lambda see, x, y: jax.debug.callback(see, x * 2, y, x.sum(), partitioned=True)
    )
    expected = [[[2 * v for v in part], [1.0, 1.0, 1.0], 28.0] for part in PARTS]
    assert seen_by(both, x, jnp.ones(3)) == expected
    nothing = in_jit(lambda see, x: (jax.debug.callback(see, partitioned=True), x)[1])
    assert seen_by(nothing, x) == [[]] * COUNT


def test_devices_with_the_same_part_all_call():
    mesh = jax.make_mesh((2, 2), ("a", "b"))
    y = jax.device_put(np.arange(4.0).reshape(2, 2), jax.NamedSharding(mesh, P("a")))
    look = in_jit(lambda see, y: jax.debug.callback(see, y, partitioned=True))
    rows = [[[0.0, 1.0]], [[2.0, 3.0]]]
    assert seen_by(look, y) == [[rows[0]], [rows[0]], [rows[1]], [rows[1]]]


def test_loops_and_explicit_meshes_call_in_parts(x):
    def body(see, x):
        def step(carry, _):
            jax.debug.callback(see, carry, partitioned=True)
            return carry + 1, None

        return jax.lax.scan(step, x, length=2)[0]

    expected = sorted([[v + k for v in part]] for part in PARTS for k in range(2))
    assert seen_by(in_jit(body), x) == expected
    mesh = jax.make_mesh((COUNT,), ("x",), axis_types=(AxisType.Explicit,))
    explicit = jax.device_put(x, jax.NamedSharding(mesh, P("x")))
    look = in_jit(lambda see, x: jax.debug.callback(see, x, partitioned=True))
    assert seen_by(look, explicit) == [[part] for part in PARTS]


def test_outside_of_divided_programs_nothing_differs(x):
    here = lambda see, x: jax.debug.callback(see, x, partitioned=True)  # noqa: E731
    assert seen_by(here, x) == [[sum(PARTS, [])]]
    assert seen_by(in_jit(here), jnp.arange(3.0)) == [[[0.0, 1.0, 2.0]]]
    mesh = x.sharding.mesh
    mapped = lambda see, x: jax.shard_map(  # noqa: E731
        lambda part: (here(see, part), part)[1],
        mesh=mesh,
        in_specs=P("x"),
        out_specs=P("x"),
    )(x)
    assert seen_by(in_jit(mapped), x) == [[part] for part in PARTS]


def test_lines_are_printed_by_each_device(x, capfd):
    jax.jit(lambda x: jax.debug.print("{}", x, partitioned=True))(x)
    jax.effects_barrier()
    lines = capfd.readouterr().out.split("\n")
    assert sorted(filter(None, lines)) == ["[0. 1.]", "[2. 3.]", "[4. 5.]", "[6. 7.]"]


def partly_manual(body, kinds=AxisType.Auto):
    mesh = jax.make_mesh((2, 2), ("a", "b"), axis_types=(kinds,) * 2)
    options = {"in_specs": P("a"), "out_specs": P("a"), "axis_names": {"a"}}
    function = jax.shard_map(body, mesh=mesh, check_vma=False, **options)

    def run(x):
        with jax.set_mesh(mesh):
            return jax.block_until_ready(jax.jit(function)(x))

    return run


@pytest.mark.parametrize("kinds", [AxisType.Auto, AxisType.Explicit])
def test_in_a_partly_manual_part_looks_are_made_once(kinds):
    y = np.arange(8.0, dtype=np.float32).reshape(4, 2)
    seen = []

    def body(x):
        jax.debug.callback(lambda *v: seen.append([np.shape(w) for w in v]), x, x.sum())
        return x + 1

    np.testing.assert_array_equal(partly_manual(body, kinds)(y), y + 1)
    jax.effects_barrier()
    assert seen == [[(2, 2), ()]] * 2


@pytest.mark.parametrize("kinds", [AxisType.Auto, AxisType.Explicit])
@pytest.mark.parametrize(
    "name", ["pure", "io", "ordered io", "batched", "ordered look"]
)
def test_in_a_partly_manual_part_results_are_refused(name, kinds):
    y = np.arange(8.0, dtype=np.float32).reshape(4, 2)
    pure = lambda x, **how: jax.pure_callback(np.asarray, x, x, **how)  # noqa: E731
    io = jax.experimental.io_callback
    bodies = {
        "pure": pure,
        "io": lambda x: io(np.asarray, x, x),
        "ordered io": lambda x: io(np.asarray, x, x, ordered=True),
        "batched": jax.vmap(lambda x: pure(x, vmap_method="sequential")),
        "ordered look": lambda x: (
            jax.debug.callback(lambda v: None, x, ordered=True),
            x,
        )[1],
    }
    with pytest.raises(NotImplementedError, match="all mesh axes are partitioned manu"):
        partly_manual(bodies[name], kinds)(y)
