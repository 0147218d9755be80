"""Messages survive the wire; other bytes are refused, whatever they are."""

import random

import hypothesis
import pytest
from hypothesis import strategies as st

from jax._src.distributed.messages import messages, wire
from tests.distributed import fuzzing

INTS = st.integers(-(1 << 63), (1 << 63) - 1)


@hypothesis.given(st.lists(INTS, max_size=50), st.text(max_size=50), INTS)
def test_messages_survive(ids, name, number):
    sent = messages.Barrier(
        barrier_id=name, timeout_ms=number, task_ids=ids, source_task_id=number
    )
    assert wire.decode(messages.Barrier, wire.encode(sent)) == sent


@hypothesis.given(st.integers(0, (1 << 64) - 1), st.binary(max_size=50), st.booleans())
def test_nested_messages_survive(incarnation, value, flag):
    hello = messages.Hello(incarnation=incarnation, is_return=flag)
    sent = messages.Up(hello=hello, leaving=messages.Nothing())
    assert wire.decode(messages.Up, wire.encode(sent)) == sent
    pair = messages.InsertKeyValue(
        kv=messages.KeyValue(key="k", value=value), allow_overwrite=flag
    )
    assert wire.decode(messages.InsertKeyValue, wire.encode(pair)) == pair


def test_the_bytes_are_those_of_protocol_buffers():
    # By hand from the encoding's definition: field 1 as text, field 2 as a number, field 3 packed.
    by_hand = bytes([0x0A, 1, ord("b"), 0x10, 0xAC, 2, 0x1A, 3, 0, 0xAC, 2])
    barrier = messages.Barrier(barrier_id="b", timeout_ms=300, task_ids=[0, 300])
    assert wire.decode(messages.Barrier, by_hand) == barrier
    assert wire.encode(barrier) == by_hand
    assert wire.encode(messages.TaskInfo(incarnation=1)) == bytes([0x31, 1, *[0] * 7])


def test_unknown_fields_are_skipped():
    unknown = bytes(
        [0xF8, 7, 1, 0xF9, 7, *[9] * 8, 0xFA, 7, 2, 9, 9, 0xFD, 7, *[9] * 4]
    )
    sent = messages.KeyValue(key="k", value=b"v")
    found = wire.decode(messages.KeyValue, unknown + wire.encode(sent) + unknown)
    assert (found.key, found.value) == ("k", b"v")
    # A number where a text belongs is another field of that number.
    assert wire.decode(messages.KeyValue, b"\x08\x01").key == ""


@pytest.mark.parametrize(
    "data",
    [
        b"\x0a",  # no length
        b"\x0a\x05ab",  # bytes are missing
        b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  # a length of 64 bits
        b"\x0a\x01\xff",  # no UTF-8
        b"\x00\x00",  # field 0
        b"\x0b",  # a group
        b"\x10" + b"\xff" * 11,  # a number without end
        b"\x0a\x00" * 1 + b"\x80",  # a key that is cut off
    ],
)
def test_other_bytes_are_refused(data):
    with pytest.raises(wire.Malformed):
        wire.decode(messages.Barrier, data)


def test_limits_hold():
    with pytest.raises(wire.Malformed, match="bytes"):
        wire.decode(messages.KeyValue, bytes(wire.MAX_MESSAGE_BYTES + 1))
    deep = b""
    for _ in range(200):
        deep = b"\xa3\x06" + deep + b"\xa4\x06"  # groups, which no message of ours has
    with pytest.raises(wire.Malformed):
        wire.decode(messages.KeyValue, deep)


def test_a_sample_of_random_bytes_ends_in_messages_or_refusals():
    counts = fuzzing.run(random.Random(1), inputs=20_000)
    assert counts.messages > 1000 and counts.refusals > 1000
