"""The embedded UI and the server's HTTP API answer nobody who calls this machine otherwise."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator

import httpx2
import psutil
import pytest

from desk.platform.server.embedded import EmbeddedServer, embedded_server
from desk.platform.settings import Settings
from tests.support.processes.homes import home_settings

WORKFLOWS = "/api/v1/namespaces/default/workflows"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return home_settings(tmp_path_factory.mktemp("desk"))


@pytest.fixture(scope="module")
async def server(settings: Settings) -> AsyncIterator[EmbeddedServer]:
    async with embedded_server(settings.home, settings.server) as running:
        yield running


def listening(pid: int) -> Iterator[tuple[str, int]]:
    """Where a process listens."""
    for each in psutil.Process(pid).net_connections("tcp"):
        if each.status == psutil.CONN_LISTEN:
            yield each.laddr.ip, each.laddr.port


async def status(address: str, host: str, path: str = WORKFLOWS) -> int:
    async with httpx2.AsyncClient(timeout=10) as client:
        return (await client.get(f"{address}{path}", headers={"Host": host})).status_code


async def test_the_ui_answers_by_the_names_of_this_machine(
    server: EmbeddedServer, settings: Settings
) -> None:
    own = settings.server
    address = f"http://{own.ip}:{own.ui_port}"
    async with httpx2.AsyncClient(timeout=10) as client:
        page = await client.get(f"{address}/")
        assert page.status_code == 200
        script = re.search(r'"(/_app/[^"]+\.js)"', page.text)
        assert script is not None
        assert len((await client.get(f"{address}{script[1]}")).content) > 100
    # The UI answers for itself before it has found the server.
    while await status(address, f"localhost:{own.ui_port}") == 503:
        await asyncio.sleep(0.1)
    assert await status(address, f"localhost:{own.ui_port}") == 200


@pytest.mark.parametrize(
    "host", ["evil.example.com", "evil.example.com:8233", "127.0.0.1.evil.io", ""]
)
async def test_a_page_that_makes_its_own_name_point_here_is_refused(
    server: EmbeddedServer, settings: Settings, host: str
) -> None:
    own = settings.server
    assert await status(f"http://{own.ip}:{own.ui_port}", host) == 421


async def test_a_second_request_on_a_connection_is_not_handed_on(
    server: EmbeddedServer, settings: Settings
) -> None:
    own = settings.server
    reader, writer = await asyncio.open_connection(own.ip, own.ui_port)
    good = f"GET {WORKFLOWS} HTTP/1.1\r\nHost: localhost:{own.ui_port}\r\n\r\n"
    bad = f"GET {WORKFLOWS} HTTP/1.1\r\nHost: evil.example.com\r\n\r\n"
    writer.write((good + bad).encode())
    answered = await reader.read()
    writer.close()
    assert answered.count(b"HTTP/1.1 ") == 1


async def test_no_door_of_the_server_answers_by_another_name_where_a_page_could_guess_it(
    server: EmbeddedServer,
) -> None:
    for ip, port in listening(server.pid):
        try:
            answer = await status(f"http://{ip}:{port}", "evil.example.com")
        except httpx2.HTTPError:
            continue  # It speaks no HTTP that a page could use.
        guessable = ip in ("127.0.0.1", "::1", "0.0.0.0")
        assert answer in (403, 404, 421) or not guessable, (ip, port, answer)
