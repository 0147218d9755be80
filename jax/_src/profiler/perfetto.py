"""Hands a trace to Perfetto's page, which a browser of this machine opens."""

import http.server
import pathlib
import socketserver

_PAGE, _HOST = "ui.perfetto.dev", "127.0.0.1"
_PORT = 9001  # the only one from which Perfetto's page may fetch


class _Once(http.server.SimpleHTTPRequestHandler):
    """Serves one folder, and notes when a file was fetched."""

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def do_GET(self) -> None:
        self.server.last_request = self.path  # type: ignore[attr-defined]
        super().do_GET()

    def do_POST(self) -> None:
        self.send_error(404, "File not found")

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Server(socketserver.TCPServer):
    allow_reuse_address = True
    last_request: str | None = None


def serve_once(path: pathlib.Path) -> None:
    """Prints a link to Perfetto's page, and returns when that page has fetched the file.

    Args:
        path: the trace.

    Raises:
        OSError: the port 9001 is in use.
    """

    def handler(*args, **kwargs):
        return _Once(*args, directory=str(path.parent), **kwargs)

    with _Server((_HOST, _PORT), handler) as server:
        url = f"https://{_PAGE}/#!/?url=http://{_HOST}:{_PORT}/{path.name}"
        print(f"Open URL in browser: {url}", flush=True)
        while server.last_request != "/" + path.name:
            server.handle_request()
