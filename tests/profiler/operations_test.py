"""Profiles hold each operation of compiled programs: name, source lines, flops, bytes, thread, device."""

import inspect

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax


def profile_of(folder, fun, *args, runs=3, **options):
    """The profile of some runs of a compiled function, which was run before."""
    chosen = jax.profiler.ProfileOptions()
    chosen.python_tracer_level = 0
    for name, value in options.items():
        setattr(chosen, name, value)
    with jax.profiler.trace(folder, profiler_options=chosen):
        for step in range(runs):
            with jax.profiler.StepTraceAnnotation("train", step_num=step):
                jax.block_until_ready(fun(*args))
    (file,) = folder.glob("plugins/profile/*/*.xplane.pb")
    return jax.profiler.ProfileData.from_file(file)


def operations_of(profile, device=0):
    plane = profile.find_plane_with_name(f"/device:TPU:{device}")
    lines = {line.name: line for line in plane.lines}
    return list(lines["XLA Ops"].events)


def modules_of(profile, device=0):
    plane = profile.find_plane_with_name(f"/device:TPU:{device}")
    lines = {line.name: line for line in plane.lines}
    return list(lines["XLA Modules"].events)


def line_of(function, text):
    """Where in this file `function` says `text`."""
    lines, first = inspect.getsourcelines(function)
    number = next(i for i, line in enumerate(lines) if text in line)
    return f"operations_test.py:{first + number}"


def network(x, w, v):
    with jax.named_scope("first"):
        h = jnp.tanh(x @ w)
    h = h * 2.0 + 1.0
    h = jnp.sort(h, axis=1)
    return (h @ v).sum(axis=1)


def network_arguments():
    return (
        jnp.ones((64, 128)),
        jnp.full((128, 256), 0.01),
        jnp.full((256, 32), 0.01),
    )


def test_every_operation_has_its_lines_costs_thread_and_device(tmp_path):
    fun = jax.jit(network)
    args = network_arguments()
    jax.block_until_ready(fun(*args))
    profile = profile_of(tmp_path, fun, *args)
    host = profile.find_plane_with_name("/host:CPU")
    found = {}
    for line in host.lines:
        for event in line.events:
            stats = dict(event.stats)
            if "hlo_op" in stats:
                found.setdefault(event.name, []).append((line.name, stats))
    assert all(len(events) == 3 for events in found.values())
    for thread, stats in (events[0] for events in found.values()):
        assert thread.startswith("tf_XLAPjRtCpuClient/")
        assert stats["hlo_module"] == "jit_network"
        assert stats["device_ordinal"] == 0
    sources = " ".join(events[0][1]["source"] for events in found.values())
    for text in ("jnp.tanh(x @ w)", "h * 2.0 + 1.0", "jnp.sort", "(h @ v).sum"):
        assert line_of(network, text) in sources, text
    runs = {stats["run_id"] for events in found.values() for _, stats in events}
    assert len(runs) == 3
    paths = [events[0][1]["tf_op"] for events in found.values()]
    assert any("jit(network)/first/" in path for path in paths)


def test_flops_and_bytes_are_those_of_cost_analysis(tmp_path):
    fun = jax.jit(network)
    args = network_arguments()
    costs = fun.lower(*args).compile().cost_analysis()
    jax.block_until_ready(fun(*args))
    operations = operations_of(profile_of(tmp_path, fun, *args, runs=1))
    flops = sum(dict(e.all_stats)["flops"] for e in operations)
    size = sum(dict(e.all_stats)["bytes_accessed"] for e in operations)
    assert flops == pytest.approx(costs["flops"], rel=1e-6)
    assert size == pytest.approx(costs["bytes accessed"], rel=1e-6)


def test_times_of_operations_add_up_to_that_of_the_program(tmp_path):
    fun = jax.jit(network)
    args = (jnp.ones((512, 512)), jnp.ones((512, 1024)), jnp.ones((1024, 256)))
    jax.block_until_ready(fun(*args))
    profile = profile_of(tmp_path, fun, *args)
    total = sum(e.duration_ps for e in operations_of(profile))
    whole = sum(e.duration_ps for e in modules_of(profile))
    assert 0.95 * whole <= total <= whole


def with_a_slow_line(x):
    y = x + 1.0
    slow = jnp.linalg.cholesky(y @ y.T + 1e4 * jnp.eye(400))
    return jnp.tanh(slow[0, :10]) + y[0, :10]


def test_the_slowest_operation_is_that_of_the_slow_line(tmp_path):
    fun = jax.jit(with_a_slow_line)
    x = jnp.ones((400, 400))
    jax.block_until_ready(fun(x))
    operations = operations_of(profile_of(tmp_path, fun, x))
    slowest = max(operations, key=lambda e: e.duration_ps)
    assert line_of(with_a_slow_line, "cholesky") in str(dict(slowest.all_stats))


def loops(x, w):
    def inner(i, c):
        return jnp.sin(c @ w)

    def outer(c, _):
        return lax.fori_loop(0, 5, inner, c), c.sum()

    return lax.scan(outer, x, None, length=40)


