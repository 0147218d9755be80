"""A coordination service, and clients of it in one process."""

import pathlib
import subprocess
import sys
import threading

from jax._src import distributed
from jax._src.distributed.client import client, session as session, status as status
from jax._src.distributed.messages import channels as channels, messages as messages
from jax._src.distributed.service import hosting, service
from tests.testing.patience import LIMIT_S, wait_for

# A process that is suspended for less than half of it lives: so long is no test held up by a busy machine. Deaths are
# noticed by closed connections, which is told in another text than silence.
HEARTBEAT_S = 120.0
# Tests of silence wait for it: short, but longer than a busy machine leaves a process without time.
QUICK_HEARTBEAT_S = 20.0
# How much of the heartbeat timeout goes by until silence is noticed.
SILENCE_PART = 0.55
# What is noticed at once takes less, on any machine; what is noticed by silence takes more.
AT_ONCE_S = 45.0
TICKET = 4711
_JAX = str(pathlib.Path(distributed.__file__).parents[2])


class ServiceAndClients:
    """A service with clients of this process, as many as the job has."""

    def __init__(
        self,
        count: int,
        *,
        is_recoverable: bool = False,
        shutdown_s=60.0,
        heartbeat_s: float = HEARTBEAT_S,
        return_s: float = service.RETURN_S,
        keep_up_s: float = 60.0,
        has_standby: bool = False,
        relay=None,
    ):
        self.count = count
        self.heartbeat_s = heartbeat_s
        settings = {
            "num_processes": count,
            "heartbeat_s": heartbeat_s,
            "shutdown_s": shutdown_s,
            "is_recoverable": is_recoverable,
            "standby_ticket": TICKET if has_standby else 0,
            "return_s": return_s,
            "keep_up_s": keep_up_s,
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
        more = {
            "heartbeat_s": self.heartbeat_s,
            "num_processes": self.count,
            **more,
        }
        made = client.Client(client.Endpoint(address, k, **more))
        self.clients.append(made)
        return made

    def connected(self) -> list[client.Client]:
        made = [self.new_client(k) for k in range(self.count)]
        results = together(*(lambda c=c: c.connect(LIMIT_S) for c in made))
        assert results == [None] * self.count
        return made

    def with_standby(self) -> list[client.Client]:
        """Clients that all know of the standby."""
        made = self.connected()
        wait_for(lambda: all(len(one._routes.addresses) == 2 for one in made))
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
        thread.join(LIMIT_S)
        assert not thread.is_alive(), "a call did not end"
    return results


# Runs a program with a client that has joined a job, without loading all of jax. Its arguments: port,
# process, number of processes, heartbeat timeout.
LIGHT = f"""
import os, signal, sys, threading, time, types
sys.path[:] = {sys.path!r}
for name, folder in (("jax", {_JAX!r}), ("jax._src", {_JAX!r} + "/_src")):
    package = types.ModuleType(name)
    package.__path__ = [folder]
    sys.modules[name] = package
from jax._src.distributed.client import client as clients, session
session._END_S = clients._STATES_S = {LIMIT_S}
port, me, count = map(int, sys.argv[1:4])
client = clients.Client(clients.Endpoint(f"127.0.0.1:{{port}}", me, count, heartbeat_s=float(sys.argv[4])))
client.connect({LIMIT_S})
"""


def light_process(job: ServiceAndClients, k: int, program: str) -> subprocess.Popen:
    """A process that joins a job as `k` and runs a program with `client`."""
    arguments = map(str, (job.host.ports[0], k, job.count, job.heartbeat_s))
    child = subprocess.Popen(
        [sys.executable, "-c", LIGHT + program, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    job.children.append(child)
    return child
