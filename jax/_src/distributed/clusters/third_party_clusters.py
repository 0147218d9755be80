"""Launchers that others add: subclasses of `ClusterEnv` are looked for behind our own."""

import inspect
import os
from collections.abc import Mapping
from typing import Any, ClassVar

from jax._src.distributed.clusters import clusters


class ClusterEnv:
    """A launcher: whether it started this process, and what it says of the job.

    To be found, it suffices to be defined: a subclass with a name of its own, or one of those below
    changed. An answer that is given as an argument or by a variable of ours is not requested from it.
    """

    name: ClassVar[str] = ""
    # Whether it is looked for only when it is named.
    opt_in_only_method: ClassVar[bool] = False
    # The classes, in the order in which they were defined.
    _cluster_types: ClassVar[list[type["ClusterEnv"]]] = []

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        clusters.THIRD_PARTY.append(ThirdPartyCluster(cls))
        ClusterEnv._cluster_types.append(cls)

    @classmethod
    def is_env_present(cls) -> bool:
        """Whether this process was started so."""
        raise NotImplementedError(f"{cls.__name__}.is_env_present")

    @classmethod
    def get_coordinator_address(
        cls, timeout_secs: int | None, override_coordinator_port: str | None = None
    ) -> str:
        """``host:port`` of process 0; the port as wanted, if one is."""
        raise NotImplementedError(f"{cls.__name__}.get_coordinator_address")

    @classmethod
    def get_process_count(cls) -> int:
        """How many processes there are."""
        raise NotImplementedError(f"{cls.__name__}.get_process_count")

    @classmethod
    def get_process_id(cls) -> int:
        """The number of this one."""
        raise NotImplementedError(f"{cls.__name__}.get_process_id")

    @classmethod
    def get_local_process_id(cls) -> int | None:
        """The number of this one among those of its machine; None: unknown."""
        return None


class ThirdPartyCluster(clusters.AbstractCluster):
    """A class that somebody added, queried as our own launchers are."""

    def __init__(self, of: type[ClusterEnv]):
        self._of = of

    @property
    def name(self) -> str:
        """The name to ask for."""
        return self._of.name

    @property
    def is_on_request(self) -> bool:
        """Whether it is looked for only when it is named."""
        return self._of.opt_in_only_method

    def is_present(self, env: Mapping[str, str]) -> bool:
        return self._of.is_env_present()

    def address(self, env: Mapping[str, str], timeout_s: float) -> str | None:
        ask = self._of.get_coordinator_address
        # Classes written for older releases know of no other port.
        more = (env.get("JAX_COORDINATOR_PORT"),)
        return ask(timeout_s, *more[: len(inspect.signature(ask).parameters) - 1])

    def count(self, env: Mapping[str, str]) -> int | None:
        return self._of.get_process_count()

    def process(self, env: Mapping[str, str]) -> int | None:
        return self._of.get_process_id()

    def local(self, env: Mapping[str, str]) -> int | None:
        return self._of.get_local_process_id()


def _class_of(ours: clusters.AbstractCluster, name: str) -> type[ClusterEnv]:
    """One of our launchers, to be changed by a subclass. It is not looked for a second time."""

    def get_coordinator_address(cls, timeout_secs, override_coordinator_port=None):
        env = {**os.environ}
        if override_coordinator_port is not None:
            env["JAX_COORDINATOR_PORT"] = str(override_coordinator_port)
        return clusters.with_port(ours.address(env, timeout_secs), env)

    body = {
        "__doc__": ours.__doc__,
        "__module__": __name__,
        "name": ours.name,
        "opt_in_only_method": ours.is_on_request,
        "is_env_present": classmethod(lambda cls: ours.is_present(os.environ)),
        "get_coordinator_address": classmethod(get_coordinator_address),
        "get_process_count": classmethod(lambda cls: ours.count(os.environ)),
        "get_process_id": classmethod(lambda cls: ours.process(os.environ)),
        "get_local_process_id": classmethod(lambda cls: ours.local(os.environ)),
    }
    made = type(name, (ClusterEnv,), body)
    clusters.THIRD_PARTY.pop()
    return made


OmpiCluster = _class_of(clusters.OpenMpi(), "OmpiCluster")
SlurmCluster = _class_of(clusters.Slurm(), "SlurmCluster")
Mpi4pyCluster = _class_of(clusters.Mpi4py(), "Mpi4pyCluster")
GceTpuCluster = _class_of(clusters.GceTpu(), "GceTpuCluster")
GkeTpuCluster = _class_of(clusters.GkeTpu(), "GkeTpuCluster")
K8sCluster = _class_of(clusters.Kubernetes(), "K8sCluster")
