"""The gRPC server under the coordination service, called by clients of gRPC's package."""

import contextlib
import queue
import threading

import grpc
import pytest

from jax._src.distributed import event_loop, serving
from tests.testing.patience import LIMIT_S, wait_for


@contextlib.contextmanager
def serve(handlers, grace_s=0.2):
    """A channel to a server in a thread of its own, with a function that ends the server."""
    told = queue.Queue()

    async def main():
        server = serving.Server([("grpc.so_reuseport", 0)])
        server.handlers = handlers
        port = server.add_port("127.0.0.1:0", None)
        server.start()
        end = event_loop.Future()
        loop = event_loop.get_running_loop()
        told.put((port, lambda: loop.post(end.set_result, None)))
        await end
        await server.stop(grace_s)

    thread = threading.Thread(target=event_loop.run, args=(main(),))
    thread.start()
    port, end = told.get(timeout=LIMIT_S)
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        try:
            yield channel, thread, end
        finally:
            if thread.is_alive():
                end()
            thread.join(LIMIT_S)
            assert not thread.is_alive()


async def echo(data, context):
    pairs = dict(context.invocation_metadata())
    if data == b"refuse":
        trailer = (("why", pairs.get("who", "")),)
        await context.abort(grpc.StatusCode.NOT_FOUND, "no such thing", trailer)
    if data == b"stumble":
        raise KeyError("inside")
    assert context.peer().startswith("ipv4:127.0.0.1:")
    assert context.auth_context().keys() <= {
        "transport_security_type",
        "security_level",
    }
    return data


def test_one_message_for_one():
    with serve({"/s/Echo": (echo, None)}) as (channel, _, _):
        call = channel.unary_unary("/s/Echo")
        assert call(b"abc") == b"abc" and call(b"") == b""
        large = bytes(3 << 20)
        assert call(large) == large


def test_refusals_carry_code_text_and_trailer(capfd):
    with serve({"/s/Echo": (echo, None)}) as (channel, _, _):
        with pytest.raises(grpc.RpcError) as caught:
            channel.unary_unary("/s/Echo")(b"refuse", metadata=[("who", "me")])
        error = caught.value
        assert (error.code().name, error.details()) == ("NOT_FOUND", "no such thing")
        assert ("why", "me") in [(k, v) for k, v in error.trailing_metadata()]
        with pytest.raises(grpc.RpcError, match="UNIMPLEMENTED"):
            channel.unary_unary("/s/Other")(b"")
        with pytest.raises(grpc.RpcError, match="the service failed: KeyError"):
            channel.unary_unary("/s/Echo")(b"stumble")
        assert "KeyError" in capfd.readouterr().err
        assert channel.unary_unary("/s/Echo")(b"lives") == b"lives"


async def twice(requests, context):
    async for data in requests:
        yield data
        yield data


def test_streams_go_both_ways():
    with serve({"/s/Twice": (None, twice)}) as (channel, _, _):
        said = queue.SimpleQueue()
        stream = channel.stream_stream("/s/Twice")(iter(said.get, None))
        for word in (b"a", b"b"):
            said.put(word)
            assert (next(stream), next(stream)) == (word, word)
        said.put(None)
        assert list(stream) == []


@pytest.mark.parametrize("how", ["cancel", "deadline"])
@pytest.mark.parametrize("is_stream", [False, True])
def test_a_handler_whose_caller_is_gone_ends(how, is_stream):
    began, ended = threading.Event(), threading.Event()

    async def wait(data, context):
        try:
            began.set()
            await event_loop.Future()
        finally:
            ended.set()

    async def waits(requests, context):
        await wait(None, context)
        yield b""

    with serve({"/s/Wait": (wait, None), "/s/Waits": (None, waits)}) as (channel, _, _):
        # A deadline may be over before the handler begins: the next is later.
        for timeout in (0.5, 10.0, 100.0) if how == "deadline" else (None,):
            if is_stream:
                call = channel.stream_stream("/s/Waits")(iter([]), timeout=timeout)
            else:
                call = channel.unary_unary("/s/Wait").future(b"", timeout=timeout)
            wait_for(lambda call=call: began.is_set() or call.done())
            if began.is_set():
                break
        assert began.is_set()
        if how == "cancel":
            call.cancel()
        assert ended.wait(LIMIT_S)


def test_many_calls_at_once_wait_for_each_other():
    arrived = []

    async def meet(data, context):
        mine = event_loop.Future()
        arrived.append(mine)
        if len(arrived) == 300:
            for future in arrived:
                future.set_result(None)
        await mine
        return data

    with serve({"/s/Meet": (meet, None)}) as (channel, _, _):
        call = channel.unary_unary("/s/Meet")
        calls = [call.future(str(k).encode()) for k in range(300)]
        assert [int(c.result(LIMIT_S)) for c in calls] == list(range(300))


@pytest.mark.parametrize("is_slow", [False, True])
def test_the_end_waits_for_calls_but_not_for_ever(is_slow):
    began = queue.Queue()

    async def work(data, context):
        mine = event_loop.Future()
        began.put((event_loop.get_running_loop(), mine))
        await mine
        return data

    # Long enough for a call that ends, or so short that one which does not is seen to be left.
    grace_s = 0.2 if is_slow else LIMIT_S
    with serve({"/s/Work": (work, None)}, grace_s) as (channel, thread, end):
        call = channel.unary_unary("/s/Work").future(b"done")
        loop, may_end = began.get(timeout=LIMIT_S)
        end()
        if is_slow:
            with pytest.raises(grpc.RpcError):
                call.result(LIMIT_S)
        else:
            thread.join(0.3)
            assert thread.is_alive() and not call.done()
            loop.post(may_end.set_result, None)
            assert call.result(LIMIT_S) == b"done"
        thread.join(LIMIT_S / 2)
        assert not thread.is_alive()


def test_an_address_that_cannot_be_had_is_an_error():
    async def main():
        server = serving.Server([("grpc.so_reuseport", 0)])
        with pytest.raises(RuntimeError, match="192.0.2.1:1"):
            server.add_port("192.0.2.1:1", None)

    event_loop.run(main())
