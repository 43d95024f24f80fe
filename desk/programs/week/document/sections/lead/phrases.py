"""Phrases that the sentences of a lead share."""

from collections.abc import Mapping, Sequence
from typing import Final

from desk.analytics.names.listing import listed
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.week.report import Mover, Sentence
from desk.programs.week.document.sections.lead.editions import SAYS_NONE_SOON
from desk.programs.week.document.sections.lead.lead_week import LeadWeek
from desk.trust.prose import Form, sentence

MOST_NAMED: Final = 6
"""How many names a sentence lists before it counts the rest."""


def figure(subject: str, metric: Metric, form: Form = Form.PLAIN) -> str:
    """A reference to a claim, which is printed as its figure."""
    return f"[[{claim_id(subject, metric)}{f'|{form}' if form else ''}]]"


def score_beside(row: Mover) -> str:
    """` (-2.3 σ)`; empty for a move without a z-score."""
    return f" ({figure(row.market, Metric.Z_SCORE)})" if row.z_score is not None else ""


def few(names: Sequence[str]) -> str:
    """Lists names in a sentence; counts the rest if there are many."""
    more = len(names) - MOST_NAMED
    return listed([*names[:MOST_NAMED], f"{more} more"] if more > 0 else names)


def capitalised(words: str) -> str:
    """The words with a capital at their beginning."""
    return f"{words[0].upper()}{words[1:]}"


def in_the_week(week: LeadWeek) -> str:
    """`in the same week`, the first words beside a theme."""
    return opening("in the same week", week)


def opening(words: str, week: LeadWeek) -> str:
    """The first words beside a theme, which follow a title and a colon. Earlier editions began a
    sentence with them."""
    return words if week.edition >= SAYS_NONE_SOON else capitalised(words)


def optional_sentence(prose: str | None, claims: Mapping[str, Claim]) -> Sentence | None:
    """The sentence that prose makes with its figures; None without prose."""
    return sentence(prose, claims) if prose else None
