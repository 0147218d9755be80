"""The converters behind TensorBoard's profile plugin make tables with rows of our profiles."""

import json

import pytest

import jax
import jax.numpy as jnp

convert = pytest.importorskip(
    "xprof.convert.raw_to_tool_data", reason="xprof is not installed"
)


def layer(x, w):
    with jax.named_scope("layer"):
        return jnp.tanh(x @ w) + x


def step(params, x):
    for w in params:
        x = layer(x, w)
    return jnp.mean(jnp.linalg.cholesky(x @ x.T / 256 + 10 * jnp.eye(len(x))))


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    """The file of twenty steps, and what one costs."""
    folder = tmp_path_factory.mktemp("profile")
    gradient = jax.jit(jax.grad(step))
    args = [jnp.full((256, 256), 0.01)] * 4, jnp.ones((256, 256))
    costs = gradient.lower(*args).compile().cost_analysis()
    jax.block_until_ready(gradient(*args))
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    with jax.profiler.trace(folder, profiler_options=options):
        for number in range(20):
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                jax.block_until_ready(gradient(*args))
    (path,) = folder.glob("plugins/profile/*/*.xplane.pb")
    return str(path), costs


def read(path, tool, **params):
    found, _ = convert.xspace_to_tool_data([path], tool, params)
    assert found is not None, tool
    return json.loads(found)


def rows_of(table):
    """The rows of a table as dictionaries."""
    table = table[0] if isinstance(table, list) else table
    names = [column["id"] for column in table["cols"]]
    return [
        dict(zip(names, [cell["v"] for cell in row["c"]], strict=True))
        for row in table["rows"]
    ]


def test_tools_are_offered(profile):
    tools = set(convert.xspace_to_tool_names([profile[0]]))
    assert {"overview_page", "op_profile", "hlo_stats", "roofline_model"} <= tools


def test_operation_statistics(profile):
    path, costs = profile
    rows = rows_of(read(path, "hlo_stats"))
    assert len(rows) > 5
    assert all(row["occurrences"] == 20 for row in rows)
    own = sum(row["total_self_time"] for row in rows)
    data = jax.profiler.ProfileData.from_file(path)
    plane = data.find_plane_with_name("/device:TPU:0")
    lines = {line.name: list(line.events) for line in plane.lines}
    whole = sum(e.duration_ns for e in lines["XLA Modules"]) / 1e3
    assert own == pytest.approx(whole, rel=0.05)
    slowest = max(rows, key=lambda row: row["total_self_time"])
    assert slowest["source_info"].count("xprof_test.py")
    flops = sum(row["model_flop_rate"] * row["total_self_time"] * 1e3 for row in rows)
    assert flops / 20 == pytest.approx(costs["flops"], rel=0.02)


def test_the_profile_by_program(profile):
    found = read(profile[0], "op_profile")
    programs = found["byProgram"]["children"]
    assert any("jit_step" in program["name"] for program in programs)


def test_roofline(profile):
    rows = rows_of(read(profile[0], "roofline_model"))
    assert len(rows) > 10
    assert {row["bound_by"] for row in rows} & {"Compute", "HBM"}


def test_overview_has_steps(profile):
    found = read(profile[0], "overview_page")
    assert "train" not in found  # it is a list of tables
    steps = rows_of(found[1]) if len(found) > 1 else []
    assert len(steps) == 20 or "20" in json.dumps(found)


def test_memory(profile):
    found = read(profile[0], "memory_profile")
    per_device = found["memoryProfilePerAllocator"]
    assert per_device
    snapshots = next(iter(per_device.values()))["sampledTimelineSnapshots"]
    assert len(snapshots) > 20


def test_the_trace_viewer_has_operations_and_spans(profile):
    found, _ = convert.xspace_to_tool_data([profile[0]], "trace_viewer", {})
    names = {e.get("name") for e in json.loads(found)["traceEvents"]}
    assert any("dot_general" in name for name in names if name)
    assert any(name and name.startswith("train") for name in names)


def test_program_graphs(profile):
    tools = convert.xspace_to_tool_names([profile[0]])
    assert "graph_viewer" in tools
