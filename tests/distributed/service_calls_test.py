"""The coordination service's gRPC server, called by clients of gRPC's package without a session of ours."""

import asyncio
import contextlib
import queue
import threading

import grpc
import pytest

from jax._src.distributed.messages import channels, messages, wire
from jax._src.distributed.service import service
from tests.testing.patience import LIMIT_S, wait_for

INCARNATION = 7


@contextlib.contextmanager
def serve(grace_s=0.2):
    """A channel to a service in a thread of its own, the service, and a function that ends the server."""
    told = queue.Queue()

    async def main():
        job = service.Service(service.Settings(1, 60.0, 60.0, False))
        member = job.members[0]
        member.state, member.incarnation = messages.CONNECTED, INCARNATION
        server, (port,) = await service.start_server(job, ["127.0.0.1:0"], None)
        loop, end = asyncio.get_running_loop(), asyncio.Event()
        told.put((port, job, lambda: loop.call_soon_threadsafe(end.set)))
        await end.wait()
        await server.stop(grace_s)

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    port, job, end = told.get(timeout=LIMIT_S)
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        try:
            yield channel, job, thread, end
        finally:
            if thread.is_alive():
                end()
            thread.join(LIMIT_S)
            assert not thread.is_alive()


def call(channel, name, request, number=1, timeout_s=None):
    """Starts a call of the service."""
    method = channel.unary_unary(f"/{messages.SERVICE}/{name}")
    return method.future(
        request if isinstance(request, bytes) else wire.encode(request),
        metadata=channels.metadata(0, INCARNATION, number),
        timeout=timeout_s,
    )


def test_refusals_carry_code_text_and_trailer(capfd):
    with serve() as (channel, job, _, _):
        with pytest.raises(grpc.RpcError) as caught:
            call(channel, "TryGetKeyValue", messages.GetKeyValue(key="k")).result()
        error = caught.value
        assert error.code().name == "NOT_FOUND" and "key k not found" in error.details()
        assert channels.failures_known(error) == 0
        with pytest.raises(grpc.RpcError, match="UNIMPLEMENTED"):
            call(channel, "NoSuchCall", b"").result()
        with pytest.raises(grpc.RpcError, match="INVALID_ARGUMENT"):
            call(channel, "TryGetKeyValue", b"\x0a").result()
        job.store.get = lambda key: 1 / 0
        with pytest.raises(grpc.RpcError, match="the service failed: ZeroDivision"):
            call(channel, "TryGetKeyValue", messages.GetKeyValue(key="k")).result()
        assert "ZeroDivisionError" in capfd.readouterr().err
        # And it lives.
        call(channel, "WatchJobState", messages.Nothing()).result(LIMIT_S)


@pytest.mark.parametrize("how", ["cancel", "deadline"])
def test_a_wait_whose_caller_is_gone_ends(how):
    with serve() as (channel, job, _, _):
        request = messages.GetKeyValue(key="never")
        limit_s = 0.5 if how == "deadline" else None
        waiting = call(channel, "GetKeyValue", request, timeout_s=limit_s)
        if how == "cancel":
            wait_for(lambda: job._waiting_gets)
            waiting.cancel()
        wait_for(lambda: waiting.done() and not job._waiting_gets)


def test_many_calls_at_once_wait_for_one_key():
    with serve() as (channel, job, _, _):
        request = messages.GetKeyValue(key="k")
        calls = [call(channel, "GetKeyValue", request, k) for k in range(300)]
        wait_for(lambda: len(job._waiting_gets) == 300)
        pair = messages.KeyValue(key="k", value=b"v")
        call(channel, "InsertKeyValue", messages.InsertKeyValue(kv=pair), 301).result()
        found = {
            wire.decode(messages.KeyValueAnswer, c.result()).kv.value for c in calls
        }
        assert found == {b"v"}


@pytest.mark.parametrize("is_slow", [False, True])
def test_the_end_waits_for_calls_but_not_for_ever(is_slow):
    # Long enough for a call that ends, or so short that one which does not is seen to be left.
    with serve(0.2 if is_slow else LIMIT_S) as (channel, job, thread, end):
        waiting = call(channel, "GetKeyValue", messages.GetKeyValue(key="k"))
        wait_for(lambda: job._waiting_gets)
        end()
        if is_slow:
            with pytest.raises(grpc.RpcError):
                waiting.result(LIMIT_S)
        else:
            thread.join(0.3)
            assert thread.is_alive() and not waiting.done()
            ((_, future),) = job._waiting_gets
            future.get_loop().call_soon_threadsafe(future.set_result, b"v")
            assert wire.decode(messages.KeyValueAnswer, waiting.result(LIMIT_S))
        thread.join(LIMIT_S / 2)
        assert not thread.is_alive()


def test_an_address_that_cannot_be_had_is_an_error():
    async def main():
        job = service.Service(service.Settings(1, 10.0, 10.0, False))
        with pytest.raises(RuntimeError, match="192.0.2.1:1"):
            await service.start_server(job, ["192.0.2.1:1"], None)

    asyncio.run(main())
