"""Modules of this package that need gRPC or another package, loaded when first asked for."""

from jax._src.base import lazy

NAMES = (
    "certificates",
    "joining",
    "launcher",
    "mpi",
    "pod_api",
    "pods",
    "status",
    "tpu_hosts",
)
load = lazy.submodules("jax._src.distributed", NAMES)
