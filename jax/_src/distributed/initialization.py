"""What this process knows of its job: `initialize` fills it, `shutdown` empties it."""

import atexit
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import config, errors, traceback_filter
from jax._src.distributed import lazy_modules


class State:
    """The part of this process in a job. There is one, `global_state`."""

    def __init__(self) -> None:
        self.process_id = 0
        self.num_processes = 1
        self.service: Any = None
        # The standby of the service, if this process was requested to start one.
        self.standby: Any = None
        self.client: Any = None
        self.preemption_sync_manager: Any = None
        self.coordinator_address: str | None = None
        self.partition_index: int | None = None
        # The process that joined; one that it forks off is no part of the job.
        self.pid = 0
        self._lock = threading.RLock()
        self._endings: list[Callable[[], None]] = []
        # Answers whether devices are in use already; the runtime puts its own answer here.
        self.has_backends: Callable[[], bool] = lambda: False

    @traceback_filter.hides_frames
    def initialize(
        self,
        coordinator_address: str | None = None,
        num_processes: int | None = None,
        process_id: int | None = None,
        local_device_ids: int | Sequence[int] | None = None,
        cluster_detection_method: str | None = None,
        initialization_timeout: int = 300,
        coordinator_bind_address: str | None = None,
        heartbeat_timeout_seconds: int = 100,
        shutdown_timeout_seconds: int = 300,
        partition_index: int | None = None,
    ) -> None:
        """Joins a job, for those who know this class; arguments as for `initialize` below."""
        self.join(
            lazy_modules.load("clusters.arguments").Given(
                coordinator_address=coordinator_address,
                num_processes=num_processes,
                process_id=process_id,
                local_device_ids=local_device_ids,
                cluster_detection_method=cluster_detection_method,
                initialization_timeout=initialization_timeout,
                heartbeat_timeout_seconds=heartbeat_timeout_seconds,
                shutdown_timeout_seconds=shutdown_timeout_seconds,
                coordinator_bind_address=coordinator_bind_address,
                partition_index=partition_index,
            )
        )

    @traceback_filter.hides_frames
    def join(self, given: Any) -> None:
        """Joins the job with `arguments.Given`. See `initialize` below."""
        with self._lock:
            if self.client is not None:
                raise RuntimeError(
                    "jax.distributed.initialize: this process is part of a job already.\n"
                    "Call jax.distributed.shutdown() before joining another."
                )
            if self.has_backends():
                raise RuntimeError(
                    "jax.distributed.initialize: devices are in use already.\n"
                    "Call it before any other function of jax that needs a device, such as "
                    "jax.devices() or an operation on an array."
                )
            arguments = lazy_modules.load("clusters.arguments")
            plan = arguments.complete(given)
            _use_devices(plan.local_device_ids)
            arguments.warn_of_proxies()
            self._start(plan)

    def _start(self, plan):
        try:
            is_new = "grpc" not in sys.modules  # what follows imports it
            joined = lazy_modules.load("client.joining").join(plan, is_new=is_new)
        except ModuleNotFoundError as error:
            raise RuntimeError(_package_missing(error)) from None
        self.pid = os.getpid()
        self.process_id = plan.process_id
        self.num_processes = plan.num_processes
        self.coordinator_address = plan.coordinator_address
        self.partition_index = plan.partition_index
        self.service, self.client = joined.service, joined.client
        self.standby = joined.standby
        self.preemption_sync_manager = joined.preemption
        self._endings = joined.endings

    def shutdown(self) -> None:
        """Leaves the job, together with the other processes. Without a job, does nothing."""
        with self._lock:
            client, service, standby = self.client, self.service, self.standby
            endings, self._endings = self._endings, []
            manager = self.preemption_sync_manager
            self.client = self.service = self.standby = None
            self.preemption_sync_manager = None
            self.process_id, self.num_processes = 0, 1
            self.coordinator_address = self.partition_index = None
        try:
            if manager is not None:
                manager.shutdown()
            for ending in endings:
                ending()
        finally:
            try:
                if client is not None:
                    client.shutdown()
            finally:
                for host in (standby, service):
                    if host is not None:
                        host.shutdown()


def _use_devices(ids: Sequence[int] | None) -> None:
    if ids is not None:
        text = ",".join(map(str, ids))
        config.config.update("jax_cuda_visible_devices", text)
        config.config.update("jax_rocm_visible_devices", text)


def _package_missing(error):
    package = {"google": "protobuf", "grpc": "grpcio"}.get(
        (error.name or "").partition(".")[0], error.name
    )
    return errors.explain(
        f"jax.distributed.initialize needs the package {package}, which is not installed.",
        [("python", sys.executable)],
        ways=f"Install it:  pip install {package}",
    )


global_state = State()


