"""How tests are found and run: those that a regular expression selects, in several threads where it is requested."""

import contextlib
import importlib
import os
import re
import threading
import unittest
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

from jax._src.compat import options as compat_options
from jax._src.compat.testing import warning_blocks

TEST_NUM_THREADS = compat_options.int_flag(
    "jax_test_num_threads",
    int(os.getenv("JAX_TEST_NUM_THREADS", "0")),
    help="how many threads run tests; 0: none but the main one",
)
_TARGETS = compat_options.string_flag(
    "test_targets",
    os.getenv("JAX_TEST_TARGETS", ""),
    help="a regular expression of the tests to run; empty: all",
)
_EXCLUDED = compat_options.string_flag(
    "exclude_test_targets",
    os.getenv("JAX_EXCLUDE_TEST_TARGETS", ""),
    help="a regular expression of the tests not to run; empty: none",
)


class _Turns:
    """Many tests at a time, or one that nothing else may run beside."""

    def __init__(self):
        self._condition = threading.Condition()
        self._running = 0
        self._is_alone = False

    @contextlib.contextmanager
    def shared(self) -> Iterator[None]:
        """A block that runs beside others of its kind."""
        self._join()
        try:
            yield
        finally:
            self._leave()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """A block, of a thread that is in none, beside which nothing runs."""
        with self._condition:
            self._condition.wait_for(lambda: not self._running and not self._is_alone)
            self._is_alone = True
        try:
            yield
        finally:
            with self._condition:
                self._is_alone = False
                self._condition.notify_all()

    @contextlib.contextmanager
    def alone_within_shared(self) -> Iterator[None]:
        """A block inside a shared one: it waits until no other is running."""
        self._leave()
        try:
            with self.alone():
                yield
        finally:
            self._join()

    def _join(self):
        with self._condition:
            self._condition.wait_for(lambda: not self._is_alone)
            self._running += 1

    def _leave(self):
        with self._condition:
            self._running -= 1
            self._condition.notify_all()


_turns = _Turns()


@contextlib.contextmanager
def thread_unsafe_test(condition: bool = True) -> Iterator[None]:
    """A block, or a decorator of a test, beside which no other test runs, if `condition` holds."""
    if not condition or TEST_NUM_THREADS.value <= 0:
        yield
        return
    with _turns.alone_within_shared():
        yield


def thread_unsafe_test_class(condition: bool = True) -> Callable[[type], type]:
    """A decorator of a class of tests: nothing runs beside one of them, if `condition` holds."""

    def mark(klass):
        if not issubclass(klass, unittest.TestCase):
            raise AssertionError(f"{klass} is no class of tests")
        klass.thread_hostile = condition
        return klass

    return mark


class ThreadSafeTestResult:
    """What a test reports, kept until it has ended and then added to the result of all."""

    def __init__(self, lock: Any, result: unittest.TestResult):
        self._lock = lock
        self._result = result
        self._told: list[tuple] = []

    def startTest(self, test: unittest.TestCase) -> None:
        """The test begins."""

    def stopTest(self, test: unittest.TestCase) -> None:
        """The test has ended: adds what was kept."""
        with self._lock:
            self._result.startTest(test)
            for name, args in self._told:
                getattr(self._result, name)(*args)
            self._result.stopTest(test)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("add") or not hasattr(self._result, name):
            raise AttributeError(name)
        return lambda *args: self._told.append((name, args))


def _each(tests):
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from _each(test)
        else:
            yield test


def _run_one(test, result):
    is_hostile = getattr(type(test), "thread_hostile", False)
    with _turns.alone() if is_hostile else _turns.shared():
        test(result)


class JaxTestSuite(unittest.TestSuite):
    """Tests that several threads run where `jax_test_num_threads` says so; then without the set-up of classes."""

    def __init__(self, suite: Any = ()):
        super().__init__(list(suite))

    def run(self, result: unittest.TestResult, debug: bool = False) -> Any:
        """Runs them and returns the result."""
        count = TEST_NUM_THREADS.value
        if count <= 0:
            return super().run(result)
        warning_blocks.install_threadsafe_warning_handlers()
        lock = threading.Lock()
        with futures.ThreadPoolExecutor(count) as pool:
            running = [
                pool.submit(_run_one, test, ThreadSafeTestResult(lock, result))
                for test in _each(self)
            ]
        for one in running:
            one.result()
        return result


def _loader_class():
    try:
        return importlib.import_module("absl.testing.absltest").TestLoader
    except ModuleNotFoundError:
        return unittest.TestLoader


_Loader: Any = _loader_class()


class JaxTestLoader(_Loader):
    """Finds the tests of a class that the options select."""

    suiteClass = JaxTestSuite

    def getTestCaseNames(self, testCaseClass: type) -> list[str]:
        """The names of the tests to run."""

        def is_chosen(name):
            full = f"{testCaseClass.__name__}.{name}"
            wanted, excluded = _TARGETS.value, _EXCLUDED.value
            if wanted and not re.search(wanted, full):
                return False
            return not (excluded and re.search(excluded, full))

        return list(filter(is_chosen, super().getTestCaseNames(testCaseClass)))
