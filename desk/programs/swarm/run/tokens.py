"""The tokens that a swarm's agents read, compared with a single agent that does everything."""

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
"""A common rule of thumb for English and JSON. Models count differently."""

_TURN: Final = re.compile(r"\.t(\d+)\.")

Reads = Sequence[int]
"""Characters of the answers to each turn of one agent."""


def reads_of(evidence: Iterable[ToolResult]) -> tuple[int, ...]:
    """Returns the number of characters of an agent's answers, by the turn that asked for them."""
    by_turn: Counter[int] = Counter()
    for result in evidence:
        found = _TURN.search(result.place.activity_id) if result.place else None
        by_turn[int(found[1]) if found else 0] += _size(result.content)
    return tuple(by_turn[turn] for turn in sorted(by_turn))


def tokens_of(reads: Iterable[Reads], state: Iterable[StateEntry], used: int) -> TokenRecord:
    """Returns the tokens that were read. An answer is read again in every later turn: by the agent
    that asked, if each agent has its own context; by all agents after it, if there is a single
    context.

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
    """Returns the number of characters of a specialist's findings as the leader reads them:
    sentences, and the claims and views that they rest on."""
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
    """Returns the number of characters that an agent with these turns reads: each turn reads the
    answers of all turns before it."""
    return sum(accumulate(read))


def _tokens(characters: int) -> int:
    return characters // CHARACTERS_A_TOKEN


def _size(content: JsonValue) -> int:
    return len(json.dumps(content, separators=(",", ":"), ensure_ascii=False))
