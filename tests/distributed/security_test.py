"""Who may take part: certificates of the job, and nobody else."""

import datetime
import os
import socket
import ssl

import grpc
import pytest

import jax
from jax._src.distributed.client import client
from jax._src.distributed.clusters import arguments
from jax._src.distributed.messages import channels, messages, wire
from jax._src.distributed.security import certificates, security
from jax._src.distributed.service import hosting
from tests.distributed import jobs
from tests.testing import processes
from tests.testing.processes import LIMIT_S

ERROR = jax.errors.JaxRuntimeError
SECRET = "0123456789abcdef0123456789abcdef"


class Secured:
    """A service that wants certificates, and clients with any."""

    def __init__(self, folder, count=2):
        self.folder, self.count = folder, count
        self.authority = certificates.new_authority()
        files = self.authority.write(self._new_folder("service"), None)
        settings = {
            "num_processes": count,
            "heartbeat_s": jobs.HEARTBEAT_S,
            "shutdown_s": 60.0,
            "is_recoverable": False,
            "peer_uri_prefix": self.authority.uri_prefix,
        }
        self.host = hosting.start(["127.0.0.1:0"], settings, files)
        self.clients = []

    def _new_folder(self, name):
        (self.folder / name).mkdir(exist_ok=True)
        return self.folder / name

    def client(self, k, pair, authority=None):
        """A client that claims to be process `k`, with a certificate and key, or with none."""
        trusted = (authority or self.authority).certificate
        pem = trusted.public_bytes(certificates.serialization.Encoding.PEM)
        certificate, key = pair or (None, None)
        made = client.Client(
            client.Endpoint(
                f"127.0.0.1:{self.host.ports[0]}",
                k,
                self.count,
                heartbeat_s=jobs.HEARTBEAT_S,
                credentials=grpc.ssl_channel_credentials(pem, key, certificate),
                server_name=security.COORDINATOR,
            )
        )
        self.clients.append(made)
        return made


@pytest.fixture
def secured(tmp_path):
    made = Secured(tmp_path)
    yield made
    for one in made.clients:
        one.leave()
    made.host.shutdown()


def test_processes_with_their_own_certificates_join(secured):
    a, b = (secured.client(k, secured.authority.issue(k)) for k in range(2))
    results = jobs.together(lambda: a.connect(LIMIT_S), lambda: b.connect(LIMIT_S))
    assert results == [None, None]
    a.key_value_set("k", "v")
    assert b.key_value_try_get("k") == "v"


def test_another_processes_certificate_is_refused(secured):
    with pytest.raises(ERROR, match="^PERMISSION_DENIED: .*of process 1, not of 0"):
        secured.client(0, secured.authority.issue(1)).connect(LIMIT_S)


def expired(authority):
    return authority.issue(0, valid_for=-datetime.timedelta(minutes=5))


def of_another_job(authority):
    return certificates.new_authority().issue(0)


def none(authority):
    return None


@pytest.mark.parametrize("make", [expired, of_another_job, none])
def test_strangers_do_not_get_through_the_handshake(secured, make):
    with pytest.raises(ERROR, match="^DEADLINE_EXCEEDED: .*was not reached"):
        secured.client(0, make(secured.authority)).connect(1.5)


def test_a_service_of_another_job_is_not_believed(secured):
    other = certificates.new_authority()
    with pytest.raises(ERROR, match="^DEADLINE_EXCEEDED: .*was not reached"):
        secured.client(0, secured.authority.issue(0), other).connect(1.5)


def test_strangers_learn_nothing_and_harm_nobody(secured):
    a, b = (secured.client(k, secured.authority.issue(k)) for k in range(2))
    jobs.together(lambda: a.connect(LIMIT_S), lambda: b.connect(LIMIT_S))
    address = ("127.0.0.1", secured.host.ports[0])
    for words in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01" + os.urandom(500), b""):
        with socket.create_connection(address, LIMIT_S) as stranger:
            stranger.sendall(words)
            stranger.settimeout(2)
            try:
                answer = stranger.recv(1000)
            except (TimeoutError, ConnectionError):
                answer = b""
        assert b"jax" not in answer.lower()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    with pytest.raises((ssl.SSLError, ConnectionError)):
        with socket.create_connection(address, LIMIT_S) as raw:
            with context.wrap_socket(raw) as stranger:
                stranger.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
                if not stranger.recv(1000):
                    raise ConnectionError("closed")
    assert jobs.together(
        lambda: a.wait_at_barrier("b", 60_000), lambda: b.wait_at_barrier("b", 60_000)
    ) == [None, None]


