"""Checks whether a claim follows from its evidence."""

from desk.trust.ledger.corroboration import Corroboration, IndependentStatement
from desk.trust.ledger.derivation import counted_within, derive, given_by, of_its_days
from desk.trust.ledger.evidence import (
    Answer,
    EvidenceUnusable,
    attributed,
    check_result,
    granted_tier,
    read_answer,
    usable_answers,
    verified_answer,
)
from desk.trust.ledger.rederivation import FailedCheck, Ledger
from desk.trust.ledger.verdicts import (
    FAILURES,
    Averages,
    Review,
    disagreeing,
    failed_checks_of,
    sound_findings,
    verdicts_of,
)

__all__ = [
    "FAILURES",
    "Answer",
    "Averages",
    "Corroboration",
    "EvidenceUnusable",
    "FailedCheck",
    "IndependentStatement",
    "Ledger",
    "Review",
    "attributed",
    "check_result",
    "counted_within",
    "derive",
    "disagreeing",
    "failed_checks_of",
    "given_by",
    "granted_tier",
    "of_its_days",
    "read_answer",
    "sound_findings",
    "usable_answers",
    "verdicts_of",
    "verified_answer",
]
