"""Who a process is: certificates for mutual TLS, from files, from a secret that a job shares, or none."""

from typing import Any

import grpc

from jax._src.base import records
from jax._src.distributed import lazy_modules
from jax._src.distributed.messages import channels
from jax._src.distributed.service.hosting import Certificates

# The name in the certificate of a job's own coordination service.
COORDINATOR = "jax-coordinator"


@records.record
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
        read = lazy_modules.load("security.certificate_files").read
        return grpc.ssl_channel_credentials(
            root_certificates=read(self.files.authority),
            private_key=read(self.files.key),
            certificate_chain=read(self.files.certificate),
        )

    def server_name(self, address: str, timeout_s: float) -> str:
        """The name that the service's certificate must have; empty: the host's."""
        if self.files is None or not self.uri_prefix:
            return ""
        if self.uri_prefix.startswith(channels.JOB_SCHEME):
            return COORDINATOR
        named = lazy_modules.load("security.certificate_files").name_by_uri
        return named(self.files, self.uri_prefix, address, timeout_s)

    def forget(self) -> None:
        """Removes the files that were made for this process."""
        if self.folder:
            lazy_modules.load("security.certificate_files").remove(self.folder)


def identity(plan: Any) -> Identity:
    """The identity that the arguments and the environment give to this process.

    Raises:
        ValueError: a file is missing or unreadable, or plain text is not wanted.
        RuntimeError: a secret file was named and `cryptography` is not installed.
    """
    if plan.mtls_files is not None:
        certificate, key, authority = plan.mtls_files
        files = Certificates(certificate, key, authority)
        lazy_modules.load("security.certificate_files").check(files)
        return Identity(files, plan.peer_uri_prefix)
    if plan.secret_file:
        return Identity(
            *lazy_modules.load("security.certificate_files").from_secret(plan)
        )
    if plan.is_secure_wanted:
        raise ValueError(
            "jax.distributed.initialize: verify_secure_credentials is set, but there are no "
            "certificates.\nGive mtls_cert_file, mtls_key_file and mtls_ca_file, or name a "
            "file with a secret in JAX_DISTRIBUTED_SECRET_FILE."
        )
    return Identity(None)
