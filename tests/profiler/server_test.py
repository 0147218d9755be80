"""The profiler's server: what clients of the gRPC service get, and what is refused."""

import functools
import gc
import os
import socket
import subprocess
import sys
import threading

import pytest

import jax
import jax.numpy as jnp

grpc = pytest.importorskip("grpc", reason="the profiler's server needs grpcio")

from jax._src.base import protobuf  # noqa: E402
from jax._src.profiler import server, service  # noqa: E402

REQUEST = protobuf.Schema(
    {
        "Request": """
            duration_ms=1:uint opts=4:bytes repository_root=5:text session_id=6:text
            host_name=7:text
        """,
        "Terminate": "session_id=1:text",
        "Monitor": "duration_ms=1:uint timestamp=3:bool",
        "Text": "data=1:text",
        "Answer": "empty_trace=7:bool",
    }
)


@pytest.fixture
def port():
    jax.profiler.start_server(0)
    yield server._servers[0].port
    jax.profiler.stop_server()


def call(port, method, data):
    with grpc.insecure_channel(f"localhost:{port}") as channel:
        path = f"/tensorflow.ProfilerService/{method}"
        return channel.unary_unary(path)(data, timeout=30)


def test_libraries_bind_the_server_when_they_are_imported():
    start = functools.partial(jax.profiler.start_server, requires_backend=False)
    assert repr(start(0)).startswith("ProfilerServer(port=")
    jax.profiler.stop_server()


def test_one_server_at_a_time(port):
    with pytest.raises(ValueError, match=r"(?s)Only one profiler server.*stop_server"):
        jax.profiler.start_server(0)


def test_no_server_is_there_to_be_stopped():
    with pytest.raises(ValueError, match=r"No active profiler server\."):
        jax.profiler.stop_server()


def test_ports_that_cannot_be_had():
    with socket.socket(socket.AF_INET6) as taken:
        taken.bind(("::", 0))
        taken.listen()
        with pytest.raises(
            ValueError, match=r"(?s)cannot listen.*port.*Choose another"
        ):
            jax.profiler.start_server(taken.getsockname()[1])
    with pytest.raises(ValueError, match="cannot listen"):
        jax.profiler.start_server(99999)
    with pytest.raises(TypeError, match="port"):
        jax.profiler.start_server("9012")
    jax.profiler.start_server(0)  # nothing is left of the attempts
    jax.profiler.stop_server()


def test_a_client_gets_a_profile_written(port, tmp_path):
    """A capture button sends a duration, a folder and a name."""
    done = threading.Event()

    def work():
        while not done.is_set():
            with jax.profiler.TraceAnnotation("work"):
                jnp.ones(3).block_until_ready()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        request = {
            "duration_ms": 200,
            "repository_root": str(tmp_path),
            "session_id": "run",
            "host_name": "localhost:12",
        }
        answer = call(port, "Profile", REQUEST.encode("Request", request))
    finally:
        done.set()
        thread.join()
    assert REQUEST.decode("Answer", answer) == {"empty_trace": False}
    path = tmp_path / "run" / "localhost_12.xplane.pb"
    plane = jax.profiler.ProfileData.from_file(path).find_plane_with_name("/host:CPU")
    assert "work" in {e.name for line in plane.lines for e in line.events}
    assert (tmp_path / "run" / "localhost_12.trace.json.gz").exists()


def test_a_profile_is_ended_by_the_client(port, tmp_path):
    request = {"repository_root": str(tmp_path), "session_id": "long"}
    answers = []
    data = REQUEST.encode("Request", {**request, "duration_ms": 3_600_000})
    thread = threading.Thread(
        target=lambda: answers.append(call(port, "Profile", data))
    )
    thread.start()
    terminate = REQUEST.encode("Terminate", {"session_id": "long"})
    while True:
        try:
            call(port, "Terminate", terminate)
            break
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.NOT_FOUND
    thread.join()
    assert [REQUEST.decode("Answer", answer) for answer in answers] == [
        {"empty_trace": False}
    ]


def test_a_second_profile_is_refused(port, tmp_path):
    with jax.profiler.trace(tmp_path):
        with pytest.raises(grpc.RpcError) as info:
            call(port, "Profile", REQUEST.encode("Request", {"duration_ms": 10}))
    assert info.value.code() == grpc.StatusCode.ALREADY_EXISTS


def test_a_folder_that_cannot_be_written_is_said_to_the_client(port):
    request = {"duration_ms": 1, "repository_root": "/dev/null/x"}
    with pytest.raises(grpc.RpcError) as info:
        call(port, "Profile", REQUEST.encode("Request", request))
    assert info.value.code() == grpc.StatusCode.FAILED_PRECONDITION


def test_bytes_that_are_no_request(port):
    with pytest.raises(grpc.RpcError) as info:
        call(port, "Profile", b"\xff\xff")
    assert info.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_the_server_reports_on_its_process(port):
    data = REQUEST.encode("Monitor", {"duration_ms": 1, "timestamp": True})
    text = REQUEST.decode("Text", call(port, "Monitor", data))["data"]
    assert f"process {os.getpid()}" in text


CHILD = """
import sys
import jax, jax.numpy as jnp
from jax._src.profiler import server
jax.profiler.start_server(0)
print(server._servers[0].port, flush=True)
for _ in sys.stdin:
    with jax.profiler.TraceAnnotation("in the child"):
        jnp.ones(3).block_until_ready()
    print("done", flush=True)
"""


def test_processes_below_are_profiled_together(tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        port = int(child.stdout.readline())
        unregister = jax.profiler.register_subprocess(child.pid, port)
        with pytest.raises(RuntimeError, match="registered already"):
            jax.profiler.register_subprocess(child.pid, port)
        with jax.profiler.trace(tmp_path):
            for _ in range(20):  # its profile begins meanwhile
                child.stdin.write("\n")
                child.stdin.flush()
                assert child.stdout.readline() == "done\n"
        unregister()
        unregister()
        again = jax.profiler.register_subprocess(child.pid, port)
        del again
        gc.collect()
        assert not server.recording.subprocesses
        child.stdin.close()
    (file,) = tmp_path.glob("plugins/profile/*/*.xplane.pb")
    profile = jax.profiler.ProfileData.from_file(file)
    names = {
        e.name for plane in profile.planes for line in plane.lines for e in line.events
    }
    assert "in the child" in names


def test_processes_that_do_not_answer_are_not_registered():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        with pytest.raises(jax.errors.JaxRuntimeError, match="DEADLINE_EXCEEDED"):
            service.Subprocess(1, port, timeout_s=0.1)
    with pytest.raises(TypeError, match="pid"):
        jax.profiler.register_subprocess("a", 9999)
