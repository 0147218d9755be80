"""Modules of this package that few programs want, some with other packages, loaded when first asked for."""

from jax._src.base import lazy

NAMES = (
    "arguments",
    "certificate_files",
    "certificates",
    "engine",
    "joining",
    "launcher",
    "mpi",
    "pod_api",
    "pods",
    "status",
    "tpu_hosts",
)
load = lazy.submodules("jax._src.distributed", NAMES)
