"""Profiles that stay in memory, and are written where the user says."""

import contextlib
import os
from collections.abc import Iterator

from jax._src.base import errors, releases
from jax._src.profiler import files, recording
from jax._src.profiler.data import ProfileData
from jax._src.profiler.options import ProfileOptions


def _require_options(options):
    if options is not None and not isinstance(options, ProfileOptions):
        raise errors.type_error(
            "A profile: incompatible function arguments.",
            [("profiler_options", repr(options)), ("type", type(options).__name__)],
            "They are a jax.profiler.ProfileOptions, whose attributes are set one by one.",
            "options = jax.profiler.ProfileOptions(); options.host_tracer_level = 1",
        )


class ProfileSession:
    """A profile that is started and stopped, and whose data can be read without any file.

    A session may be started again when it was stopped.

    Args:
        log_dir: the folder below which the profile is written when it stops; None: nowhere.
        create_perfetto_link: whether to print a link to Perfetto's page and wait until that page has fetched the profile.
        create_perfetto_trace: whether to write ``perfetto_trace.json.gz`` besides.
        profiler_options: a `ProfileOptions`; None: the defaults.

    Raises:
        TypeError: the options are of another class.

    Examples:
        >>> session = jax.profiler.ProfileSession().start()
        >>> step(x).block_until_ready()
        >>> [plane.name for plane in session.stop().planes]
        ['/host:metadata', '/host:CPU', '/device:TPU:0', 'Task Environment']
    """

    def __init__(
        self,
        log_dir: os.PathLike | str | None = None,
        create_perfetto_link: bool = False,
        create_perfetto_trace: bool = False,
        profiler_options: ProfileOptions | None = None,
    ):
        _require_options(profiler_options)
        self._folder = None if log_dir is None else os.fspath(log_dir)
        self._has_link = create_perfetto_link
        self._has_perfetto = create_perfetto_trace
        self._options = profiler_options
        self._session: recording.Session | None = None
        self._data: ProfileData | None = None

    @property
    def is_running(self) -> bool:
        """Whether the profile is being taken."""
        return recording.is_running(self._session)

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
        target = "memory" if self._folder is None else str(self._folder)
        self._session = recording.start(self._options, target)
        return self

    def stop(self) -> ProfileData | None:
        """Ends the profile, and writes it where the session has a folder.

        Returns:
            What was recorded.

        Raises:
            RuntimeError: the session is not running.
            JaxRuntimeError: the files cannot be written; the profile has ended.
        """
        session = None if self._session is None else recording.end(self._session)
        if session is None:
            raise errors.runtime_error(
                "No profile started: call start() of the session first.",
                rule="stop() ends the profile that start() of the same session began.",
            )
        self._data = ProfileData(session.stop())
        if self._folder is not None:
            files.export(
                self._data,
                self._folder,
                self._has_link,
                self._has_perfetto,
                session.options.session_id,
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
        create_perfetto_link: whether to print a link to Perfetto's page and wait until that page has fetched the profile.
        create_perfetto_trace: whether to write ``perfetto_trace.json.gz`` besides.
        session_id: the name of the folder of the run; None: the time.

    Raises:
        RuntimeError: the session has recorded nothing.
        JaxRuntimeError: the files cannot be written.
    """
    data = profile_data
    if isinstance(data, ProfileSession):
        data = data.profile_data
        if data is None:
            raise RuntimeError(
                "export_profile_data: the session has recorded nothing yet; stop() it first."
            )
    files.export(data, log_dir, create_perfetto_link, create_perfetto_trace, session_id)


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
        create_perfetto_link: whether to print a link to Perfetto's page and wait until that page has fetched the profile.
        create_perfetto_trace: whether to write ``perfetto_trace.json.gz`` besides.
        profiler_options: a `ProfileOptions`; None: the defaults.

    Yields:
        The `ProfileSession`, whose `profile_data` is there after the block.

    Raises:
        RuntimeError: a trace is being taken.
        JaxRuntimeError: the files cannot be written.

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
        if session.is_running:  # the block may have ended it
            session.stop()


if not releases.rule("trace_needs_no_folder"):
    trace.__wrapped__.__defaults__ = (False, False, None)  # type: ignore[attr-defined]
