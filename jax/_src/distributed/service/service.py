"""The coordination service of a job: a gRPC server in a process of its own.

`hosting` starts that process and `service_process` is what it runs. One session (a stream that lives as
long as the process it comes from) stands for each process of the job: its end is how a death is noticed.
The answers themselves are in `store`, `members` and `barriers`.
"""

import asyncio
import contextlib
import os
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import grpc.aio

from jax._src.base import records
from jax._src.distributed.messages import channels, messages, wire
from jax._src.distributed.messages.status_errors import Refused, clipped
from jax._src.distributed.service import followers, preemption_rounds, replication
from jax._src.distributed.service.barriers import Barriers, Gatherings
from jax._src.distributed.service.registry import MAX_ACTIVITIES, Member, Members
from jax._src.distributed.service.replication_messages import Change
from jax._src.distributed.service.store import Store, normal_key

# A process whose connection broke may come back for so long before it counts as dead.
RETURN_S = 0.7
# A connection whose process says nothing is closed after so long.
HELLO_S = 60.0
# Longest wait that a caller may ask for.
MAX_WAIT_S = 7 * 24 * 3600.0
# How long news of a failure, and of a process that shuts down, wait for more of the kind. At the end of a
# job all leave at once, and none needs to hear of another.
FAILED_S, LEFT_S = 0.02, 1.0
# What must not be done twice if the answer is lost and the process asks again.
_ONCE = {messages.InsertKeyValue, messages.IncrementKeyValue}
# When a standby takes over, the processes have so long to come: a part of the heartbeat timeout, and what
# an attempt at a service takes that is silent.
_COME_PART, _COME_S = 0.5, 2.5
# What a standby says while it follows: those who ask look for the service, and for it, in turn.
FOLLOWS = "UNAVAILABLE", "this is the standby of a service that may still live."
_MINORITY = (
    "FAILED_PRECONDITION",
    "the coordination service lost its standby and most of the processes, which may go on "
    "together: this part of the job is over.",
)


@records.record
class Settings:
    """What a job is told at its start."""

    num_processes: int
    heartbeat_s: float
    shutdown_s: float
    is_recoverable: bool
    # Start of the names (URIs) in certificates that may take part; empty: any that the CA signed.
    peer_uri_prefix: str = ""
    # Whether there shall be a standby: "0" no; "" on another machine, if certificates keep strangers out;
    # "1" wherever; or the address at which it shall listen.
    standby: str = "0"
    # What a standby that was started by the same parent shows; 0: there is none.
    standby_ticket: int = 0
    # How long a process whose connection broke may stay away, and a standby lag behind.
    return_s: float = RETURN_S
    keep_up_s: float = replication.KEEP_UP_S


