"""The gRPC server under the coordination service, asked by clients of gRPC's package."""

import contextlib
import queue
import threading
import time

import grpc
import pytest

from jax._src.distributed import serving, turns


@contextlib.contextmanager
def serve(handlers, grace_s=0.2):
    """A channel to a server in a thread of its own, with a function that ends the server."""
    told = queue.Queue()

    async def main():
        server = serving.Server([("grpc.so_reuseport", 0)])
        server.handlers = handlers
        port = server.add_port("127.0.0.1:0", None)
        server.start()
        end = turns.Future()
        loop = turns.get_running_loop()
        told.put((port, lambda: loop.post(end.set_result, None)))
        await end
        await server.stop(grace_s)

    thread = threading.Thread(target=turns.run, args=(main(),))
    thread.start()
    port, end = told.get(timeout=10)
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        try:
            yield channel, thread, end
        finally:
            if thread.is_alive():
                end()
            thread.join(10)
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
            await turns.Future()
        finally:
            ended.set()

    async def waits(requests, context):
        await wait(None, context)
        yield b""

    with serve({"/s/Wait": (wait, None), "/s/Waits": (None, waits)}) as (channel, _, _):
        timeout = 1.0 if how == "deadline" else None
        if is_stream:
            call = channel.stream_stream("/s/Waits")(iter([]), timeout=timeout)
        else:
            call = channel.unary_unary("/s/Wait").future(b"", timeout=timeout)
        assert began.wait(10)
        if how == "cancel":
            call.cancel()
        assert ended.wait(10)


def test_many_calls_at_once_wait_for_each_other():
    arrived = []

    async def meet(data, context):
        mine = turns.Future()
        arrived.append(mine)
        if len(arrived) == 300:
            for future in arrived:
                future.set_result(None)
        await mine
        return data

    with serve({"/s/Meet": (meet, None)}) as (channel, _, _):
        call = channel.unary_unary("/s/Meet")
        calls = [call.future(str(k).encode()) for k in range(300)]
        assert [int(c.result(30)) for c in calls] == list(range(300))


def test_the_end_waits_for_calls_but_not_for_ever():
    async def slow(data, context):
        await turns.sleep(float(data))
        return data

    with serve({"/s/Slow": (slow, None)}, grace_s=2.0) as (channel, thread, end):
        call = channel.unary_unary("/s/Slow")
        short, long = call.future(b"0.3"), call.future(b"60")
        assert call(b"0") == b"0"  # all have arrived
        began_s = time.monotonic()
        end()
        assert short.result(10) == b"0.3"
        with pytest.raises(grpc.RpcError):
            long.result(10)
        thread.join(10)
        assert time.monotonic() - began_s < 8


def test_an_address_that_cannot_be_had_is_an_error():
    async def main():
        server = serving.Server([("grpc.so_reuseport", 0)])
        with pytest.raises(RuntimeError, match="192.0.2.1:1"):
            server.add_port("192.0.2.1:1", None)

    turns.run(main())
