"""The advice of `desk doctor`, followed to the letter on a bare server."""

import re
import shlex
import subprocess

from desk.contracts.agents.search_attributes import SearchAttribute
from starters.operations.doctor.server import attribute_check
from tests.support.processes.local_server import binary, local_server


async def test_the_command_that_doctor_names_adds_every_search_attribute() -> None:
    (command,) = re.findall(r"`(.+?)`", attribute_check([]).sentence)
    async with local_server() as client:
        address = client.service_client.config.target_host
        flags = ["--address", address]
        _, *arguments = shlex.split(command)
        subprocess.run([binary("temporal"), *arguments, *flags], check=True, capture_output=True)
        listed = subprocess.run(
            [binary("temporal"), "operator", "search-attribute", "list", *flags],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    assert set(SearchAttribute) <= set(listed.split())
