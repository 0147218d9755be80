"""What launchers say of a job, by simulated environments."""

import http.server
import sys
import threading
import types

import pytest

from jax._src import clusters as jax_clusters
from jax._src.distributed.clusters import clusters, pods, tpu_hosts

SLURM = {
    "SLURM_JOB_ID": "123456",
    "SLURM_STEP_NODELIST": "p[001-004,7],x",
    "SLURM_NTASKS": "16",
    "SLURM_STEP_NUM_TASKS": "8",
    "SLURM_PROCID": "5",
    "SLURM_LOCALID": "1",
}
OMPI_4 = {
    "OMPI_MCA_orte_hnp_uri": "1531576320.0;tcp://10.96.0.1,10.148.0.1:34911",
    "OMPI_COMM_WORLD_SIZE": "4",
    "OMPI_COMM_WORLD_RANK": "3",
    "OMPI_COMM_WORLD_LOCAL_RANK": "1",
}
OMPI_5 = {
    "PMIX_NAMESPACE": "prterun-host-4711@1",
    "OMPI_COMM_WORLD_SIZE": "2",
    "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
    "OMPI_COMM_WORLD_RANK": "1",
    "OMPI_COMM_WORLD_LOCAL_RANK": "1",
}
TORCHRUN = {
    "TORCHELASTIC_RUN_ID": "none",
    "MASTER_ADDR": "node0",
    "MASTER_PORT": "29500",
    "WORLD_SIZE": "8",
    "RANK": "6",
    "LOCAL_RANK": "2",
}


def filled(env, method=None, **given):
    names = ("address", "count", "process", "ids")
    values = [given.get(name) for name in names]
    return clusters.fill(method, *values, 60.0, env)


@pytest.mark.parametrize(
    "env, wanted",
    [
        (SLURM, ("p001:", 8, 5, (1,))),
        (OMPI_4, ("10.96.0.1:", 4, 3, (1,))),
        (OMPI_5, ("127.0.0.1:", 2, 1, (1,))),
        (TORCHRUN, ("node0:", 8, 6, (2,))),
        ({"PMI_RANK": "1", "PMI_SIZE": "2"}, (None, 2, 1, None)),
        ({}, (None, None, None, None)),
    ],
)
def test_launchers_are_found_by_their_variables(env, wanted):
    address, *rest = filled(env)
    assert rest == list(wanted[1:])
    if wanted[0] is None:
        assert address is None
    else:
        assert address.startswith(wanted[0])
        assert 61440 <= int(address.rpartition(":")[2]) < 65536


def test_ports_are_those_that_upstream_chooses():
    assert filled(SLURM)[0] == f"p001:{123456 % 4096 + 61440}"
    assert filled(OMPI_4)[0] == f"10.96.0.1:{1531576320 // 4096 % 4096 + 61440}"
    # torchrun's own store has its port.
    assert not filled(TORCHRUN)[0].endswith(":29500")


def test_addresses_of_other_forms():
    env = {**OMPI_4, "OMPI_MCA_orte_hnp_uri": "4096.0;tcp6://[fd00::1,fd00::2]:1"}
    assert filled(env)[0] == "[fd00::1]:61441"
    with pytest.raises(ValueError, match="names no address"):
        filled({**OMPI_4, "OMPI_MCA_orte_hnp_uri": "nothing"})


@pytest.mark.parametrize(
    "text, first",
    [
        ("a", "a"),
        ("a,b", "a"),
        ("p[001-004,7],x", "p001"),
        ("p[7]", "p7"),
        ("rack1-n[2,5-9]", "rack1-n2"),
        ("n[3-4].cluster", "n3.cluster"),
        ("login-1,p[1-2]", "login-1"),
    ],
)
def test_the_first_node_of_slurms_lists(text, first):
    assert clusters.first_node(text) == first


def test_what_is_given_wins_and_the_port_may_be_chosen():
    given = filled(SLURM, address="h:1", count=2, process=0, ids=(7,))
    assert given == ("h:1", 2, 0, (7,))
    assert filled({**SLURM, "JAX_COORDINATOR_PORT": "777"})[0] == "p001:777"
    assert filled({**SLURM, "JAX_COORDINATOR_PORT": "7"}, address="h:1")[0] == "h:1"