class Service:
    """What the server answers. One object is one job."""

    def __init__(self, settings: Settings):
        self.settings = settings
        # Why it answers nobody, as code and text; None: it leads. A standby does not while it follows.
        self.not_leading: tuple[str, str] | None = None
        # Requested with the hello of a process that comes to a standby; whether that leads from now on.
        self.on_arrival: Callable[[messages.Hello], bool] = lambda hello: False
        self.incarnation = int.from_bytes(os.urandom(8)) | 1
        # Done when a process may have been the last that was connected, if somebody waits for that.
        self._departure: asyncio.Future[None] | None = None
        # Called with each process that failed or leaves.
        self.on_loss: list[Callable[[Member], None]] = [self._lost]
        # How processes ended, as the launcher told while this service did not lead.
        self._ended: dict[int, str] = {}
        self._begin()

    def _begin(self):
        """Begins with a job of which nothing is known."""
        settings = self.settings
        self.log = log = replication.Log(settings.keep_up_s)
        self.members = Members(
            settings.num_processes, log, is_recoverable=settings.is_recoverable
        )
        self.store = Store(log)
        self.barriers = Barriers(self.members, time.monotonic, log)
        self.gatherings = Gatherings(self.members)
        self.rounds = preemption_rounds.Rounds(self.members, self._send_all, log)
        self.followers = followers.Followers(
            settings, self.members, log, self.state, self._send
        )
        self._shutting_down: dict[int, asyncio.Future[None]] = {}
        self._waiting_gets: set[tuple[int, asyncio.Future[bytes]]] = set()
        self._returns: dict[int, asyncio.TimerHandle] = {}
        # Lost, and not yet told.
        self._news: set[int] = set()
        self.members.on_loss.append(lambda m: [notify(m) for notify in self.on_loss])

    @property
    def is_deserted(self) -> bool:
        """Whether nobody is connected."""
        return all(m.outbox is None for m in self.members) and not self._returns

    async def deserted(self) -> None:
        """Returns when nobody is connected, or this service does not lead any more."""
        while self.not_leading is None and not self.is_deserted:
            self._departure = asyncio.get_running_loop().create_future()
            await self._departure

    def _departed(self):
        if self._departure is not None and not self._departure.done():
            self._departure.set_result(None)

    # Sessions.

    async def session(
        self, requests: AsyncIterator[bytes], context: Any
    ) -> AsyncIterator[bytes]:
        """One process's stream, from its hello to its end."""
        member, is_return = await self._hello(requests, context)
        outbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        if member.outbox is not None:
            # The process came back before the loss of its connection was noticed.
            member.outbox.put_nowait(None)
        member.outbox = outbox
        if (timer := self._returns.pop(member.id, None)) is not None:
            timer.cancel()
        listening = asyncio.ensure_future(self._listen(member, outbox, requests))
        try:
            self._welcome(member, is_return)
            while (data := await outbox.get()) is not None:
                await self.log.settled()
                yield data
        finally:
            listening.cancel()
            self._closed(member, outbox)

    async def _hello(self, requests, context):
        try:
            data = await asyncio.wait_for(anext(requests), HELLO_S)
            up = wire.decode(messages.Up, data)
            hello = up.hello
            if not up.HasField("hello"):
                raise Refused("INVALID_ARGUMENT", "a session begins with a hello.")
            channels.check_peer(
                context, hello.source_task_id, self.settings.peer_uri_prefix
            )
            address = channels.peer_address(context)
            if self.not_leading is None or self.on_arrival(hello):
                member = self.members.admit(hello, address, time.monotonic())
                return member, hello.is_return
            await self._refuse(context)
        except Refused as refused:
            trailer = channels.answer_trailer(self.members.failures)
            code = grpc.StatusCode[refused.code]
            await context.abort(code, refused.text, trailer)
        except (wire.Malformed, TimeoutError, StopAsyncIteration) as error:
            text = f"no hello: {error}"
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, text)

    async def _refuse(self, context):
        """Without a trailer: who asks takes it for trouble with the connection."""
        code, text = self.not_leading
        await context.abort(grpc.StatusCode[code], text)

    def _welcome(self, member, is_return):
        # An empty word at once: the process knows that it was heard, and waits for others alone.
        self._send(member, messages.Down())
        losses = [m.info(time.monotonic()) for m in self.members.losses_since(0)]
        if losses:
            self._send(member, _changed(losses, self.members.failures))
        if self.followers.epoch:
            self._send(member, messages.Down(standby=self.followers.news()))
        if is_return and (latest := self.rounds.latest()) is not None:
            self._send(member, latest)
        if self.members.has_started:
            self._send(member, self._welcome_message())
        elif not self.members.missing():
            self.members.start()
            self._send_all(self._welcome_message())
        if self.members.has_started:
            self.followers.look_for_host()

    def _welcome_message(self):
        return messages.Down(
            welcome=messages.Welcome(
                leader_incarnation=self.incarnation,
                heartbeat_ms=int(self.settings.heartbeat_s * 1000),
                is_recoverable=self.settings.is_recoverable,
                shutdown_ms=int(self.settings.shutdown_s * 1000),
            )
        )

    async def _listen(self, member, outbox, requests):
        """Takes in what a process says, until it says no more."""
        try:
            async for data in requests:
                up = wire.decode(messages.Up, data)
                member.heard_s = time.monotonic()
                if up.HasField("activities"):
                    member.activities = [
                        _clipped_activity(p)
                        for p in up.activities.activities[:MAX_ACTIVITIES]
                    ]
                if up.HasField("report"):
                    member.report = clipped(up.report.text, 2000)
                    self.members.changed(member)
                if up.HasField("preempted"):
                    self.rounds.begin(member, up.preempted.round)
                if up.HasField("last_step"):
                    self.rounds.answer(member, up.last_step.step)
                if up.HasField("leaving"):
                    self.members.leave(member)
                if up.HasField("no_standby"):
                    self.followers.declined(member)
        except wire.Malformed as error:
            self.members.fail(member, f"it sent what is no message: {error}")
        outbox.put_nowait(None)

    def _closed(self, member, outbox):
        """The stream of a process ended."""
        if member.outbox is not outbox:
            return
        member.outbox = None
        self._departed()
        if member.is_leaving:
            self.members.part(member)
            self.rounds.look()
        elif member.report:
            self.members.fail(member, member.report)
        elif member.state == messages.CONNECTED:
            loop = asyncio.get_running_loop()
            self._returns[member.id] = loop.call_later(
                self.settings.return_s, self._never_returned, member
            )

    def _never_returned(self, member):
        self._returns.pop(member.id, None)
        self._departed()
        if member.is_leaving:
            self.members.part(member)
            self.rounds.look()
            return
        silent_s = time.monotonic() - member.heard_s
        self.members.fail(member, _death(member, silent_s, self.settings))

    def ended(self, process: int, how: str) -> None:
        """The launcher saw a process end, and how."""
        if not 0 <= process < len(self.members):
            return
        if self.not_leading is not None:
            self._ended[process] = how
            return
        member = self.members[process]
        if member.state == messages.CONNECTED and not member.is_leaving:
            if (timer := self._returns.pop(process, None)) is not None:
                timer.cancel()
            said = f" {member.report}" if member.report else ""
            self.members.fail(member, f"it {how}.{said}")

    def _lost(self, member):
        """Notifies all of a process that failed or leaves, and lets nobody wait for it."""
        self._news.add(member.id)
        self._departed()
        loop = asyncio.get_running_loop()
        loop.call_later(FAILED_S if member.failure else LEFT_S, self._send_losses)
        if member.failure:
            if member.outbox is not None:
                member.outbox.put_nowait(None)
            if not self.settings.is_recoverable:
                self._fail_waiting_gets(member)
        self.rounds.look()
        self._look_at_shutdown()
        self.followers.look_for_host()
        if self.followers.is_minority():
            self._step_down()

    def _send_losses(self):
        """Notifies all of those lost since the last time: one message for many."""
        if not self._news or not any(m.is_live for m in self.members):
            return
        news = [self.members[k].info(time.monotonic()) for k in sorted(self._news)]
        self._news.clear()
        self._send_all(_changed(news, self.members.failures))

    def _fail_waiting_gets(self, member):
        for seen, future in list(self._waiting_gets):
            if seen < self.members.failures and not future.done():
                future.set_exception(_process_failed(member))

    def _send(self, member: Member | None, down: messages.Down) -> None:
        if member is None:
            self._send_all(down)
        elif member.outbox is not None:
            member.outbox.put_nowait(wire.encode(down))

    def _send_all(self, down: messages.Down) -> None:
        data = wire.encode(down)
        for member in self.members:
            if member.outbox is not None:
                member.outbox.put_nowait(data)

    # What a standby must know, and what it does with that.

    def state(self) -> Iterator[Change]:
        """The whole state, as changes of nothing."""
        yield Change(reset=messages.Nothing())
        for part in (self.members, self.store, self.barriers, self.rounds):
            yield from part.state()

    def restore(self, change: Change) -> None:
        """Takes over a change of the service that this one follows.

        Raises:
            Malformed: it makes no sense for this job.
            Refused: it breaks a limit.
        """
        if change.HasField("reset"):
            self._begin()
        self.members.restore(change)
        self.store.restore(change)
        if change.HasField("barrier"):
            self.barriers.restore(change.barrier)
        if change.HasField("round"):
            self.rounds.restore(change.round)
        if change.HasField("standby"):
            self.followers.restore(change.standby)

    def lead(self) -> None:
        """Replaces the service that this one followed. The processes come as if they returned."""
        self.not_leading = None
        loop = asyncio.get_running_loop()
        come_s = max(
            self.settings.heartbeat_s * _COME_PART + _COME_S, self.settings.return_s
        )
        for member in self.members:
            if member.state == messages.CONNECTED:
                member.heard_s = time.monotonic()
                self._returns[member.id] = loop.call_later(
                    come_s, self._never_returned, member
                )
        for process, how in self._ended.items():
            self.ended(process, how)
        self.followers.took_over()

    async def end(self) -> None:
        """Notifies the standby that there is nothing left to follow."""
        if self.log.standby:
            self.log.add(over=messages.Nothing())
            await self.log.settled()

    def _step_down(self):
        """Ends the job for those who are connected: others may go on with the standby."""
        self.not_leading = _MINORITY
        self._departed()
        for member in self.members:
            if member.outbox is not None:
                member.outbox.put_nowait(None)

    async def follow(
        self, requests: AsyncIterator[bytes], context: Any
    ) -> AsyncIterator[bytes]:
        """The stream to the standby."""
        if self.not_leading is not None:
            await self._refuse(context)
        # Closed with this one: at once, the standby is then known to be gone.
        async with contextlib.aclosing(
            self.followers.follow(requests, context)
        ) as stream:
            async for data in stream:
                yield data

    # Calls.

    async def insert(self, member: Member, request: messages.InsertKeyValue, call: int):
        if not request.HasField("kv"):
            raise Refused("INVALID_ARGUMENT", "nothing to store.")
        kv = request.kv
        self.store.insert(kv.key, kv.value, allow_overwrite=request.allow_overwrite)
        return messages.Nothing()

    async def get(self, member: Member, request: messages.GetKeyValue, call: int):
        future = self.store.wait(request.key)
        waiting = (request.failures_seen, future)
        if not future.done() and not self.settings.is_recoverable:
            if losses := self.members.losses_since(request.failures_seen):
                self.store.forget(request.key, future)
                raise _process_failed(losses[0])
        self._waiting_gets.add(waiting)
        try:
            value = await future
        finally:
            self._waiting_gets.discard(waiting)
            self.store.forget(request.key, future)
        return messages.KeyValueAnswer(
            kv=messages.KeyValue(key=request.key, value=value)
        )

    async def try_get(self, member: Member, request: messages.GetKeyValue, call: int):
        value = self.store.get(request.key)
        if value is None:
            key = normal_key(request.key)
            raise Refused("NOT_FOUND", f"Config key {key} not found.")
        return messages.KeyValueAnswer(
            kv=messages.KeyValue(key=request.key, value=value)
        )

    async def increment(
        self, member: Member, request: messages.IncrementKeyValue, call: int
    ):
        value = self.store.increment(request.key, request.increment)
        return messages.KeyValueAnswer(
            kv=messages.KeyValue(key=request.key, value=str(value).encode())
        )

    async def directory(
        self, member: Member, request: messages.GetKeyValueDir, call: int
    ):
        items = self.store.directory(request.directory_key)
        size = sum(len(key) * 4 + len(value) + 16 for key, value in items)
        if size > wire.MAX_MESSAGE_BYTES:
            raise Refused(
                "RESOURCE_EXHAUSTED",
                f"the folder {normal_key(request.directory_key)} holds {len(items)} keys and "
                f"about {size} bytes: too much for one answer. Read its keys one by one.",
            )
        pairs = [messages.KeyValue(key=key, value=value) for key, value in items]
        return messages.KeyValueDir(directory_key=request.directory_key, kv=pairs)

    async def delete(self, member: Member, request: messages.DeleteKeyValue, call: int):
        self.store.delete(request.key)
        return messages.Nothing()

    async def barrier(self, member: Member, request: messages.Barrier, call: int):
        timeout_s = min(max(request.timeout_ms, 1) / 1000, MAX_WAIT_S)
        counter = await self.barriers.wait(
            request.barrier_id, member.id, timeout_s, request.task_ids, call
        )
        return messages.BarrierAnswer(counter=counter)

    async def alive(self, member: Member, request: messages.GetAliveTasks, call: int):
        return await self.gatherings.wait(member.id, request.task_ids, call)

    async def shutdown(self, member: Member, request: messages.Nothing, call: int):
        self.members.leave(member)
        if self.settings.is_recoverable or self.members.failures:
            return messages.Nothing()
        future = asyncio.get_running_loop().create_future()
        self._shutting_down[member.id] = future
        self._look_at_shutdown()
        try:
            await asyncio.wait_for(future, self.settings.shutdown_s)
        except TimeoutError:
            late = [m for m in self.members if m.is_live]
            names = ", ".join(str(m.id) for m in late[:8])
            raise Refused(
                "DEADLINE_EXCEEDED",
                f"shutdown: {len(late)} processes did not come within "
                f"{self.settings.shutdown_s:g} s, among them {names}.",
            ) from None
        finally:
            self._shutting_down.pop(member.id, None)
        return messages.Nothing()

    def _look_at_shutdown(self):
        if self.members.failures or not any(m.is_live for m in self.members):
            for future in self._shutting_down.values():
                if not future.done():
                    future.set_result(None)

    async def states(self, member: Member, request: messages.Nothing, call: int):
        now_s = time.monotonic()
        return messages.TaskStates(
            task_state=[m.info(now_s) for m in self.members],
            version=self.members.failures,
        )

    def table(self) -> dict[str, tuple[type, Callable[..., Awaitable[Any]]]]:
        """The calls by name: what they take, and what answers."""
        return {
            "InsertKeyValue": (messages.InsertKeyValue, self.insert),
            "GetKeyValue": (messages.GetKeyValue, self.get),
            "TryGetKeyValue": (messages.GetKeyValue, self.try_get),
            "IncrementKeyValue": (messages.IncrementKeyValue, self.increment),
            "GetKeyValueDir": (messages.GetKeyValueDir, self.directory),
            "DeleteKeyValue": (messages.DeleteKeyValue, self.delete),
            "Barrier": (messages.Barrier, self.barrier),
            "GetAliveTasks": (messages.GetAliveTasks, self.alive),
            "ShutdownTask": (messages.Nothing, self.shutdown),
            "WatchJobState": (messages.Nothing, self.states),
        }

    def unary(self, request_type: type, answer: Callable) -> Callable:
        """A gRPC handler around an answer: checks who asks, and what."""

        async def handle(data: bytes, context: Any) -> bytes:
            if self.not_leading is not None:
                await self._refuse(context)
            try:
                answered = await self._answered(data, context, request_type, answer)
                await self.log.settled()
                return answered
            except Refused as refused:
                code, text = refused.code, refused.text
            except wire.Malformed as error:
                code, text = "INVALID_ARGUMENT", f"no message: {error}"
            except Exception as error:
                traceback.print_exc()
                code, text = "INTERNAL", f"the service failed: {error!r}"
            trailer = channels.answer_trailer(self.members.failures)
            await self.log.settled()
            await context.abort(grpc.StatusCode[code], text, trailer)

        return handle

    async def _answered(self, data, context, request_type, answer):
        process, incarnation, number = channels.caller(context)
        channels.check_peer(context, process, self.settings.peer_uri_prefix)
        member = self.members.check_live(process, incarnation)
        if (kept := member.answers.get(number)) is not None:
            if isinstance(kept, Refused):
                raise kept
            return kept
        request = wire.decode(request_type, data)
        answered = wire.encode(await answer(member, request, number))
        if request_type in _ONCE:
            self.members.keep(member, number, answered)
        return answered

    def handlers(self) -> grpc.GenericRpcHandler:
        """The handlers of all calls, for a gRPC server."""
        by_name = {
            name: grpc.unary_unary_rpc_method_handler(self.unary(*row))
            for name, row in self.table().items()
        }
        for name, stream in (("Session", self.session), ("Follow", self.follow)):
            by_name[name] = grpc.stream_stream_rpc_method_handler(stream)
        return grpc.method_handlers_generic_handler(messages.SERVICE, by_name)


