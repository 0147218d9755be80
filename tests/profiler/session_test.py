"""Profiles in memory: sessions are started, stopped, read and written; blocks yield theirs."""

import gzip
import json
import subprocess
import sys

import pytest

import jax
from jax.profiler import ProfileData, ProfileSession, TraceAnnotation


def names_of(data: ProfileData) -> set[str]:
    return {
        event.name
        for plane in data.planes
        for line in plane.lines
        for event in line.events
    }


def written(folder):
    (spans,) = folder.glob("plugins/profile/*/*.trace.json.gz")
    (space,) = folder.glob("plugins/profile/*/*.xplane.pb")
    events = json.loads(gzip.decompress(spans.read_bytes()))["traceEvents"]
    return (
        {e["name"] for e in events if e["ph"] == "X"},
        names_of(ProfileData.from_file(space)),
    )


def test_a_block_without_a_folder_keeps_its_profile_in_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with jax.profiler.trace(None) as session:
        assert session.is_running and session.profile_data is None
        with TraceAnnotation("step", size=3):
            pass
    assert not session.is_running
    assert "step" in names_of(session.profile_data)
    assert not list(tmp_path.iterdir())


def test_a_block_with_a_folder_yields_a_session_and_writes(tmp_path):
    with jax.profiler.trace(tmp_path) as session, TraceAnnotation("step"):
        pass
    assert "step" in names_of(session.profile_data)
    spans, planes = written(tmp_path)
    assert "step" in spans and "step" in planes


def test_a_block_that_raises_ends_its_profile():
    with pytest.raises(ZeroDivisionError), jax.profiler.trace(None) as session:
        raise ZeroDivisionError
    assert not session.is_running and session.profile_data is not None


@pytest.mark.parametrize("whole", [False, True])
def test_what_was_recorded_is_written_with_its_details(whole, tmp_path):
    session = ProfileSession().start()
    with TraceAnnotation("step", size=3):
        pass
    data = session.stop()
    if whole:
        jax.profiler.export_profile_data(data, tmp_path, session_id="run")
    else:
        session.export_profile_data(tmp_path, session_id="run")
    spans, planes = written(tmp_path)
    assert "step" in spans and "step" in planes
    (file,) = (tmp_path / "plugins/profile/run").glob("*.trace.json.gz")
    events = json.loads(gzip.decompress(file.read_bytes()))["traceEvents"]
    (step,) = [e for e in events if e["name"] == "step"]
    assert step["args"] == {"size": "3"} and step["dur"] >= 0


def test_a_session_is_started_again():
    session = ProfileSession()
    for name in ("first", "second"):
        assert session.start() is session
        with TraceAnnotation(name):
            pass
        assert session.stop() is session.profile_data
    assert "second" in names_of(session.profile_data)
    assert "first" not in names_of(session.profile_data)


def test_one_profile_runs_at_a_time_and_only_its_session_stops_it(tmp_path):
    session, other = ProfileSession(), ProfileSession()
    with pytest.raises(RuntimeError, match="No profile started"):
        session.stop()
    with pytest.raises(RuntimeError, match="recorded nothing"):
        session.export_profile_data(tmp_path)
    session.start()
    for start in (
        session.start,
        other.start,
        lambda: jax.profiler.start_trace(tmp_path),
    ):
        with pytest.raises(RuntimeError, match="already been started"):
            start()
    with pytest.raises(RuntimeError, match="No profile started"):
        other.stop()
    assert session.is_running
    session.stop()
    with pytest.raises(RuntimeError, match="No profile started"):
        session.stop()


def test_a_program_may_end_while_a_profile_is_taken(tmp_path):
    program = """if True:
        import sys, weakref
        import jax
        jax.profiler.start_trace(sys.argv[1])
        jax.jit(jax.numpy.sin)(1.0).block_until_ready()
        print("ends")
    """
    command = [sys.executable, "-c", program, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "ends\n", "")