@traceback_filter.hides_frames
def initialize(
    coordinator_address: str | None = None,
    num_processes: int | None = None,
    process_id: int | None = None,
    local_device_ids: int | Sequence[int] | None = None,
    cluster_detection_method: str | None = None,
    initialization_timeout: int = 300,
    heartbeat_timeout_seconds: int = 100,
    shutdown_timeout_seconds: int = 300,
    coordinator_bind_address: str | None = None,
    slice_index: int | None = None,
    partition_index: int | None = None,
    mtls_cert_file: str | None = None,
    mtls_key_file: str | None = None,
    mtls_ca_file: str | None = None,
    mtls_peer_uri_prefix: str | None = None,
    verify_secure_credentials: bool | None = None,
    *,
    coordinator_standby: bool | str | None = None,
) -> None:
    """Makes this process a part of a job of several processes.

    Call it in each process, before anything that needs a device. It returns when all processes have
    come. What is not given comes from the environment (the variables named below), then from the
    launcher that is found (Slurm, Open MPI, Kubernetes, …; see ``docs/clusters.md``).

    Args:
        coordinator_address: ``host:port`` of the coordination service, which process 0 starts there
            (``JAX_COORDINATOR_ADDRESS``).
        num_processes: how many processes there are (``JAX_NUM_PROCESSES``).
        process_id: the number of this one, from 0 (``JAX_PROCESS_ID``).
        local_device_ids: which devices of this machine are this process's (``JAX_LOCAL_DEVICE_IDS``);
            None: all. CPU devices are not chosen by this.
        cluster_detection_method: the name of a launcher, None for any that is found, or
            ``"deactivate"``.
        initialization_timeout: seconds to wait for the others.
        heartbeat_timeout_seconds: a process that does not answer for so long counts as failed.
        shutdown_timeout_seconds: seconds that `shutdown` waits for the others.
        coordinator_bind_address: ``host:port`` at which the service listens
            (``JAX_COORDINATOR_BIND_ADDRESS``); None: the interface that `coordinator_address` names.
        slice_index: the older name of `partition_index`.
        partition_index: the number of this process's partition, for all processes or for none
            (``JAX_PARTITION_INDEX``).
        mtls_cert_file: path of this process's certificate in PEM (``JAX_MTLS_CERT_FILE``).
        mtls_key_file: path of its private key (``JAX_MTLS_KEY_FILE``).
        mtls_ca_file: path of the certificates that others' must be signed with (``JAX_MTLS_CA_FILE``).
        mtls_peer_uri_prefix: both sides want a URI in the other's certificate that starts so
            (``JAX_MTLS_PEER_URI_PREFIX``).
        verify_secure_credentials: refuse to join without TLS
            (``JAX_DISTRIBUTED_VERIFY_SECURE_CREDENTIALS``).
        coordinator_standby: whether a second machine shall take over the coordination service when it is
            lost (``JAX_COORDINATOR_STANDBY``); process 0 decides. None: where there is another machine and
            the processes have certificates; or ``host:port``, where it shall listen.

    Raises:
        RuntimeError: devices are in use already, the service cannot be started or refuses this process,
            or others did not come in time.
        ValueError: something is missing or out of range.
        TypeError: a number is of another type.
    """
    global_state.join(
        lazy_modules.load("clusters.arguments").Given(
            coordinator_address=coordinator_address,
            num_processes=num_processes,
            process_id=process_id,
            local_device_ids=local_device_ids,
            cluster_detection_method=cluster_detection_method,
            initialization_timeout=initialization_timeout,
            heartbeat_timeout_seconds=heartbeat_timeout_seconds,
            shutdown_timeout_seconds=shutdown_timeout_seconds,
            coordinator_bind_address=coordinator_bind_address,
            slice_index=slice_index,
            partition_index=partition_index,
            mtls_cert_file=mtls_cert_file,
            mtls_key_file=mtls_key_file,
            mtls_ca_file=mtls_ca_file,
            mtls_peer_uri_prefix=mtls_peer_uri_prefix,
            verify_secure_credentials=verify_secure_credentials,
            coordinator_standby=coordinator_standby,
        )
    )


@traceback_filter.hides_frames
def shutdown() -> None:
    """Leaves the job, together with the other processes. Without a job, does nothing.

    Programs need not call it: it is called when Python ends.

    Raises:
        JaxRuntimeError: not all others came to their end within the shutdown timeout.
    """
    global_state.shutdown()


def is_initialized() -> bool:
    """Whether this process is part of a job of several processes."""
    return global_state.client is not None


@traceback_filter.hides_frames
def status() -> Any:
    """What each process of the job runs or waits for, as a table (`print` it).

    Raises:
        RuntimeError: this process is part of no job.
        JaxRuntimeError: the coordination service does not answer.
    """
    if global_state.client is None:
        raise RuntimeError(
            "jax.distributed.status: this process is part of no job.\n"
            "Call jax.distributed.initialize() first."
        )
    return lazy_modules.load("client.status").of_client(global_state.client)


def _shutdown_at_exit() -> None:
    if global_state.pid != os.getpid():
        return  # forked off: the job is the parent's
    try:
        shutdown()
    except RuntimeError as error:
        print(f"jax.distributed: {error}", file=sys.stderr)


atexit.register(_shutdown_at_exit)
