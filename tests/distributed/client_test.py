"""The methods of the client that checkpoint libraries and others call, with their errors."""

import time

import pytest

import jax
from tests.distributed.jobs import AT_ONCE_S, together

ERROR = jax.errors.JaxRuntimeError


@pytest.fixture
def pair(start):
    return start(2).connected()


def test_a_value_is_seen_by_the_other(pair):
    a, b = pair
    a.key_value_set("folder/key", "grüße")
    b.key_value_set_bytes("folder/raw", b"\xff\x00")
    assert b.key_value_try_get("folder/key") == "grüße"
    assert a.key_value_try_get_bytes("folder/raw") == b"\xff\x00"
    with pytest.raises(UnicodeDecodeError):
        a.key_value_try_get("folder/raw")


def test_an_existing_key_is_kept_unless_overwriting_is_allowed(pair):
    a, b = pair
    a.key_value_set("a/b", "1")
    with pytest.raises(ERROR, match="^ALREADY_EXISTS: key a/b already exists"):
        b.key_value_set("a/b", "2")
    b.key_value_set("a/b", "3", allow_overwrite=True)
    assert a.key_value_try_get("a/b") == "3"


def test_slashes_are_normalised_and_folders_list_what_is_below(pair):
    a, b = pair
    a.key_value_set("/d//x/", "1")
    a.key_value_set("d/y/z", "2")
    a.key_value_set("d2/x", "3")
    assert b.key_value_dir_get("d/") == [("d/x", "1"), ("d/y/z", "2")]
    assert b.key_value_dir_get("none") == []
    assert b.key_value_dir_get("") == []
    b.key_value_delete("d")
    b.key_value_delete("d")
    assert a.key_value_dir_get_bytes("d") == []
    assert a.key_value_try_get("d2/x") == "3"


def test_absent_keys_are_errors_with_the_codes_that_callers_look_for(pair):
    a, _ = pair
    with pytest.raises(ERROR, match="^NOT_FOUND: Config key nope not found"):
        a.key_value_try_get("nope")
    began = time.monotonic()
    with pytest.raises(
        ERROR,
        match=r"^DEADLINE_EXCEEDED: GetKeyValue\(\) timed out with key: nope and duration: 300ms",
    ):
        a.blocking_key_value_get("nope", 300)
    assert 0.29 < time.monotonic() - began < AT_ONCE_S


def test_a_blocking_get_waits_for_the_value(pair):
    a, b = pair

    def put():
        time.sleep(0.2)
        b.key_value_set("late", "here")

    got, _ = together(lambda: a.blocking_key_value_get("late", 60_000), put)
    assert got == "here"


def test_increments_count_from_nothing_and_refuse_text(pair):
    a, b = pair
    assert a.key_value_increment("n", 3) == 3
    assert b.key_value_increment("n", -5) == -2
    a.key_value_set("t", "many")
    with pytest.raises(ERROR, match="^FAILED_PRECONDITION: .*no integer"):
        b.key_value_increment("t", 1)


def test_barriers_pass_together_and_their_ids_may_be_used_again(pair):
    a, b = pair
    for _ in range(3):
        assert together(
            lambda: a.wait_at_barrier("b", 60_000),
            lambda: b.wait_at_barrier("b", 60_000),
        ) == [None, None]


def test_a_barrier_that_times_out_names_who_is_missing_and_answers_the_late(pair):
    a, b = pair
    with pytest.raises(
        ERROR, match=r"^DEADLINE_EXCEEDED: .*b::0.*1/2.*first.*0.*process 1"
    ):
        a.wait_at_barrier("b", 200)
    with pytest.raises(ERROR, match="^DEADLINE_EXCEEDED: "):
        b.wait_at_barrier("b", 60_000)
    assert together(
        lambda: a.wait_at_barrier("b", 60_000), lambda: b.wait_at_barrier("b", 60_000)
    ) == [None, None]


def test_barriers_of_some_processes(start):
    a, b, c = start(3).connected()
    assert together(
        lambda: a.wait_at_barrier("some", 60_000, [0, 2]),
        lambda: c.wait_at_barrier("some", 60_000, process_ids=[2, 0]),
    ) == [None, None]
    with pytest.raises(ERROR, match="^INVALID_ARGUMENT: .*process 1 waits"):
        b.wait_at_barrier("other", 1000, [0, 2])
    with pytest.raises(ERROR, match="^INVALID_ARGUMENT: .*unknown"):
        b.wait_at_barrier("other", 1000, [1, 7])


def test_conflicting_lists_are_the_same_error_for_all(start):
    a, b, _ = start(3).connected()
    first, second = together(
        lambda: a.wait_at_barrier("b", 60_000, [0, 1]),
        lambda: (time.sleep(0.3), b.wait_at_barrier("b", 60_000, [0, 1, 2])),
    )
    assert str(first) == str(second)
    assert str(first).startswith("INVALID_ARGUMENT: barrier b::0")


def test_values_beyond_the_limits_are_refused(pair):
    a, _ = pair
    a.key_value_set_bytes("large", bytes(4 << 20))
    assert len(a.blocking_key_value_get_bytes("large", 60_000)) == 4 << 20
    with pytest.raises(ERROR, match="^INVALID_ARGUMENT: .*4194305 bytes"):
        a.key_value_set_bytes("larger", bytes((4 << 20) + 1))
    with pytest.raises(ERROR, match="^INVALID_ARGUMENT: a key of"):
        a.key_value_set("k" * 5000, "")


@pytest.mark.parametrize(
    "call, text",
    [
        (
            lambda c: c.key_value_set("k", 5),
            "the value must be text .str., not 5 of type",
        ),
        (lambda c: c.key_value_set("k", b"v"), "the value must be text"),
        (lambda c: c.key_value_set_bytes("k", "v"), "the value must be bytes, not 'v'"),
        (lambda c: c.key_value_set(b"k", "v"), "a key must be text"),
        (lambda c: c.key_value_try_get(None), "a key must be text"),
        (lambda c: c.blocking_key_value_get(1, 10), "a key must be text"),
        (lambda c: c.key_value_dir_get(1), "a key must be text"),
        (lambda c: c.key_value_delete(1), "a key must be text"),
        (lambda c: c.key_value_increment("k", 1.5), "integer"),
        (lambda c: c.wait_at_barrier(1, 10), "the barrier's id must be text"),
    ],
)
def test_arguments_of_other_types_are_refused(pair, call, text):
    with pytest.raises(TypeError, match=text):
        call(pair[0])


def test_live_processes_are_told_with_their_incarnations(pair):
    a, b = pair
    first, second = together(
        lambda: a.get_live_nodes([0, 1]), lambda: b.get_live_nodes([0, 1])
    )
    assert first == second == {0: a.incarnation, 1: b.incarnation}


def test_shutdown_waits_for_all(start):
    a, b = start(2).connected()
    ended = []

    def come_late():
        time.sleep(0.5)
        ended.append("b comes")
        b.shutdown()

    results = together(lambda: (a.shutdown(), ended.append("a has left")), come_late)
    assert not any(isinstance(r, Exception) for r in results)
    assert ended == ["b comes", "a has left"]


def test_shutdown_names_those_who_do_not_come(start):
    a, _ = start(2, shutdown_s=0.3).connected()
    with pytest.raises(ERROR, match="^DEADLINE_EXCEEDED: shutdown: 1 processes.* 1"):
        a.shutdown()


def test_calls_after_shutdown_are_errors(start):
    (a,) = start(1).connected()
    a.shutdown()
    with pytest.raises(ERROR, match="^CANCELLED: jax.distributed was shut down"):
        a.key_value_try_get("x")
