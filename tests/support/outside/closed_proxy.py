"""A way out that leads nowhere: an HTTP proxy that notes where a program wanted to go."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

REFUSAL = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@dataclass
class ClosedProxy:
    """A running proxy. `asked` are the hosts that were asked for, each as often as it was."""

    url: str = ""
    asked: list[str] = field(default_factory=list)


@asynccontextmanager
async def closed_proxy() -> AsyncIterator[ClosedProxy]:
    """A proxy that answers every request with 503 and opens no connection."""
    proxy = ClosedProxy()

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = (await reader.readline()).decode("latin-1").split(" ")[1:2]
        proxy.asked += [_host(name) for name in target]
        writer.write(REFUSAL)
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1") as server:
        proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield proxy


def _host(target: str) -> str:
    """Of `host:443`, as for TLS, or of a whole address."""
    return urlsplit(target if "//" in target else f"//{target}").hostname or ""
