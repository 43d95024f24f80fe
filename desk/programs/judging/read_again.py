"""Findings held against the tool results that they cite, before anybody votes on them."""

from desk.contracts.findings.judgement import FindingsToJudge
from desk.contracts.week.report import MarketOutcome
from desk.documents.report.markets.surviving import sifted
from desk.trust.ledger import Ledger


def read_again(asked: FindingsToJudge) -> FindingsToJudge:
    """The findings without the claims that do not follow from the evidence that they cite; as they
    are where nothing was sent to read them again by."""
    if asked.window is None or asked.base_area is None:
        return asked
    evidence = [result for outcome in asked.outcomes for result in outcome.evidence]
    ledger = Ledger(asked.markets, asked.window, asked.base_area, evidence)
    outcomes: tuple[MarketOutcome, ...] = tuple(
        sifted(outcome, ledger).outcome for outcome in asked.outcomes
    )
    return asked.model_copy(update={"outcomes": outcomes})
