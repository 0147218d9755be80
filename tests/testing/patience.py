"""What a test may assume of time: that what comes at all comes within minutes, and no more."""

import time

# Only a hang takes so long, on a busy machine of one processor, too.
LIMIT_S = 240.0
# A step of an empty loop of Python, on the machine on which bounds of cost were chosen.
_QUIET_STEP_S = 10e-9


def until(is_so, limit_s: float = LIMIT_S) -> bool:
    """Looks again and again; returns whether it is so, at the latest after `limit_s`."""
    end = time.monotonic() + limit_s
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def least_seconds(call, clock=time.process_time, repeats: int = 5) -> float:
    """What the cheapest of several calls takes: of processor time, where no other clock is given."""
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        call()
        best = min(best, clock() - start)
    return best


def slowness() -> float:
    """How many times as long as on a quiet machine things take here and now; never below 1."""

    def count():
        for _ in range(100_000):
            pass

    step = least_seconds(count, time.thread_time) / 100_000
    return max(1.0, step / _QUIET_STEP_S)
