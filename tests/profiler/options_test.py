"""Options of profiles: their types, defaults, and what they leave out."""

import time

import pytest

import jax
from jax._src.profiler import options as profile_options

ProfileOptions = jax.profiler.ProfileOptions

DEFAULTS = {
    "host_tracer_level": 2,
    "python_tracer_level": 1,
    "enable_hlo_proto": True,
    "include_dataset_ops": True,
    "duration_ms": 0,
    "start_timestamp_ns": 0,
    "repository_path": "",
    "raise_error_on_start_failure": False,
    "session_id": "",
    "advanced_configuration": {},
}


def test_defaults_are_upstreams():
    options = ProfileOptions()
    assert {name: getattr(options, name) for name in DEFAULTS} == DEFAULTS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("host_tracer_level", "a"),
        ("host_tracer_level", -1),
        ("host_tracer_level", 1.0),
        ("enable_hlo_proto", 1),
        ("session_id", 3),
        ("advanced_configuration", 3),
        ("repository_path", 3),
        ("duration_ms", -1),
        ("start_timestamp_ns", 1 << 70),
    ],
)
def test_values_of_another_type_are_refused(name, value):
    options = ProfileOptions()
    with pytest.raises(TypeError, match=f"(?s){name}: incompatible.*value.*It is a"):
        setattr(options, name, value)
    assert getattr(options, name) == DEFAULTS[name]


def test_values_are_kept_and_unknown_attributes_accepted():
    options = ProfileOptions()
    options.host_tracer_level = True
    assert options.host_tracer_level == 1
    options.advanced_configuration = {"a": 1.5, "b": True, "c": 2}
    assert options.advanced_configuration == {"a": "1.5", "b": True, "c": 2}
    options.no_such_option = 3
    assert options.no_such_option == 3


def test_options_travel_as_a_message():
    options = ProfileOptions()
    options.python_tracer_level = 0
    options.session_id = "run"
    options.advanced_configuration = {"a": -2, "b": False, "c": "text"}
    read = profile_options.deserialize(profile_options.serialize(options))
    for name in DEFAULTS:
        assert getattr(read, name) == getattr(options, name), name
    assert read.device_tracer_level == 1
    assert profile_options.deserialize(b"").host_tracer_level == 2


def test_a_trace_ends_by_itself_after_its_duration(tmp_path):
    options = ProfileOptions()
    options.duration_ms = 1
    options.python_tracer_level = 0
    jax.profiler.start_trace(tmp_path, profiler_options=options)
    deadline = time.monotonic() + 20
    while jax.profiler.TraceAnnotation.is_enabled() and time.monotonic() < deadline:
        pass
    assert not jax.profiler.TraceAnnotation.is_enabled()
    with jax.profiler.TraceAnnotation("too late"):
        pass
    jax.profiler.stop_trace()
    (file,) = tmp_path.glob("plugins/profile/*/*.xplane.pb")
    profile = jax.profiler.ProfileData.from_file(file)
    names = {
        e.name for plane in profile.planes for line in plane.lines for e in line.events
    }
    assert "too late" not in names
