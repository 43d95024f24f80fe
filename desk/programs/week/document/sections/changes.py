"""The material changes since an earlier report."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.formulas import basis_point_difference
from desk.contracts.agents.config import MaterialityConfig
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import EventType, Impact, View, ViewKind
from desk.contracts.markets import MarketKind
from desk.contracts.week.changes import Change, ChangeKind, Changes
from desk.contracts.week.report import MarketReport, ReportedEvent, ResearchReport
from desk.programs.week.document.judging.claims import claim_of, printed_claims
from desk.programs.week.document.judging.impact_words import impact_reason
from desk.programs.week.document.sections.views import WORDINGS, standing_views
from desk.trust.prose import reference, sentence, split_sentences

MOST_CHANGES: Final = 2_000

RANKS: Final[Mapping[ChangeKind, int]] = {
    kind: rank
    for rank, kind in enumerate(
        (
            ChangeKind.RATE,
            ChangeKind.EVENT,
            ChangeKind.COVERAGE,
            ChangeKind.LEVEL,
            ChangeKind.STANCE,
            ChangeKind.CONFIDENCE,
            ChangeKind.SOURCE,
        )
    )
}
"""The order of the kinds of change. Within a kind, the change that exceeds its threshold most comes
first."""

FIRST_REPORT: Final = "There is no earlier report to compare with."

NOT_EARLIER: Final = "The other report is not of an earlier week, so nothing is compared with it."


class SizedChange(NamedTuple):
    """A change, and its size as a multiple of its threshold; 0 if its kind has none."""

    change: Change
    size: float = 0.0


class ReportPair(NamedTuple):
    """The two reports, and the printed claims of each."""

    before: ResearchReport
    after: ResearchReport
    was: Mapping[str, Claim]
    now: Mapping[str, Claim]

    def sections(self) -> Iterator[tuple[MarketReport, MarketReport]]:
        """The markets that both reports were to cover, in the order of the newer one."""
        older = {section.market: section for section in self.before.markets}
        for section in self.after.markets:
            if section.market in older:
                yield older[section.market], section

    def counted(self) -> Iterator[tuple[MarketReport, MarketReport]]:
        """The markets that both reports have."""
        absent = _absent(self.before) | _absent(self.after)
        return (pair for pair in self.sections() if pair[1].market not in absent)


def changes_between(
    before: ResearchReport | None, after: ResearchReport, materiality: MaterialityConfig
) -> Changes:
    """The changes that reach their threshold, most important first.

    Without an earlier report, or with one that is not of an earlier week and as-of instant, there
    are none and the note says so. If there is an earlier report and nothing changed, there is no
    note.
    """
    if before is None:
        return Changes(note=FIRST_REPORT)
    if before.week >= after.week or before.as_of >= after.as_of:
        return Changes(note=NOT_EARLIER)
    pair = ReportPair(before, after, printed_claims(before), printed_claims(after))
    found = sorted(
        (
            *rates(pair, materiality.rate),
            *events(pair),
            *coverage(pair),
            *levels(pair, materiality.level),
            *stances(pair, materiality.level),
            *confidences(pair, materiality.confidence),
            *origins(pair),
        ),
        key=lambda line: (RANKS[line.change.kind], -line.size),
    )
    more = len(found) - MOST_CHANGES
    return Changes(
        against=before.week,
        against_revision=before.revision,
        entries=tuple(line.change for line in found[:MOST_CHANGES]),
        note=f"{more} changes of lesser importance are not listed." if more > 0 else None,
    )


def levels(pair: ReportPair, threshold: float) -> Iterator[SizedChange]:
    """The pairs whose last level differs by at least `threshold` percent."""
    for _, section in pair.sections():
        was, now = (
            claim_of(claims, section.market, Metric.LAST) for claims in (pair.was, pair.now)
        )
        if section.kind is not MarketKind.PAIR or was is None or now is None or was.value <= 0:
            continue
        size = _times(abs(now.value / was.value - 1) * 100, threshold)
        if size >= 1:
            side = "above" if now.value > was.value else "below"
            prose = f"{section.market} is {side} its level in the earlier report, at {{}}."
            yield _of_figures(ChangeKind.LEVEL, was, now, prose, size, pair)


def _times(difference: Decimal, threshold: float) -> float:
    """A difference as a multiple of its threshold."""
    return float(difference) / threshold


def _of_figures(
    kind: ChangeKind, was: Claim, now: Claim, prose: str, size: float, pair: ReportPair
) -> SizedChange:
    told = sentence(prose.format(reference(now)), pair.now)
    change = Change(
        kind=kind,
        market=now.subject,
        claim_id=now.claim_id,
        before=was.value,
        after=now.value,
        unit=now.unit,
        prose=told.prose,
        text=told.text,
    )
    return SizedChange(change, size)


def rates(pair: ReportPair, threshold: float) -> Iterator[SizedChange]:
    """The areas whose policy rate differs by at least `threshold` basis points."""
    for name, now in pair.now.items():
        was = pair.was.get(name)
        if now.metric is not Metric.POLICY_RATE or was is None:
            continue
        size = _times(abs(basis_point_difference(now.value, was.value)), threshold)
        if size >= 1:
            side = "higher" if now.value > was.value else "lower"
            prose = (
                f"The policy rate of {now.subject} is {side} than in the earlier report, at {{}}."
            )
            yield _of_figures(ChangeKind.RATE, was, now, prose, size, pair)


def events(pair: ReportPair) -> Iterator[SizedChange]:
    """Yields decisions and high-impact events that the earlier report did not have, without
    duplicates."""
    known = {_key(event) for event in _news(pair.before)}
    markets = {section.market: section for section in pair.after.markets}
    for event in _news(pair.after):
        if _key(event) not in known:
            known.add(_key(event))
            told = _headline(event, markets[event.market], pair.after.as_of.date())
            about = event.area or event.market
            yield _sized_change(ChangeKind.EVENT, about, told, pair, _of_decision(event))


def _key(event: ReportedEvent) -> tuple[str, ...]:
    """The key by which two markets' events are the same."""
    about = event.area or event.currency_pair or event.market
    if event.event_type is EventType.ECONOMIC_DATA:
        return event.event_type, about, event.event_date.isoformat(), event.description
    return event.event_type, about, event.event_date.isoformat()


