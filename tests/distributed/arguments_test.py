"""Arguments and variables of `jax.distributed.initialize`, and what is said of wrong ones."""

import socket

import pytest

import jax
from jax._src.distributed.clusters import addresses, arguments
from tests.testing import processes

OFF = {"cluster_detection_method": "deactivate"}


@pytest.fixture(autouse=True)
def no_variables(monkeypatch):
    for name in (
        "COORDINATOR_ADDRESS", "COORDINATOR_BIND_ADDRESS", "COORDINATOR_RUNS", "NUM_PROCESSES",
        "PROCESS_ID", "LOCAL_DEVICE_IDS", "PARTITION_INDEX", "SLICE_INDEX",
    ):  # fmt: skip
        monkeypatch.delenv(f"JAX_{name}", raising=False)


def complete(*args, **more):
    return arguments.complete(arguments.Given(*args, **{**OFF, **more}))


def test_variables_fill_in_what_is_not_given(monkeypatch):
    monkeypatch.setenv("JAX_COORDINATOR_ADDRESS", "h:1")
    monkeypatch.setenv("JAX_NUM_PROCESSES", "4")
    monkeypatch.setenv("JAX_PROCESS_ID", "3")
    monkeypatch.setenv("JAX_LOCAL_DEVICE_IDS", "0,2")
    monkeypatch.setenv("JAX_COORDINATOR_BIND_ADDRESS", "0.0.0.0:1")
    monkeypatch.setenv("JAX_PARTITION_INDEX", "5")
    plan = complete()
    assert (plan.coordinator_address, plan.num_processes, plan.process_id) == (
        "h:1",
        4,
        3,
    )
    assert plan.local_device_ids == (0, 2)
    assert (plan.bind_address, plan.partition_index) == ("0.0.0.0:1", 5)
    plan = complete("g:2", 2, 1, 7, partition_index=0)
    assert (plan.coordinator_address, plan.num_processes, plan.process_id) == (
        "g:2",
        2,
        1,
    )
    assert (plan.local_device_ids, plan.partition_index) == ((7,), 0)


@pytest.mark.parametrize(
    "given, error, said",
    [
        ((), ValueError, "coordinator_address and num_processes and process_id should"),
        (("h:1", 2), ValueError, "process_id should be defined"),
        (("h:1", "2", 0), TypeError, "num_processes must be an int, not '2'"),
        (("h:1", 2, True), TypeError, "process_id must be an int"),
        (("h:1", 2, 2), ValueError, "process_id 2 is not in the range"),
        (("h:1", 2, -1), ValueError, "process_id -1 is not in the range"),
        (("h", 1, 0), ValueError, "'h' is no address"),
        (("h:99999", 1, 0), ValueError, "'h:99999' is no address"),
    ],
)
def test_wrong_arguments_are_explained(given, error, said):
    with pytest.raises(error, match=said):
        complete(*given)


def test_wrong_numbers_are_explained(monkeypatch):
    with pytest.raises(ValueError, match="initialization_timeout is 0"):
        complete("h:1", 1, 0, initialization_timeout=0)
    with pytest.raises(TypeError, match="heartbeat_timeout_seconds must be a number"):
        complete("h:1", 1, 0, heartbeat_timeout_seconds="9")
    monkeypatch.setenv("JAX_PROCESS_ID", "one")
    with pytest.raises(ValueError, match="JAX_PROCESS_ID is 'one'"):
        complete("h:1", 1)


def test_the_older_names_of_the_partition_warn(monkeypatch):
    with pytest.warns(DeprecationWarning, match="slice_index is now named"):
        assert complete("h:1", 1, 0, slice_index=3).partition_index == 3
    with pytest.warns(DeprecationWarning), pytest.raises(ValueError, match="both"):
        complete("h:1", 1, 0, slice_index=3, partition_index=3)
    monkeypatch.setenv("JAX_SLICE_INDEX", "2")
    with pytest.warns(DeprecationWarning, match="JAX_SLICE_INDEX is now named"):
        assert complete("h:1", 1, 0).partition_index == 2


