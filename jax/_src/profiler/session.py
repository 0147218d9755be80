"""Profiles that stay in memory, and are written where the user says."""

import contextlib
import os
import pathlib
from collections.abc import Iterator
from typing import Any

from jax._src.profiler import tracing
from jax._src.profiler.data import ProfileData
from jax._src.profiler.options import ProfileOptions


class ProfileSession:
    """A profile that is started and stopped, and whose data can be read without any file.

    A session may be started again when it was stopped.

    Args:
        log_dir: the folder below which the profile is written when it stops; None: nowhere.
        create_perfetto_link: must be False: nothing is served.
        create_perfetto_trace: whether to write ``perfetto_trace.json.gz`` besides.
        profiler_options: a `ProfileOptions`; None: the defaults.

    Raises:
        NotImplementedError: an option is not supported.

    Examples:
        >>> session = jax.profiler.ProfileSession().start()
        >>> step(x).block_until_ready()
        >>> [plane.name for plane in session.stop().planes]
        ['/host:CPU']
    """

    def __init__(
        self,
        log_dir: os.PathLike | str | None = None,
        create_perfetto_link: bool = False,
        create_perfetto_trace: bool = False,
        profiler_options: ProfileOptions | None = None,
    ):
        tracing.refuse_link("ProfileSession", create_perfetto_link)
        self._folder = None if log_dir is None else pathlib.Path(log_dir)
        self._for_perfetto = create_perfetto_trace
        self._options = profiler_options
        self._session: tracing.Session | None = None
        self._data: ProfileData | None = None

    @property
    def is_running(self) -> bool:
        """Whether the profile is being taken."""
        return tracing.is_running(self._session)

    @property
    def profile_data(self) -> ProfileData | None:
        """What was recorded last; None before the session was stopped."""
        return self._data

    def start(self) -> "ProfileSession":
        """Starts the profile.

        Returns:
            This session.

        Raises:
            RuntimeError: a profile is being taken.
        """
        self._session = tracing.begin(self._folder, self._for_perfetto, self._options)
        return self

    def stop(self) -> ProfileData | None:
        """Ends the profile, and writes it where the session has a folder.

        Returns:
            What was recorded.

        Raises:
            RuntimeError: the session is not running.
        """
        if self._session is None:
            raise RuntimeError("No profile started: call start() of the session first.")
        session = tracing.end(self._session)
        self._data = ProfileData(tracing.space_of(session.events))
        if self._folder is not None:
            self.export_profile_data(
                self._folder,
                create_perfetto_trace=self._for_perfetto,
                session_id=session.options.session_id,
            )
        return self._data

    def export_profile_data(
        self,
        log_dir: os.PathLike | str,
        create_perfetto_link: bool = False,
        create_perfetto_trace: bool = False,
        session_id: str | None = None,
    ) -> None:
        """Writes what was recorded; arguments as of `jax.profiler.export_profile_data`."""
        export_profile_data(
            self, log_dir, create_perfetto_link, create_perfetto_trace, session_id
        )


def export_profile_data(
    profile_data: ProfileData | ProfileSession,
    log_dir: os.PathLike | str,
    create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False,
    session_id: str | None = None,
) -> None:
    """Writes a profile where TensorBoard and Perfetto look for it.

    Args:
        profile_data: the profile, or the session that recorded it.
        log_dir: the folder below which it is written.
        create_perfetto_link: must be False: nothing is served.
        create_perfetto_trace: whether to write ``perfetto_trace.json.gz`` besides.
        session_id: the name of the folder of the run; None: the time.

    Raises:
        NotImplementedError: an option is not supported.
        RuntimeError: the session has recorded nothing.
    """
    tracing.refuse_link("export_profile_data", create_perfetto_link)
    data = profile_data
    if isinstance(data, ProfileSession):
        data = data.profile_data
        if data is None:
            raise RuntimeError(
                "export_profile_data: the session has recorded nothing yet; stop() it first."
            )
    tracing.write(
        list(_events_of(data)),
        pathlib.Path(log_dir),
        create_perfetto_trace,
        session_id,
        data.space,
    )


def _events_of(data: ProfileData) -> Iterator[dict[str, Any]]:
    """The events of all planes, as Chrome's format has them: a plane is a process."""
    for process, plane in enumerate(data.planes, start=1):
        yield _named("process_name", plane.name, process, 0)
        for thread, line in enumerate(plane.lines, start=1):
            yield _named("thread_name", line.name, process, thread)
            for event in line.events:
                span = {
                    "name": event.name,
                    "ph": "X",
                    "pid": process,
                    "tid": thread,
                    "ts": event.start_ns / 1000,
                    "dur": event.duration_ns / 1000,
                }
                if stats := {name: str(value) for name, value in event.stats}:
                    span["args"] = stats
                yield span


def _named(what, name, process, thread):
    return {
        "name": what,
        "ph": "M",
        "pid": process,
        "tid": thread,
        "args": {"name": name},
    }


@contextlib.contextmanager
def trace(
    log_dir: os.PathLike | str | None = None,
    create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False,
    profiler_options: ProfileOptions | None = None,
) -> Iterator[ProfileSession]:
    """Takes a trace of a block.

    Args:
        log_dir: the folder below which the trace is written; None: it stays in memory.
        create_perfetto_link: must be False: nothing is served.
        create_perfetto_trace: whether to write ``perfetto_trace.json.gz`` besides.
        profiler_options: a `ProfileOptions`; None: the defaults.

    Yields:
        The `ProfileSession`, whose `profile_data` is there after the block.

    Raises:
        RuntimeError: a trace is being taken.
        NotImplementedError: an option is not supported.

    Examples:
        >>> with jax.profiler.trace("/tmp/logs"):
        ...     step(x).block_until_ready()
    """
    session = ProfileSession(
        log_dir, create_perfetto_link, create_perfetto_trace, profiler_options
    )
    session.start()
    try:
        yield session
    finally:
        session.stop()
