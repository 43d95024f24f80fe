"""What a swarm's agents read, beside what one agent doing all of it would have."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

from pydantic import JsonValue

from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.results import ResearchResult
from desk.contracts.runs.turns import StateEntry
from desk.contracts.swarm.record import TokenRecord

CHARACTERS_A_TOKEN: Final = 4
"""A common rule of thumb for English and JSON; models count for themselves."""

_TURN: Final = re.compile(r"\.t(\d+)\.")

Reads = Sequence[int]
"""Characters of answers that came back in each turn of one agent."""


def reads_of(evidence: Iterable[ToolResult]) -> tuple[int, ...]:
    """The characters of an agent's answers, by the turn that asked for them."""
    by_turn: Counter[int] = Counter()
    for result in evidence:
        found = _TURN.search(result.place.activity_id) if result.place else None
        by_turn[int(found[1]) if found else 0] += _size(result.content)
    return tuple(by_turn[turn] for turn in sorted(by_turn))


def tokens_of(reads: Iterable[Reads], state: Iterable[StateEntry], used: int) -> TokenRecord:
    """What was read. What comes back in a turn is read in every later one: by the agent that asked
    where each has a context of its own, and by all that follow where there is one context.

    `state` is what the leader is shown.
    """
    each = [tuple(read) for read in reads]
    raw = sum(sum(read) for read in each)
    shown = sum(_shown(entry) for entry in state)
    return TokenRecord(
        read=_tokens(sum(_context(read) for read in each) + shown),
        alone=_tokens(_context([size for read in each for size in read])),
        leader=_tokens(shown),
        raw=_tokens(raw),
        used=used,
    )


def _shown(entry: StateEntry) -> int:
    """The characters of what a specialist found, as a leader reads it: sentences, and the claims
    and views that they rest on."""
    result = entry.result
    if not isinstance(result, ResearchResult):
        return len(entry.error or "")
    words = (
        *(f"{finding.topic}: {finding.statement}" for finding in result.findings),
        *result.contradictions,
        *result.recommendations,
        *result.missing,
        *(f"{c.claim_id} {c.value} {c.unit} {c.as_of}" for c in result.claims),
        *(f"{v.kind} {v.subject} {v.leaning} {v.confidence:.2f}" for v in result.views),
    )
    return sum(map(len, words))


def _context(read: Reads) -> int:
    """All that is read by an agent that asks so in its turns: each turn after the first reads what
    came back in those before it."""
    return sum(accumulate(read))


def _tokens(characters: int) -> int:
    return characters // CHARACTERS_A_TOKEN


def _size(content: JsonValue) -> int:
    return len(json.dumps(content, separators=(",", ":"), ensure_ascii=False))
