"""Modules of this package that few programs want, some with other packages, loaded at the first use."""

from jax._src.base import lazy

NAMES = (
    "client.client",
    "client.joining",
    "client.preemption",
    "client.signals",
    "client.standby_host",
    "client.status",
    "clusters.addresses",
    "clusters.arguments",
    "clusters.mpi",
    "clusters.pod_api",
    "clusters.pods",
    "clusters.tpu_hosts",
    "launcher",
    "security.certificate_files",
    "security.certificates",
    "service.service_main",
)
load = lazy.submodules("jax._src.distributed", NAMES)
