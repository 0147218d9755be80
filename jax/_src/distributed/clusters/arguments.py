"""What `jax.distributed.initialize` is given, completed from the environment and the launcher, and checked."""

import logging
import os
import warnings
from collections.abc import Sequence
from typing import Any

from jax._src.base import config, options, records
from jax._src.distributed.clusters import addresses, clusters

_log = logging.getLogger(__name__)


@records.record
class Given:
    """The arguments of `initialize`."""

    coordinator_address: str | None = None
    num_processes: int | None = None
    process_id: int | None = None
    local_device_ids: int | Sequence[int] | None = None
    cluster_detection_method: str | None = None
    initialization_timeout: float = 300
    heartbeat_timeout_seconds: float = 100
    shutdown_timeout_seconds: float = 300
    coordinator_bind_address: str | None = None
    slice_index: int | None = None
    partition_index: int | None = None
    mtls_cert_file: str | None = None
    mtls_key_file: str | None = None
    mtls_ca_file: str | None = None
    mtls_peer_uri_prefix: str | None = None
    verify_secure_credentials: bool | None = None
    coordinator_standby: bool | str | None = None


@records.record
class Plan:
    """All that is needed to join."""

    coordinator_address: str
    num_processes: int
    process_id: int
    local_device_ids: tuple[int, ...] | None
    initialization_s: float
    heartbeat_s: float
    shutdown_s: float
    bind_address: str | None
    partition_index: int | None
    # Certificate, key, authority; None: plain text, or what a secret file makes.
    mtls_files: tuple[str, str, str] | None
    peer_uri_prefix: str
    secret_file: str
    is_secure_wanted: bool
    # The service runs already: whoever started this process started it.
    has_service: bool
    # As `service.Settings` has it.
    standby: str = "0"


def complete(given: Given) -> Plan:
    """Fills in what is missing, and checks it all.

    Raises:
        ValueError: something is missing, contradicts itself or is out of range.
        TypeError: a number is of another type.
    """
    address = given.coordinator_address or os.environ.get("JAX_COORDINATOR_ADDRESS")
    count = _number("JAX_NUM_PROCESSES", given.num_processes)
    process = _number("JAX_PROCESS_ID", given.process_id)
    ids = _device_ids(given.local_device_ids)
    if (
        None in (address, count, process, ids)
        and given.cluster_detection_method != "deactivate"
    ):
        address, count, process, ids = clusters.fill(
            given.cluster_detection_method,
            address,
            count,
            process,
            ids,
            given.initialization_timeout,
        )
    _check(address, count, process)
    files, prefix, is_wanted = _mtls(given)
    return Plan(
        coordinator_address=address,
        num_processes=count,
        process_id=process,
        local_device_ids=ids,
        initialization_s=_seconds(given, "initialization_timeout"),
        heartbeat_s=_seconds(given, "heartbeat_timeout_seconds"),
        shutdown_s=_seconds(given, "shutdown_timeout_seconds"),
        bind_address=given.coordinator_bind_address
        or os.environ.get("JAX_COORDINATOR_BIND_ADDRESS"),
        partition_index=_partition(given),
        mtls_files=files,
        peer_uri_prefix=prefix,
        secret_file=os.environ.get("JAX_DISTRIBUTED_SECRET_FILE", ""),
        is_secure_wanted=is_wanted,
        has_service=os.environ.get("JAX_COORDINATOR_RUNS", "") == "1",
        standby=_standby(given.coordinator_standby),
    )


def _number(variable: str, given: Any) -> Any:
    if given is not None or (text := os.environ.get(variable)) is None:
        return given
    return _parsed(variable, text)


def _parsed(variable, text):
    try:
        return int(text)
    except ValueError:
        raise ValueError(
            f"jax.distributed.initialize: {variable} is {text!r}; it must be a whole number."
        ) from None


def _device_ids(given):
    if given is None:
        text = os.environ.get("JAX_LOCAL_DEVICE_IDS")
        if text is None:
            return None
        return tuple(_parsed("JAX_LOCAL_DEVICE_IDS", t) for t in text.split(","))
    return (given,) if isinstance(given, int) else tuple(given)


