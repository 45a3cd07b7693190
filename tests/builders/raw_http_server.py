"""A server of raw bytes on loopback: it does exactly what its script says, also what no server should do.

Every connection runs the script in its own thread with blocking sockets, so no loop of the client's decides when the
server acts. The script gets a `Peer`; when it returns or the client goes away, the connection
is closed.
"""

import contextlib
import select
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from types import TracebackType

from postroad.egress import RequestShape, Target, WireRequest

PATIENCE_S = 10.0

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Peer:
    """The server's end of one connection. `number` counts connections from 0."""

    def __init__(self, sock: socket.socket, number: int, requests: list[bytes]) -> None:
        self.sock = sock
        self.number = number
        self._requests = requests
        self._ahead = b""

    def read_request(self) -> bytes:
        """Head and body of the next request. Raises EOFError when the client is gone."""
        while b"\r\n\r\n" not in self._ahead:
            self._ahead += self._more()
        head, _, rest = self._ahead.partition(b"\r\n\r\n")
        length = 0
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        while len(rest) < length:
            rest += self._more()
        self._ahead = rest[length:]
        request = head + b"\r\n\r\n" + rest[:length]
        self._requests.append(request)
        return request

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def close(self, last: bytes = b"") -> None:
        """`last` and FIN in one packet: the client cannot see one without the other."""
        if last:
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
            self.send(last)
        self.sock.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """RST: what was sent may be lost on the way."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def drip(self, data: bytes, every_s: float = 0.005) -> None:
        """One byte at a time, for ever if `data` is used up, until the client goes away."""
        tick = threading.Event()
        position = 0
        while True:
            self.send(data[position % len(data)].to_bytes(1, "big"))
            position += 1
            tick.wait(every_s)

    def wait_closed(self) -> None:
        """Reads and forgets until the client is gone."""
        with contextlib.suppress(OSError):
            while self.sock.recv(65_536):
                pass

    def hold_until_gone(self) -> None:
        """Reads nothing and waits until the client has reset or closed the connection."""
        poll = select.poll()
        poll.register(self.sock.fileno(), select.POLLRDHUP)
        poll.poll(PATIENCE_S * 1000)

    def _more(self) -> bytes:
        data = self.sock.recv(65_536)
        if not data:
            raise EOFError
        return data


Script = Callable[[Peer], None]


class RawServer:
    """`with RawServer(script) as server`: listening on 127.0.0.1, any port. With `tls`, the script speaks inside it."""

    def __init__(
        self,
        script: Script,
        *,
        tls: ssl.SSLContext | None = None,
        receive_buffer: int = 0,
        address: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self.ended = threading.Semaphore(0)
        """Released once for each connection that is over."""
        self._script = script
        self._tls = tls
        self._listener = socket.socket()
        if receive_buffer:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self._listener.bind((address, port))
        self.port = int(self._listener.getsockname()[1])
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}{path}"

    def wait_ended(self) -> None:
        """Blocks until one more connection is over; call it through `asyncio.to_thread`."""
        assert self.ended.acquire(timeout=PATIENCE_S), "the connection was never closed"

    def __enter__(self) -> "RawServer":
        self._listener.listen(128)
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for sock in self._open:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(PATIENCE_S)

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            number = self.connections
            self.connections += 1
            self._open.append(sock)
            self._start(lambda sock=sock, number=number: self._serve(sock, number))  # type: ignore[misc]

    def _serve(self, sock: socket.socket, number: int) -> None:
        sock.settimeout(PATIENCE_S)
        try:
            if self._tls is not None:
                sock = self._tls.wrap_socket(sock, server_side=True)
                self._open.append(sock)
            self._script(Peer(sock, number, self.requests))
        except (OSError, EOFError):
            pass
        finally:
            sock.close()
            self.ended.release()


def answering(*answers: bytes, then_close: bool = False) -> Script:
    """A script that gives each request of a connection the next answer; the last one for all that follow."""

    def script(peer: Peer) -> None:
        position = 0
        while True:
            peer.read_request()
            answer = answers[min(position, len(answers) - 1)]
            position += 1
            if then_close:
                peer.close(answer)
                peer.wait_closed()
                return
            peer.send(answer)

    return script


def request_to(server: RawServer, body: bytes = b"{}", *, method: str = "POST", path: bytes = b"/send") -> WireRequest:
    return RequestShape(Target.of(server.url()), method).request(path, body)
