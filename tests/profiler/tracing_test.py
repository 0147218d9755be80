"""Traces: files in the Trace Event Format with the spans that were named."""

import gzip
import json
import threading

import pytest

import jax


def events_of(folder, pattern="*.trace.json.gz"):
    (file,) = folder.glob(f"plugins/profile/*/{pattern}")
    events = json.loads(gzip.decompress(file.read_bytes()))["traceEvents"]
    return {e["name"]: e for e in events if e["ph"] == "X"}


def test_a_trace_holds_named_spans_with_details(tmp_path):
    with jax.profiler.trace(tmp_path):
        with jax.profiler.TraceAnnotation("outer", size=3):
            with jax.profiler.StepTraceAnnotation("train", step_num=7):
                pass
    found = events_of(tmp_path)
    assert found["outer"]["args"] == {"size": "3"}
    assert found["train"]["args"]["step_num"] == "7"
    assert found["outer"]["ts"] <= found["train"]["ts"]
    assert found["train"]["dur"] <= found["outer"]["dur"]


def test_a_trace_holds_tracing_and_compiling(tmp_path):
    with jax.profiler.trace(tmp_path):
        jax.jit(lambda x: x * 3.25)(2.0)
    assert any("compile" in name for name in events_of(tmp_path))


def test_annotated_functions_show_from_every_thread(tmp_path):
    step = jax.profiler.annotate_function(lambda x: x + 1, name="step")
    with jax.profiler.trace(tmp_path, create_perfetto_trace=True):
        thread = threading.Thread(target=step, args=(1,))
        thread.start()
        thread.join()
    assert step(1) == 2
    found = events_of(tmp_path, "perfetto_trace.json.gz")
    assert found["step"]["tid"] != threading.get_native_id()


def test_annotations_outside_of_a_trace_do_nothing():
    with jax.profiler.TraceAnnotation("alone"):
        pass


def test_one_trace_at_a_time(tmp_path):
    with jax.profiler.trace(tmp_path):
        with pytest.raises(RuntimeError, match="already been started"):
            jax.profiler.start_trace(tmp_path)
    with pytest.raises(RuntimeError, match="No profile started"):
        jax.profiler.stop_trace()


def test_options_that_do_nothing_are_refused(tmp_path):
    with pytest.raises(NotImplementedError, match="create_perfetto_link"):
        jax.profiler.start_trace(tmp_path, create_perfetto_link=True)
