"""A coordination service, and clients of it in one process."""

import pathlib
import subprocess
import sys
import threading
import time

from jax._src import distributed
from jax._src.distributed import (
    channels as channels,
    client,
    hosting,
    messages as messages,
    session as session,
    status as status,
)

HEARTBEAT_S = 4.0
TICKET = 4711
_JAX = str(pathlib.Path(distributed.__file__).parents[2])


class ServiceAndClients:
    """A service with clients of this process, as many as the job has."""

    def __init__(
        self,
        count: int,
        *,
        is_recoverable: bool = False,
        shutdown_s=5.0,
        has_standby: bool = False,
        relay=None,
    ):
        self.count = count
        settings = {
            "num_processes": count,
            "heartbeat_s": HEARTBEAT_S,
            "shutdown_s": shutdown_s,
            "is_recoverable": is_recoverable,
            "standby_ticket": TICKET if has_standby else 0,
        }
        self.host = hosting.start(["127.0.0.1:0"], settings, None)
        self.standby = None
        # Through which the standby, and whoever is told to, reach the service.
        self.relay = relay and relay(self.host.ports[0])
        if has_standby:
            port = self.relay.port if relay else self.host.ports[0]
            follow = {"address": f"127.0.0.1:{port}", "ticket": TICKET}
            self.standby = hosting.start(["127.0.0.1:0"], settings, None, follow)
        self.clients: list[client.Client] = []
        self.children: list[subprocess.Popen] = []

    def new_client(self, k: int, port: int = 0, **more) -> client.Client:
        address = f"127.0.0.1:{port or self.host.ports[0]}"
        more = {"heartbeat_s": HEARTBEAT_S, "num_processes": self.count, **more}
        made = client.Client(client.Endpoint(address, k, **more))
        self.clients.append(made)
        return made

    def connected(self) -> list[client.Client]:
        made = [self.new_client(k) for k in range(self.count)]
        together(*(lambda c=c: c.connect(20) for c in made))
        return made

    def with_standby(self) -> list[client.Client]:
        """Clients that all know of the standby."""
        made = self.connected()
        deadline = time.monotonic() + 20
        while any(len(one._routes.addresses) < 2 for one in made):
            assert time.monotonic() < deadline, "the standby does not follow"
            time.sleep(0.02)
        return made

    def close(self) -> None:
        for child in self.children:
            child.kill()
            child.communicate()
        for made in self.clients:
            made.leave()
        if self.relay is not None:
            self.relay.close()
        for host in (self.standby, self.host):
            if host is not None:
                host.shutdown()


def together(*functions):
    """Calls functions in threads of their own; returns what each returned or raised."""
    results = [None] * len(functions)

    def call(k):
        try:
            results[k] = functions[k]()
        except Exception as error:
            results[k] = error

    threads = [threading.Thread(target=call, args=(k,)) for k in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(40)
        assert not thread.is_alive(), "a call did not end"
    return results


# Runs a program with a client that has joined a job, without loading all of jax. Its arguments: port,
# process, number of processes.
LIGHT = f"""
import os, signal, sys, threading, time, types
sys.path[:] = {sys.path!r}
for name, folder in (("jax", {_JAX!r}), ("jax._src", {_JAX!r} + "/_src")):
    package = types.ModuleType(name)
    package.__path__ = [folder]
    sys.modules[name] = package
from jax._src.distributed import client as clients
port, me, count = map(int, sys.argv[1:4])
client = clients.Client(clients.Endpoint(f"127.0.0.1:{{port}}", me, count, heartbeat_s={HEARTBEAT_S}))
client.connect(30)
"""


def light_process(job: ServiceAndClients, k: int, program: str) -> subprocess.Popen:
    """A process that joins a job as `k` and runs a program with `client`."""
    arguments = [str(job.host.ports[0]), str(k), str(job.count)]
    child = subprocess.Popen(
        [sys.executable, "-c", LIGHT + program, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    job.children.append(child)
    return child
