"""Coroutines in turns: results, ends, time, other threads."""

import threading
import time

import pytest

from jax._src.distributed import event_loop


def test_a_future_gives_its_result_to_all_who_wait():
    async def main():
        future = event_loop.Future()

        async def wait():
            return await future

        tasks = [event_loop.ensure_future(wait()) for _ in range(3)]
        event_loop.get_running_loop().call_soon(future.set_result, 7)
        return [await task for task in tasks]

    assert event_loop.run(main()) == [7, 7, 7]


def test_an_error_goes_to_who_waits(capfd):
    async def main():
        async def fail():
            await event_loop.sleep(0)
            raise KeyError("k")

        with pytest.raises(KeyError):
            await event_loop.ensure_future(fail())

    event_loop.run(main())
    assert capfd.readouterr().err == ""


def test_an_error_that_nobody_waits_for_is_told(capfd):
    async def main():
        async def fail():
            raise KeyError("of nobody")

        event_loop.ensure_future(fail())
        event_loop.get_running_loop().call_soon(lambda: 1 / 0)
        await event_loop.sleep(0.01)
        return "goes on"

    assert event_loop.run(main()) == "goes on"
    said = capfd.readouterr().err
    assert "of nobody" in said and "ZeroDivisionError" in said


@pytest.mark.parametrize("has_started", [False, True])
def test_a_task_that_is_cancelled_cleans_up(has_started):
    done = []

    async def main():
        async def wait():
            try:
                await event_loop.Future()
            finally:
                done.append("cleaned")

        task = event_loop.ensure_future(wait())
        if has_started:
            await event_loop.sleep(0)
        assert task.cancel()
        with pytest.raises(event_loop.CancelledError):
            await task
        assert not task.cancel()

    event_loop.run(main())
    assert done == ["cleaned"] * has_started


def test_a_result_that_came_in_the_same_turn_does_not_keep_a_task_from_being_cancelled():
    async def main():
        future = event_loop.Future()

        async def wait():
            await future
            return "went on"

        task = event_loop.ensure_future(wait())
        await event_loop.sleep(0)
        future.set_result(None)
        task.cancel()
        with pytest.raises(event_loop.CancelledError):
            await task

    event_loop.run(main())


def test_what_comes_too_late_is_cancelled():
    ended = []

    async def main():
        async def slow():
            try:
                await event_loop.sleep(3600)
            finally:
                ended.append(True)

        for late in (slow(), event_loop.Future()):
            with pytest.raises(TimeoutError):
                await event_loop.wait_for(late, 0.01)
        assert await event_loop.wait_for(event_loop.sleep(0), 3600) is None

    began_s = time.monotonic()
    event_loop.run(main())
    assert ended == [True] and time.monotonic() - began_s < 600


def test_timers_come_in_their_order_and_not_when_cancelled():
    async def main():
        loop, came = event_loop.get_running_loop(), []
        # The clock stands still while they are set, however long that takes.
        with pytest.MonkeyPatch.context() as patch:
            now_s = time.monotonic()
            patch.setattr(event_loop.time, "monotonic", lambda: now_s)
            for delay_s in (0.03, 0.01, 0.02):
                loop.call_later(delay_s, came.append, delay_s)
            loop.call_later(0.0, came.append, "never").cancel()
        await event_loop.sleep(0.1)
        return came

    assert event_loop.run(main()) == [0.01, 0.02, 0.03]


def test_a_queue_keeps_what_nobody_has_taken():
    async def main():
        queue = event_loop.Queue()
        queue.put_nowait(1)
        with pytest.raises(TimeoutError):
            await event_loop.wait_for(_two(queue, []), 0)
        event_loop.get_running_loop().call_later(0.01, queue.put_nowait, 2)
        queue.put_nowait(3)
        return [await queue.get(), await queue.get()]

    async def _two(queue, taken):
        taken += [await queue.get(), await queue.get()]

    # What a cancelled one had taken is gone with it; what came later is not.
    assert event_loop.run(main()) in ([3, 2], [2, 3])


def test_threads_post_and_are_waited_for():
    async def main():
        loop, came = event_loop.get_running_loop(), event_loop.Queue()
        for k in range(4):
            threading.Thread(target=loop.post, args=(came.put_nowait, k)).start()
        assert {await came.get() for _ in range(4)} == {0, 1, 2, 3}
        with pytest.raises(ZeroDivisionError):
            await event_loop.in_thread(lambda: 1 / 0)
        return await event_loop.in_thread(lambda: "done")

    assert event_loop.run(main()) == "done"


def test_without_a_loop_there_is_an_error():
    with pytest.raises(RuntimeError, match="no loop"):
        event_loop.get_running_loop()
