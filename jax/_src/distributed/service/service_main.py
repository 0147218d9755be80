"""What the coordination service's process does from start to end."""

import asyncio
import contextlib
import json
import resource
import signal
import sys
from typing import Any

import grpc

from jax._src.distributed.clusters import addresses
from jax._src.distributed.service import service, standby

# The name of its process for `ps` and `top`; 15 characters at most.
COMM = "jax-service"


def main(plan: dict[str, Any]) -> None:
    """Serves one job, as `hosting` planned it."""
    # Ctrl-C reaches all processes of a terminal: the programs end, and this one after them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _allow_many_connections()
    with contextlib.suppress(OSError), open("/proc/self/comm", "w") as file:
        file.write(COMM)
    # Not `asyncio.run`: it would end the streams of processes that close their connection at this moment, and
    # wait for threads. The process ends after this.
    asyncio.new_event_loop().run_until_complete(_serve(plan))


def _allow_many_connections() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def _serve(plan: dict[str, Any]) -> None:
    job = service.Service(service.Settings(**plan["settings"]))
    follow = plan.get("follow") and standby.Plan(**plan["follow"])
    if follow:
        job.not_leading = service.FOLLOWS
    try:
        server, ports = await service.start_server(
            job, plan["addresses"], _credentials(plan["certificates"])
        )
    except (RuntimeError, OSError, ValueError) as error:
        _say({"error": str(error)})
        return
    _say({"ports": ports})
    job.on_loss.append(lambda member: _say({"lost": member.id}))
    ends = [asyncio.ensure_future(_end_of_job(job))]
    if follow:
        credentials = _client_credentials(plan["certificates"])
        mine = addresses.join(follow.host, ports[0])
        follower = standby.Standby(job, follow, credentials, mine)
        ends.append(asyncio.ensure_future(_end_of_following(job, follower)))
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    await job.end()
    if not job.is_deserted:
        await server.stop(0.2)
    # Else the end of this process says enough: to be told that the server ends, processes that have left and
    # are about to close their connection would print.


async def _end_of_job(job):
    """Returns when the parent is gone and nobody needs this service."""
    await _follow_parent(job)
    await job.deserted()


async def _end_of_following(job, follower):
    """Returns when there is nothing left to follow; never, if this service leads instead."""
    await follower.run()
    if job.not_leading is None:
        await asyncio.Event().wait()


def _say(answer):
    # Nobody may listen any more.
    with contextlib.suppress(OSError):
        print(json.dumps(answer), flush=True)


def _credentials(files):
    """The server's half of mutual TLS, from paths; read anew when the files change."""
    if files is None:
        return None

    def read():
        parts = [_bytes(files[name]) for name in ("key", "certificate", "authority")]
        return grpc.ssl_server_certificate_configuration(
            [(parts[0], parts[1])], root_certificates=parts[2]
        )

    state = {"latest": read()}

    def renewed():
        with contextlib.suppress(OSError):
            state["latest"] = read()
        return state["latest"]

    return grpc.dynamic_ssl_server_credentials(
        state["latest"], renewed, require_client_authentication=True
    )


def _client_credentials(files):
    """The client's half, for who follows another service; None: plain text."""
    if files is None:
        return None
    return grpc.ssl_channel_credentials(
        root_certificates=_bytes(files["authority"]),
        private_key=_bytes(files["key"]),
        certificate_chain=_bytes(files["certificate"]),
    )


def _bytes(path):
    with open(path, "rb") as file:
        return file.read()


async def _follow_parent(job):
    """Takes in what the parent says, until it is gone."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    while line := await reader.readline():
        said = json.loads(line)
        job.ended(said["process"], said["how"])
