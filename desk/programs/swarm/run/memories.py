"""What a swarm stores in the memory, and how it queries it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ConflictRecord, ResearchResult
from desk.contracts.learning.memory import MemoryEntry, MemoryKind, MemoryQuery
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import StateEntry
from desk.contracts.swarm.hypotheses import Hypothesis
from desk.contracts.swarm.plan import SwarmPlan
from desk.documents.rendering.words.prose import Known, odds_of
from desk.documents.rendering.words.prose import plain_if_known as _plain
from desk.trust.prose import asked_in, claims_in

LONGEST: Final = 20_000
MOST_MARKETS: Final = 20
MOST_RECALLED: Final = 8


class Remembering(NamedTuple):
    """Builds a swarm's memory entries from the run, its objective, and its as-of instant."""

    workflow_id: str
    objective: str
    as_of: datetime

    def plan(self, plan: SwarmPlan, round_: int) -> MemoryEntry:
        """Returns the entry of a round's plan, stored before the specialists start."""
        lines = (
            f"{each.name} ({each.agent}, {each.market.market}): {each.objective}"
            for each in plan.subagents
        )
        markets = (each.market.market for each in plan.subagents)
        text = "\n".join((plan.strategy, *lines))
        return self._entry(MemoryKind.PLAN, f"plan/{round_}", markets, text)

    def findings(
        self, state: Sequence[StateEntry], conflicts: Sequence[ConflictRecord], round_: int
    ) -> MemoryEntry:
        """Returns the entry of all specialists' findings so far and of the leader's last
        conclusion."""
        results = [entry.result for entry in state if isinstance(entry.result, ResearchResult)]
        concluded = [entry.result for entry in state if isinstance(entry.result, Synthesis)]
        quoted = {q.quotation_id: q for each in concluded[-1:] for q in each.quotations}
        likely = odds_of(each for synthesis in concluded[-1:] for each in synthesis.hypotheses)
        known = Known(claims_in(state, conflicts), quoted, likely, asked_in(self.objective))
        lines = [_plain(each.summary, known) for each in concluded[-1:]]
        lines += [_plain(s.content, known) for each in concluded[-1:] for s in each.sections]
        lines += [
            f"{result.market}, {finding.topic}: {_plain(finding.statement, known)}"
            for result in results
            for finding in result.findings
        ]
        markets = (result.market for result in results)
        found = self._entry(MemoryKind.FINDINGS, f"findings/{round_}", markets, "\n".join(lines))
        return found.model_copy(update={"figures": sum(len(each.claims) for each in results)})

    def hypothesis(self, hypothesis: Hypothesis, claims: Mapping[str, Claim]) -> MemoryEntry:
        """Returns the entry of a hypothesis of the leader."""
        known = Known(claims, {})
        text = (
            f"{_plain(hypothesis.statement, known)} Probability {hypothesis.probability:.2f},"
            f" by {hypothesis.due:%Y-%m-%d}. Refuted by: {_plain(hypothesis.refuted_by, known)}"
        )
        name = f"hypothesis/{hypothesis.hypothesis_id}"
        return self._entry(MemoryKind.HYPOTHESIS, name, [hypothesis.market.market], text)

    def query(self, objective: str, markets: Iterable[str]) -> MemoryQuery:
        """Returns the query for what earlier runs found on an objective."""
        return MemoryQuery(
            text=objective,
            markets=_each_once(markets),
            as_of=self.as_of,
            besides=self.workflow_id,
            most=MOST_RECALLED,
        )

    def _entry(self, kind: MemoryKind, name: str, markets: Iterable[str], text: str) -> MemoryEntry:
        return MemoryEntry(
            memory_id=f"{self.workflow_id}/{self.as_of:%Y%m%dT%H%M%S}/{name}"[:200],
            kind=kind,
            objective=self.objective[:4_000],
            markets=_each_once(markets),
            as_of=self.as_of,
            text=text[:LONGEST],
            workflow_id=self.workflow_id,
        )


def _each_once(markets: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(markets))[:MOST_MARKETS]