def _news(report: ResearchReport) -> Iterator[ReportedEvent]:
    """Yields the events that are news. A scheduled day is not."""
    for section in report.markets:
        for event in section.events:
            decided = event.event_type is EventType.RATE_DECISION
            high = event.impact is Impact.HIGH
            scheduled = event.event_type is EventType.SCHEDULED_DECISION
            if decided or (high and not scheduled):
                yield event


def _sized_change(
    kind: ChangeKind, market: str, prose: str, pair: ReportPair, about: str | None = None
) -> SizedChange:
    told = sentence(prose, pair.now)
    claim = pair.now.get(about) if about else None
    change = Change(
        kind=kind,
        market=market,
        claim_id=claim.claim_id if claim else None,
        after=claim.value if claim else None,
        unit=claim.unit if claim else None,
        prose=told.prose,
        text=told.text,
    )
    return SizedChange(change)


def _headline(event: ReportedEvent, market: MarketReport, today: date) -> str:
    """An event's first sentence; for a move, with why it matters."""
    first = split_sentences(event.description)[0].strip()
    moved = event.event_type is EventType.FX_MOVEMENT
    reason = impact_reason(event, market, today) if moved else None
    return first if reason is None else f"{first.removesuffix('.')}: {reason}."


def _of_decision(event: ReportedEvent) -> str | None:
    if event.event_type is not EventType.RATE_DECISION or event.area is None:
        return None
    return claim_id(event.area, Metric.DECISION_RATE, event.event_date)


def stances(pair: ReportPair, threshold: float) -> Iterator[SizedChange]:
    """The views that changed sides. A direction only counts with a move of at least `threshold`
    percent."""
    for old, new in pair.counted():
        was = standing_views(old, pair.before.conflicts)
        for topic, view in standing_views(new, pair.after.conflicts).items():
            turned = topic in was and was[topic].leaning is not view.leaning
            if turned and _is_weighty(view, pair.now, threshold):
                yield _sized_change(
                    ChangeKind.STANCE, new.market, _turn(was[topic], view, pair), pair
                )


def _is_weighty(view: View, claims: Mapping[str, Claim], threshold: float) -> bool:
    """Whether a changed view counts. Prices turn every other week, so a direction counts only with
    a large move."""
    if view.kind is not ViewKind.DIRECTION:
        return True
    move = claim_of(claims, view.subject, Metric.MOVE)
    return move is not None and _times(abs(move.value), threshold) >= 1


def _turn(was: View, now: View, pair: ReportPair) -> str:
    words = WORDINGS[now.kind]
    basis = " and ".join(f"[[{name}]]" for name in now.claims[:2] if name in pair.now)
    prose = f"{words.about(now.subject)} turned from {words.of(was)} to {words.of(now)}"
    return f"{prose} ({basis})." if basis else f"{prose}."


def confidences(pair: ReportPair, threshold: float) -> Iterator[SizedChange]:
    """The markets whose confidence differs by at least `threshold`."""
    for old, new in pair.counted():
        size = _times(Decimal(str(new.confidence)) - Decimal(str(old.confidence)), threshold)
        if abs(size) >= 1:
            side = "higher" if size > 0 else "lower"
            prose = f"Confidence in {new.market} is {side} than in the earlier report."
            found = _sized_change(ChangeKind.CONFIDENCE, new.market, prose, pair)
            figures = {"before": _share(old.confidence), "after": _share(new.confidence)}
            yield SizedChange(found.change.model_copy(update=figures), abs(size))


def _share(confidence: float) -> Decimal:
    return Decimal(str(round(confidence, 2)))


def origins(pair: ReportPair) -> Iterator[SizedChange]:
    """The markets whose figures come from other publishers than before."""
    for old, new in pair.counted():
        was, now = _origins_behind(old, pair.before), _origins_behind(new, pair.after)
        if was and now and was != now:
            prose = (
                f"The figures of {new.market} rest on {_listed(now)}, and before on {_listed(was)}."
            )
            yield _sized_change(ChangeKind.SOURCE, new.market, prose, pair)


def _origins_behind(section: MarketReport, report: ResearchReport) -> frozenset[str]:
    """The first publishers of a market's figures, by the evidence of its own claims."""
    named = {
        evidence
        for claim in section.claims
        if claim.subject == section.market
        for evidence in claim.evidence
    }
    sources = (source for source in report.sources if source.evidence_id in named)
    return frozenset(source.origin or source.name for source in sources)


def _listed(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))


def coverage(pair: ReportPair) -> Iterator[SizedChange]:
    """The markets of both reports that became missing or came back."""
    gone, back = _absent(pair.after), _absent(pair.before)
    for _, section in pair.sections():
        if section.market in gone and section.market not in back:
            prose = f"{section.market} is missing from this report and was in the earlier one."
        elif section.market in back and section.market not in gone:
            prose = f"{section.market} was missing from the earlier report and is in this one."
        else:
            continue
        yield _sized_change(ChangeKind.COVERAGE, section.market, prose, pair)


def _absent(report: ResearchReport) -> frozenset[str]:
    return frozenset(line.market for line in report.coverage.missing)
