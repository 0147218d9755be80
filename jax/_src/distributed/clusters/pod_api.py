"""Queries to the API of Kubernetes. Needs the package `kubernetes`, and a role that may read jobs."""

import kubernetes

_ROLE = """  apiVersion: rbac.authorization.k8s.io/v1
  kind: Role
  metadata: {name: read-jobs}
  rules:
  - {apiGroups: ["batch"], resources: ["jobs"], verbs: ["get"]}
"""


def parallelism(job: str, namespace: str) -> int:
    """How many pods of a Job run at a time.

    Raises:
        RuntimeError: the pod may not ask, or the Job is not indexed.
    """
    kubernetes.config.load_incluster_config()
    api = kubernetes.client.BatchV1Api()
    try:
        found = api.read_namespaced_job(name=job, namespace=namespace)
    except kubernetes.client.rest.ApiException as error:
        if error.status != 403:
            raise RuntimeError(
                f"jax.distributed.initialize: the Job {job} in {namespace} cannot be read: "
                f"{error.reason}."
            ) from None
        raise RuntimeError(
            f"jax.distributed.initialize: this pod may not read the Job {job} in {namespace}.\n"
            "Bind its service account to this role, or set JAX_NUM_PROCESSES in the manifest:\n"
            f"{_ROLE}"
        ) from None
    if found.spec.completion_mode != "Indexed":
        raise RuntimeError(
            f"jax.distributed.initialize: the Job {job} is not indexed, so its pods have no "
            "numbers.\nSet completionMode: Indexed."
        )
    return found.spec.parallelism
