"""Starting a standby of the coordination service on this process's machine, when the service asks for it."""

import logging
import threading
from typing import Any

from jax._src.distributed.clusters import addresses
from jax._src.distributed.messages import messages
from jax._src.distributed.service import hosting

_log = logging.getLogger(__name__)


class StandbyHost:
    """The standby that this process may be requested to start."""

    def __init__(self, plan: Any, identity: Any, session: Any):
        self._plan = plan
        self._identity = identity
        self._session = session
        self._lock = threading.Lock()
        self._host: hosting.Host | None = None
        self._is_closed = False
        session.on_host_standby = self._on_request

    @property
    def pid(self) -> int | None:
        """The process in which it runs; None: there is none."""
        with self._lock:
            return self._host and self._host.pid

    def _on_request(self, request: messages.HostStandby) -> None:
        # Not in the session's thread: it takes half a second.
        threading.Thread(
            target=self._start, args=(request,), name="jax standby", daemon=True
        ).start()

    def _start(self, request):
        try:
            host, bound = self._where(request.address)
            with self._lock:
                if self._is_closed:
                    return
                if self._host is not None and self._host.status() is None:
                    raise RuntimeError("it has started one already.")
                self._host = hosting.start(
                    bound,
                    self._settings(),
                    self._identity.files,
                    self._follow(request, host),
                )
        except (RuntimeError, ValueError, OSError) as error:
            _log.info("no standby of the coordination service from here: %s", error)
            self._session.send(messages.Up(no_standby=messages.Nothing()))

    def _where(self, address: str) -> tuple[str, list[str]]:
        """The host by which others reach the standby, and where it listens."""
        if address:
            bound, warning = addresses.to_bind(address)
            if warning:
                raise ValueError(f"{address} is no address of this machine.")
            return addresses.split(address)[0], bound
        mine = addresses.towards(*addresses.split(self._session.address))
        return mine, [addresses.join(mine, 0)]

    def _settings(self):
        told = self._session.welcome
        return {
            "num_processes": self._plan.num_processes,
            "heartbeat_s": told.heartbeat_ms / 1000,
            "shutdown_s": told.shutdown_ms / 1000,
            "is_recoverable": told.is_recoverable,
            "peer_uri_prefix": self._plan.peer_uri_prefix or self._identity.uri_prefix,
            "standby": self._plan.standby,
        }

    def _follow(self, request, host):
        address = self._session.address
        return {
            "address": address,
            "ticket": request.ticket,
            "server_name": self._identity.server_name(
                address, self._plan.initialization_s
            ),
            "host": host,
        }

    def shutdown(self) -> None:
        """Releases the standby. If it leads the job by then, it stays until the last process has left."""
        self._session.on_host_standby = lambda request: None
        with self._lock:
            self._is_closed = True
            if self._host is not None:
                self._host.shutdown()
                self._host = None
