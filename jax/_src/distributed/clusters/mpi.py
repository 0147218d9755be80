"""What an MPI knows of a job, through the package `mpi4py`."""

import functools
import socket
import zlib

from mpi4py import MPI

from jax._src.distributed.clusters import addresses


def size() -> int:
    """How many processes there are."""
    return MPI.COMM_WORLD.Get_size()


def rank() -> int:
    """The number of this process."""
    return MPI.COMM_WORLD.Get_rank()


@functools.cache
def local_rank() -> int:
    """The number of this process among those of its machine. All processes must ask."""
    split = MPI.COMM_WORLD.Split_type(MPI.COMM_TYPE_SHARED)
    return split.Get_rank()


@functools.cache
def address() -> str:
    """The host of rank 0, and a port that it chooses. All processes must ask."""
    host = socket.gethostname() if rank() == 0 else None
    host = MPI.COMM_WORLD.bcast(host, root=0)
    return f"{host}:{addresses.job_port(zlib.crc32(host.encode()))}"
