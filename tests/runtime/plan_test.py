"""Plans of programs for devices that are not there are what devices measure."""

import re
import warnings

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec as P
from tests.testing import patience

NAMES = ("data", "model")
AUTO = (AxisType.Auto, AxisType.Auto)


def real_mesh():
    return jax.make_mesh((4, 2), NAMES, axis_types=AUTO)


def absent_mesh(data=4, model=2):
    return AbstractMesh((data, model), NAMES)


def layer(x, w):
    return x + jnp.tanh(x @ w[0]) @ w[1]


def loss(x, w):
    return jnp.mean(layer(x, w) ** 2)


def step(x, w):
    return jax.tree.map(lambda p, g: p - 0.1 * g, w, jax.grad(loss, 1)(x, w))


def loop(x, w):
    return jax.lax.fori_loop(0, 5, lambda _, x: layer(x, w), x)


def neighbours(x):
    return jax.lax.conv_general_dilated(
        x[None, None], jnp.ones((1, 1, 3, 3)), (1, 1), "SAME"
    )


def in_pieces(mesh):
    def exchange(x):
        along = jax.lax.ppermute(x, "data", [(0, 1), (1, 2), (2, 3)])
        turned = jax.lax.all_to_all(x, "data", 1, 0, tiled=True)
        most = jax.lax.psum(along.sum() + turned.sum(), NAMES)
        return jax.lax.psum_scatter(x, "model", tiled=True) + most

    return jax.shard_map(
        exchange, mesh=mesh, in_specs=P("data", "model"), out_specs=P(NAMES, None)
    )


def uneven_parts(mesh):
    cut = NamedSharding(mesh, P("data"))
    return lambda x: jax.lax.with_sharding_constraint(x[:61] * 2, cut).sum(0)


X, W = (64, 128), ((128, 256), (256, 128))
HALVES = (P(None, "model"), P("model", None))
# Function, arguments, their specs, and which are donated.
PROGRAMS = {
    "data parallel": (step, (X, W), (P("data"), (P(), P())), (1,)),
    "tensor parallel": (step, (X, W), (P("data"), HALVES), (1,)),
    "fully sharded": (step, (X, W), (P("data"), (P("data"), P("data"))), (1,)),
    "both": (step, (X, W), (P("data"), (P("data", "model"), P("model", "data"))), (1,)),
    "a loop": (loop, (X, W), (P("data"), HALVES), (0,)),
    "in pieces": (in_pieces, ((64, 128),), (P("data", "model"),), ()),
    "a sort": (lambda x: jnp.sort(x, 0), ((4096, 3),), (P(NAMES),), ()),
    "neighbours": (neighbours, ((64, 64),), (P("data", "model"),), ()),
    "uneven parts": (uneven_parts, ((64, 32),), (P("data"),), ()),
    "a turn": (lambda x: x.T @ x, ((64, 32),), (P("data", "model"),), ()),
}  # fmt: skip


def is_shape(node):
    return isinstance(node, tuple) and isinstance(node[0], int)


