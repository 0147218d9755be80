"""Frames that users do not see: re-exports for third-party libraries, which import this path."""

from jax._src.base.source import (
    include_frame as include_frame,
    internal_prefixes as _exclude_paths,  # noqa: F401
    register_exclusion as register_exclusion,
)
from jax._src.base.traceback_filter import (
    UnfilteredStackTrace as UnfilteredStackTrace,
    api_boundary as api_boundary,
)
