"""What a pod of an indexed Job knows of its job without asking the cluster's API."""

import importlib.util
import socket
from collections.abc import Mapping
from pathlib import Path

from jax._src.distributed import lazy_modules
from jax._src.distributed.clusters import addresses

_PORT = 55527
_LOOK_S = 1.0
NAMESPACE_FILE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")


def job_name(env: Mapping[str, str]) -> str:
    """The Job's name: pods of an indexed Job have ``<job>-<index>`` as their host's name."""
    host = env.get("HOSTNAME") or socket.gethostname()
    name, _, index = host.partition(".")[0].rpartition("-")
    if not name or index != env["JOB_COMPLETION_INDEX"]:
        raise RuntimeError(
            f"jax.distributed.initialize: the host {host!r} is no pod of an indexed Job "
            f"(its completion index is {env['JOB_COMPLETION_INDEX']}).\n"
            "Set completionMode: Indexed, or give JAX_COORDINATOR_ADDRESS, JAX_NUM_PROCESSES "
            "and JAX_PROCESS_ID in the manifest."
        )
    return name


def address(env: Mapping[str, str], timeout_s: float) -> str:
    """The first pod of the Job, by the name that its headless service gives it."""
    job = job_name(env)
    own = f"{job}-{env['JOB_COMPLETION_INDEX']}"
    full = socket.getfqdn(own)
    _, _, domain = full.partition(".")
    if not domain or full.partition(".")[0] != own:
        raise RuntimeError(
            f"jax.distributed.initialize: the pod {own} has no name that other pods know.\n"
            "The Job needs a headless service. Add to the manifest:\n"
            f"{_SERVICE.format(job=job)}"
            "and to the Job's pods (spec.template.spec):\n"
            f"  subdomain: {job}\n"
        )
    first = f"{job}-0.{domain}"
    lazy_modules.load("clusters.tpu_hosts").wait_for_name(first, timeout_s, _LOOK_S)
    return addresses.join(first, _PORT)


_SERVICE = """  apiVersion: v1
  kind: Service
  metadata: {{name: {job}}}
  spec:
    clusterIP: None
    publishNotReadyAddresses: true
    selector: {{job-name: {job}}}
"""


def count(env: Mapping[str, str]) -> int:
    """How many pods the Job runs at a time, which only the API knows."""
    job = job_name(env)
    if importlib.util.find_spec("kubernetes") is None:
        raise RuntimeError(
            f"jax.distributed.initialize: how many pods has the Job {job}? A pod does not know.\n"
            'Add to the manifest:  env: [{name: JAX_NUM_PROCESSES, value: "4"}]\n'
            "or install the package kubernetes, and let the pods read their Job."
        )
    try:
        namespace = NAMESPACE_FILE.read_text().strip()
    except OSError:
        namespace = env.get("POD_NAMESPACE", "default")
    return lazy_modules.load("clusters.pod_api").parallelism(job, namespace)
