"""A connection that breaks for a moment breaks nothing else."""

import socket
import threading
import time

import pytest

import jax
from jax._src.distributed import messages, wire
from tests.distributed import jobs

ERROR = jax.errors.JaxRuntimeError


class Relay:
    """Passes bytes on between a port of its own and another; cuts what is connected when asked."""

    def __init__(self, port):
        self._to = port
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._open = []
        self.is_down = False
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            if self.is_down:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self._to))
            self._open += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(
                    target=self._pass, args=(one, other), daemon=True
                ).start()

    def _pass(self, one, other):
        try:
            while data := one.recv(1 << 16):
                other.sendall(data)
        except OSError:
            pass
        self.cut([one, other])

    def cut(self, ends=None):
        for end in ends or self._open:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.cut()
        for end in self._open:
            end.close()


@pytest.fixture
def relayed(start):
    """Two clients, the second through a relay."""
    job = start(2)
    relay = Relay(job.host.ports[0])
    a, b = job.new_client(0), job.new_client(1, port=relay.port)
    assert jobs.together(lambda: a.connect(20), lambda: b.connect(20)) == [None, None]
    yield a, b, relay
    relay.close()


def test_a_reset_connection_is_taken_up_again(relayed):
    a, b, relay = relayed
    for k in range(3):
        relay.cut()
        b.key_value_set(f"k{k}", "v")
    time.sleep(1.2)
    assert a.key_value_dir_get("k0") == [] and a.key_value_try_get("k2") == "v"
    assert jobs.together(
        lambda: a.wait_at_barrier("b", 20_000),
        lambda: b.wait_at_barrier("b", 20_000),
        lambda: (time.sleep(0.3), relay.cut()),
    )[:2] == [None, None]
    assert all(i.state == messages.CONNECTED for i in a.states().task_state)


def test_what_was_done_is_not_done_again_when_its_answer_is_lost(relayed):
    _, b, _ = relayed
    call = b._method("IncrementKeyValue")
    data = wire.encode(messages.IncrementKeyValue("n", 1))
    meta = jobs.channels.metadata(1, b.incarnation, 12345)
    answers = [call(data, timeout=5, metadata=meta) for _ in range(3)]
    assert len(set(answers)) == 1
    assert b.key_value_increment("n", 0) == 1


def test_a_connection_that_stays_broken_is_a_failure_on_both_sides(relayed):
    a, b, relay = relayed
    relay.is_down = True
    relay.cut()
    began = time.monotonic()
    ends = jobs.together(
        lambda: a.wait_at_barrier("b", 60_000), lambda: b.wait_at_barrier("b", 60_000)
    )
    assert "process 1: its connection closed" in str(ends[0])
    assert "the coordination service at" in str(ends[1])
    assert time.monotonic() - began < jobs.HEARTBEAT_S + 3
