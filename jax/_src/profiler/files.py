"""The files of a profile, where TensorBoard and Perfetto look for them.

``<log_dir>/plugins/profile/<time>/<host>.xplane.pb``, an ``XSpace``, and ``<host>.trace.json.gz`` in the Trace Event Format.
"""

import gzip
import os
import pathlib
import time

from jax._src.base import errors
from jax._src.profiler import data, lazy_modules, recording


def export(
    profile: data.ProfileData,
    log_dir: os.PathLike | str,
    has_link: bool,
    has_perfetto: bool,
    session_id: str | None,
) -> None:
    """Writes the files of a profile, and hands one to Perfetto's page.

    Args:
        profile: the profile.
        log_dir: the folder below which they are written.
        has_link: whether to wait until Perfetto's page has fetched its file.
        has_perfetto: whether to write the file for Perfetto in any case.
        session_id: the name of the folder of the run; None or empty: the time.

    Raises:
        JaxRuntimeError: a file cannot be written.
    """
    stamp = session_id or time.strftime("%Y_%m_%d_%H_%M_%S")
    folder = pathlib.Path(log_dir) / "plugins" / "profile" / stamp
    try:
        link = write(profile, recording.host_name(), folder, has_perfetto or has_link)
    except OSError as error:
        raise errors.JaxRuntimeError(
            errors.explain(
                f"FAILED_PRECONDITION: the profile could not be written: {error.strerror}.",
                [("file", str(error.filename or folder))],
                "The profile has ended; what the program computes is not affected.",
                "Take it again with the path of a folder that can be written.",
            )
        ) from error
    if has_link and link is not None:
        lazy_modules.load("perfetto").serve_once(link)


def write(
    profile: data.ProfileData,
    host: str,
    folder: pathlib.Path,
    has_perfetto: bool = False,
) -> pathlib.Path | None:
    """Writes the files of a profile; returns that for Perfetto, if there is one.

    Raises:
        OSError: a file cannot be written; none is left half written under its name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _put(folder / f"{host}.xplane.pb", profile.serialized)
    trace_events = lazy_modules.load("trace_events")
    trace = gzip.compress(trace_events.json_of(profile), compresslevel=6)
    _put(folder / f"{host}.trace.json.gz", trace)
    if not has_perfetto:
        return None
    path = folder / "perfetto_trace.json.gz"
    _put(path, gzip.compress(trace_events.json_of(profile, has_metadata=False)))
    return path


def _put(path, content):
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
