"""The facts on the central banks that a question names: their decision days, their rates, and their
decisions. The fact that the question asks for comes first; a table lists the decisions."""

from desk.programs.question.builtin.banks.decisions import did
from desk.programs.question.builtin.banks.known import (
    ChangesWithin,
    KnownBank,
    changes_within,
    is_known,
    known_bank,
    next_days,
    when,
)
from desk.programs.question.builtin.banks.standing import (
    NOT_KNOWN,
    YEAR,
    bank_sentences,
    decisions_looked_at,
)
from desk.programs.question.builtin.banks.table import decisions_table
from desk.programs.question.builtin.banks.topics import opening

__all__ = [
    "NOT_KNOWN",
    "YEAR",
    "ChangesWithin",
    "KnownBank",
    "bank_sentences",
    "changes_within",
    "decisions_looked_at",
    "decisions_table",
    "did",
    "is_known",
    "known_bank",
    "next_days",
    "opening",
    "when",
]
