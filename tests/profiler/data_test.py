"""Profiles are read back: from traces, from bytes and from text; memory is counted."""

import functools
import gzip
import inspect
import pathlib
import shutil
import subprocess

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import jax
import jax.extend
import jax.numpy as jnp

ProfileData = jax.profiler.ProfileData

TEXT = """
planes {
  id: 1 name: "/host:CPU"
  lines {
    id: 5 name: "thread" timestamp_ns: 5
    events {
      metadata_id: 1 offset_ps: 1500 duration_ps: 2500
      stats { metadata_id: 1 ref_value: 2 }
      stats { metadata_id: 3 bytes_value: "a\\tb" }
      stats: < metadata_id: 3 double_value: -1.5e3 >
      stats { metadata_id: 3, uint64_value: 18446744073709551615 }
      stats { metadata_id: 3; int64_value: 0 }
    }
  }
  event_metadata { key: 1 value { id: 1 name: "event" } }
  stat_metadata { key: 1 value { id: 1 name: "first" } }
  stat_metadata { key: 2 value { id: 2 name: "text" } }
  stat_metadata { key: 3 value { id: 3 name: "third" } }
  stats { metadata_id: 1 int64_value: -3 }  # negative
}
hostnames: ["one", 'two']
"""


def test_planes_lines_events_and_stats():
    data = ProfileData.text_proto_to_serialized_xspace(TEXT)
    for profile in (
        ProfileData.from_serialized_xspace(data),
        ProfileData.from_text_proto(TEXT),
    ):
        plane = profile.find_plane_with_name("/host:CPU")
        assert profile.find_plane_with_name("other") is None
        assert [p.name for p in profile.planes] == ["/host:CPU"]
        assert list(plane.stats) == [("first", -3)]
        (line,) = plane.lines
        (event,) = line.events
        assert (line.name, event.name) == ("thread", "event")
        # Whole nanoseconds, as upstream rounds them.
        assert (event.start_ns, event.duration_ns, event.end_ns) == (6.0, 2.0, 8.0)
        assert list(event.stats) == [
            ("first", "text"),
            ("third", "a\tb"),
            ("third", -1500.0),
            ("third", 2**64 - 1),
            ("third", 0),
        ]


@pytest.mark.parametrize(
    "text",
    ["x", "planes {", "planes { name: 3 }", "planes: 4", "planes { id: a }", "&"],
)
def test_texts_that_are_no_profile(text):
    with pytest.raises(ValueError, match="no profile"):
        ProfileData.from_text_proto(text)


def test_bytes_and_files_that_are_no_profile(tmp_path):
    data = ProfileData.text_proto_to_serialized_xspace(TEXT)
    with pytest.raises(RuntimeError, match="Failed to parse"):
        ProfileData.from_serialized_xspace(data[:-3])
    with pytest.raises(jax.errors.JaxRuntimeError, match="NOT_FOUND"):
        ProfileData.from_file(tmp_path / "missing.xplane.pb")
    with pytest.raises(jax.errors.JaxRuntimeError, match="FAILED_PRECONDITION"):
        ProfileData.from_file(tmp_path)


def test_damaged_bytes_are_refused_or_read():
    """Whatever is damaged, nothing but the documented error is raised."""
    data = ProfileData.text_proto_to_serialized_xspace(TEXT)
    refused = 0
    for at in range(len(data)):
        for byte in (0x00, 0x7F, 0xFF):
            damaged = data[:at] + bytes([byte]) + data[at + 1 :]
            try:
                profile = ProfileData.from_serialized_xspace(damaged)
                for plane in profile.planes:
                    list(plane.stats)
                    for line in plane.lines:
                        for event in line.events:
                            list(event.stats)
            except RuntimeError as error:
                assert "Failed to parse" in str(error)
                refused += 1
    assert refused > 100


def test_arguments_of_other_types_are_refused():
    for refused in (
        lambda: ProfileData(),
        lambda: ProfileData("x"),
        lambda: ProfileData.from_file(3),
        lambda: ProfileData.from_serialized_xspace("x"),
        lambda: ProfileData.text_proto_to_serialized_xspace(3),
        lambda: ProfileData.from_raw_cpp_ptr(3),
    ):
        with pytest.raises(TypeError):
            refused()


def test_a_trace_is_read_back(tmp_path):
    options = jax.profiler.ProfileOptions()
    options.session_id = "run"
    with jax.profiler.trace(tmp_path, profiler_options=options):
        with jax.profiler.TraceAnnotation("outer", size=3):
            jnp.sin(jnp.ones(3)).block_until_ready()
    (file,) = (tmp_path / "plugins/profile/run").glob("*.xplane.pb")
    profile = ProfileData.from_file(str(file))
    plane = profile.find_plane_with_name("/host:CPU")
    events = {e.name: e for line in plane.lines for e in line.events}
    assert dict(events["outer"].stats) == {"size": 3}
    assert events["outer"].duration_ns > 0


def test_a_trace_without_spans_of_the_host(tmp_path):
    options = jax.profiler.ProfileOptions()
    options.host_tracer_level = 0
    options.python_tracer_level = 0
    with jax.profiler.trace(tmp_path, profiler_options=options):
        with jax.profiler.TraceAnnotation("outer"):
            pass
    (file,) = tmp_path.glob("plugins/profile/*/*.xplane.pb")
    plane = ProfileData.from_file(file).find_plane_with_name("/host:CPU")
    assert not any(e.name == "outer" for line in plane.lines for e in line.events)


def made_here(value):
    return jnp.full(1234, value, jnp.float32)  # made here