def compiled(program, mesh):
    """The program for a mesh: lowered on one line of this file for all meshes."""
    function, shapes, specs, donated = PROGRAMS[program]
    if function in (in_pieces, uneven_parts):
        function = function(mesh)

    def typed(shape, spec):
        return jax.ShapeDtypeStruct(
            shape, np.float32, sharding=NamedSharding(mesh, spec)
        )

    types = jax.tree.map(typed, shapes, specs, is_leaf=is_shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", jax.errors.RepeatedWorkWarning)
        return jax.jit(function, donate_argnums=donated).lower(*types).compile()
        return jax.jit(function, donate_argnums=donated).lower(*types).compile()


def arguments(program, mesh):
    _, shapes, specs, _ = PROGRAMS[program]

    def made(shape, spec):
        # By a program, each device has its own; of what is put there, they share one copy.
        sharding = NamedSharding(mesh, spec)
        return jax.jit(lambda: jnp.ones(shape, np.float32), out_shardings=sharding)()

    return jax.tree.map(made, shapes, specs, is_leaf=is_shape)


def in_use(kind="bytes_in_use"):
    return np.array([d.memory_stats()[kind] for d in jax.devices()])


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_plan_without_devices_is_that_of_devices(program):
    # On one line, for the line is part of names.
    real, planned = [compiled(program, m) for m in (real_mesh(), absent_mesh())]
    assert planned.plan() == real.plan()
    assert planned.memory_analysis() == real.memory_analysis()
    assert planned.cost_analysis() == real.cost_analysis()
    assert planned.as_text() == real.as_text()


@pytest.mark.parametrize("program", PROGRAMS)
def test_collectives_send_what_the_plan_says(program):
    mesh = real_mesh()
    run, args = compiled(program, mesh), arguments(program, mesh)
    client = jax.devices()[0].client
    client.count_traffic(True)
    jax.block_until_ready(run(*args))
    client.count_traffic(False)
    measured = {name: sent for name, (_, sent) in client.counted_traffic().items()}
    planned = {}
    for one in run.plan().collectives:
        planned[one.name] = planned.get(one.name, 0) + one.total_bytes
    assert measured == planned
    assert sum(planned.values()) > 0


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_run_takes_the_memory_that_the_plan_says(program):
    mesh = real_mesh()
    run = compiled(program, mesh)
    stats = run.plan().memory
    # More than ever before, so that the greatest use is that of this run.
    ever = int(in_use("peak_bytes_in_use").max())
    fillers = [jax.device_put(np.zeros(ever, np.uint8), d) for d in jax.devices()]
    empty = in_use()
    args = arguments(program, mesh)
    jax.block_until_ready((fillers, args))
    before = in_use()
    assert set(before - empty) == {stats.argument_size_in_bytes}
    results = jax.block_until_ready(run(*args))
    after = in_use()
    made = stats.output_size_in_bytes - stats.alias_size_in_bytes
    assert set(after - before) == {made}
    assert set(in_use("peak_bytes_in_use") - empty) == {stats.peak_memory_in_bytes}
    del results, fillers


def test_lines_sum_to_the_whole():
    plan = compiled("both", absent_mesh()).plan()
    assert sum(w.flops for w in plan.work) == plan.flops
    assert sum(w.transcendentals for w in plan.work) == plan.transcendentals
    assert {w.line.rpartition("/")[2].partition(":")[0] for w in plan.work} <= {
        "plan_test.py", ""
    }  # fmt: skip


def test_bytes_are_told_by_mesh_axis():
    plan = compiled("tensor parallel", absent_mesh()).plan()
    assert {("data",), ("model",)} <= set(plan.axis_bytes)
    # Each device has half of the weights, and sums their gradients with three others.
    sums = [
        c for c in plan.collectives if c.axes == ("data",) and c.bytes_per_device > 64
    ]
    assert sum(c.bytes_per_device for c in sums) == 2 * 3 / 4 * 128 * 256 * 4


def test_what_devices_compute_alike_is_told_by_line():
    def f(x, w):
        return x @ w, jnp.tanh(w)

    mesh = absent_mesh()
    x = jax.ShapeDtypeStruct((64, 128), "f4", sharding=NamedSharding(mesh, P("data")))
    w = jax.ShapeDtypeStruct(
        (128, 256), "f4", sharding=NamedSharding(mesh, P(None, "model"))
    )
    plan = jax.jit(f).lower(x, w).compile().plan()
    (tanh,) = plan.repeated
    assert (tanh.operation, tanh.copies, tanh.repeats) == ("tanh", 4, ("data",))
    assert tanh.wasted == tanh.operations * 3 / 4


def test_what_follows_from_the_index_of_a_device_is_not_called_repeated():
    mesh = absent_mesh()

    def f(x):
        here = jnp.tanh(x * jax.lax.axis_index("data"))
        return jnp.exp(jax.lax.psum(here, "data"))

    mapped = jax.shard_map(f, mesh=mesh, in_specs=P(), out_specs=P())
    x = jax.ShapeDtypeStruct((64, 128), "f4", sharding=NamedSharding(mesh, P()))
    plan = jax.jit(mapped).lower(x).compile().plan()
    repeats = {w.operation: w.repeats for w in plan.repeated}
    assert repeats["tanh"] == ("model",)
    assert repeats["exponential"] == NAMES


def test_gathered_operands_are_told():
    (gather,) = compiled("a sort", absent_mesh()).plan().gathers
    assert gather.operation == "sort"
    assert (gather.type, gather.current) == (
        "f32[4096,3]",
        "P(('data', 'model'), None)",
    )
    assert gather.needed == "P(None, None)"
    assert (gather.bytes_before, gather.bytes_after) == (6144, 49152)
    assert gather.repeats == NAMES
    assert "P(None, None)" in gather.mend


def test_a_plan_prints_as_tables():
    text = str(compiled("both", absent_mesh()).plan())
    assert text.startswith("Plan of `step` for 8 devices: data=4, model=2\n")
    for title in ("Memory of a device", "Work of a device", "Received by a device",
                  "Gathered operands", "Time, estimated"):  # fmt: skip
        assert re.search(f"^{title}", text, re.MULTILINE), title
    assert re.search(r"dot_general .* plan_test.py:\d+$", text, re.MULTILINE)


def test_faster_links_take_less_time():
    run = compiled("both", absent_mesh())
    slow = run.plan(
        jax.stages.Machine(link_bytes_per_second={"data": 1e8, "model": 1e9})
    )
    fast = run.plan(
        jax.stages.Machine(link_bytes_per_second={"data": 1e8, "model": 1e10})
    )
    assert slow.compute_s == fast.compute_s
    assert slow.communication_s > fast.communication_s > 0
    assert slow.step_s == slow.compute_s + slow.communication_s
    with pytest.raises(ValueError, match=r"(?s)speed of a mesh axis.*axes +model"):
        _ = run.plan(jax.stages.Machine(link_bytes_per_second={"data": 1e8})).step_s


def test_a_program_without_devices_cannot_be_called():
    run = compiled("a turn", absent_mesh())
    with pytest.raises(
        RuntimeError, match=r"(?s)without devices was called.*devices +8"
    ):
        run(np.ones((64, 32), np.float32))


def test_shardings_of_a_program_without_devices_name_its_mesh():
    mesh = absent_mesh()
    run = compiled("both", mesh)
    (x, w), _ = run.input_shardings
    assert x == NamedSharding(mesh, P("data"))
    assert run.output_shardings[0] == w[0] == NamedSharding(mesh, P("data", "model"))


def test_an_executable_that_was_saved_keeps_its_report():
    run = compiled("both", real_mesh()).runtime_executable()
    loaded = run.client.deserialize_executable(run.serialize())
    assert loaded.report() == run.report() != ""


def test_one_device_has_a_plan_too():
    plan = (
        jax.jit(lambda x: jnp.tanh(x @ x)).lower(np.ones((8, 8), "f4")).compile().plan()
    )
    assert (plan.devices, plan.mesh, plan.collectives, plan.gathers) == (1, (), (), ())
    assert plan.flops == 2 * 8**3
    assert plan.repeated == ()


def deep(x, ws):
    for w in ws:
        x = layer(x, w)
    return jnp.sum(x)


def test_thousands_of_devices_are_planned_like_eight():
    def planned(data, model):
        mesh = absent_mesh(data, model)
        spec = NamedSharding(mesh, P("data", "model"))
        w = jax.ShapeDtypeStruct((4096, 4096), np.float32, sharding=spec)
        x = jax.ShapeDtypeStruct((4096, 4096), np.float32, sharding=spec)
        plan = jax.jit(jax.grad(deep, 1)).lower(x, [(w, w)] * 4).compile().plan()
        assert plan.devices == data * model
        return plan

    of_few, of_many = planned(4, 2), planned(256, 16)
    # The smaller the pieces, the more of them are exchanged at once.
    exchanged = [sum(c.arrays for c in p.collectives) for p in (of_few, of_many)]
    assert exchanged[0] == exchanged[1] > 0
    assert len(of_many.collectives) <= len(of_few.collectives)
    few = patience.least_seconds(lambda: planned(4, 2), repeats=2)
    many = patience.least_seconds(lambda: planned(256, 16), repeats=2)
    # It is less than twice.
    assert many < 4 * few


#
# The warning
#


def sorted_rows(count, mesh, spec):
    x = jax.ShapeDtypeStruct((count,), np.float32, sharding=NamedSharding(mesh, spec))
    return jax.jit(lambda x: jnp.sort(x) * 2).lower(x)


def test_gathering_much_to_repeat_work_warns_once():
    lowered = sorted_rows(1 << 20, absent_mesh(), P("data"))
    with pytest.warns(jax.errors.RepeatedWorkWarning) as caught:
        lowered.compile()
        lowered.compile()
    (warning,) = caught
    text = str(warning.message)
    line = sorted_rows.__code__.co_firstlineno + 2
    for fact in (f"plan_test.py:{line}, sort", "f32[1048576], argument x", "P('data')",
                 "1.0 MiB become 4.0 MiB", "data repeats the work",
                 "jax.lax.with_sharding_constraint(operand, P(None))"):  # fmt: skip
        assert fact in text


@pytest.mark.parametrize("case", ["little", "requested"])
def test_what_is_little_or_requested_is_not_warned_of(case):
    if case == "little":
        sorted_rows(1 << 12, absent_mesh(), P("data")).compile()
        return

    mesh = absent_mesh()
    whole = NamedSharding(mesh, P(None))
    x = jax.ShapeDtypeStruct((1 << 20,), "f4", sharding=NamedSharding(mesh, P("data")))

    def f(x):
        return jnp.sort(jax.lax.with_sharding_constraint(x, whole)) * 2

    jax.jit(f).lower(x).compile()


def test_gathering_weights_for_divided_work_is_no_reason_to_warn():
    mesh = absent_mesh()
    spec = NamedSharding(mesh, P("data"))
    x = jax.ShapeDtypeStruct((4096, 1024), "f4", sharding=spec)
    w = jax.ShapeDtypeStruct((1024, 1024), "f4", sharding=spec)
    plan = jax.jit(step).lower(x, (w, w)).compile().plan()
    assert plan.gathers
    assert not any(g.repeats for g in plan.gathers)
