"""The converters behind TensorBoard's profile plugin make tables with rows of our profiles."""

import collections
import inspect
import json

import pytest
from xprof.convert import raw_to_tool_data as convert

import jax
import jax.numpy as jnp
from tests.profiler import profiled

STEPS = 20


class Profile:
    """A file, and what is known about the run that it is of."""

    def __init__(self, path, costs, devices):
        self.path = str(path)
        self.flops = costs["flops"]
        self.devices = devices

    def read(self, tool, **params):
        """What a page of the viewer shows."""
        found, _ = convert.xspace_to_tool_data([self.path], tool, params)
        assert found is not None, tool
        return json.loads(found)

    def rows(self, tool):
        return rows_of(self.read(tool))

    def module_times(self, name):
        """By program of this name: microseconds of its runs on all devices."""
        data = jax.profiler.ProfileData.from_file(self.path)
        found = [
            event.duration_ns / 1e3
            for plane in data.planes
            if plane.name.startswith("/device:")
            for line in plane.lines
            if line.name == "XLA Modules"
            for event in line.events
            if event.name.startswith(name)
        ]
        assert len(found) == STEPS * self.devices
        return found


def profile_of(folder, run):
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    with jax.profiler.trace(folder, profiler_options=options):
        run()
    (path,) = folder.glob("plugins/profile/*/*.xplane.pb")
    return path


def rows_of(table):
    """The rows of a table as dictionaries."""
    table = table[0] if isinstance(table, list) else table
    names = [column["id"] for column in table["cols"]]
    return [
        dict(zip(names, [cell["v"] for cell in row["c"]], strict=True))
        for row in table["rows"]
    ]


@pytest.fixture(scope="module", params=profiled.PROGRAMS)
def profile(request, tmp_path_factory):
    """The file of twenty steps of a program, and what one costs."""
    program = profiled.PROGRAMS[request.param]()
    if jax.device_count() < program.devices:
        pytest.skip("needs eight devices")
    program.run(1)
    path = profile_of(
        tmp_path_factory.mktemp(request.param), lambda: program.run(STEPS)
    )
    return Profile(path, program.costs(), program.devices)


def steps_alone(rows):
    """The rows of the program that takes most of the time."""
    return [row for row in rows if row["program_id"] == program_of_steps(rows)]


def program_of_steps(rows):
    times = collections.Counter()
    for row in rows:
        times[row["program_id"]] += row["total_self_time"]
    return max(times, key=times.__getitem__)


def test_tools_are_offered(profile):
    tools = set(convert.xspace_to_tool_names([profile.path]))
    assert {
        "overview_page", "op_profile", "hlo_stats", "roofline_model", "memory_profile",
        "graph_viewer",
    } <= tools  # fmt: skip


def test_self_times_add_up_to_the_run_and_flops_to_the_cost_analysis(profile):
    rows = steps_alone(profile.rows("hlo_stats"))
    assert len(rows) > 5
    own = sum(row["total_self_time"] for row in rows)
    assert own == pytest.approx(sum(profile.module_times("jit_learn")), rel=0.05)
    flops = sum(row["model_flop_rate"] * row["total_self_time"] * 1e3 for row in rows)
    assert flops / STEPS == pytest.approx(profile.flops * profile.devices, rel=0.02)


def test_rows_have_lines_and_run_in_each_step(profile):
    rows = steps_alone(profile.rows("hlo_stats"))
    assert all(row["occurrences"] % STEPS == 0 for row in rows)
    own = sum(row["total_self_time"] for row in rows)
    known = [r for r in rows if "examples/" in r["source_info"]]
    assert sum(row["total_self_time"] for row in known) > 0.9 * own


def test_the_profile_by_program(profile):
    found = profile.read("op_profile")
    programs = {program["name"]: program for program in found["byProgram"]["children"]}
    (name,) = [name for name in programs if "jit_learn" in name]
    assert programs[name]["children"]
    assert programs[name]["metrics"]["rawTime"] > 0


def test_roofline(profile):
    rows = profile.rows("roofline_model")
    assert len(rows) > 10
    assert {row["bound_by"] for row in rows} & {"Compute", "HBM"}


def test_overview_has_the_steps(profile):
    found = profile.read("overview_page")
    tables = [rows_of(table) for table in found if table.get("cols")]
    numbers = [[row.get("stepnum") for row in table] for table in tables]
    assert any(len([n for n in steps if n is not None]) == STEPS for steps in numbers)


def test_memory(profile):
    found = profile.read("memory_profile")
    per_device = found["memoryProfilePerAllocator"]
    assert len(per_device) == profile.devices
    for one in per_device.values():
        assert len(one["sampledTimelineSnapshots"]) > STEPS
        peak = one["profileSummary"]["peakStats"]
        assert int(peak["peakBytesInUse"]) > 0


def test_the_trace_viewer_has_operations_and_spans(profile):
    found, _ = convert.xspace_to_tool_data([profile.path], "trace_viewer", {})
    names = collections.Counter(
        e.get("name", "").split("#")[0] for e in json.loads(found)["traceEvents"]
    )
    assert sum(n for name, n in names.items() if "dot_general" in name) >= STEPS
    assert sum(n for name, n in names.items() if name.startswith("train")) >= STEPS


def slow_line(x):
    y = jnp.tanh(x) + 1
    y = y @ y @ y @ y  # slow
    return jnp.sum(jnp.sin(y) * x)


def test_a_planted_slow_line_is_the_slowest_operation(tmp_path):
    step, x = jax.jit(slow_line), jnp.ones((384, 384))
    step(x).block_until_ready()

    def run():
        for _ in range(5):
            step(x).block_until_ready()

    path = profile_of(tmp_path, run)
    rows = Profile(path, {"flops": 0}, 1).rows("hlo_stats")
    slowest = max(rows, key=lambda row: row["total_self_time"])
    text, first = inspect.getsourcelines(slow_line)
    (line,) = [first + i for i, row in enumerate(text) if "# slow" in row]
    assert f"xprof_test.py:{line}" in slowest["source_info"]
