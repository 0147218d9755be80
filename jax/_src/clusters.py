"""Launchers as classes, for those who add their own: see `ClusterEnv`."""

from jax._src.distributed.third_party_clusters import (
    ClusterEnv as ClusterEnv,
    GceTpuCluster as GceTpuCluster,
    GkeTpuCluster as GkeTpuCluster,
    K8sCluster as K8sCluster,
    Mpi4pyCluster as Mpi4pyCluster,
    OmpiCluster as OmpiCluster,
    SlurmCluster as SlurmCluster,
)