def _changed(infos, failures):
    return messages.Down(
        changed=messages.TaskStates(task_state=infos, version=failures)
    )


def _process_failed(member):
    return Refused("UNAVAILABLE", f"process {member.id} failed: {member.error}")


def _clipped_activity(activity):
    return messages.Activity(
        program=clipped(activity.program, 200),
        launch=activity.launch,
        collective=clipped(activity.collective, 200),
        line=clipped(activity.line, 400),
        for_ms=activity.for_ms,
    )


def _death(member, silent_s, settings):
    words_s = 2 * channels.word_interval_s(settings.heartbeat_s)
    if silent_s >= words_s + settings.return_s:
        return (
            f"it does not answer any more (pid {member.pid} on {member.host}, last heard "
            f"of {silent_s:.1f} s ago)."
        )
    return (
        f"its connection closed without a word (pid {member.pid} on {member.host}): it was "
        "killed or crashed."
    )


async def start_server(
    service: Service, addresses: list[str], credentials: Any
) -> tuple[grpc.aio.Server, list[int]]:
    """Starts to listen; returns the server and its ports, in the order of the addresses.

    Raises:
        RuntimeError: an address cannot be had.
    """
    server = grpc.aio.server(options=channels.server_options(service.settings))
    server.add_generic_rpc_handlers((service.handlers(),))
    ports = [
        server.add_insecure_port(address)
        if credentials is None
        else server.add_secure_port(address, credentials)
        for address in addresses
    ]
    await server.start()
    return server, ports
