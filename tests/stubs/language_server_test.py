"""A language server completes names and shows what they are, as an editor would ask it."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """\
import jax.numpy as jnp

product = jnp.matmul(jnp.ones((2, 3)), jnp.ones((3, 4)))
jnp.lin
product.re
"""


class Server:
    """basedpyright's server, which talks over its pipes by the Language Server Protocol."""

    def __init__(self, folder, packages):
        start = "from basedpyright.langserver import main; main()"
        command = [sys.executable, "-c", start, "--stdio"]
        self.settings = {"basedpyright.analysis": {"extraPaths": [str(packages)]}}
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | {"HOME": str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.count = 0

    def send(self, **message):
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        head = f"Content-Length: {len(content)}\r\n\r\n".encode()
        self.process.stdin.write(head + content)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b": ")
            length = int(value) if name == b"Content-Length" else length
        assert length, "the server has ended"
        return json.loads(self.process.stdout.read(length))

    def answer(self, request):
        """Answers what the server asks: the settings, and consent to everything else."""
        result = None
        if request["method"] == "workspace/configuration":
            sections = [item.get("section") for item in request["params"]["items"]]
            result = [self.settings.get(section, {}) for section in sections]
        self.send(id=request["id"], result=result)

    def ask(self, method, **params):
        self.count += 1
        self.send(id=self.count, method=method, params=params)
        while True:
            message = self.receive()
            if "method" in message and "id" in message:
                self.answer(message)
            elif message.get("id") == self.count:
                assert "error" not in message, message["error"]
                return message["result"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that has opened the program, and its address there."""
    folder = tmp_path_factory.mktemp("editor")
    packages = folder / "packages"
    packages.mkdir()
    for name in ("jax", "jaxlib"):
        (packages / name).symlink_to(ROOT / name)
    (folder / "program.py").write_text(PROGRAM)
    uri = (folder / "program.py").as_uri()
    running = Server(folder, packages)
    capabilities = {
        "workspace": {"configuration": True, "workspaceFolders": True},
        "textDocument": {
            "completion": {"completionItem": {"documentationFormat": ["markdown"]}},
            "hover": {"contentFormat": ["markdown"]},
        },
    }
    running.ask(
        "initialize",
        processId=os.getpid(),
        rootUri=folder.as_uri(),
        capabilities=capabilities,
        workspaceFolders=[{"uri": folder.as_uri(), "name": "editor"}],
    )
    running.send(method="initialized", params={})
    document = {"uri": uri, "languageId": "python", "version": 1, "text": PROGRAM}
    running.send(method="textDocument/didOpen", params={"textDocument": document})
    yield running, uri
    running.ask("shutdown")
    running.send(method="exit")
    running.process.stdin.close()
    running.process.wait(60)
    running.process.stdout.close()


def completed(server, line, text):
    running, uri = server
    position = {"line": line, "character": len(text)}
    found = running.ask(
        "textDocument/completion", textDocument={"uri": uri}, position=position
    )
    assert PROGRAM.splitlines()[line].startswith(text)
    return {item["label"] for item in found["items"]}


def test_a_server_completes_names_of_modules(server):
    assert {"linspace", "linalg"} <= completed(server, 3, "jnp.lin")


def test_a_server_completes_methods_of_arrays(server):
    found = completed(server, 4, "product.re")
    assert {"reshape", "real", "repeat"} <= found


def test_hover_shows_the_signature_and_the_first_paragraph(server):
    running, uri = server
    position = {"line": 2, "character": len("product = jnp.mat")}
    found = running.ask(
        "textDocument/hover", textDocument={"uri": uri}, position=position
    )
    text = found["contents"]["value"]
    assert "def matmul(" in text and "precision: " in text and "-> Array" in text
    assert "The product of matrices" in text


def test_hover_shows_the_type_of_a_result(server):
    running, uri = server
    found = running.ask(
        "textDocument/hover",
        textDocument={"uri": uri},
        position={"line": 2, "character": 2},
    )
    assert "product: Array" in found["contents"]["value"]
