"""Traces: files with the spans that were named, and what is refused."""

import gzip
import json
import os
import pathlib
import threading
import urllib.request

import pytest

import jax
from jax._src.profiler import perfetto


def json_of(folder, pattern="*.trace.json.gz"):
    (file,) = folder.glob(f"plugins/profile/*/{pattern}")
    return json.loads(gzip.decompress(file.read_bytes()))


def events_of(folder, pattern="*.trace.json.gz"):
    events = json_of(folder, pattern)["traceEvents"]
    return {e["name"]: e for e in events if e["ph"] == "X"}


def test_a_trace_holds_named_spans_with_details(tmp_path):
    with jax.profiler.trace(tmp_path):
        with jax.profiler.TraceAnnotation("outer", size=3):
            with jax.profiler.StepTraceAnnotation("train", step_num=7):
                pass
    found = events_of(tmp_path)
    assert found["outer"]["args"] == {"size": "3"}
    # What viewers group steps by is in the other file alone.
    assert found["train"]["args"] == {"step_num": "7"}
    assert found["outer"]["ts"] <= found["train"]["ts"]
    assert found["train"]["dur"] <= found["outer"]["dur"]
    assert found["outer"]["pid"] == 701


def test_a_trace_holds_tracing_and_compiling(tmp_path):
    with jax.profiler.trace(tmp_path):
        jax.jit(lambda x: x * 3.25)(2.0)
    assert any("compile" in name for name in events_of(tmp_path))


def slow_function_of_this_test():
    return sum(range(100_000))


def test_a_trace_holds_calls_of_python_functions(tmp_path):
    with jax.profiler.trace(tmp_path):
        slow_function_of_this_test()
    line = slow_function_of_this_test.__code__.co_firstlineno
    name = f"$tracing_test.py:{line} slow_function_of_this_test"
    assert events_of(tmp_path)[name]["dur"] > 0


def test_levels_leave_out_what_they_say(tmp_path):
    options = jax.profiler.ProfileOptions()
    options.host_tracer_level = 1
    options.python_tracer_level = 0
    with jax.profiler.trace(tmp_path, profiler_options=options):
        slow_function_of_this_test()
        with jax.profiler.TraceAnnotation("mine"):
            jax.jit(lambda x: x * 4.25)(2.0)
    found = set(events_of(tmp_path))
    assert "mine" in found
    assert not any(name.startswith(("$", "/jax/")) for name in found)


def test_annotated_functions_show_from_every_thread(tmp_path):
    step = jax.profiler.annotate_function(lambda x: x + 1, name="step", size=2)
    with jax.profiler.trace(tmp_path, create_perfetto_trace=True):
        thread = threading.Thread(target=step, args=(1,))
        thread.start()
        thread.join()
    assert step(1) == 2
    found = events_of(tmp_path, "perfetto_trace.json.gz")
    assert found["step"]["tid"] != threading.get_native_id()
    assert found["step"]["args"] == {"size": "2"}
    assert "metadata" in json_of(tmp_path) or json_of(tmp_path, "*.trace.json.gz")
    assert "metadata" not in json_of(tmp_path, "perfetto_trace.json.gz")


def test_annotate_function_takes_the_qualified_name(tmp_path):
    class Model:
        def step(self):
            return 1

    step = jax.profiler.annotate_function(Model.step)
    with jax.profiler.trace(tmp_path):
        assert step(Model()) == 1
    assert any(name.endswith("Model.step") for name in events_of(tmp_path))
    assert step.__name__ == "step"


def test_annotations_outside_of_a_trace_do_nothing():
    assert not jax.profiler.TraceAnnotation.is_enabled()
    annotation = jax.profiler.TraceAnnotation("alone", a=object())
    with annotation as entered:
        assert entered is annotation
    annotation.set_metadata(b=1)
    annotation.__exit__(None, None, None)  # of nothing that was entered


