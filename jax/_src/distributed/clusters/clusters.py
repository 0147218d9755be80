"""Launchers of programs on many machines, and what their environment says of a job."""

import importlib.util
import os
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jax._src.distributed import lazy_modules
from jax._src.distributed.clusters import addresses

# Devices on the bus, and the number of the vendor of TPUs.
_PCI = Path("/sys/bus/pci/devices")
_GOOGLE = "0x1ae0"


class AbstractCluster:
    """A launcher: whether it started this process, and what it says of the job.

    Answers are None where it does not say. Only those that are needed are requested.
    """

    name = ""
    # Whether it is looked for only when it is named.
    is_on_request = False

    def is_present(self, env: Mapping[str, str]) -> bool:
        """Whether this process was started so."""
        raise NotImplementedError

    def address(self, env: Mapping[str, str], timeout_s: float) -> str | None:
        """``host:port`` of process 0."""
        raise NotImplementedError

    def count(self, env: Mapping[str, str]) -> int | None:
        """How many processes there are."""
        raise NotImplementedError

    def process(self, env: Mapping[str, str]) -> int | None:
        """The number of this one."""
        raise NotImplementedError

    def local(self, env: Mapping[str, str]) -> int | None:
        """The number of this one among those of its machine."""
        return None


class OpenMpi(AbstractCluster):
    """``mpirun`` of Open MPI, up to 4 (which names its daemon) and from 5 on (which does not)."""

    name = "ompi"
    _URI = "OMPI_MCA_orte_hnp_uri"

    def is_present(self, env):
        return self._URI in env or (
            "OMPI_COMM_WORLD_SIZE" in env and "OMPI_COMM_WORLD_RANK" in env
        )

    def address(self, env, timeout_s):
        if (uri := env.get(self._URI)) is not None:
            host = re.search(r"tcp://([^,:;]+)|tcp6://\[([^\],]+)", uri)
            job = re.search(r"\d+", uri)
            if not host or not job:
                raise ValueError(f"{self._URI} is {uri!r}: it names no address.")
            port = addresses.job_port(int(job[0]) // 4096)
            return addresses.join(host[1] or host[2], port)
        if env.get("OMPI_COMM_WORLD_LOCAL_SIZE") == env["OMPI_COMM_WORLD_SIZE"]:
            return _of_one_machine(env.get("PMIX_NAMESPACE", ""))
        return None

    def count(self, env):
        return _int(env, "OMPI_COMM_WORLD_SIZE")

    def process(self, env):
        return _int(env, "OMPI_COMM_WORLD_RANK")

    def local(self, env):
        return _int(env, "OMPI_COMM_WORLD_LOCAL_RANK")


class Slurm(AbstractCluster):
    """``srun``."""

    name = "slurm"
    _NEEDED = ("JOB_ID", "STEP_NODELIST", "NTASKS", "PROCID", "LOCALID")

    def is_present(self, env):
        return all(f"SLURM_{part}" in env for part in self._NEEDED)

    def address(self, env, timeout_s):
        host = first_node(env["SLURM_STEP_NODELIST"])
        return addresses.join(host, addresses.job_port(_int(env, "SLURM_JOB_ID")))

    def count(self, env):
        # NTASKS may be the allocation's; the step is what runs.
        if "SLURM_STEP_NUM_TASKS" in env:
            return _int(env, "SLURM_STEP_NUM_TASKS")
        return _int(env, "SLURM_NTASKS")

    def process(self, env):
        return _int(env, "SLURM_PROCID")

    def local(self, env):
        return _int(env, "SLURM_LOCALID")


def first_node(text: str) -> str:
    """The first host of a list in Slurm's notation, such as ``p[001-004,7],x``."""
    match = re.fullmatch(r"([^\[,]+)(?:\[([^\]]*)\]([^,]*))?(?:,.*)?", text.strip())
    if match is None:
        raise ValueError(f"SLURM_STEP_NODELIST is {text!r}: no list of hosts.")
    head, numbers, tail = match.groups()
    if numbers is None:
        return head
    return head + re.split(r"[-,]", numbers)[0] + tail


class Mpi4py(AbstractCluster):
    """Any MPI, through the package `mpi4py`: only when requested, as it starts MPI."""

    name = "mpi4py"
    is_on_request = True

    def is_present(self, env):
        return importlib.util.find_spec("mpi4py") is not None

    def address(self, env, timeout_s):
        return lazy_modules.load("clusters.mpi").address()

    def count(self, env):
        return lazy_modules.load("clusters.mpi").size()

    def process(self, env):
        return lazy_modules.load("clusters.mpi").rank()

    def local(self, env):
        return lazy_modules.load("clusters.mpi").local_rank()


class Torchrun(AbstractCluster):
    """``torchrun``, which has a store of its own at MASTER_PORT: ours listens on another port."""

    name = "torchrun"

    def is_present(self, env):
        return "TORCHELASTIC_RUN_ID" in env

    def address(self, env, timeout_s):
        port = addresses.job_port(_int(env, "MASTER_PORT") + 1)
        return addresses.join(env["MASTER_ADDR"], port)

    def count(self, env):
        return _int(env, "WORLD_SIZE")

    def process(self, env):
        return _int(env, "RANK")

    def local(self, env):
        return _int(env, "LOCAL_RANK")


class Hydra(AbstractCluster):
    """``mpiexec`` of MPICH and its family, which gives no address."""

    name = "mpich"

    def is_present(self, env):
        return "PMI_RANK" in env and "PMI_SIZE" in env

    def address(self, env, timeout_s):
        return None

    def count(self, env):
        return _int(env, "PMI_SIZE")

    def process(self, env):
        return _int(env, "PMI_RANK")

    def local(self, env):
        return _int(env, "MPI_LOCALRANKID") if "MPI_LOCALRANKID" in env else None


def _is_tpu_machine(env: Mapping[str, str]) -> bool:
    """Whether this machine has TPUs, and the library to use them."""
    if "JAX_FORCE_TPU_INIT" in env:
        return True
    if "TPU_LIBRARY_PATH" not in env and importlib.util.find_spec("libtpu") is None:
        return False
    vendors = (_text(path) for path in _PCI.glob("*/vendor"))
    return any(vendor == _GOOGLE for vendor in vendors)


def _text(path):
    try:
        return path.read_text().strip()
    except OSError:
        return ""


class GceTpu(AbstractCluster):
    """A virtual machine with TPUs of Google's cloud, which its metadata server describes."""

    name = "gcetpu"

    def is_present(self, env):
        return (
            _is_tpu_machine(env)
            and "TPU_SKIP_MDS_QUERY" not in env
            and lazy_modules.load("clusters.tpu_hosts").metadata(
                env, "agent-worker-number"
            )
            is not None
        )

    def address(self, env, timeout_s):
        workers = lazy_modules.load("clusters.tpu_hosts").metadata_workers(env)
        return lazy_modules.load("clusters.tpu_hosts").coordinator(
            env, workers, timeout_s
        )

    def count(self, env):
        workers = lazy_modules.load("clusters.tpu_hosts").metadata_workers(env)
        return len(workers) * lazy_modules.load("clusters.tpu_hosts").slices(env)[0]

    def process(self, env):
        worker = int(
            lazy_modules.load("clusters.tpu_hosts").metadata(env, "agent-worker-number")
        )
        workers = lazy_modules.load("clusters.tpu_hosts").metadata_workers(env)
        return worker + lazy_modules.load("clusters.tpu_hosts").slices(env)[1] * len(
            workers
        )


class GkeTpu(AbstractCluster):
    """A machine with TPUs in Google's Kubernetes."""

    name = "gketpu"

    def is_present(self, env):
        return _is_tpu_machine(env) and bool(
            lazy_modules.load("clusters.tpu_hosts").listed_workers(env)
        )

    def address(self, env, timeout_s):
        workers = lazy_modules.load("clusters.tpu_hosts").listed_workers(env)
        return lazy_modules.load("clusters.tpu_hosts").coordinator(
            env, workers, timeout_s
        )

    def count(self, env):
        workers = lazy_modules.load("clusters.tpu_hosts").listed_workers(env)
        return len(workers) * lazy_modules.load("clusters.tpu_hosts").slices(env)[0]

    def process(self, env):
        workers = lazy_modules.load("clusters.tpu_hosts").listed_workers(env)
        slice_id = lazy_modules.load("clusters.tpu_hosts").slices(env)[1]
        return _int(env, "TPU_WORKER_ID") + slice_id * len(workers)


class Kubernetes(AbstractCluster):
    """A pod of an indexed Job. The cluster's API is queried only for what the pod does not know."""

    name = "k8s"

    def is_present(self, env):
        return "KUBERNETES_SERVICE_HOST" in env and "JOB_COMPLETION_INDEX" in env

    def address(self, env, timeout_s):
        return lazy_modules.load("clusters.pods").address(env, timeout_s)

    def count(self, env):
        return lazy_modules.load("clusters.pods").count(env)

    def process(self, env):
        return _int(env, "JOB_COMPLETION_INDEX")


# In the order in which they are looked for.
CLUSTERS: tuple[AbstractCluster, ...] = (
    OpenMpi(),
    Slurm(),
    Torchrun(),
    Hydra(),
    Mpi4py(),
    GceTpu(),
    GkeTpu(),
    Kubernetes(),
)


# Launchers that others have added (`third_party_clusters`), looked for behind ours.
THIRD_PARTY: list[AbstractCluster] = []


def find(method: str | None, env: Mapping[str, str]) -> AbstractCluster | None:
    """The launcher of this name, or the first that is found; None: there is none.

    Raises:
        ValueError: no launcher has this name, or the one that has it did not start this process.
    """
    if method is None:
        return next(
            (
                cluster
                for cluster in (*CLUSTERS, *THIRD_PARTY)
                if not cluster.is_on_request and cluster.is_present(env)
            ),
            None,
        )
    # Of several with one name, ours; then the one that was added first.
    known = {c.name: c for c in reversed((*CLUSTERS, *THIRD_PARTY)) if c.name}
    if (cluster := known.get(method.lower())) is None:
        raise ValueError(
            f"jax.distributed.initialize: cluster_detection_method {method!r} is unknown.\n"
            f"Known are {', '.join(map(repr, reversed(known)))} and 'deactivate'."
        )
    if not cluster.is_present(env):
        raise ValueError(
            f"jax.distributed.initialize: cluster_detection_method is {method!r}, but the "
            "environment of this process does not come from it.\nLeave it out to take any "
            "launcher that is found, or give address, count and id as arguments."
        )
    return cluster


def fill(
    method: str | None,
    address: str | None,
    count: int | None,
    process: int | None,
    ids: tuple[int, ...] | None,
    timeout_s: float,
    env: Mapping[str, str] = os.environ,
) -> tuple[Any, Any, Any, Any]:
    """What is given, completed by what the launcher says."""
    cluster = find(method, env)
    if cluster is None:
        return address, count, process, ids
    if address is None:
        address = with_port(cluster.address(env, timeout_s), env)
    if count is None:
        count = cluster.count(env)
    if process is None:
        process = cluster.process(env)
    if ids is None:
        local = cluster.local(env)
        ids = None if local is None else (local,)
    return address, count, process, ids


def with_port(address: str | None, env: Mapping[str, str]) -> str | None:
    """The address with the port that JAX_COORDINATOR_PORT asks for, if it does."""
    if address is None or "JAX_COORDINATOR_PORT" not in env:
        return address
    return addresses.join(
        addresses.split(address)[0], _int(env, "JAX_COORDINATOR_PORT")
    )


def found_text(env: Mapping[str, str] = os.environ) -> str:
    """A sentence on which launcher is there, for errors."""
    cluster = find(None, env)
    if cluster is None:
        return "No launcher that is known started this process."
    return f"The launcher found is {cluster.name!r}, which does not say it."


def _of_one_machine(job):
    return f"127.0.0.1:{addresses.job_port(zlib.crc32(job.encode()))}"


def _int(env: Mapping[str, str], name: str) -> int:
    try:
        return int(env[name])
    except KeyError:
        raise ValueError(
            f"jax.distributed.initialize: the launcher did not set {name}."
        ) from None
    except ValueError:
        raise ValueError(
            f"jax.distributed.initialize: {name} is {env[name]!r}; it must be a whole number."
        ) from None
