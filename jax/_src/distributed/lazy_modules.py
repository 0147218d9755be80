"""Modules of this package that few programs want, some with other packages, loaded at the first use."""

from jax._src.base import lazy

NAMES = (
    "arguments",
    "certificate_files",
    "certificates",
    "client",
    "joining",
    "launcher",
    "mpi",
    "pod_api",
    "pods",
    "preemption",
    "service_main",
    "signals",
    "standby_host",
    "status",
    "tpu_hosts",
)
load = lazy.submodules("jax._src.distributed", NAMES)
