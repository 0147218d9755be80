"""Options of profiles."""

from typing import Any


class ProfileOptions:
    """What a profile records, and where it is written.

    Attributes that are not listed may be set too; they have no effect.

    Attributes:
        host_tracer_level: 0 records no spans of the host; 1 and above record all.
        python_tracer_level: has no effect: single Python functions are not recorded.
        enable_hlo_proto: has no effect: programs are not part of a profile.
        include_dataset_ops: has no effect.
        duration_ms: has no effect: a profile ends where `stop_trace` is called.
        start_timestamp_ns: has no effect: a profile starts where `start_trace` is called.
        repository_path: has no effect.
        raise_error_on_start_failure: has no effect: errors are always raised.
        session_id: the name of the folder of the run; empty: the time of its end.
        advanced_configuration: has no effect.
    """

    def __init__(self) -> None:
        self.host_tracer_level = 2
        self.python_tracer_level = 1
        self.enable_hlo_proto = True
        self.include_dataset_ops = True
        self.duration_ms = 0
        self.start_timestamp_ns = 0
        self.repository_path = ""
        self.raise_error_on_start_failure = False
        self.session_id = ""
        self.advanced_configuration: dict[str, Any] = {}