@pytest.mark.parametrize("kind", ["TraceAnnotation", "StepTraceAnnotation"])
def test_names_of_spans_are_texts(kind):
    with pytest.raises(TypeError, match=r"(?s)name is no text.*name\s+3"):
        getattr(jax.profiler, kind)(3)
    with pytest.raises(TypeError, match="name"):
        getattr(jax.profiler, kind)()


def test_details_are_added_while_a_span_lasts(tmp_path):
    with jax.profiler.trace(tmp_path):
        with jax.profiler.TraceAnnotation("mine", a=1) as span:
            assert span.is_enabled()
            span.set_metadata(b=2.5, c="x", d=True)
    args = events_of(tmp_path)["mine"]["args"]
    assert args == {"a": "1", "b": "2.5", "c": "x", "d": "1"}


def test_one_trace_at_a_time(tmp_path):
    with jax.profiler.trace(tmp_path):
        with pytest.raises(RuntimeError, match="(?s)already been started.*stop_trace"):
            jax.profiler.start_trace(tmp_path)
    with pytest.raises(RuntimeError, match="(?s)No profile started.*start_trace"):
        jax.profiler.stop_trace()


def test_a_folder_that_cannot_be_written_ends_the_trace(tmp_path):
    """The error says so, and the next trace is not in the way of it."""
    with pytest.raises(
        jax.errors.JaxRuntimeError, match="(?s)FAILED_PRECONDITION.*file.*has ended"
    ):
        with jax.profiler.trace("/dev/null/x"):
            result = jax.jit(lambda x: x + 1.5)(1.0)
    assert result == 2.5
    with jax.profiler.trace(tmp_path):
        pass
    assert len(list(tmp_path.glob("plugins/profile/*/*.xplane.pb"))) == 1


def test_a_disk_that_is_full_leaves_no_half_of_a_file(tmp_path, monkeypatch):
    def full(path, content):
        with open(path, "wb") as file:
            file.write(content[:3])
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(pathlib.Path, "write_bytes", full)
    with pytest.raises(jax.errors.JaxRuntimeError, match="No space left on device"):
        with jax.profiler.trace(tmp_path):
            pass
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


@pytest.mark.parametrize("folder", [None, 3])
def test_folders_are_paths(folder):
    with pytest.raises(TypeError, match="log_dir"):
        jax.profiler.start_trace(folder)


def test_options_of_another_class_are_refused(tmp_path):
    with pytest.raises(TypeError, match="(?s)incompatible.*profiler_options"):
        jax.profiler.start_trace(tmp_path, profiler_options=3)
    with pytest.raises(RuntimeError, match="No profile started"):
        jax.profiler.stop_trace()


def test_a_fork_leaves_the_trace_to_its_parent(tmp_path):
    with jax.profiler.trace(tmp_path):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                jax.profiler.stop_trace()
            except RuntimeError:
                code = 0
            os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
    assert len(list(tmp_path.glob("plugins/profile/*/*.xplane.pb"))) == 1


def test_a_link_waits_until_the_trace_was_fetched(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(perfetto, "_PORT", 0)
    bound = []
    activate = perfetto._Server.server_activate

    def note(server):
        activate(server)
        bound.append(server.server_address[1])

    monkeypatch.setattr(perfetto._Server, "server_activate", note)

    def fetch():
        while not bound:
            pass
        root = f"http://{perfetto._HOST}:{bound[0]}/"
        with urllib.request.urlopen(root + "perfetto_trace.json.gz") as answer:
            fetched.append(
                (answer.headers["Access-Control-Allow-Origin"], answer.read())
            )

    fetched = []
    thread = threading.Thread(target=fetch)
    thread.start()
    jax.profiler.start_trace(tmp_path, create_perfetto_link=True)
    jax.profiler.stop_trace()
    thread.join()
    ((origin, content),) = fetched
    assert origin == "*"
    assert json.loads(gzip.decompress(content))["displayTimeUnit"] == "ns"
    assert "ui.perfetto.dev/#!/?url=" in capsys.readouterr().out