def test_records_of_loops_are_bounded_and_say_how_often(tmp_path):
    fun = jax.jit(loops)
    args = (jnp.ones((64, 64)), jnp.full((64, 64), 0.01))
    costs = fun.lower(*args).compile().cost_analysis()
    jax.block_until_ready(fun(*args))
    profile = profile_of(tmp_path, fun, *args, runs=2)
    operations = operations_of(profile)
    assert len(operations) < 40  # and not 40 * 5 of each
    flops = sum(dict(e.all_stats)["flops"] for e in operations)
    assert flops == pytest.approx(2 * costs["flops"], rel=0.01)
    host = profile.find_plane_with_name("/host:CPU")
    counts = [
        dict(event.stats)
        for line in host.lines
        for event in line.events
        if "dot_general" in event.name
    ]
    assert [stats["occurrences"] for stats in counts] == [200, 200]
    # Nested spans: the loops hold what runs in them.
    (first, second) = modules_of(profile)
    outer = max(
        (e for e in operations if e.start_ps < second.start_ps),
        key=lambda e: e.duration_ps,
    )
    inside = [
        e
        for e in operations
        if outer.start_ps <= e.start_ps < outer.start_ps + outer.duration_ps
        and e is not outer
    ]
    assert inside
    for event in inside:
        end = event.start_ps + event.duration_ps
        assert end <= outer.start_ps + outer.duration_ps + 1000


def short_loop(x):
    return lax.fori_loop(0, 1000, lambda i, c: c * 1.0001 + 1.0, x)


def test_short_iterations_are_counted_if_not_timed(tmp_path):
    fun = jax.jit(short_loop)
    x = jnp.ones(8)
    jax.block_until_ready(fun(x))
    profile = profile_of(tmp_path, fun, x, runs=2)
    host = profile.find_plane_with_name("/host:CPU")
    counts = [
        dict(event.stats)["occurrences"]
        for line in host.lines
        for event in line.events
        if "mul" in event.name and "hlo_op" in dict(event.stats)
    ]
    assert counts == [1000, 1000]


def branches(x, i):
    return lax.switch(
        i, [lambda x: jnp.sin(x).sum(), lambda x: jnp.exp(x @ x).sum()], x
    )


def test_only_the_branch_that_ran_is_recorded(tmp_path):
    fun = jax.jit(branches)
    x = jnp.ones((64, 64))
    jax.block_until_ready(fun(x, 1))
    profile = profile_of(tmp_path, fun, x, 1, runs=1)
    lines = " ".join(str(dict(e.all_stats)) for e in operations_of(profile))
    names = " ".join(e.name for e in operations_of(profile))
    assert "dot_general" in names and "sin" not in names
    assert "operations_test.py" in lines


def test_a_program_compiled_in_the_trace_is_recorded_too(tmp_path):
    fun = jax.jit(lambda x: jnp.cos(x) @ x)
    profile = profile_of(tmp_path, fun, jnp.ones((128, 128)), runs=1)
    assert any("dot_general" in e.name for e in operations_of(profile))


def test_results_are_the_same_bits_with_records(tmp_path):
    fun = jax.jit(lambda x, w: lax.scan(lambda c, _: (jnp.tanh(c @ w), c), x, length=7))
    args = (jnp.linspace(-1, 1, 64 * 64).reshape(64, 64), jnp.full((64, 64), 0.03))
    before = fun(*args)
    with jax.profiler.trace(tmp_path):
        during = fun(*args)
        jax.block_until_ready(during)
    for a, b in zip(jax.tree.leaves(before), jax.tree.leaves(during), strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def test_long_programs_are_recorded(tmp_path):
    """One function would not hold so many operations."""

    def long(x):
        for i in range(700):
            x = jnp.sort(x + float(i))
        return x

    fun = jax.jit(long)
    x = jnp.arange(16.0)
    jax.block_until_ready(fun(x))
    operations = operations_of(profile_of(tmp_path, fun, x, runs=1))
    assert len({e.name for e in operations}) >= 700


def test_options_leave_out_operations_and_planes(tmp_path):
    fun = jax.jit(network)
    args = network_arguments()
    jax.block_until_ready(fun(*args))
    without = profile_of(tmp_path / "a", fun, *args, device_tracer_level=0)
    assert without.find_plane_with_name("/device:TPU:0") is None
    tables = {"cpu_device_planes": False}
    host = profile_of(tmp_path / "b", fun, *args, advanced_configuration=tables)
    assert host.find_plane_with_name("/device:TPU:0") is None
    events = (
        e for ln in host.find_plane_with_name("/host:CPU").lines for e in ln.events
    )
    assert any("dot_general" in event.name for event in events)


def test_memory_that_devices_give_out_is_recorded(tmp_path):
    fun = jax.jit(lambda x: x + 1)
    x = jnp.ones(100_000)
    jax.block_until_ready(fun(x))
    profile = profile_of(tmp_path, fun, x)
    changes = [
        dict(event.stats)
        for line in profile.find_plane_with_name("/host:CPU").lines
        for event in line.events
        if event.name == "MemoryAllocation"
    ]
    sizes = [stats["requested_bytes"] for stats in changes]
    assert sizes.count(400_000) == 3
    assert all(
        stats["bytes_allocated"] <= stats["peak_bytes_in_use"] for stats in changes
    )
