"""What is said where no Temporal server answers."""

from pathlib import Path

import pytest

from desk.platform.settings import load_settings
from desk.platform.temporal.client import ServerUnreachable, connect
from tests.support.processes.homes import PROJECT, home_environment


async def test_where_no_desk_is_up_its_folder_is_named(tmp_path: Path) -> None:
    settings = load_settings(PROJECT, home_environment(tmp_path))
    with pytest.raises(ServerUnreachable) as refused:
        await connect(settings)
    assert str(refused.value) == f"no desk is up in {settings.home}; start one with `desk up`"


async def test_where_no_server_answers_the_system_s_reason_is_told_in_its_words(
    tmp_path: Path,
) -> None:
    variables = home_environment(tmp_path)
    address = f"127.0.0.1:{variables['DESK_SERVER_PORT']}"
    settings = load_settings(PROJECT, {**variables, "TEMPORAL_ADDRESS": address})
    with pytest.raises(ServerUnreachable) as refused:
        await connect(settings)
    assert str(refused.value).startswith(f"no Temporal server answers at {address} (Connection ref")