def test_proxies_are_logged_unless_that_is_not_wanted(monkeypatch, caplog):
    monkeypatch.setenv("some_PROXY", "x")
    arguments.warn_of_proxies()
    assert "some_PROXY" in caplog.text
    caplog.clear()
    jax.config.update("jax_check_proxy_envs", False)
    try:
        arguments.warn_of_proxies()
    finally:
        jax.config.update("jax_check_proxy_envs", True)
    assert not caplog.text


def test_addresses_with_colons():
    assert addresses.split("[fd00::1]:77") == ("fd00::1", 77)
    assert addresses.split("host:1") == ("host", 1)
    assert addresses.join("fd00::1", 77) == "[fd00::1]:77"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.0.1.1"])
def test_the_service_listens_on_loopback_for_a_loopback_address(host):
    bound, warning = addresses.to_bind(f"{host}:5000")
    assert all(addresses.is_loopback(addresses.split(a)[0]) for a in bound)
    assert not warning


def test_a_name_that_means_loopback_here_is_listened_for_outside_too(monkeypatch):
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda *a, **k: [(0, 0, 0, "", ("127.0.1.1", 0))]
    )
    monkeypatch.setattr(addresses, "_outward", lambda: "10.0.0.5")
    assert addresses.to_bind("myhost:1") == (["127.0.1.1:1", "10.0.0.5:1"], "")


def test_every_interface_only_with_a_warning(monkeypatch):
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda *a, **k: [(0, 0, 0, "", ("192.0.2.77", 0))]
    )
    bound, warning = addresses.to_bind("gateway:1")
    assert bound == ["[::]:1"] and "every interface" in warning


TWICE = """
import jax
jax.devices()
try:
    jax.distributed.initialize("127.0.0.1:1", 1, 0)
except RuntimeError as error:
    print(error)
"""


def test_devices_in_use_are_an_error_that_says_what_to_do():
    (ended,) = processes.run(TWICE, 1)
    assert "devices are in use already" in ended.out
    assert "Call it before" in ended.out


ONE = """
import jax
from jax._src import distributed
from jax._src.distributed.service import hosting
hosting._END_S = 300.0  # the next service wants the port of the one before
address = "127.0.0.1:%d"
for _ in range(2):
    jax.distributed.initialize(address, 1, 0, [3], partition_index=2)
    state = distributed.global_state
    print(jax.distributed.is_initialized(), state.coordinator_address == address,
          state.partition_index, jax.config.jax_cuda_visible_devices)
    try:
        jax.distributed.initialize(address, 1, 0)
    except RuntimeError as error:
        print(str(error).splitlines()[0])
    jax.distributed.shutdown()
    jax.distributed.shutdown()
    print(jax.distributed.is_initialized(), state.client, state.num_processes)
"""


def test_a_job_of_one_process_may_begin_and_end_twice():
    (ended,) = processes.run(ONE % processes.free_port(), 1)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.splitlines() == 2 * [
        "True True 2 3",
        "jax.distributed.initialize: this process is part of a job already.",
        "False None 1",
    ]


def test_the_port_of_another_program_is_told():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        program = f"import jax; jax.distributed.initialize('127.0.0.1:{port}', 1, 0)"
        (ended,) = processes.run(program, 1)
    assert ended.status == 1
    assert "The coordination service cannot be started" in ended.err
    assert "Choose another port" in ended.err


def test_plain_text_beyond_loopback_warns_unless_it_is_wanted(monkeypatch):
    port = processes.free_port()
    program = (
        f"import jax; jax.distributed.initialize('127.0.0.1:{port}', 1, 0, "
        f"coordinator_bind_address='0.0.0.0:{port}')"
    )
    (ended,) = processes.run(program, 1)
    assert ended.status == 0 and "speaks plain text" in ended.err
    (ended,) = processes.run(program, 1, JAX_DISTRIBUTED_INSECURE="1")
    assert (ended.status, ended.err) == (0, "")
