"""A service that follows another, and takes its place when that is gone.

It takes over when the other's machine refuses connections: the other has ended. Where there is only silence,
a cut network looks the same. Then it waits for processes that come because they have lost the other, too:
one is enough where the end of a process ends the job, else more than half of those who lived.
"""

import asyncio
import contextlib
import sys
import time
from typing import Any

import grpc.aio

from jax._src.base import records
from jax._src.distributed.clusters import addresses
from jax._src.distributed.messages import channels, messages, wire
from jax._src.distributed.messages.status_errors import Refused
from jax._src.distributed.service import service
from jax._src.distributed.service.replication_messages import Change, Changes, Follower

_RETRY_S = 0.1
_PROBE_S = 1.0
# Answers after which it is of no use to ask again.
_FINAL = {
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
}


@records.record
class Plan:
    """Whom to follow."""

    # Where the service is, the number that it gave to its standby, and the name in its certificate.
    address: str
    ticket: int
    server_name: str = ""
    # The host by which processes reach the standby.
    host: str = "127.0.0.1"


class Standby:
    """What a service does until it leads."""

    def __init__(
        self, job: service.Service, plan: Plan, credentials: Any, my_address: str
    ):
        self._job = job
        self._plan = plan
        self._credentials = credentials
        self._my_address = my_address
        self._is_attached = False
        # Whether all is known, as of when the service was last heard.
        self._is_complete = False
        # When processes came that lost the service.
        self._came: dict[int, float] = {}
        job.not_leading = service.FOLLOWS
        job.on_arrival = self._arrived

    async def run(self) -> None:
        """Follows until the job is over, or this service leads."""
        while self._job.not_leading is not None:
            is_over = await self._follow()
            if is_over or self._job.not_leading is None:
                return
            if self._is_complete and await self._is_refused():
                self._take_over("its machine refuses connections")
                return
            await asyncio.sleep(_RETRY_S)

    async def _follow(self) -> bool:
        """Follows for as long as the connection holds; returns whether there is nothing more to follow."""
        options = channels.client_options(
            self._job.settings.heartbeat_s, self._plan.server_name
        )
        if self._credentials is None:
            channel = grpc.aio.insecure_channel(self._plan.address, options)
        else:
            channel = grpc.aio.secure_channel(
                self._plan.address, self._credentials, options
            )
        call = channel.stream_stream(f"/{messages.SERVICE}/Follow")()
        try:
            return await self._take(call)
        except grpc.RpcError as error:
            if error.code() not in _FINAL:
                return False
            _say(f"it is not wanted: {error.details()}")
            return True
        except asyncio.InvalidStateError:
            return False  # the stream ended between reading and writing
        except (wire.Malformed, Refused) as error:
            _say(f"what the service sends makes no sense: {error}")
            return True
        finally:
            self._is_attached = False
            call.cancel()
            await channel.close()

    async def _take(self, call):
        hello = Follower(
            ticket=self._plan.ticket,
            protocol=messages.PROTOCOL,
            num_processes=self._job.settings.num_processes,
            address=self._my_address,
        )
        await call.write(wire.encode(hello))
        group: list[Change] = []
        while (data := await call.read()) is not grpc.aio.EOF:
            if self._job.not_leading is None:
                return False  # the service was silent, and is back: too late
            if not self._is_attached:
                # The service lives, and went on meanwhile: what is known is old until it has told all.
                self._is_attached, self._is_complete = True, False
            part = wire.decode(Changes, data)
            group += part.changes
            if part.position:
                for change in group:
                    self._job.restore(change)
                if any(change.HasField("over") for change in group):
                    return True
                group = []
                self._is_complete = True
                await call.write(wire.encode(Follower(position=part.position)))
        return False

    async def _is_refused(self):
        host, port = addresses.split(self._plan.address)
        try:
            async with asyncio.timeout(_PROBE_S):
                _, writer = await asyncio.open_connection(host, port)
        except ConnectionRefusedError:
            return True
        except OSError:  # `TimeoutError` is one
            return False
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        return False

    def _arrived(self, hello: messages.Hello) -> bool:
        """A process comes that cannot reach the service; returns whether this one leads from now on."""
        if self._is_attached or not self._is_complete or not hello.is_return:
            return False
        if hello.epoch > self._job.followers.epoch:
            self._is_complete = False  # the service went on without this standby
            return False
        now_s = time.monotonic()
        self._came[hello.source_task_id] = now_s
        if self._has_enough(now_s):
            self._take_over("processes have lost it, too")
            return True
        return False

    def _has_enough(self, now_s):
        if not self._job.settings.is_recoverable:
            return True
        live = [m.id for m in self._job.members if m.is_live]
        lately_s = self._job.settings.heartbeat_s
        came = [k for k in live if now_s - self._came.get(k, float("-inf")) < lately_s]
        return 2 * len(came) > len(live)

    def _take_over(self, why):
        _say(
            f"takes the place of the coordination service at {self._plan.address}: {why}."
        )
        self._job.lead()


def _say(text):
    print(
        f"jax.distributed: the standby at this machine {text}",
        file=sys.stderr,
        flush=True,
    )