def test_memory_by_device_and_by_the_lines_that_made_it(tmp_path):
    held = [made_here(i) for i in range(3)]
    path = tmp_path / "memory.pb.gz"
    jax.profiler.save_device_memory_profile(path, "cpu")
    found = read_pprof(path.read_bytes())
    texts = list(found.string_table)
    functions = {f.id: f for f in found.function}
    locations = {x.id: x.line[0] for x in found.location}

    def frames(sample):
        for number in sample.location_id:
            line = locations[number]
            function = functions[line.function_id]
            yield texts[function.name], texts[function.filename], line.line

    text, first = inspect.getsourcelines(made_here)
    (line,) = [first + i for i, row in enumerate(text) if "# made here" in row]
    (mine,) = [
        sample
        for sample in found.sample
        if next(frames(sample)) == ("made_here", __file__, line)
    ]
    caller = [name for name, *_ in frames(mine)][1]
    assert caller.startswith("test_memory_by_device_and_by_the_lines")
    labels = {texts[x.key]: texts[x.str] for x in mine.label}
    assert labels == {"kind": "buffer", "device": "cpu:0"}
    assert list(mine.value) == [3, 3 * 1234 * np.dtype("f4").itemsize]
    assert [texts[t.type] for t in found.sample_type] == ["allocations", "space"]
    assert [texts[t.unit] for t in found.sample_type] == ["count", "bytes"]
    assert texts[0] == "" and texts[found.default_sample_type] == "space"
    assert len(held) == 3
    client = jax.extend.backend.get_backend("cpu")
    assert b"made_here" in client.heap_profile()
    with pytest.raises(RuntimeError):
        jax.profiler.device_memory_profile("nothing")


def pprof():
    """Google's pprof: by itself, or the one that comes with Debian's Go."""
    tools = pathlib.Path("/usr/lib").glob("go*/pkg/tool/*/pprof")
    return shutil.which("pprof") or next(map(str, sorted(tools)), None)


@pytest.mark.skipif(pprof() is None, reason="needs pprof, such as Debian's golang-go")
def test_googles_pprof_reads_the_profile_of_memory(tmp_path):
    held = [made_here(i) for i in range(3)]
    jax.profiler.save_device_memory_profile(tmp_path / "memory.pb.gz", "cpu")
    command = [pprof(), "-top", "-unit=B", "-lines", str(tmp_path / "memory.pb.gz")]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "Type: space" in ran.stdout
    (row,) = [line for line in ran.stdout.splitlines() if "made_here" in line]
    assert int(row.split()[0].removesuffix("B")) >= 3 * 1234 * 4
    assert "data_test.py" in row
    assert len(held) == 3


def test_memory_of_each_device_of_a_split_array():
    if jax.device_count() < 4:
        pytest.skip("needs four devices")
    mesh = jax.make_mesh((4,), ("x",))
    split = jax.device_put(jnp.ones((4, 777)), jax.NamedSharding(mesh, jax.P("x")))
    found = read_pprof(jax.profiler.device_memory_profile("cpu"))
    sizes = {
        found.string_table[s.label[1].str]: s.value[1]
        for s in found.sample
        if s.value[1] == split.nbytes // 4
    }
    assert {f"cpu:{i}" for i in range(4)} <= set(sizes)


# pprof's own schema, of which protobuf makes a reader that is not ours: name, number, type.
PPROF = {
    "ValueType": [("type", 1, "int64"), ("unit", 2, "int64")],
    "Sample": [
        ("location_id", 1, "*uint64"),
        ("value", 2, "*int64"),
        ("label", 3, "*Label"),
    ],
    "Label": [
        ("key", 1, "int64"),
        ("str", 2, "int64"),
        ("num", 3, "int64"),
        ("num_unit", 4, "int64"),
    ],
    "Line": [("function_id", 1, "uint64"), ("line", 2, "int64")],
    "Location": [
        ("id", 1, "uint64"),
        ("mapping_id", 2, "uint64"),
        ("address", 3, "uint64"),
        ("line", 4, "*Line"),
    ],
    "Function": [
        ("id", 1, "uint64"),
        ("name", 2, "int64"),
        ("system_name", 3, "int64"),
        ("filename", 4, "int64"),
        ("start_line", 5, "int64"),
    ],
    "Profile": [
        ("sample_type", 1, "*ValueType"),
        ("sample", 2, "*Sample"),
        ("location", 4, "*Location"),
        ("function", 5, "*Function"),
        ("string_table", 6, "*string"),
        ("time_nanos", 9, "int64"),
        ("default_sample_type", 14, "int64"),
    ],
}


@functools.cache
def pprof_class():
    file = descriptor_pb2.FileDescriptorProto(
        name="pprof.proto", package="pprof", syntax="proto3"
    )
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in PPROF.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            one = message.field.add(name=field, number=number)
            one.label = kinds.LABEL_REPEATED if kind[0] == "*" else kinds.LABEL_OPTIONAL
            kind = kind.lstrip("*")
            if kind in PPROF:
                one.type, one.type_name = kinds.TYPE_MESSAGE, f".pprof.{kind}"
            else:
                one.type = getattr(kinds, f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("pprof.Profile"))


def read_pprof(data):
    """A profile as protobuf's library reads it."""
    return pprof_class().FromString(gzip.decompress(data))


def test_a_memory_profile_that_cannot_be_written_says_where(tmp_path):
    path = tmp_path / "missing" / "memory.pb.gz"
    with pytest.raises(FileNotFoundError, match="memory profile could not be") as info:
        jax.profiler.save_device_memory_profile(path)
    assert f"  path   {path}" in str(info.value)
    assert "Write it into a folder that exists" in str(info.value)
