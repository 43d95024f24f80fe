"""The figures of a report by claim, and the trace of each."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final, NamedTuple

from desk.analytics.figures import print_claim, print_full_day
from desk.contracts.agents.tools import DataSource, ToolResult
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.verdicts import ClaimStatus, ClaimVerdict
from desk.contracts.markets import Band
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.formula_words import formula_words
from desk.documents.rendering.report.evidence_excerpt import excerpt_of, provenance_of, row_origin
from desk.documents.rendering.report.trace import Elsewhere, EvidenceTrace, Trace
from desk.documents.rendering.trust_words import verdict_words, verdicts_of
from desk.documents.rendering.wording import human
from desk.trust.claims.week_counts import WEEK_METRICS
from desk.trust.ledger.evidence import Answer, EvidenceUnusable, read_answer

OF_MARKET: Final = " in "
COUNTED: Final = "Counted by the desk of the figures below, each with its own verdict."


class Stated(NamedTuple):
    """A claim as one market's section states it, with the verdict there."""

    market: str
    claim: Claim
    verdict: ClaimVerdict | None


class Traces:
    """Every figure of a report, once for each claim.

    Several sections may state one claim, as the dollar pairs all state the Fed's rate. The word
    of the section that the claim is about is taken. A section that states it differently has an
    entry of its own, so that no figure is shown with the trace of another.
    """

    def __init__(self, report: ResearchReport) -> None:
        self._report = report
        self._stated = _by_claim(report)
        self._main = {name: _foremost(lines) for name, lines in self._stated.items()}

    @cached_property
    def entries(self) -> Mapping[str, Stated]:
        """The figures by key: a claim's id, with the market where one states it differently."""
        entries = dict(self._main)
        for name, lines in self._stated.items():
            for line in lines:
                entries.setdefault(self.key(name, line.market) or name, line)
        return entries

    @property
    def claim_ids(self) -> tuple[str, ...]:
        """The ids of all claims, in the order of the report."""
        return tuple(self._stated)

    def ids_of(self, market: str) -> tuple[str, ...]:
        """The ids of the claims that a market's section states."""
        return tuple(
            name
            for name, lines in self._stated.items()
            if any(line.market == market for line in lines)
        )

    def key(self, claim_id: str, market: str | None = None) -> str | None:
        """The entry of a figure as a market's section, or the week, states it; None without one."""
        if claim_id not in self._main:
            return None
        own = next((line for line in self._stated[claim_id] if line.market == market), None)
        if own is None or _agree(own.claim, self._main[claim_id].claim):
            return claim_id
        return f"{claim_id}{OF_MARKET}{own.market}"

    def trace(self, key: str) -> Trace:
        """Everything about one figure.

        Raises:
            KeyError: there is no such entry.
        """
        return self._trace(self.entries[key], ())

    def _trace(self, stated: Stated, above: tuple[str, ...]) -> Trace:
        claim = stated.claim
        path = (*above, claim.claim_id)
        keys = {name: self.key(name, stated.market) for name in claim.inputs if name not in path}
        inputs = [self.entries[key] for key in keys.values() if key is not None]
        return Trace(
            claim=claim,
            market=stated.market,
            name=figure_name(claim),
            printed=print_claim(claim),
            verdict=stated.verdict,
            verdict_words=COUNTED
            if claim.metric in WEEK_METRICS
            else verdict_words(stated.verdict),
            formula=formula_words(claim, [line.claim for line in inputs], self._band(claim)),
            inputs=tuple(self._trace(line, path) for line in inputs),
            withheld=tuple(name for name in claim.inputs if name not in self._main),
            evidence=tuple(self._evidence(claim, name) for name in claim.evidence),
            checked_with=tuple(self._evidence(claim, name) for name in _checked_with(stated)),
            conflicts=tuple(
                conflict
                for conflict in self._report.conflicts
                if any(line.claim_id == claim.claim_id for line in conflict.positions)
            ),
            elsewhere=tuple(self._elsewhere(stated)),
        )

    def _elsewhere(self, stated: Stated) -> Iterator[Elsewhere]:
        for line in self._stated[stated.claim.claim_id]:
            if line.market != stated.market:
                yield Elsewhere(
                    market=line.market,
                    printed=print_claim(line.claim),
                    agrees=_agree(line.claim, stated.claim),
                    evidence=line.claim.evidence,
                )

    def _evidence(self, claim: Claim, evidence_id: str) -> EvidenceTrace:
        result, source = self._results.get(evidence_id), self._sources.get(evidence_id)
        if result is None:
            return _listed(evidence_id, source, self._report)
        named = provenance_of(result)
        excerpt = None if claim.inputs else excerpt_of(claim, self._answers[evidence_id])
        origins = (
            row_origin(excerpt),
            source.origin if source else None,
            named.origin if named else None,
        )
        return EvidenceTrace(
            evidence_id=evidence_id,
            source=source.name if source else named.name if named else None,
            tier=source.tier if source else named.tier if named else None,
            origin=next((origin for origin in origins if origin), None),
            url=source.url if source else named.url if named else None,
            server=result.call.server,
            tool=result.call.tool,
            arguments=result.call.arguments,
            as_of=self._report.as_of,
            status=result.status,
            error=result.error,
            retrieved_at=result.retrieved_at,
            content_hash=result.content_hash,
            place=result.place,
            excerpt=excerpt,
        )

    @cached_property
    def _results(self) -> dict[str, ToolResult]:
        return {result.evidence_id: result for result in self._report.evidence}

    @cached_property
    def _answers(self) -> dict[str, Answer | None]:
        """The contents in one of the desk's shapes; several figures are read from each."""
        return {name: _readable(result) for name, result in self._results.items()}

    @cached_property
    def _sources(self) -> dict[str, DataSource]:
        return {source.evidence_id: source for source in reversed(self._report.sources)}

    def _band(self, claim: Claim) -> Band | None:
        specs = self._report.config.markets
        return next((spec.band for spec in specs if spec.market == claim.subject), None)


