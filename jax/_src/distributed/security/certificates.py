"""Certificates for one job: an authority of its own, and a certificate for each process.

Needs the package `cryptography` (``pip install jax[distributed]``).
"""

import datetime
import os
import secrets
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from jax._src.distributed.messages.channels import JOB_SCHEME
from jax._src.distributed.security.security import COORDINATOR
from jax._src.distributed.service.hosting import Certificates

# Clocks of machines differ; jobs run for weeks.
_BEFORE = datetime.timedelta(hours=1)
VALID_FOR = datetime.timedelta(days=90)
# The order of the group of P-256: private keys are numbers from 1 up to below it.
_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


class Authority:
    """Signs the certificates of one job."""

    def __init__(self, job: str, key: ec.EllipticCurvePrivateKey | None = None):
        self.job = job
        self._key = key or ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name(
            [x509.NameAttribute(NameOID.COMMON_NAME, f"jax job {job}"[:64])]
        )
        self.certificate = (
            self._builder(self._name, self._key.public_key(), VALID_FOR)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs=True), critical=True)
            .sign(self._key, hashes.SHA256())
        )

    @property
    def server_name(self) -> str:
        """The name in the certificates of the coordination service and its standby."""
        return COORDINATOR

    @property
    def uri_prefix(self) -> str:
        """How the names of all processes of this job start."""
        return f"{JOB_SCHEME}{self.job}/"

    def _builder(self, subject, public_key, valid_for):
        now = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(min(now, now + valid_for) - _BEFORE)
            .not_valid_after(now + valid_for)
        )

    def issue(
        self,
        process: int | None,
        *,
        is_coordinator: bool = False,
        valid_for: datetime.timedelta = VALID_FOR,
    ) -> tuple[bytes, bytes]:
        """A certificate and its private key, both PEM.

        Args:
            process: whose it is; None: the coordination service's.
            is_coordinator: whether the service may use it.
            valid_for: from now on.
        """
        who = "coordinator" if process is None else f"process/{process}"
        names: list[x509.GeneralName] = [
            x509.UniformResourceIdentifier(f"{self.uri_prefix}{who}")
        ]
        if is_coordinator or process is None:
            names.append(x509.DNSName(COORDINATOR))
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"jax {who}")])
        uses = [ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]
        certificate = (
            self._builder(subject, key.public_key(), valid_for)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(
                x509.BasicConstraints(ca=False, path_length=None), critical=True
            )
            .add_extension(_usage(signs=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(uses), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        return certificate.public_bytes(serialization.Encoding.PEM), _private_bytes(key)

    def write(
        self, folder: Path, process: int | None, *, is_coordinator: bool = False
    ) -> Certificates:
        """Makes a certificate, and files that nobody else may read. Arguments as for `issue`."""
        who = "coordinator" if process is None else f"process-{process}"
        certificate, key = self.issue(process, is_coordinator=is_coordinator)
        paths = [folder / f"{who}.crt", folder / f"{who}.key", folder / "authority.crt"]
        authority = self.certificate.public_bytes(serialization.Encoding.PEM)
        for path, data in zip(paths, (certificate, key, authority), strict=True):
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(file, "wb") as out:
                out.write(data)
        return Certificates(*map(str, paths))


def new_authority() -> Authority:
    """An authority whose key nobody else has."""
    return Authority(secrets.token_hex(8))


def authority_from_secret(secret: bytes, job: str) -> Authority:
    """The authority that every holder of the secret derives for a job.

    The key is derived by HKDF (RFC 5869) with SHA-256: whoever has the secret can pose as any process.
    """
    raw = HKDF(
        algorithm=hashes.SHA256(),
        length=48,
        salt=None,
        info=b"jax.distributed authority 1 " + job.encode(),
    ).derive(secret)
    # 128 bits more than the order has: the remainder is as good as uniform.
    number = int.from_bytes(raw) % (_P256_ORDER - 1) + 1
    key = ec.derive_private_key(number, ec.SECP256R1())
    digest = hashes.Hash(hashes.SHA256())
    digest.update(
        key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint
        )
    )
    return Authority(digest.finalize()[:8].hex(), key)


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _private_bytes(key):
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
