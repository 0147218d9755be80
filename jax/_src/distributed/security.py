"""Who a process is: certificates for mutual TLS, from files, from a secret that a job shares, or none."""

import dataclasses
import shutil
import socket
import ssl
import tempfile
import time
from pathlib import Path
from typing import Any

import grpc

from jax._src.base import errors
from jax._src.distributed import addresses, channels, parts
from jax._src.distributed.hosting import Certificates

# The name in the certificate of a job's own coordination service.
COORDINATOR = "jax-coordinator"
_PROBE_S = 5.0


@dataclasses.dataclass(frozen=True, slots=True)
class Identity:
    """How a process shows who it is. Without files, it does not."""

    files: Certificates | None
    # Start of the names that others' certificates must have; empty: whatever the authority signed.
    uri_prefix: str = ""
    # A folder of files made for this process alone.
    folder: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether connections are plain text."""
        return self.files is None

    def client_credentials(self) -> Any:
        """For a channel; None: plain text."""
        if self.files is None:
            return None
        return grpc.ssl_channel_credentials(
            root_certificates=_read(self.files.authority),
            private_key=_read(self.files.key),
            certificate_chain=_read(self.files.certificate),
        )

    def server_name(self, address: str, timeout_s: float) -> str:
        """The name that the service's certificate must have; empty: the host's."""
        if self.files is None or not self.uri_prefix:
            return ""
        if self.uri_prefix.startswith(channels.JOB_SCHEME):
            return COORDINATOR
        return _named_by_uri(self.files, self.uri_prefix, address, timeout_s)

    def forget(self) -> None:
        """Removes the files that were made for this process."""
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def identity(plan: Any) -> Identity:
    """The identity that the arguments and the environment give to this process.

    Raises:
        ValueError: a file is missing or unreadable, or plain text is not wanted.
        RuntimeError: a secret file was named and `cryptography` is not installed.
    """
    if plan.mtls_files is not None:
        certificate, key, authority = plan.mtls_files
        files = Certificates(certificate, key, authority)
        _check(files)
        return Identity(files, plan.peer_uri_prefix)
    if plan.secret_file:
        return _from_secret(plan)
    if plan.is_secure_wanted:
        raise ValueError(
            "jax.distributed.initialize: verify_secure_credentials is set, but there are no "
            "certificates.\nGive mtls_cert_file, mtls_key_file and mtls_ca_file, or name a "
            "file with a secret in JAX_DISTRIBUTED_SECRET_FILE."
        )
    return Identity(None)


def _from_secret(plan):
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
    certificates = parts.load("certificates")
    authority = certificates.authority_from_secret(secret, plan.coordinator_address)
    folder = Path(tempfile.mkdtemp(prefix="jax-job-"))
    # Who has the secret can be anybody: any process may have to start a standby.
    files = authority.write(folder, plan.process_id, is_coordinator=True)
    return Identity(files, authority.uri_prefix, str(folder))


def _check(files):
    for name, path in dataclasses.asdict(files).items():
        _read(path, name)
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_cert_chain(files.certificate, files.key)
        context.load_verify_locations(files.authority)
    except (ssl.SSLError, OSError) as error:
        raise ValueError(
            errors.explain(
                "jax.distributed.initialize: the certificates cannot be used.",
                [
                    ("certificate", files.certificate),
                    ("key", files.key),
                    ("authority", files.authority),
                    ("error", str(error)),
                ],
                "All three are PEM files; the key must be that of the certificate.",
            )
        ) from None


def _read(path: str, name: str = "file") -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ValueError(_unreadable(name, path, error)) from None


def _unreadable(name, path, error):
    return (
        f"jax.distributed.initialize: {name} {path} cannot be read: {error.strerror}."
    )


def _named_by_uri(files, prefix, address, timeout_s):
    """Looks at the service's certificate for a URI with the prefix, and returns its DNS name.

    gRPC compares DNS names only; the connection that follows is checked again, against that name.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(files.authority)
    context.load_cert_chain(files.certificate, files.key)
    context.set_alpn_protocols(["h2"])
    deadline = time.monotonic() + timeout_s
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
            time.sleep(0.2)
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
