"""What a test may assume of time: that what comes at all comes within minutes, and no more."""

import time
from collections.abc import Callable

# Only a hang takes so long, on a busy machine of one processor, too.
LIMIT_S = 240.0
# A step of an empty loop of Python, on the machine on which bounds of cost were chosen.
_QUIET_STEP_S = 10e-9


def wait_for(is_so: Callable[[], object], limit_s: float = LIMIT_S) -> None:
    """Returns when it is so."""
    end = time.monotonic() + limit_s
    while not is_so():
        assert time.monotonic() < end, f"not so after {limit_s:g} s"
        time.sleep(0.01)


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
