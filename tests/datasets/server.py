"""A small HTTP server whose answers a test writes down beforehand."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Answer:
    """One answer: a status and a body, of which only so many bytes are sent, after so long."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    sent: int | None = None
    says_length: bool = True
    waits: threading.Event | None = None


@dataclass
class Server:
    """Where the server listens, what it answers in turn (the last answer again and again), and what it was asked."""

    url: str
    answers: list[Answer]
    ranges: list[str | None] = field(default_factory=list)


@contextmanager
def serve(*answers: Answer) -> Iterator[Server]:
    """Yield a server in a thread."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = script.answers[min(len(script.ranges), len(script.answers) - 1)]
            script.ranges.append(self.headers.get("Range"))
            if answer.waits is not None:
                answer.waits.wait(10.0)
            try:
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if answer.says_length:
                    self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body[: answer.sent])
            except OSError:
                pass  # the client has gone

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    script = Server(f"http://127.0.0.1:{server.server_port}/small+table.zip", list(answers))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield script
    finally:
        for answer in answers:
            if answer.waits is not None:
                answer.waits.set()
        server.shutdown()
        thread.join()
        server.server_close()
