"""Coroutines in turns: results, ends, time, other threads."""

import threading
import time

import pytest

from jax._src.distributed import turns


def test_a_future_gives_its_result_to_all_who_wait():
    async def main():
        future = turns.Future()

        async def wait():
            return await future

        tasks = [turns.ensure_future(wait()) for _ in range(3)]
        turns.get_running_loop().call_soon(future.set_result, 7)
        return [await task for task in tasks]

    assert turns.run(main()) == [7, 7, 7]


def test_an_error_goes_to_who_waits(capfd):
    async def main():
        async def fail():
            await turns.sleep(0)
            raise KeyError("k")

        with pytest.raises(KeyError):
            await turns.ensure_future(fail())

    turns.run(main())
    assert capfd.readouterr().err == ""


def test_an_error_that_nobody_waits_for_is_told(capfd):
    async def main():
        async def fail():
            raise KeyError("of nobody")

        turns.ensure_future(fail())
        turns.get_running_loop().call_soon(lambda: 1 / 0)
        await turns.sleep(0.01)
        return "goes on"

    assert turns.run(main()) == "goes on"
    said = capfd.readouterr().err
    assert "of nobody" in said and "ZeroDivisionError" in said


@pytest.mark.parametrize("has_started", [False, True])
def test_a_task_that_is_cancelled_cleans_up(has_started):
    done = []

    async def main():
        async def wait():
            try:
                await turns.Future()
            finally:
                done.append("cleaned")

        task = turns.ensure_future(wait())
        if has_started:
            await turns.sleep(0)
        assert task.cancel()
        with pytest.raises(turns.CancelledError):
            await task
        assert not task.cancel()

    turns.run(main())
    assert done == ["cleaned"] * has_started


def test_a_result_that_came_in_the_same_turn_does_not_keep_a_task_from_being_cancelled():
    async def main():
        future = turns.Future()

        async def wait():
            await future
            return "went on"

        task = turns.ensure_future(wait())
        await turns.sleep(0)
        future.set_result(None)
        task.cancel()
        with pytest.raises(turns.CancelledError):
            await task

    turns.run(main())


def test_what_comes_too_late_is_cancelled():
    ended = []

    async def main():
        async def slow():
            try:
                await turns.sleep(3600)
            finally:
                ended.append(True)

        for late in (slow(), turns.Future()):
            with pytest.raises(TimeoutError):
                await turns.wait_for(late, 0.01)
        assert await turns.wait_for(turns.sleep(0), 3600) is None

    began_s = time.monotonic()
    turns.run(main())
    assert ended == [True] and time.monotonic() - began_s < 600


def test_timers_come_in_their_order_and_not_when_cancelled():
    async def main():
        loop, came = turns.get_running_loop(), []
        # The clock stands still while they are set, however long that takes.
        with pytest.MonkeyPatch.context() as patch:
            now_s = time.monotonic()
            patch.setattr(turns.time, "monotonic", lambda: now_s)
            for delay_s in (0.03, 0.01, 0.02):
                loop.call_later(delay_s, came.append, delay_s)
            loop.call_later(0.0, came.append, "never").cancel()
        await turns.sleep(0.1)
        return came

    assert turns.run(main()) == [0.01, 0.02, 0.03]


def test_a_queue_keeps_what_nobody_has_taken():
    async def main():
        queue = turns.Queue()
        queue.put_nowait(1)
        with pytest.raises(TimeoutError):
            await turns.wait_for(_two(queue, []), 0)
        turns.get_running_loop().call_later(0.01, queue.put_nowait, 2)
        queue.put_nowait(3)
        return [await queue.get(), await queue.get()]

    async def _two(queue, taken):
        taken += [await queue.get(), await queue.get()]

    # What a cancelled one had taken is gone with it; what came later is not.
    assert turns.run(main()) in ([3, 2], [2, 3])


def test_threads_post_and_are_waited_for():
    async def main():
        loop, came = turns.get_running_loop(), turns.Queue()
        for k in range(4):
            threading.Thread(target=loop.post, args=(came.put_nowait, k)).start()
        assert {await came.get() for _ in range(4)} == {0, 1, 2, 3}
        with pytest.raises(ZeroDivisionError):
            await turns.in_thread(lambda: 1 / 0)
        return await turns.in_thread(lambda: "done")

    assert turns.run(main()) == "done"


def test_without_a_loop_there_is_an_error():
    with pytest.raises(RuntimeError, match="no loop"):
        turns.get_running_loop()
