"""What is known of the central banks that a question names: their decision days, their rates, and
what they decided, each told first where the question is of it, with a table of their decisions."""

from desk.programs.question.builtin.banks.decisions import did
from desk.programs.question.builtin.banks.known import (
    ChangesWithin,
    changes_within,
    is_known,
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
    "bank_sentences",
    "changes_within",
    "decisions_looked_at",
    "decisions_table",
    "did",
    "is_known",
    "next_days",
    "opening",
    "when",
]
