"""A connection that can be cut."""

import socket
import threading


class Relay:
    """Passes bytes on between a port of its own and another; cuts connections on request."""

    def __init__(self, port):
        self._to = port
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._open = []
        self.is_down = False
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            if self.is_down:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self._to))
            self._open += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(
                    target=self._pass, args=(one, other), daemon=True
                ).start()

    def _pass(self, one, other):
        try:
            # While it is down nothing passes: all connections are cut at one instant.
            while (data := one.recv(1 << 16)) and not self.is_down:
                other.sendall(data)
        except OSError:
            pass
        self.cut([one, other])

    def cut(self, ends=None):
        for end in ends or self._open:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.cut()
        for end in self._open:
            end.close()
