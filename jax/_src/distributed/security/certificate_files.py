"""Certificates as files: made of a secret, checked, removed; and the name in that of the service.

Apart from `security`: many jobs have none, and what is needed for them takes long to load.
"""

import shutil
import socket
import ssl
import tempfile
import time
from pathlib import Path
from typing import Any

from jax._src.base import errors
from jax._src.distributed import lazy_modules
from jax._src.distributed.clusters import addresses
from jax._src.distributed.service.hosting import Certificates, paths_of

_PROBE_S = 5.0
# Between two looks whether the service listens.
_LONGEST_PAUSE_S = 0.1


def from_secret(plan: Any) -> tuple[Certificates, str, str]:
    """Certificates made of the secret that the job shares, the prefix of its names, and their folder.

    Raises:
        ValueError: the secret cannot be read, is short, or others may read it.
        RuntimeError: `cryptography` is not installed.
    """
    path = Path(plan.secret_file)
    try:
        secret = path.read_bytes().strip()
        mode = path.stat().st_mode
    except OSError as error:
        raise ValueError(
            _unreadable("JAX_DISTRIBUTED_SECRET_FILE", path, error)
        ) from None
    if mode & 0o077:
        raise ValueError(
            f"jax.distributed.initialize: others may read the secret file {path} (mode "
            f"{mode & 0o777:o}).\nMake it yours alone:  chmod 600 {path}"
        )
    if len(secret) < 16:
        raise ValueError(
            f"jax.distributed.initialize: the secret in {path} has {len(secret)} bytes; it "
            "needs 16 at least. Make one:  head -c 32 /dev/urandom | base64"
        )
    certificates = lazy_modules.load("security.certificates")
    authority = certificates.authority_from_secret(secret, plan.coordinator_address)
    folder = Path(tempfile.mkdtemp(prefix="jax-job-"))
    # Who has the secret can be anybody: any process may have to start a standby.
    files = authority.write(folder, plan.process_id, is_coordinator=True)
    return files, authority.uri_prefix, str(folder)


def check(files: Certificates) -> None:
    """Raises `ValueError` if the files are no certificate with its key and an authority."""
    for name, path in paths_of(files).items():
        read(path, name)
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_cert_chain(files.certificate, files.key)
        context.load_verify_locations(files.authority)
    except (ssl.SSLError, OSError) as error:
        raise errors.value_error(
            "jax.distributed.initialize: the certificates cannot be used.",
            [
                ("certificate", files.certificate),
                ("key", files.key),
                ("authority", files.authority),
                ("error", str(error)),
            ],
            "All three are PEM files; the key must be that of the certificate.",
        ) from None


def read(path: str, name: str = "file") -> bytes:
    """What a file holds; `ValueError` if it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ValueError(_unreadable(name, path, error)) from None


def _unreadable(name, path, error):
    return (
        f"jax.distributed.initialize: {name} {path} cannot be read: {error.strerror}."
    )


def remove(folder: str) -> None:
    """Removes the folder of files that `from_secret` made."""
    shutil.rmtree(folder, ignore_errors=True)


def name_by_uri(
    files: Certificates, prefix: str, address: str, timeout_s: float
) -> str:
    """Looks at the service's certificate for a URI with the prefix, and returns its DNS name.

    gRPC compares DNS names only; the connection that follows is checked again, against that name.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(files.authority)
    context.load_cert_chain(files.certificate, files.key)
    context.set_alpn_protocols(["h2"])
    deadline, pause_s = time.monotonic() + timeout_s, 0.001
    while True:
        try:
            with (
                socket.create_connection(addresses.split(address), _PROBE_S) as raw,
                context.wrap_socket(raw) as connection,
            ):
                names = connection.getpeercert().get("subjectAltName", ())
            break
        except ssl.SSLError as error:
            raise RuntimeError(
                f"jax.distributed.initialize: the coordination service at {address} is not "
                f"trusted: {error.reason or error}."
            ) from None
        except OSError:
            if time.monotonic() > deadline:
                return ""  # the client will say that nobody answers
            time.sleep(pause_s)
            pause_s = min(pause_s * 1.3, _LONGEST_PAUSE_S)
    if not any(kind == "URI" and name.startswith(prefix) for kind, name in names):
        raise RuntimeError(
            f"jax.distributed.initialize: the certificate of the coordination service at "
            f"{address} has no URI that starts with {prefix!r}."
        )
    for kind, name in names:
        if kind == "DNS":
            return name
    raise RuntimeError(
        f"jax.distributed.initialize: the certificate of the coordination service at {address} "
        "has a URI, but no DNS name, which gRPC needs. Add one, for example its host's."
    )
