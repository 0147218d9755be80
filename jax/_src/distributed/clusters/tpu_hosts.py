"""What machines with TPUs in Google's cloud are told of each other."""

import functools
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping

from jax._src.distributed.clusters import addresses

_PORT = 8482
_TRIES, _TRY_S = 6, 60.0
_LOOK_S = 5.0


def metadata(env: Mapping[str, str], key: str) -> str | None:
    """An attribute of this machine from the metadata server; None: it has no such attribute."""
    host = env.get("GCE_METADATA_IP", "metadata.google.internal")
    path = f"/computeMetadata/v1/instance/attributes/{key}"
    return _fetch(urllib.parse.urlunsplit(("http", host, path, "", "")))


@functools.cache
def _fetch(url):
    request = urllib.request.Request(url, headers={"Metadata-Flavor": "Google"})
    # Never through a proxy: the server is the machine's own.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for left in reversed(range(_TRIES)):
        try:
            with opener.open(request, timeout=_TRY_S) as answer:
                return answer.read(1 << 20).decode()
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            trouble = error
        except OSError as error:
            trouble = error
        if left:
            time.sleep(1.0)
    raise RuntimeError(
        f"jax.distributed.initialize: the metadata server does not answer ({trouble}).\n"
        "Give coordinator_address, num_processes and process_id, or set TPU_SKIP_MDS_QUERY."
    )


def metadata_workers(env: Mapping[str, str]) -> list[str]:
    """The hosts of this machine's slice, by the metadata server."""
    text = metadata(env, "worker-network-endpoints") or ""
    # Each is a host alone, or name:id:address.
    return [part.split(":")[-1] for part in text.split(",") if part]


def listed_workers(env: Mapping[str, str]) -> list[str]:
    """The hosts of this machine's slice, by the environment."""
    text = env.get("TPU_PROCESS_ADDRESSES") or env.get("TPU_WORKER_HOSTNAMES") or ""
    hosts = [part.strip() for part in text.split(",") if part.strip()]
    # TPU_PROCESS_ADDRESSES has ports of its own.
    return [h.rsplit(":", 1)[0] if h.count(":") == 1 else h for h in hosts]


def slices(env: Mapping[str, str]) -> tuple[int, int]:
    """How many slices the job has, and which of them this machine's is."""
    return int(env.get("MEGASCALE_NUM_SLICES", "1")), int(
        env.get("MEGASCALE_SLICE_ID", "0")
    )


def coordinator(env: Mapping[str, str], workers: list[str], timeout_s: float) -> str:
    """The address of process 0, once its name is known."""
    host = env.get("MEGASCALE_COORDINATOR_ADDRESS") or workers[0]
    if host.count(":") == 1:
        host = host.rsplit(":", 1)[0]
    wait_for_name(host, timeout_s, _LOOK_S)
    return addresses.join(host, _PORT)


def wait_for_name(host: str, timeout_s: float, every_s: float) -> None:
    """Waits until a host's name is known: names of pods appear with the pods.

    Raises:
        RuntimeError: it is not in time.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            socket.getaddrinfo(host, None)
            return
        except OSError as error:
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise RuntimeError(
                    f"jax.distributed.initialize: the name {host} of the coordinator is not "
                    f"known after {timeout_s:g} s ({error})."
                ) from None
        time.sleep(min(every_s, left_s))
