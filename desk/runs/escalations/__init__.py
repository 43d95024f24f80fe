"""Conflicts in the form in which a person is shown them."""

from desk.runs.escalations.case import (
    CaseContext,
    case_of,
    claims_at,
    decided_already,
    evidence_at,
    refusal,
)
from desk.runs.escalations.details import case_details, plain, waiting_details

__all__ = [
    "CaseContext",
    "case_details",
    "case_of",
    "claims_at",
    "decided_already",
    "evidence_at",
    "plain",
    "refusal",
    "waiting_details",
]