def test_open_mpi_5_on_several_machines_needs_an_address():
    env = {**OMPI_5, "OMPI_COMM_WORLD_SIZE": "4"}
    assert filled(env) == (None, 4, 1, (1,))
    assert "'ompi'" in clusters.found_text(env)


def test_unknown_and_absent_launchers_are_errors_at_once():
    with pytest.raises(
        ValueError, match="'nope' is unknown.\nKnown are 'ompi', 'slurm'"
    ):
        filled({}, "nope")
    with pytest.raises(ValueError, match="'slurm', but the environment"):
        filled({}, "slurm")
    with pytest.raises(ValueError, match="SLURM_PROCID is 'x'"):
        filled({**SLURM, "SLURM_PROCID": "x"})


def test_mpi4py_is_used_only_when_named(monkeypatch):
    class Communicator:
        def Get_size(self):
            return 4

        def Get_rank(self):
            return 0

        def Split_type(self, kind):
            assert kind == "shared"
            return self

        def bcast(self, value, root):
            return value

    module = types.ModuleType("mpi4py")
    module.MPI = types.SimpleNamespace(
        COMM_WORLD=Communicator(), COMM_TYPE_SHARED="shared"
    )
    module.__spec__ = types.SimpleNamespace()
    monkeypatch.setitem(sys.modules, "mpi4py", module)
    assert filled({}) == (None, None, None, None)
    address, *rest = filled({}, "mpi4py")
    assert rest == [4, 0, (0,)]
    assert address.rpartition(":")[0]


POD = {
    "KUBERNETES_SERVICE_HOST": "10.0.0.1",
    "JOB_COMPLETION_INDEX": "3",
    "HOSTNAME": "train-3",
}


@pytest.fixture
def names(monkeypatch):
    """The names that the machine knows, as a pod with a headless service does."""
    known = {"train-3": "train-3.train.default.svc.cluster.local"}
    monkeypatch.setattr(pods.socket, "getfqdn", lambda host: known.get(host, host))
    lookup = tpu_hosts.socket.getaddrinfo
    monkeypatch.setattr(
        tpu_hosts.socket,
        "getaddrinfo",
        lambda host, *rest: lookup(host, *rest) if host == "127.0.0.1" else [host],
    )
    return known


def test_a_pod_knows_its_job_without_asking_the_api(names):
    found = filled(POD, count=4)
    assert found == ("train-0.train.default.svc.cluster.local:55527", 4, 3, None)
    assert filled(POD, "k8s", count=4) == found


def test_pods_that_cannot_work_are_told_what_to_add(names, monkeypatch):
    with pytest.raises(RuntimeError, match="JAX_NUM_PROCESSES"):
        filled(POD)
    names.clear()
    with pytest.raises(RuntimeError, match="clusterIP: None"):
        filled(POD, count=4)
    with pytest.raises(RuntimeError, match="completionMode: Indexed"):
        filled({**POD, "HOSTNAME": "other"}, count=4)


@pytest.mark.parametrize(
    "status, mode, said", [(403, "", "kind: Role"), (200, "NonIndexed", "not indexed")]
)
def test_the_api_of_kubernetes_gives_the_number_of_pods(
    names, monkeypatch, status, mode, said
):
    class ApiException(Exception):
        def __init__(self):
            self.status, self.reason = status, "Forbidden"

    spec = types.SimpleNamespace(completion_mode="Indexed", parallelism=4)

    class Batch:
        def read_namespaced_job(self, name, namespace):
            assert (name, namespace) == ("train", "mine")
            if spec.completion_mode == "":
                raise ApiException()
            return types.SimpleNamespace(spec=spec)

    module = types.ModuleType("kubernetes")
    module.__spec__ = types.SimpleNamespace()
    module.config = types.SimpleNamespace(load_incluster_config=lambda: None)
    module.client = types.SimpleNamespace(
        BatchV1Api=Batch, rest=types.SimpleNamespace(ApiException=ApiException)
    )
    monkeypatch.setitem(sys.modules, "kubernetes", module)
    monkeypatch.delitem(
        sys.modules, "jax._src.distributed.clusters.pod_api", raising=False
    )
    env = {**POD, "POD_NAMESPACE": "mine"}
    assert filled(env)[1] == 4
    spec.completion_mode = mode
    with pytest.raises(RuntimeError, match=said):
        filled(env)
    monkeypatch.delitem(sys.modules, "jax._src.distributed.clusters.pod_api")


