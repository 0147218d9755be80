"""Programs that are divided among eight devices."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental.shard_alike import shard_alike
from jax.sharding import (
    AxisType,
    Mesh,
    NamedSharding,
    PartitionSpec as P,
    SingleDeviceSharding,
)

VALUES = np.arange(32, dtype="f4").reshape(8, 4)


def mesh(shape=(4, 2), names=("x", "y")):
    return Mesh(np.array(jax.devices()).reshape(shape), names)


def named(*entries, shape=(4, 2), names=("x", "y")):
    return NamedSharding(mesh(shape, names), P(*entries))


def split(spec=P("x", "y"), values=VALUES):
    return jax.device_put(values, named(*spec))


CALLS = {
    "an operator": (lambda x: x * x + 1, lambda x: x * x + 1, P("x", "y")),
    "a reduction": (lambda x: jnp.sum(x, 0), lambda x: np.sum(x, 0), P("y")),
    "a product": (lambda x: x @ x.T, lambda x: x @ x.T, None),
    "an index": (lambda x: x[3], lambda x: x[3], P("y")),
    "a number": (lambda x: 2.0 * x, lambda x: 2.0 * x, P("x", "y")),
    "a host array": (lambda x: x + VALUES, lambda x: x + VALUES, P("x", "y")),
    "an uncommitted array": (lambda x: x + jnp.ones(4), lambda x: x + 1, P("x", "y")),
    "a transpose": (lambda x: x.T, lambda x: x.T, P("y", "x")),
    "a gradient": (jax.grad(lambda x: jnp.sum(x**2)), lambda x: 2 * x, P("x", "y")),
    "a batch": (jax.vmap(lambda row: row - row[0]), lambda x: x - x[:, :1], None),
    "a loop": (lambda x: jax.lax.scan(lambda c, r: (c + r, r), x[0], x)[0],
               lambda x: x.sum(0) + x[0], None),
    "a pure callback": (
        lambda x: jax.pure_callback(np.negative, jax.ShapeDtypeStruct((8, 4), "f4"), x),
        np.negative, P()),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_arrays_in_parts_are_computed_with(name):
    fun, expected, spec = CALLS[name]
    for call in (fun, jax.jit(fun)):
        for _ in range(2):  # the second time by the native path
            result = call(split())
            assert result.committed
            assert result.sharding.mesh is mesh()
            np.testing.assert_allclose(result, expected(VALUES), rtol=1e-6)
    if spec is not None:
        assert result.sharding.is_equivalent_to(named(*spec), result.ndim)


def test_each_device_computes_its_part():
    x = jax.jit(lambda x: x + 1)(split())
    assert x.sharding is split().sharding or x.sharding == split().sharding
    for shard in x.addressable_shards:
        assert shard.data.shape == (2, 2)
        np.testing.assert_array_equal(shard.data, VALUES[shard.index] + 1)


def test_arrays_split_differently_over_the_same_devices_go_together():
    other = jax.device_put(VALUES, named("b", shape=(2, 4), names=("a", "b")))
    result = split(P("x")) + split(P(None, "y")) + split(P()) + other
    np.testing.assert_array_equal(result, 4 * VALUES)


def test_arrays_on_other_devices_do_not():
    with pytest.raises(ValueError, match="incompatible devices") as caught:
        split() + jax.device_put(VALUES, jax.devices()[0])
    assert "`y`" in str(caught.value) and "ids [0]" in str(caught.value)
    reverse = Mesh(np.array(jax.devices()[::-1]), "x")
    with pytest.raises(ValueError, match="incompatible devices"):
        split() + jax.device_put(VALUES, NamedSharding(reverse, P("x")))


def test_results_have_the_requested_shardings():
    halves = named("y")
    fun = jax.jit(
        lambda x: {"a": x + 1, "b": x.sum()}, out_shardings={"a": halves, "b": None}
    )
    for _ in range(2):
        out = fun(split())
        assert out["a"].sharding is halves
        assert out["a"].addressable_shards[1].data.shape == (4, 4)
        assert out["b"].sharding == named()
        np.testing.assert_array_equal(out["a"], VALUES + 1)
        assert out["b"] == VALUES.sum()


def test_arguments_get_the_requested_shardings():
    fun = jax.jit(lambda x: x + 1, in_shardings=named("x"))
    for _ in range(2):
        result = fun(VALUES)
        assert result.sharding == named("x")
        np.testing.assert_array_equal(result, VALUES + 1)
    with pytest.raises(
        ValueError, match="does not match the sharding on the respective"
    ):
        fun(split())


def test_shardings_name_the_same_devices():
    one = SingleDeviceSharding(jax.devices()[0])
    fun = jax.jit(lambda x: x, in_shardings=named(), out_shardings=one)
    with pytest.raises(ValueError, match="incompatible devices"):
        fun(VALUES)


@pytest.mark.parametrize(
    "wrong", [P("x", None, "y"), P(P.UNCONSTRAINED), P(("x", "y"), None)]
)
@pytest.mark.parametrize("where", ["in_shardings", "out_shardings"])
def test_shardings_fit_what_they_are_for(where, wrong):
    values = np.ones((4, 6), "f4")
    with pytest.raises(ValueError, match=where):
        jax.jit(lambda x: x, **{where: named(*wrong)})(values)


def test_a_constraint_shards_a_value_inside():
    @jax.jit
    def fun(x):
        y = jax.lax.with_sharding_constraint(x * 2, named(None, "x"))
        return y, jax.lax.with_sharding_constraint(y[:7], named("x"))

    y, uneven = fun(VALUES)
    assert y.sharding == named(None, "x")
    assert y.committed
    np.testing.assert_array_equal(uneven, 2 * VALUES[:7])
    rows = jax.vmap(lambda r: jax.lax.with_sharding_constraint(r, named("y")))
    assert jax.jit(rows)(VALUES).sharding.spec[1] == "y"
    spread = jax.vmap(
        lambda r: jax.lax.with_sharding_constraint(r, named("y")), spmd_axis_name="x"
    )
    assert jax.jit(spread)(VALUES).sharding == named("x", "y")


def test_under_a_mesh_everything_runs_on_its_devices():
    with jax.set_mesh(mesh()):
        x = jnp.zeros(8)
        assert (x.sharding, x.committed) == (named(), True)
        y = jax.jit(lambda x: x + 1, in_shardings=P("x"), out_shardings=P("y"))(VALUES)
        assert y.sharding == named("y")
        assert jax.device_put(VALUES, P(None, "y")).sharding == named(None, "y")
        with pytest.raises(ValueError, match="the current mesh"):
            jax.device_put(1.0, jax.devices()[1]) + 1


def test_a_compiled_call_reports_all_shardings():
    compiled = jax.jit(lambda x, y: (x.T, y)).lower(split(), VALUES).compile()
    (first, second), _ = compiled.input_shardings
    assert first == named("x", "y")
    assert compiled.output_shardings[0] == named("y", "x")
    out, _ = compiled(split(), VALUES)
    np.testing.assert_array_equal(out, VALUES.T)
    with pytest.raises(ValueError, match="disagree"):
        compiled(split(P("y")), VALUES)


def test_a_program_may_be_lowered_for_a_mesh_without_devices():
    there = NamedSharding(jax.sharding.AbstractMesh((4, 2), ("x", "y")), P("x"))
    argument = jax.ShapeDtypeStruct((8, 4), np.float32, sharding=there)
    traced = jax.jit(lambda x: x * 2).trace(argument)
    lowered = traced.lower(lowering_platforms=("cpu",))
    assert "mhlo.num_partitions = 8" in lowered.as_text()
    assert traced.lower().as_text() == lowered.as_text()
    compiled = lowered.compile(device_assignment=tuple(jax.devices()))
    assert compiled(VALUES).sharding.spec == P("x")


def test_results_over_an_abstract_mesh_are_on_the_devices_of_the_call():
    there = NamedSharding(jax.sharding.AbstractMesh((4, 2), ("x", "y")), P("y"))
    f = jax.jit(lambda x: x * 2, out_shardings=there)
    for _ in range(2):  # the second time by the native path
        out = f(split(P("x")))
        assert out.sharding == named("y")
        np.testing.assert_array_equal(out, VALUES * 2)
    compiled = f.lower(split(P("x"))).compile()
    assert compiled.output_shardings == named("y")


def test_axes_of_the_current_mesh_may_change_their_types():
    explicit = mesh().update(axis_types=(AxisType.Explicit, AxisType.Auto))
    with (
        jax.set_mesh(mesh()),
        jax.sharding.use_abstract_mesh(explicit.abstract_mesh),
    ):
        results = [
            jnp.asarray(VALUES) + 1,
            jax.jit(lambda x: x + 1)(VALUES),
        ]
    for out in results:
        assert out.sharding.mesh is explicit
        np.testing.assert_array_equal(out, VALUES + 1)


def test_arrays_that_shall_be_sharded_alike_need_no_program():
    one, other = shard_alike(split(), jnp.asarray(VALUES))
    assert one.sharding == other.sharding == named("x", "y")
    np.testing.assert_array_equal(other, VALUES)


def test_donated_parts_are_taken():
    x = split()
    y = jax.jit(lambda x: x + 1, donate_argnums=0, out_shardings=x.sharding)(x)
    assert x.is_deleted()
    np.testing.assert_array_equal(y, VALUES + 1)


def test_effects_happen_once(capfd):
    jax.jit(lambda x: jax.debug.print("sum {}", x.sum()))(split())
    jax.effects_barrier()
    assert capfd.readouterr().out == f"sum {VALUES.sum()}\n"


def test_ordered_effects_keep_their_order(capfd):
    @jax.jit
    def fun(x):
        jax.debug.print("a {}", x[0, 0], ordered=True)
        jax.debug.print("b {}", x[0, 1], ordered=True)

    for _ in range(3):
        fun(split())
    jax.effects_barrier()
    assert capfd.readouterr().out == "a 0.0\nb 1.0\n" * 3


def test_keys_may_be_on_several_devices():
    keys = jax.device_put(jax.random.split(jax.random.key(3), 8), named("x"))
    draw = lambda keys: jax.vmap(lambda k: jax.random.normal(k, (5,)))(keys)  # noqa: E731
    x = jax.jit(draw)(keys)
    assert x.sharding == named("x")
    plain = draw(jax.random.split(jax.random.key(3), 8))
    np.testing.assert_array_equal(x, plain)
    assert jax.jit(lambda k: k)(keys).sharding == named("x")


def test_closed_over_arrays_stay_where_they_are():
    big = split(values=np.arange(32 * 100, dtype="f4").reshape(800, 4))
    out = jax.jit(lambda: big * 2)()
    assert out.sharding == big.sharding
    np.testing.assert_array_equal(out, 2 * np.asarray(big))


@pytest.mark.parametrize("size", [8, 1024])  # part of the program, and an argument
@pytest.mark.parametrize("where", ["one device", "some devices", "another order"])
def test_closed_over_arrays_come_to_the_arguments(size, where):
    values = np.arange(size * 4, dtype="f4").reshape(size, 4)
    devices = np.array(jax.devices())
    held = jax.device_put(
        values,
        {
            "one device": SingleDeviceSharding(devices[3]),
            "some devices": NamedSharding(Mesh(devices[:4], "i"), P("i")),
            "another order": NamedSharding(Mesh(devices[::-1], "i"), P("i")),
        }[where],
    )
    f = jax.jit(lambda x: x + held)
    for _ in range(2):
        out = f(split(values=values))
        assert out.sharding == named("x", "y")
        np.testing.assert_array_equal(out, 2 * values)


def test_committed_arguments_move_to_other_devices_if_they_are_cut_alike():
    devices = np.array(jax.devices())
    whole = jax.device_put(VALUES, devices[3])
    for sharding in (SingleDeviceSharding(devices[5]), named()):
        out = jax.jit(lambda x: x + 1, in_shardings=sharding)(whole)
        assert out.devices() == sharding.device_set
        np.testing.assert_array_equal(out, VALUES + 1)
    with pytest.raises(ValueError, match="does not match the sharding"):
        jax.jit(lambda x: x + 1, in_shardings=named("x"))(whole)


def test_a_constraint_moves_to_another_memory_without_a_program_too():
    sharding = NamedSharding(mesh(), P("x"), memory_kind="pinned_host")
    for x in (split(), jnp.asarray(VALUES)):
        out = jax.lax.with_sharding_constraint(x, sharding)
        assert out.sharding == sharding
        assert jax.typeof(out).memory_space == jax.memory.Space.Host
    back = jax.lax.with_sharding_constraint(out, named("x"))
    assert back.sharding == named("x")


def test_keys_in_the_memory_of_the_host_have_such_a_type():
    sharding = NamedSharding(mesh(), P("x"), memory_kind="pinned_host")
    keys = jax.device_put(jax.random.split(jax.random.key(0), 8), sharding)
    assert str(jax.typeof(keys)) == "key<fry><host>[8]"


def test_over_explicit_axes_a_constraint_checks_the_spec_alone():
    explicit = mesh().update(axis_types=(AxisType.Explicit,) * 2)
    others = [
        mesh(),
        explicit,
        Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("x", "y")),
    ]
    with jax.set_mesh(explicit):
        x = jax.device_put(VALUES, P("x"))
        for other in others:
            out = jax.lax.with_sharding_constraint(x, NamedSharding(other, P("x")))
            assert out is x
            with pytest.raises(AssertionError, match="another sharding"):
                jax.lax.with_sharding_constraint(x, NamedSharding(other, P("y")))


def test_jit_inside_of_jit_shards_values():
    inner = jax.jit(
        lambda x: x * 2, in_shardings=named("y"), out_shardings=named(None, "x")
    )
    assert jax.jit(lambda x: inner(x + 1))(VALUES).sharding == named(None, "x")
    grad = jax.grad(lambda x: inner(x).sum())(jnp.asarray(VALUES))
    np.testing.assert_array_equal(grad, np.full_like(VALUES, 2))


@pytest.mark.parametrize("what", ["the array", "one part"])
def test_deleted_arrays_are_refused_before_a_device_begins(what):
    total = jax.jit(jnp.sum)
    for _ in range(2):  # the second time by the native path
        x = split()
        (x if what == "the array" else x.addressable_shards[3].data).delete()
        assert x.is_deleted()
        with pytest.raises(RuntimeError, match="deleted"):
            total(x)
        # Devices that had begun would wait for the others, and all later programs for them.
        assert total(split()) == VALUES.sum()


def test_one_sharding_is_used_for_results_with_none_leaves():
    """None among the results is no leaf of them, though it is one of shardings."""
    shardings = (None, {"a": named("x")})
    fun = jax.jit(lambda x: ((x, None, {}), {"a": (None, x)}), out_shardings=shardings)
    first, second = fun(VALUES)
    assert first[1] is None and second["a"][0] is None
    assert second["a"][1].sharding == named("x")
    both = jax.jit(lambda x: (x, None), out_shardings=(named("y"), None))
    assert both(VALUES)[0].sharding == named("y")


def test_shardings_that_are_no_prefix_are_explained():
    with pytest.raises(ValueError, match="out_shardings is no tree prefix") as caught:
        jax.jit(lambda x: [x, x], out_shardings={"a": named("x")})(VALUES)
    assert "different types at key path" in str(caught.value)


def test_short_loops_of_long_programs_exchange():
    def program(x):
        for i in range(100):
            x = jax.lax.fori_loop(0, 2, lambda _, c: c * 0.5 + c.sum() * 0.01, x)
            x = x + x[i % 16] * 0.1
        return x

    x = np.arange(16, dtype="f4")
    parts = jax.device_put(x, named("x"))
    assert not parts.is_fully_replicated
    np.testing.assert_allclose(jax.jit(program)(parts), jax.jit(program)(x), rtol=1e-5)
