"""Host and port in one text, and the interfaces behind a name."""

import ipaddress
import socket

# Where job schedulers let programs choose a port: above what systems hand out, and stable for one job.
_FIRST_PORT, _PORTS = 61440, 4096


def split(address: str) -> tuple[str, int]:
    """The host and the port of ``host:port``; a host in brackets may hold colons.

    Raises:
        ValueError: there is no port.
    """
    host, _, port = address.rpartition(":")
    if not host or not (port.isascii() and port.isdecimal()) or int(port) > 65535:
        raise ValueError(
            f"jax.distributed.initialize: {address!r} is no address.\n"
            "Give host and port, as in 10.0.0.1:1234, node7:1234 or [fd00::7]:1234."
        )
    return host.removeprefix("[").removesuffix("]"), int(port)


def to_ask(host: str) -> str | bytes:
    """The host as `socket.getaddrinfo` takes it without loading tables of names in other scripts."""
    return host.encode() if host.isascii() else host


def join(host: str, port: int) -> str:
    """``host:port``, with brackets where the host has colons."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def job_port(number: int) -> int:
    """The port that all processes of a job know by the job's number."""
    return number % _PORTS + _FIRST_PORT


def is_loopback(host: str) -> bool:
    """Whether a host is this machine as only itself can name it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def to_bind(coordinator_address: str) -> tuple[list[str], str]:
    """Where the service listens for those who are told `coordinator_address`, and a warning or nothing.

    Never every interface, unless the name means an address that this machine does not know as its own.
    """
    host, port = split(coordinator_address)
    if host == "localhost":
        return [f"127.0.0.1:{port}"], ""
    found = _addresses(host, port)
    own = [ip for ip in found if _is_own(ip)]
    if own and (is_loopback(host) or not all(map(is_loopback, own))):
        return [join(ip, port) for ip in own], ""
    if own:
        # Debian lets a machine's own name mean 127.0.1.1, where no other machine can reach it.
        if outward := _outward():
            return [join(ip, port) for ip in [*own, outward]], ""
        return [join(ip, port) for ip in own], ""
    return [join("::", port)], (
        f"the coordination service listens on every interface: {host} is no address of this "
        "machine. Name one in coordinator_bind_address."
    )


def _addresses(host: str, port: int) -> list[str]:
    try:
        rows = socket.getaddrinfo(to_ask(host), port, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


def _is_own(ip: str) -> bool:
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        try:
            probe.bind((ip, 0))
        except OSError:
            return False
    return True


def towards(host: str, port: int) -> str:
    """The address of this machine's interface that leads to a host.

    Raises:
        OSError: none does.
    """
    row = socket.getaddrinfo(to_ask(host), port, type=socket.SOCK_DGRAM)[0]
    with socket.socket(row[0], socket.SOCK_DGRAM) as probe:
        # No packet is sent: the system only chooses the interface.
        probe.connect(row[4])
        return probe.getsockname()[0]


def _outward() -> str:
    """The address of the interface that leads to other machines; empty: there is none."""
    return _source("192.0.2.1", 9)  # an address for documents


def _source(host: str, port: int) -> str:
    """The address of the interface that leads to another; empty: there is none."""
    try:
        return towards(host, port)
    except OSError:
        return ""


def toward_coordinator(coordinator_address: str) -> str:
    """The address of this machine at which those who know `coordinator_address` reach it.

    Loopback only where the coordinator is at a loopback address.
    """
    host, port = split(coordinator_address)
    if host == "localhost":
        return "127.0.0.1"
    for ip in _addresses(host, port):
        own = _source(ip, port)
        if is_loopback(host) or (own and not is_loopback(own)):
            return own or "127.0.0.1"
    # The machine's own name may mean 127.0.1.1 here, and what other machines see.
    return _outward() or "127.0.0.1"
