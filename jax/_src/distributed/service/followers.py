"""The coordination service's side of having a standby: who hosts it, who follows, what processes are told."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import grpc

from jax._src.distributed.messages import channels, messages, wire
from jax._src.distributed.messages.status_errors import Refused
from jax._src.distributed.service import replication
from jax._src.distributed.service.registry import Member, Members
from jax._src.distributed.service.replication_messages import Change, Follower

# A connection on which nobody says that he follows is closed after so long.
_HELLO_S = 60.0
# Losses count as one with the standby's if they come within so much of the heartbeat timeout.
_TOGETHER_PART = 1.2


class Followers:
    """The standby of a service, one at a time."""

    def __init__(
        self,
        settings: Any,
        members: Members,
        log: replication.Log,
        state: Callable[[], Iterator[Change]],
        send: Callable[[Member | None, messages.Down], None],
    ):
        self._settings = settings
        self._members = members
        self._log = log
        self._state = state
        self._send = send
        self._home = os.uname().nodename
        self._ticket = settings.standby_ticket or int.from_bytes(os.urandom(8)) | 1
        # How often processes were told where the standby is.
        self.epoch = 0
        self._was_ready = False
        # The processes that were requested to host it, and the one that is requested at present.
        self._requested: set[int] = set()
        self._asking: Member | None = None
        # When the latest standby was lost, and how many processes lived then.
        self._cut_s = float("-inf")
        self._live_at_cut = 0
        log.on_standby = self._changed

    def news(self) -> messages.Standby:
        """Where the standby is."""
        return messages.Standby(epoch=self.epoch, address=self._log.standby)

    def restore(self, news: messages.Standby) -> None:
        """Takes over what the service that this one follows has told."""
        self.epoch = news.epoch

    def took_over(self) -> None:
        """This service was the standby, and leads now: there is none any more."""
        self._changed()

    def _changed(self):
        """Sends all processes the address of the standby, or the notice that there is none."""
        if self._was_ready and not self._log.standby:
            self._cut_s = time.monotonic()
            self._live_at_cut = sum(m.is_live for m in self._members)
        self._was_ready = bool(self._log.standby)
        self.epoch += 1
        news = self.news()
        self._log.add(standby=news)
        self._send(None, messages.Down(standby=news))

    def is_minority(self) -> bool:
        """Whether the standby, and with it most of the processes, are lost: they may go on together.

        Only where the end of processes is no error of the job: otherwise none of the two parts goes on.
        """
        together_s = self._settings.heartbeat_s * _TOGETHER_PART
        return (
            self._settings.is_recoverable
            and time.monotonic() - self._cut_s < together_s
            and 2 * sum(m.is_live for m in self._members) < self._live_at_cut
        )

    # Who hosts it.

    def look_for_host(self) -> None:
        """Asks a process to start a standby, if one is wanted and there is none.

        Not while processes are away that may come back: one of them may be on the better machine.
        """
        if self._log.standby or self._settings.standby == "0":
            return
        if self._asking is not None and self._asking.is_live:
            return
        if any(m.is_live and m.outbox is None for m in self._members):
            return
        for member in sorted(self._members, key=self._preference):
            if (
                member.is_live
                and member.id not in self._requested
                and self._fits(member)
            ):
                self._requested.add(member.id)
                self._asking = member
                address = self._settings.standby
                address = address if ":" in address else ""
                request = messages.HostStandby(ticket=self._ticket, address=address)
                self._send(member, messages.Down(host_standby=request))
                return

    def declined(self, member: Member) -> None:
        """A process cannot host it."""
        if self._asking is member:
            self._asking = None
            self.look_for_host()

    def _preference(self, member):
        # Not on the service's own machine, and not with process 0, which most often started the service.
        return member.host == self._home, member.id == 0, member.id

    def _fits(self, member):
        # Unasked, only where that helps, and only where strangers are kept out.
        is_wanted = self._settings.standby != ""
        is_on_other_host = member.host != self._home
        return is_wanted or (is_on_other_host and bool(self._settings.peer_uri_prefix))

    # Who follows.

    async def follow(
        self, requests: AsyncIterator[bytes], context: Any
    ) -> AsyncIterator[bytes]:
        """The stream to a standby: the whole state, then each change of it."""
        hello = await self._hello(requests, context)
        attached = self._log.attach(hello.address, self._state())
        listening = asyncio.ensure_future(self._listen(attached, requests))
        try:
            while (group := await attached.groups.get()) is not None:
                for data in replication.packed(*group):
                    yield data
        finally:
            listening.cancel()
            self._log.detach(attached)

    async def _hello(self, requests, context):
        try:
            data = await asyncio.wait_for(anext(requests), _HELLO_S)
            hello = wire.decode(Follower, data)
            channels.check_peer(context, None, self._settings.peer_uri_prefix)
            self._check(hello)
            return hello
        except Refused as refused:
            await context.abort(grpc.StatusCode[refused.code], refused.text)
        except (wire.Malformed, TimeoutError, StopAsyncIteration) as error:
            text = f"no standby: {error}"
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, text)

    def _check(self, hello):
        if hello.ticket != self._ticket:
            raise Refused(
                "PERMISSION_DENIED", "the service requested another process to follow."
            )
        if hello.protocol != messages.PROTOCOL or hello.num_processes != len(
            self._members
        ):
            raise Refused(
                "FAILED_PRECONDITION",
                "the standby is of another release of jax, or for another number of "
                "processes, than the service.",
            )

    async def _listen(self, attached, requests):
        try:
            async for data in requests:
                position = wire.decode(Follower, data).position
                self._log.reached(attached, position)
        except wire.Malformed:
            pass  # as if it had ended
        self._log.detach(attached)
