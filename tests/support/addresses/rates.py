"""An address on this machine that stands in for the ECB's."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler

from tests.support.addresses.local import answering


@contextmanager
def serving(
    content: bytes,
    status: int = 200,
    *,
    promised: int | None = None,
    stalls: bool = False,
    pause_seconds: float | None = None,
    asked: list[str] | None = None,
) -> Iterator[str]:
    """An address on this machine that answers every request in the same way.

    It announces `promised` bytes and, after `content`, hangs up or stalls. With a pause it
    sends a byte at a time. The paths asked for are added to `asked`.
    """
    released = threading.Event()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if asked is not None:
                asked.append(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(promised or len(content)))
            self.end_headers()
            if pause_seconds is not None:
                self._drip(pause_seconds)
            else:
                self.wfile.write(content)
            if stalls:
                released.wait()

        def _drip(self, seconds: float) -> None:
            with suppress(OSError):
                for byte in content:
                    self.wfile.write(bytes((byte,)))
                    if released.wait(seconds):
                        return

    with answering(Answer, released) as address:
        yield f"{address}/eurofxref-hist.zip"