def _readable(result: ToolResult) -> Answer | None:
    try:
        return read_answer(result.content)
    except EvidenceUnusable:
        return None


def figure_name(claim: Claim) -> str:
    """`USD/JPY move`; with its day where there can be several."""
    dated = f" of {print_full_day(claim.as_of)}" if "@" in claim.claim_id else ""
    return f"{claim.subject} {human(claim.metric)}{dated}"


def _by_claim(report: ResearchReport) -> dict[str, list[Stated]]:
    stated: dict[str, list[Stated]] = {}
    for market in report.markets:
        verdicts = verdicts_of(market)
        for claim in market.claims:
            line = Stated(market.market, claim, verdicts.get(claim.claim_id))
            stated.setdefault(claim.claim_id, []).append(line)
    for claim in report.counts:
        stated[claim.claim_id] = [Stated(claim.subject, claim, None)]
    return stated


def _foremost(lines: list[Stated]) -> Stated:
    """The section the claim is about, else the first; contested where any section says so."""
    own = (line for line in lines if line.market == line.claim.subject)
    chosen = next(own, lines[0])
    agreeing = [line for line in lines if _agree(line.claim, chosen.claim)]
    doubted = (line.verdict for line in agreeing if _is_contested(line.verdict))
    known = (line.verdict for line in agreeing if line.verdict)
    return chosen._replace(verdict=next(doubted, chosen.verdict or next(known, None)))


def _is_contested(verdict: ClaimVerdict | None) -> bool:
    return verdict is not None and verdict.status is ClaimStatus.CONTESTED


def _agree(one: Claim, other: Claim) -> bool:
    """Whether two claims print the same figure of the same day."""
    return one is other or (print_claim(one), one.as_of) == (print_claim(other), other.as_of)


def _checked_with(stated: Stated) -> tuple[str, ...]:
    used = stated.verdict.evidence if stated.verdict else ()
    return tuple(name for name in used if name not in stated.claim.evidence)


def _listed(evidence_id: str, source: DataSource | None, report: ResearchReport) -> EvidenceTrace:
    """Evidence whose result is not in the report: what the list of sources says about it."""
    if source is None:
        return EvidenceTrace(evidence_id=evidence_id, recorded=False, as_of=report.as_of)
    return EvidenceTrace(
        evidence_id=evidence_id,
        recorded=False,
        source=source.name,
        tier=source.tier,
        origin=source.origin,
        url=source.url,
        server=source.server,
        tool=source.tool,
        arguments=source.arguments,
        as_of=report.as_of,
        retrieved_at=source.retrieved_at,
    )
