"""Renders a case for the Temporal UI, in Markdown."""

import re
from collections.abc import Sequence
from typing import Final

from desk.contracts.findings.escalations import EscalationRequest, EscalationState, EscalationStatus
from desk.contracts.findings.results import ConflictRecord

_STATES: Final = {
    EscalationState.OPEN: "waits for a person",
    EscalationState.ANSWERED: "decided by a person",
    EscalationState.DEFAULTED: "nobody decided, the default holds",
    EscalationState.ENDED: "ended without a decision, the default holds",
}
_COLUMNS: Final = (
    *("", "holds", "agent", "source", "origin", "tier"),
    *("confidence", "weight"),
)


def case_details(status: EscalationStatus, workflow_id: str) -> str:
    """Renders the positions, the default, the deadline, and how to answer."""
    request = status.request
    lines = [f"**{request.market}**, {request.week}: {request.conflict.kind} conflict, "]
    lines[0] += _STATES[status.state]
    lines += ["", plain(request.conflict.resolution), "", *_table(request.conflict), ""]
    if status.decision is not None:
        lines.append(f"Decision: {plain(status.decision.conflict.resolution)}")
        return "\n".join(lines)
    lines.append(
        f"By default, from {request.deadline:%Y-%m-%d %H:%M} UTC on: {default_words(request)}."
    )
    if status.reminded:
        lines.append(f"A reminder went out at {request.remind_at:%H:%M} UTC.")
    lines += ["", f"`desk escalations resolve {workflow_id} --choose N --by NAME`"]
    return "\n".join(lines)


def waiting_details(market: str, escalations: Sequence[str]) -> str:
    """Renders a waiting market: its cases, and how they are answered."""
    cases = "\n".join(f"- `{workflow_id}`" for workflow_id in escalations)
    return f"**{market}** waits for a person: `desk escalations list`\n\n{cases}"


def default_words(request: EscalationRequest) -> str:
    """Says what applies if nobody answers."""
    if request.default is None:
        return "the figure is withheld"
    return f"{request.default + 1}, {plain(request.conflict.positions[request.default].stated)}"


def plain(text: str) -> str:
    """Returns text from outside on one line, with everything escaped that Markdown would read as
    markup."""
    return re.sub(r"([\\`*_\[\]<>|!#])", r"\\\1", " ".join(text.split()))


def _table(conflict: ConflictRecord) -> list[str]:
    rows = [f"| {' | '.join(_COLUMNS)} |", "| " + " | ".join("---" for _ in _COLUMNS) + " |"]
    for number, position in enumerate(conflict.positions, start=1):
        cells = (
            str(number),
            plain(position.stated),
            plain(position.agent),
            plain(position.source),
            plain(position.origin or "-"),
            position.tier,
            f"{position.confidence:.2f}",
            "abstains" if position.abstains else f"{position.weight:.2f}",
        )
        rows.append(f"| {' | '.join(cells)} |")
    return rows
