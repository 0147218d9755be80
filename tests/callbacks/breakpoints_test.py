"""`jax.debug.breakpoint` in a browser, by web-pdb, and in a notebook, by a kernel of IPython."""

import http.client
import importlib.util
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

import pytest

import jax
import jax.numpy as jnp
from jax._src.debugging import prompts

LACKS = "the package {} is not installed"


def needs(package):
    return pytest.mark.skipif(
        importlib.util.find_spec(package) is None, reason=LACKS.format(package)
    )


def free_port():
    with socket.create_server(("localhost", 0)) as server:
        return server.getsockname()[1]


class Page:
    """What a browser sees of a page, and a user who answers."""

    def __init__(self, port):
        self.port = port

    def shown(self, text):
        """The facts of the page, once its console has a text."""
        for _ in range(600):
            try:
                server = http.client.HTTPConnection("localhost", self.port, timeout=5)
                server.request("GET", "/frame-data")
                found = json.loads(server.getresponse().read())
                server.close()
            except (OSError, ValueError, http.client.HTTPException):
                found = {}
            if text in found.get("console_history", ""):
                return found
            time.sleep(0.05)
        raise AssertionError(f"{text!r} was not shown: {found}")

    def say(self, command):
        console = prompts._console("localhost", self.port)
        console._server_adapter.web_socket_input_queue.put(f"{command}\n")


def stops(port):
    @jax.jit
    def inner(x):
        doubled = x * 2
        jax.debug.breakpoint(backend="web", port=port)  # stops here
        return doubled + 1

    def outer(x):
        seven = 7
        return inner(x) + seven

    return outer


@needs("web_pdb")
def test_a_browser_shows_source_and_variables_and_gives_commands():
    port = free_port()
    results = []
    outer = stops(port)
    thread = threading.Thread(
        daemon=True, target=lambda: results.append(float(outer(jnp.float32(3))))
    )
    thread.start()
    page = Page(port)
    found = page.shown("Entering jdb:")
    assert found["filename"] == "breakpoints_test.py"
    line = found["file_listing"].splitlines()[found["current_line"] - 1]
    assert line.endswith("# stops here")
    assert "doubled = Array(6., dtype=float32)" in found["locals"]
    assert "stops = <function" in found["globals"]
    page.say("p doubled + 1")
    page.shown("Array(7., dtype=float32)")
    page.say("up")
    assert "seven = 7" in page.shown("inner(x) + seven")["locals"]
    page.say("continue")
    thread.join(60)
    assert results == [14.0]


@needs("web_pdb")
def test_the_page_is_served_again_at_the_next_stop():
    port = free_port()
    results = []
    outer = stops(port)
    thread = threading.Thread(
        daemon=True,
        target=lambda: results.extend(float(outer(jnp.float32(i))) for i in range(2)),
    )
    thread.start()
    page = Page(port)
    for i in range(2):
        page.shown("Entering jdb:")
        page.say(f"p doubled + 100 * {i + 1}")
        page.shown(f"Array({100 * (i + 1) + 2 * i}.")
        page.say("c")
    thread.join(60)
    assert results == [8.0, 10.0]


@needs("web_pdb")
def test_a_port_in_use_is_an_error_that_names_it():
    with socket.create_server(("localhost", 0)) as server:
        number = server.getsockname()[1]
        outer = stops(number)
        with pytest.raises(
            Exception, match=rf"(?s)cannot be served.*{number}.*Pass another port="
        ):
            jax.block_until_ready(outer(jnp.float32(3)))
            jax.effects_barrier()


CELL = """
import jax
def inner(x):
    doubled = x * 2
    jax.debug.breakpoint()
    return doubled + 1
def outer():
    seven = 7
    return jax.jit(inner)(3.0) + seven
print("result", outer())
"""


@needs("ipykernel")
def test_a_notebook_reads_commands_under_the_cell(tmp_path, monkeypatch):
    # This process looks for kernels in that folder, too; the user's may be unwritable.
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    manager = pytest.importorskip("jupyter_client.manager", reason=LACKS)
    root = str(pathlib.Path(jax.__file__).parents[1])
    path = os.pathsep.join([root, *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": path}
    kernel = manager.KernelManager()
    kernel.kernel_spec.argv = [
        sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}",
    ]  # fmt: skip
    kernel.start_kernel(env=environment, cwd=str(tmp_path), stderr=subprocess.DEVNULL)
    client = kernel.client()
    commands = iter(["p doubled", "up", "p seven", "c"])
    seen, prompts_seen = [], []

    def answer(message):
        prompts_seen.append(message["content"]["prompt"])
        client.input(next(commands))

    def note(message):
        content = message["content"]
        seen.append(content.get("text") or "\n".join(content.get("traceback", [])))

    try:
        client.start_channels()
        client.wait_for_ready(timeout=120)
        reply = client.execute_interactive(
            CELL, allow_stdin=True, stdin_hook=answer, output_hook=note, timeout=120
        )
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    text = "".join(seen)
    assert reply["content"]["status"] == "ok", text
    assert prompts_seen == ["(jdb) "] * 4
    for expected in ("Array(6., dtype=float32)", "seven = 7", "result 14.0"):
        assert expected in text
