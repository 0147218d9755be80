"""The ways to a job's coordination service: the service, and its standby if there is one."""

import socket
import threading
from collections.abc import Callable
from typing import Any

import grpc

from jax._src.distributed.clusters import addresses
from jax._src.distributed.messages import channels, messages

_REACH_S = 2.0


class Routes:
    """The addresses at which the service may be, and a channel to one of them.

    Who finds nobody there turns to the next; whoever answers may say that it is only the standby.
    """

    def __init__(self, endpoint: Any):
        self._endpoint = endpoint
        self._lock = threading.Lock()
        self.addresses = [endpoint.address]
        self._at = 0
        # The latest news of the standby.
        self.epoch = 0
        self.is_closed = False
        self._methods: dict[str, Callable] = {}
        self._channel = self._open(endpoint.address, endpoint.server_name)

    def _open(self, address, server_name):
        endpoint = self._endpoint
        options = channels.client_options(endpoint.heartbeat_s, server_name)
        if endpoint.credentials is None:
            return grpc.insecure_channel(address, options)
        return grpc.secure_channel(address, endpoint.credentials, options)

    @property
    def address(self) -> str:
        """Where the channel leads."""
        return self.addresses[self._at]

    def reach(self) -> str:
        """Tries whether somebody listens; returns what is in the way, or nothing.

        gRPC waits 100 ms and more between its attempts: too long for who comes a moment before the service.
        """
        try:
            host, port = addresses.split(self.address)
            socket.create_connection((addresses.to_ask(host), port), _REACH_S).close()
        except OSError as error:
            return error.strerror or str(error)
        except ValueError:
            pass  # gRPC knows other kinds of addresses
        return ""

    def unary(self, name: str) -> Callable:
        """A call of the service."""
        with self._lock:
            if name not in self._methods:
                path = f"/{messages.SERVICE}/{name}"
                self._methods[name] = self._channel.unary_unary(path)
            return self._methods[name]

    def stream(self, name: str) -> Callable:
        """A stream to the service."""
        with self._lock:
            return self._channel.stream_stream(f"/{messages.SERVICE}/{name}")

    def learn(self, news: messages.Standby) -> None:
        """Takes in where the standby is. What is older than what is known does not count."""
        with self._lock:
            if news.epoch > self.epoch:
                self.epoch = news.epoch
                here = self.addresses[self._at]
                self.addresses = [here] + [news.address] * bool(news.address)
                self._at = 0

    def turn(self) -> None:
        """Goes to the next address, if there is one. Calls that are under way are broken off."""
        if len(self.addresses) == 1:
            return
        at = (self._at + 1) % len(self.addresses)
        address = self.addresses[at]
        try:
            name = self._endpoint.name_of(address)
        except RuntimeError:
            return  # whoever is there is not trusted
        with self._lock:
            if self.is_closed:
                return
            old, self._channel = self._channel, self._open(address, name)
            self._methods = {}
            self._at = at
        old.close()

    def close(self) -> None:
        """Breaks off what is under way, for good."""
        with self._lock:
            self.is_closed = True
        self._channel.close()
