"""The tolerances in docs/method.md are those of the code."""

import pytest

from desk.analytics.comparison.tolerances import ANOTHER_QUANTITY, MOST_MONTHS, TOLERANCES, Quantity
from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.tools import SourceTier
from tests.support.processes.homes import PROJECT

TEXT = (PROJECT / "docs" / "method.md").read_text(encoding="utf-8")
ROWS = {
    cells[1].strip(): cells[2].strip()
    for line in TEXT.splitlines()
    if len(cells := line.split("|")) == 5
}


@pytest.mark.parametrize("quantity", list(Quantity))
def test_the_document_gives_the_tolerance_of_the_code(quantity: Quantity) -> None:
    tolerance = TOLERANCES[quantity]
    written = ROWS[quantity]
    assert written.split(" ")[0] == f"{tolerance.size:f}"
    assert written.endswith("%") is tolerance.relative


def test_the_document_gives_the_weights_of_the_vote() -> None:
    weights = VotingConfig().tiers
    for tier in SourceTier:
        assert f"{weights[tier]} ({tier})" in TEXT
    assert f"differ by more than {VotingConfig().widest_spread}" in TEXT


def test_the_document_says_how_a_series_is_compared() -> None:
    assert MOST_MONTHS == 3
    assert f"above {ANOTHER_QUANTITY} % all are rejected" in TEXT
