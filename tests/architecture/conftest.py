"""What the tests of the structure have in common."""

from collections.abc import Iterator

import pytest

from tests.architecture import parsed


@pytest.fixture(scope="package", autouse=True)
def trees() -> Iterator[None]:
    """The trees of all modules stay while these tests run, and no longer."""
    yield
    parsed.forget()
