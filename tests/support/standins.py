"""The stand-ins of all providers, for tests: on a free port, each test its own."""

from collections.abc import Iterator

import pytest

from tests.standins.serving import Standins, serving


@pytest.fixture
def standins() -> Iterator[Standins]:
    """All stand-ins, well; `standins.fail("ecb", Failure.SLOW)` has one fail."""
    with serving() as found:
        yield found
