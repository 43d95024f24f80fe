"""An address on this machine at which a test answers for somebody else."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _Quiet(BaseHTTPRequestHandler):
    """Writes nothing to the test's output."""

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def answering(
    handler: type[BaseHTTPRequestHandler], released: threading.Event | None = None
) -> Iterator[str]:
    """The address, without a slash at its end, while the block lasts.

    `released` is set at its end: what is still being answered need not wait any longer.
    """
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Quiet, handler), {}))
    # A connection that its client keeps open must not hold up the end.
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        if released is not None:
            released.set()
        server.shutdown()
        thread.join()
        server.server_close()