def _check(address, count, process):
    rows = (
        ("coordinator_address", address, "JAX_COORDINATOR_ADDRESS"),
        ("num_processes", count, "JAX_NUM_PROCESSES"),
        ("process_id", process, "JAX_PROCESS_ID"),
    )
    missing = [(name, variable) for name, value, variable in rows if value is None]
    if missing:
        names = " and ".join(name for name, _ in missing)
        variables = ", ".join(variable for _, variable in missing)
        raise ValueError(
            f"jax.distributed.initialize: {names} should be defined.\n"
            f"{clusters.found_text()}\n"
            f"Give the missing ones as arguments, or in {variables}; or start the program by a "
            "launcher that is known (docs/clusters.md), for example:  "
            "python -m jax.distributed --processes 4 script.py"
        )
    addresses.split(address)
    for name, value in (("num_processes", count), ("process_id", process)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(
                f"jax.distributed.initialize: {name} must be an int, not "
                f"{value!r} of type {type(value).__name__}."
            )
    if count < 1 or not 0 <= process < count:
        raise ValueError(
            f"jax.distributed.initialize: process_id {process} is not in the range from 0 to "
            f"num_processes - 1 (num_processes is {count})."
        )


def _seconds(given, name):
    value = getattr(given, name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(
            f"jax.distributed.initialize: {name} must be a number of seconds, not {value!r}."
        )
    if not value > 0:
        raise ValueError(
            f"jax.distributed.initialize: {name} is {value}; it must be more than 0 seconds."
        )
    return float(value)


def _partition(given):
    if given.slice_index is not None:
        _warn("the argument slice_index is now named partition_index.")
        if given.partition_index is not None:
            raise ValueError(
                "jax.distributed.initialize: both partition_index and its older name "
                "slice_index are given. Give partition_index."
            )
        return given.slice_index
    if given.partition_index is not None:
        return given.partition_index
    if (text := os.environ.get("JAX_PARTITION_INDEX")) is not None:
        return _parsed("JAX_PARTITION_INDEX", text)
    if (text := os.environ.get("JAX_SLICE_INDEX")) is not None:
        _warn("the variable JAX_SLICE_INDEX is now named JAX_PARTITION_INDEX.")
        return _parsed("JAX_SLICE_INDEX", text)
    return None


def _standby(given):
    value = os.environ.get("JAX_COORDINATOR_STANDBY", "") if given is None else given
    if isinstance(value, bool):
        return "1" if value else "0"
    if not isinstance(value, str):
        raise TypeError(
            "jax.distributed.initialize: coordinator_standby must be True, False or an address, "
            f"not {value!r}."
        )
    if value not in ("", "0", "1"):
        addresses.split(value)
    return value


def _warn(text):
    warnings.warn(
        f"jax.distributed.initialize: {text}", DeprecationWarning, stacklevel=6
    )


def _file(given, name):
    """An argument, or the option or the variable of that name."""
    option = options.mtls[name].value
    return getattr(given, name) or option or os.environ.get(f"JAX_{name.upper()}")


def _mtls(given):
    names = ("mtls_cert_file", "mtls_key_file", "mtls_ca_file")
    files = [_file(given, name) for name in names]
    prefix = _file(given, "mtls_peer_uri_prefix") or ""
    is_wanted = given.verify_secure_credentials
    if is_wanted is None and options.distributed_verify_secure_credentials.value:
        is_wanted = True
    if is_wanted is None:
        text = os.environ.get("JAX_DISTRIBUTED_VERIFY_SECURE_CREDENTIALS", "0")
        is_wanted = text.lower() in ("1", "true", "yes", "on")
    if not any(files):
        return None, prefix, is_wanted
    if not all(files):
        lacking = [n for n, f in zip(names, files, strict=True) if not f]
        raise ValueError(
            f"jax.distributed.initialize: {', '.join(lacking)} missing; "
            f"{', '.join(names)} must be given together."
        )
    if prefix and not prefix.endswith("/"):
        raise ValueError(
            f"jax.distributed.initialize: mtls_peer_uri_prefix {prefix!r} must end in '/', "
            "or it would also fit longer names."
        )
    return tuple(files), prefix, is_wanted


def warn_of_proxies() -> None:
    """Logs that variables name a proxy, which other gRPC clients of the machine would use."""
    if not config.config.jax_check_proxy_envs:
        return
    found = [name for name in os.environ if "_proxy" in name.lower()]
    if found:
        _log.warning(
            "jax.distributed: the environment names a proxy (%s). Connections of jax do not "
            "use it; plugins may.",
            ", ".join(sorted(found)),
        )
