"""How the two ends of the control plane talk gRPC: options, who calls, what their certificate says."""

import urllib.parse
from typing import Any

import grpc

from jax._src.distributed.messages import wire
from jax._src.distributed.messages.status_errors import Refused

_PROCESS, _INCARNATION, _CALL = "jax-process", "jax-incarnation", "jax-call"
_FAILURES = "jax-failures"
# gRPC's name for the TLS peer's names.
_NAMES = "x509_subject_alternative_name"
JOB_SCHEME = "jax://"


def _common_options(heartbeat_s: float) -> list[tuple[str, int]]:
    # Pings of HTTP/2 are sent and answered by gRPC's own threads, so that a process which holds Python's
    # lock for minutes still answers. Both waits together are less than the heartbeat timeout: by its default
    # of 100 s, a machine that is gone is noticed within a minute.
    ping_ms = max(int(heartbeat_s * 200), 100)
    answer_ms = max(int(heartbeat_s * 350), 100)
    return [
        ("grpc.keepalive_time_ms", ping_ms),
        ("grpc.keepalive_timeout_ms", answer_ms),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        # Pings that measure bandwidth would hold up those that look for life, for a minute.
        ("grpc.http2.bdp_probe", 0),
        ("grpc.http2.ping_timeout_ms", answer_ms),
        ("grpc.max_receive_message_length", wire.MAX_MESSAGE_BYTES),
        ("grpc.max_send_message_length", wire.MAX_MESSAGE_BYTES),
        ("grpc.max_metadata_size", 64 << 10),
    ]


def server_options(settings: Any) -> list[tuple[str, int]]:
    """The options of the service's server."""
    return [
        *_common_options(settings.heartbeat_s),
        ("grpc.so_reuseport", 0),
        ("grpc.http2.min_ping_interval_without_data_ms", 100),
        ("grpc.http2.max_ping_strikes", 0),
        ("grpc.max_concurrent_streams", 4096),
        # Without these, gRPC refuses some of a thousand calls that come at once, such as those of a barrier.
        ("grpc.server.max_pending_requests", 1 << 20),
        ("grpc.server.max_pending_requests_hard_limit", 1 << 20),
        # Connections without a session are not the job's.
        ("grpc.max_connection_idle_ms", 60_000),
        ("grpc.server_handshake_timeout_ms", 10_000),
    ]


def client_options(heartbeat_s: float, server_name: str) -> list[tuple[str, Any]]:
    """The options of a process's channel."""
    options: list[tuple[str, Any]] = [
        *_common_options(heartbeat_s),
        ("grpc.enable_http_proxy", 0),
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.min_reconnect_backoff_ms", 2000),
        ("grpc.max_reconnect_backoff_ms", 1000),
        ("grpc.service_config_disable_resolution", 1),
    ]
    if server_name:
        options.append(("grpc.ssl_target_name_override", server_name))
    return options


def word_interval_s(heartbeat_s: float) -> float:
    """How often a process that does nothing says that it is there, for `jax.distributed.status`."""
    return min(max(heartbeat_s / 8, 0.5), 15.0)


def answer_trailer(failures: int) -> tuple[tuple[str, str], ...]:
    """What distinguishes an error of the service from one of the connection, with the failures it knew of."""
    return ((_FAILURES, str(failures)),)


def failures_known(error: grpc.RpcError) -> int | None:
    """The failures that the service knew of when it refused; None: the connection failed."""
    for key, value in error.trailing_metadata() or ():
        if key == _FAILURES and value.isdecimal():
            return int(value)
    return None


def metadata(process: int, incarnation: int, call: int) -> list[tuple[str, str]]:
    """Who makes a call, and which of its calls it is."""
    return [
        (_PROCESS, str(process)),
        (_INCARNATION, f"{incarnation:x}"),
        (_CALL, str(call)),
    ]


def caller(context: Any) -> tuple[int, int, int]:
    """The process, incarnation and number that a call came with.

    Raises:
        Refused: it came without.
    """
    given = {}
    for key, value in context.invocation_metadata() or ():
        given.setdefault(key, value)
    try:
        process, call = int(given[_PROCESS][:20]), int(given.get(_CALL, "0")[:18])
        incarnation = int(given[_INCARNATION][:20], 16)
    except (KeyError, ValueError, TypeError):
        raise Refused(
            "PERMISSION_DENIED", "the caller is no process of this job."
        ) from None
    return process, incarnation, call


def check_peer(context: Any, process: int | None, uri_prefix: str) -> None:
    """Compares the process id that a caller gives, or None, with its certificate, if it has one.

    Raises:
        Refused: the certificate is another process's, or lacks the wanted name.
    """
    names = [
        name.decode("utf-8", "replace")
        for name in context.auth_context().get(_NAMES, ())
    ]
    if uri_prefix and not any(name.startswith(uri_prefix) for name in names):
        raise Refused(
            "PERMISSION_DENIED",
            "the caller's certificate has no URI with the prefix that this job wants.",
        )
    for name in names:
        if name.startswith(JOB_SCHEME):
            owner = certified_process(name)
            if None not in (owner, process) and owner != process:
                raise Refused(
                    "PERMISSION_DENIED",
                    f"the caller's certificate is that of process {owner}, not of {process}.",
                )


def certified_process(uri: str) -> int | None:
    """The process id in a name ``jax://<job>/process/<k>``; None: another name."""
    _, _, process = uri.removeprefix(JOB_SCHEME).partition("/process/")
    return int(process) if process.isascii() and process.isdecimal() else None


def peer_address(context: Any) -> str:
    """The other end of a connection, as ``host:port``."""
    peer = urllib.parse.unquote(context.peer())
    return peer.partition(":")[2] or peer
