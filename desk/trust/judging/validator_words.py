"""What a validator recommends, in words that follow from what it found."""

from collections.abc import Collection, Iterable

from desk.contracts.findings.results import ObjectionOutcome, Severity
from desk.contracts.findings.verdicts import ClaimStatus
from desk.trust.judging.objections import withholds

Told = tuple[Severity, ObjectionOutcome]
"""How grave an objection is, and what became of it."""


def recommendation_of(
    statuses: Collection[ClaimStatus], objections: Iterable[Told], *, undecided: bool
) -> str:
    """What to do with a market's findings, by the verdicts on the claims, by the objections and by
    whether a conflict is `undecided`. Nothing agrees beside an objection that stands."""
    standing = [told for told in objections if told[1] is not ObjectionOutcome.DISPROVED]
    withheld = [outcome for severity, outcome in standing if withholds(severity, outcome)]
    if undecided:
        return "Publish only after a person has decided the open conflict."
    if ObjectionOutcome.CONFIRMED in withheld or ClaimStatus.REJECTED in statuses:
        return "Hold back the questioned figures until the market has been researched again."
    if withheld:
        return "Publish without what the critical objections are about."
    if ClaimStatus.CONTESTED in statuses:
        return "Publish with the dissent noted."
    if standing:
        return "Publish with the objections noted."
    if not statuses:
        return "There was no figure that a source could confirm."
    return "Publish: every figure that could be checked agrees with its source."