def test_without_the_incarnation_of_a_member_plain_calls_are_refused(start):
    job = start(1)
    (a,) = job.connected()
    a.key_value_set("secret", "x")
    with pytest.raises(ERROR, match="^PERMISSION_DENIED: the caller is not"):
        job.new_client(0).key_value_try_get("secret")
    with grpc.insecure_channel(f"127.0.0.1:{job.host.ports[0]}") as channel:
        call = channel.unary_unary(f"/{messages.SERVICE}/TryGetKeyValue")
        request = wire.encode(messages.GetKeyValue(key="secret"))
        for meta in (None, [("jax-process", "0"), ("jax-incarnation", "zz")]):
            with pytest.raises(grpc.RpcError) as error:
                call(request, timeout=LIMIT_S, metadata=meta)
            assert error.value.code() is grpc.StatusCode.PERMISSION_DENIED


def test_holders_of_a_secret_derive_one_authority():
    one, two, other = (
        certificates.authority_from_secret(secret, "h:1")
        for secret in (b"a" * 16, b"a" * 16, b"b" * 16)
    )
    assert one.uri_prefix == two.uri_prefix != other.uri_prefix
    assert one.certificate.public_key() == two.certificate.public_key()
    assert certificates.authority_from_secret(b"a" * 16, "h:2").uri_prefix not in (
        one.uri_prefix
    )


def test_names_in_certificates_identify_the_process():
    assert channels.certified_process("jax://job/process/12") == 12
    assert channels.certified_process("jax://job/coordinator") is None
    assert channels.certified_process("jax://job/process/-1") is None


MEET = """
import os, sys, warnings
warnings.simplefilter("error")
import jax
from jax._src import distributed
jax.distributed.initialize(verify_secure_credentials=True)
distributed.global_state.client.wait_at_barrier("b", 60_000)
"""


def test_processes_that_share_a_secret_file_meet_over_tls(tmp_path):
    path = tmp_path / "secret"
    path.write_text(SECRET)
    path.chmod(0o600)
    for ended in processes.run(MEET, 2, JAX_DISTRIBUTED_SECRET_FILE=str(path)):
        assert (ended.status, ended.err) == (0, "")


def given(**more):
    return arguments.complete(
        arguments.Given(
            "127.0.0.1:1", 1, 0, cluster_detection_method="deactivate", **more
        )
    )


def test_credentials_that_cannot_work_are_explained(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="mtls_key_file, mtls_ca_file missing"):
        given(mtls_cert_file="a")
    with pytest.raises(ValueError, match="must end in '/'"):
        given(
            mtls_cert_file="a",
            mtls_key_file="b",
            mtls_ca_file="c",
            mtls_peer_uri_prefix="spiffe://x",
        )
    with pytest.raises(ValueError, match="verify_secure_credentials is set"):
        security.identity(given(verify_secure_credentials=True))
    files = {
        f"mtls_{name}_file": str(tmp_path / name) for name in ("cert", "key", "ca")
    }
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        security.identity(given(**files))
    for path in files.values():
        with open(path, "w") as file:
            file.write("nothing")
    with pytest.raises(ValueError, match="certificates cannot be used"):
        security.identity(given(**files))
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    secret.chmod(0o644)
    monkeypatch.setenv("JAX_DISTRIBUTED_SECRET_FILE", str(secret))
    with pytest.raises(ValueError, match="others may read the secret file"):
        security.identity(given())
    secret.write_text("short")
    secret.chmod(0o600)
    with pytest.raises(ValueError, match="has 5 bytes"):
        security.identity(given())


def test_the_service_is_known_by_a_uri_where_that_is_wanted(tmp_path, monkeypatch):
    monkeypatch.setattr(certificates, "JOB_SCHEME", "spiffe://")
    secured = Secured(tmp_path, count=1)
    try:
        (tmp_path / "mine").mkdir()
        files = secured.authority.write(tmp_path / "mine", 0)
        prefix = secured.authority.uri_prefix
        assert prefix.startswith("spiffe://")
        address = f"127.0.0.1:{secured.host.ports[0]}"
        me = security.Identity(files, prefix)
        assert me.server_name(address, LIMIT_S) == security.COORDINATOR
        with pytest.raises(RuntimeError, match="has no URI that starts with"):
            security.Identity(files, "spiffe://other/").server_name(address, LIMIT_S)
        (tmp_path / "other").mkdir()
        theirs = certificates.new_authority().write(tmp_path / "other", 0)
        with pytest.raises(RuntimeError, match="is not trusted"):
            security.Identity(theirs, prefix).server_name(address, LIMIT_S)
        one = secured.client(0, secured.authority.issue(0))
        one.connect(LIMIT_S)
        one.leave()
    finally:
        secured.host.shutdown()