def test_names_of_coordinators_are_waited_for(monkeypatch):
    tries = []

    def lookup(host, port):
        tries.append(host)
        if len(tries) < 3:
            raise OSError("not yet")

    monkeypatch.setattr(tpu_hosts.socket, "getaddrinfo", lookup)
    tpu_hosts.wait_for_name("h", 60.0, 0.01)
    assert len(tries) == 3
    tries.clear()
    with pytest.raises(RuntimeError, match="the name h of the coordinator"):
        tpu_hosts.wait_for_name("h", 0.0, 0.01)


def test_tpu_machines_of_kubernetes(names):
    env = {
        "JAX_FORCE_TPU_INIT": "1",
        "TPU_SKIP_MDS_QUERY": "1",
        "TPU_WORKER_HOSTNAMES": "t0,t1",
        "TPU_WORKER_ID": "1",
        "MEGASCALE_NUM_SLICES": "2",
        "MEGASCALE_SLICE_ID": "1",
        "MEGASCALE_COORDINATOR_ADDRESS": "first",
    }
    assert filled(env) == ("first:8482", 4, 3, None)


def test_tpu_machines_ask_their_metadata_server(names):
    values = {"agent-worker-number": "1", "worker-network-endpoints": "a:b:10.1.1.1,c"}

    class Metadata(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            assert self.headers["Metadata-Flavor"] == "Google"
            value = values.get(self.path.rpartition("/")[2])
            self.send_response(404 if value is None else 200)
            self.end_headers()
            self.wfile.write((value or "").encode())

        def log_message(self, *args):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Metadata) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        env = {
            "JAX_FORCE_TPU_INIT": "1",
            "GCE_METADATA_IP": f"127.0.0.1:{server.server_port}",
        }
        assert filled(env) == ("10.1.1.1:8482", 2, 1, None)
        assert filled(env, "gcetpu")[1] == 2
        server.shutdown()


@pytest.fixture
def third_party(monkeypatch):
    """Launchers that a test adds, forgotten after it."""
    monkeypatch.setattr(clusters, "THIRD_PARTY", [])
    return clusters.THIRD_PARTY


def test_launchers_that_others_add_are_found_by_being_defined(third_party):
    class Mine(jax_clusters.ClusterEnv):
        name = "mine"
        is_there = False

        @classmethod
        def is_env_present(cls):
            return cls.is_there

        @classmethod
        def get_coordinator_address(cls, timeout_secs, override_coordinator_port):
            return f"there:{override_coordinator_port or 1}"

        @classmethod
        def get_process_count(cls):
            return 7

        @classmethod
        def get_process_id(cls):
            return 3

    assert filled({}) == (None, None, None, None)
    with pytest.raises(ValueError, match="does not come from it"):
        filled({}, "mine")
    Mine.is_there = True
    assert filled({}) == ("there:1", 7, 3, None)
    assert filled({"JAX_COORDINATOR_PORT": "5"}, "mine") == ("there:5", 7, 3, None)
    # Ours come first.
    assert filled(SLURM)[1] == 8


def test_launchers_of_ours_are_changed_by_subclasses(third_party, monkeypatch):
    for name, value in SLURM.items():
        monkeypatch.setenv(name, value)
    slurm = jax_clusters.SlurmCluster
    assert slurm.is_env_present() and slurm.name == "slurm"
    assert slurm.get_coordinator_address(1).startswith("p001:")
    assert slurm.get_coordinator_address(1, "5") == "p001:5"
    assert (slurm.get_process_count(), slurm.get_process_id()) == (8, 5)
    assert slurm.get_local_process_id() == 1 and third_party == []

    class Older(slurm):
        name = "older"

        @classmethod
        def get_coordinator_address(cls, timeout_secs):
            return "other-machine:2"

    assert filled(SLURM, "older") == ("other-machine:2", 8, 5, (1,))


def test_a_launcher_without_answers_says_which():
    with pytest.raises(NotImplementedError, match="ClusterEnv.get_process_id"):
        jax_clusters.ClusterEnv.get_process_id()
