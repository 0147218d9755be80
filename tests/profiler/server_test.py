"""The names of the profiler's server are there, for libraries that pass them on, and refuse when they are called."""

import functools

import pytest

import jax


def test_libraries_name_the_server_without_starting_it():
    """A data loader binds an argument when it is imported."""
    start = functools.partial(jax.profiler.start_server, requires_backend=False)
    with pytest.raises(NotImplementedError, match=r"start_trace\(folder\)"):
        start(9012)


def test_processes_below_are_not_registered():
    with pytest.raises(NotImplementedError, match="register_subprocess.*\n.*\n"):
        jax.profiler.register_subprocess(1, 9012)


def test_no_server_is_there_to_be_stopped():
    with pytest.raises(ValueError, match=r"No active profiler server\."):
        jax.profiler.stop_server()
