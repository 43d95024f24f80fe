"""Verifies a report's texts: each is what its prose prints over the claims, objections to events
have the recorded outcome, and changes fit the evidence about the earlier week."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.comparison import TOLERANCES, Quantity
from desk.analytics.figures import print_claim
from desk.analytics.formulas import basis_point_difference
from desk.analytics.weeks import as_of_of
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ConflictRecord, EventType
from desk.contracts.findings.source_results import (
    DecisionCalendar,
    History,
    PolicyRates,
    RateDecisions,
)
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.week.changes import Change, ChangeKind, Changes
from desk.contracts.week.report import (
    MarketReport,
    ReportedEvent,
    ReportedObjection,
    ResearchReport,
)
from desk.documents.audit.document import printed_findings, typed_findings
from desk.documents.audit.findings import AuditFinding
from desk.programs.week.document.judging.claims import printed_claims, returned_by
from desk.programs.week.document.judging.coverage import DEAD_LETTERED, NOT_REACHED, UNEXPLAINED
from desk.trust.claims.banks import known_banks
from desk.trust.judging import ObjectionGrounds, settled_by, withholds
from desk.trust.judging.checks import check_bank, check_references
from desk.trust.ledger import Answer, usable_answers
from desk.trust.ledger.events import (
    check_event_day,
    check_event_source,
    check_scheduled_day,
    scheduled_days,
)
from desk.trust.prose import (
    Text,
    clip,
    is_about,
    is_about_finding,
    rejected_in,
    render,
    typed,
)

Claims = Mapping[str, Claim]


def text_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that the texts of the summary, the changes, the calendar and the cross checks are what
    their prose prints; that texts by agents and remarks are free of typed figures; and that the
    coverage gives the reasons that its markets give."""
    week = printed_claims(report)
    for number, line in enumerate(report.summary, start=1):
        yield from _of_text(f"summary, sentence {number}", line.prose, line.text, week)
    if report.commentary and not (report.commenting and report.commenting.delivered):
        yield AuditFinding("commentary", "nobody is said to have delivered it")
    for number, line in enumerate(report.commentary, start=1):
        where = f"commentary, sentence {number}"
        yield from _of_text(where, line.prose, line.text, week)
        yield from typed_findings(where, line.prose, week, rules=report.rules)
    for row in report.calendar:
        where = f"calendar, {row.area} on {row.day}"
        yield from _of_text(where, row.outcome.prose, row.outcome.text, week)
    for number, change in enumerate(report.changes.entries, start=1):
        where = f"change {number}, {change.market}"
        yield from _of_text(where, change.prose, change.text, week)
        yield from typed_findings(where, change.prose, week, rules=report.rules)
        yield from _of_after(where, change.claim_id, change.after, change.unit, week)
    for conflict in report.conflicts:
        yield from _of_resolution(conflict, week, report.rules)
    for number, check in enumerate(report.cross_checks, start=1):
        where = f"cross check {number}, {check.subject}"
        yield from _of_text(where, check.prose, check.text, week)
    yield from _of_remarks(report, week)
    yield from _of_reasons(report)


def event_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that every event has the figures of its claims, its day, and its bank.

    An event outside of the window only serves the checks across markets, which name it.
    """
    answers = [answer for _, answer in usable_answers(report.evidence)]
    banks, scheduled = known_banks(answers), scheduled_days(answers)
    evidence = {result.evidence_id: result for result in report.evidence}
    links = {source.url for source in report.sources}
    of_markets = {spec.market: spec.areas for spec in report.config.markets}
    for section in report.markets:
        areas = of_markets.get(section.market, ())
        known = {claim.claim_id: claim for claim in section.claims}
        for event in section.events:
            where = f"{section.market}, event {event.event_id}"
            yield from _of_text(where, event.description, event.text, known)
            yield from typed_findings(where, event.description, known, rules=report.rules)
            yield from _of_event(where, event, section, known, banks, areas)
            for fault in (
                *check_event_source(event, evidence, report.window),
                *check_scheduled_day(event, scheduled),
                *_check_origin(event, evidence, links),
            ):
                yield AuditFinding(where, fault)
        for number, finding in enumerate(section.findings, start=1):
            where = f"{section.market}, finding {number}"
            yield from _of_text(where, finding.statement, finding.text, known)
            yield from typed_findings(where, finding.statement, known, rules=report.rules)
            if not set(finding.evidence) <= set(evidence):
                yield AuditFinding(where, "it names answers that the report does not hold")
        names = Counter(event.event_id for event in section.events)
        for name in (name for name, times in names.items() if times > 1):
            yield AuditFinding(f"{section.market}, event {name}", "it is told more than once")


def _check_origin(
    event: ReportedEvent, evidence: Collection[str], links: Collection[str | None]
) -> Iterator[str]:
    """Objects to an event whose evidence is not in the report, whose link is not its source's, or
    that is said to be verified without a claim."""
    if not set(event.evidence) <= set(evidence):
        yield f"{event.event_id}: it names answers that the report does not hold"
    if event.event_type is EventType.NEWS:
        if event.verified:
            yield f"{event.event_id}: news are verified by nobody"
        return
    if event.evidence:
        yield f"{event.event_id}: it rests on claims, and names answers besides"
    if event.source_url is not None and event.source_url not in links:
        yield f"{event.event_id}: its link is that of no source of the report"


def _of_text(where: str, prose: str, text: str, claims: Claims) -> Iterator[AuditFinding]:
    yield from printed_findings(where, text, lambda: clip(render(prose, claims)))


def _of_remarks(report: ResearchReport, week: Claims) -> Iterator[AuditFinding]:
    """Checks that warnings and recommendations only hold figures of claims. They are stored as
    printed, so a figure that equals a claim's counts as that claim's."""
    for section in report.markets:
        known = {**week, **{claim.claim_id: claim for claim in section.claims}}
        printed = {_bare(print_claim(claim)) for claim in known.values()}
        remarks = [(f"warning {n}", text) for n, text in enumerate(section.warnings, start=1)]
        for n, told in enumerate(section.objections, start=1):
            yield from _of_text(
                f"{section.market}, objection {n}", told.description, told.text, known
            )
        if section.recommendation:
            remarks.append(("recommendation", section.recommendation))
        for name, text in remarks:
            where = f"{section.market}, {name}"
            for found in typed(text, {}):
                written = text[found.start : found.end]
                if _bare(written) not in printed:
                    yield AuditFinding(where, f"{written!r}: {found.reason}")


def _bare(figure: str) -> str:
    """The digits and the point of a printed figure, without sign and unit."""
    return "".join(sign for sign in figure if sign in "0123456789.")


def _of_reasons(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that the coverage's reasons for a market are in the market's section, or are the
    desk's own wording."""
    sections = {section.market: section for section in report.markets}
    for line in report.coverage.missing:
        section = sections.get(line.market)
        if section is not None and not _is_reason(line.reason, section):
            where = f"coverage, {line.market}"
            yield AuditFinding(where, f"its section does not give the reason {line.reason[:200]!r}")
    partial = [section for section in report.markets if section.outcome is Outcome.PARTIAL]
    if len(partial) != len(report.coverage.notes):
        yield AuditFinding("coverage", "its notes are not one for each partial market")
    for section, note in zip(partial, report.coverage.notes, strict=False):
        before = f"{section.market} is partial: "
        if not (note.startswith(before) and _is_reason(note.removeprefix(before), section)):
            where = f"coverage, note on {section.market}"
            yield AuditFinding(where, f"its section does not give the reason in {note[:200]!r}")


def _is_reason(reason: str, section: MarketReport) -> bool:
    """Returns whether a reason is composed of a section's reasons, as `reason_of` does."""
    given = (*section.missing, *(line.error for line in section.agents if line.error))
    lines = {line.removeprefix(f"{section.market}: ").removesuffix(".") for line in given}
    lines |= {NOT_REACHED, UNEXPLAINED, DEAD_LETTERED}
    cut = reason.endswith("…")
    rest = reason.removesuffix("…") if cut else f"{reason}; "
    reached = {0}
    for place in range(len(rest)):
        if place in reached:
            left = rest[place:]
            reached |= {place + len(f"{line}; ") for line in lines if left.startswith(f"{line}; ")}
            if cut and any(f"{line}; ".startswith(left) for line in lines):
                return True
    return len(rest) in reached


def _of_resolution(conflict: ConflictRecord, claims: Claims, rules: int) -> Iterator[AuditFinding]:
    """Checks that the words of a decision hold only figures that were stated."""
    where = f"conflict {conflict.conflict_id}"
    stated = tuple(position.stated for position in conflict.positions)
    for found in rejected_in(Text(where, conflict.resolution, stated=stated), claims, rules):
        yield AuditFinding(where, f"{found.written!r}: {found.reason}")


def _of_after(
    where: str, name: str | None, after: object, unit: object, claims: Claims
) -> Iterator[AuditFinding]:
    if name is None:
        return
    claim = claims.get(name)
    if claim is None:
        yield AuditFinding(where, f"{name} is no claim of the report")
    elif (after, unit) not in ((claim.value, claim.unit), (None, None)):
        yield AuditFinding(where, f"its newer figure is not the one of {name}")


def _of_event(
    where: str,
    event: ReportedEvent,
    section: MarketReport,
    claims: Claims,
    banks: Mapping[str, str],
    areas: Collection[str],
) -> Iterator[AuditFinding]:
    if event.market != section.market:
        yield AuditFinding(where, f"it is an event of {event.market}")
    for issue in (*check_references(event, claims), *check_bank(event, banks, areas)):
        yield AuditFinding(where, issue.description)
    for fault in check_event_day(event, claims):
        yield AuditFinding(where, fault)


def objection_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that the settlement of each objection follows from what is printed, and that what it
    removes is absent.

    If an objection's event is not printed, its settlement is accepted: what the event said is not
    in the report.
    """
    answers = (
        *returned_by("get_policy_rate", PolicyRates, report.evidence),
        *returned_by("get_rate_decisions", RateDecisions, report.evidence),
        *returned_by("get_decision_calendar", DecisionCalendar, report.evidence),
    )
    week, banks = printed_claims(report), known_banks(answers)
    for section in report.markets:
        own = {claim.claim_id: claim for claim in section.claims}
        rejected = {v.claim_id for v in section.verdicts if v.status is ClaimStatus.REJECTED}
        others = {name: claim for name, claim in week.items() if name not in rejected}
        areas = next((s.areas for s in report.config.markets if s.market == section.market), ())
        grounds = ObjectionGrounds(
            claims={**others, **own},
            events={event.event_id: event for event in section.events},
            banks=banks,
            areas=areas,
        )
        for number, told in enumerate(section.objections, start=1):
            where = f"{section.market}, objection {number}"
            for words in _against(told, section, grounds):
                yield AuditFinding(where, words)


def _against(
    told: ReportedObjection, section: MarketReport, grounds: ObjectionGrounds
) -> Iterator[str]:
    about: list[ReportedEvent] = [event for event in section.events if is_about(told, event)]
    if told.event is None or about:
        found = [settled_by(told, known) for known in (grounds, _contested(section, grounds))]
        if (told.outcome, told.reason) not in found:
            yield f"it is told as {told.outcome}, and by the evidence it is {found[-1].outcome}"
    if about and withholds(told.severity, told.outcome):
        yield f"{about[0].event_id} is printed although the objection takes it out"
    printed = (f for f in section.findings if is_about_finding(told, f.statement))
    if withholds(told.severity, told.outcome) and any(printed):
        yield "a finding is printed although the objection takes it out"


def _contested(section: MarketReport, grounds: ObjectionGrounds) -> ObjectionGrounds:
    """Returns the grounds with the figures on which sources disagree. Figures that only differ from
    another market's are omitted: when the objections were settled, they were not yet contested."""
    names = {v.claim_id for v in section.verdicts if v.status is ClaimStatus.CONTESTED}
    return replace(grounds, contested=names)


Size = Callable[[Decimal, Decimal], Decimal]

ROUNDED: Final = Decimal("0.01")
"""Confidences are printed with two decimals and compared at full precision."""

OLDER_FIXINGS: Final = timedelta(days=14)
"""The maximum age of the last fixing before a report: banks close for holidays."""


class _Answered(NamedTuple):
    """An answer of one of the desk's own forms, and the first day that it was asked for."""

    answer: Answer
    since: str


class _Rule(NamedTuple):
    """The words for the side of an older figure that the newer one is on, the difference in the
    threshold's unit, and how much of it rounding may hide."""

    words: Callable[[str], str]
    up: str
    down: str
    size: Size
    lost: Decimal = Decimal(0)


RULES: Final[Mapping[ChangeKind, _Rule]] = {
    ChangeKind.LEVEL: _Rule(
        lambda side: f" is {side} its level in the earlier report",
        "above",
        "below",
        lambda before, after: abs(after / before - 1) * 100,
    ),
    ChangeKind.RATE: _Rule(
        lambda side: f" is {side} than in the earlier report",
        "higher",
        "lower",
        lambda before, after: abs(basis_point_difference(after, before)),
    ),
    ChangeKind.CONFIDENCE: _Rule(
        lambda side: f" is {side} than in the earlier report",
        "higher",
        "lower",
        lambda before, after: abs(after - before),
        ROUNDED,
    ),
}
"""The kinds of change with an older figure."""


def change_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that changes are compared with an earlier week; and that every older figure fits its
    sentence, is material, and is what the report's evidence gives for that week, as far as it
    reaches back."""
    changes = report.changes
    yield from _of_week(report, changes)
    answers = tuple(
        _Answered(answer, str(result.call.arguments.get("start") or ""))
        for result, answer in usable_answers(report.evidence)
    )
    for number, change in enumerate(changes.entries, start=1):
        where = f"change {number}, {change.market}"
        for words in (*_of_figures(change, report), *_of_evidence(change, report, answers)):
            yield AuditFinding(where, words)


def _of_week(report: ResearchReport, changes: Changes) -> Iterator[AuditFinding]:
    if changes.against is None:
        if changes.entries:
            yield AuditFinding("changes", "there are some, and no earlier report")
        return
    if changes.against >= report.week:
        words = f"they are against {changes.against}, which is not before {report.week}"
        yield AuditFinding("changes", words)


def _of_figures(change: Change, report: ResearchReport) -> Iterator[str]:
    rule, before, after = RULES.get(change.kind), change.before, change.after
    if rule is None:
        if before is not None:
            yield f"a change of {change.kind} has no older figure, and it gives {before}"
        return
    if before is None or after is None or (change.kind is ChangeKind.LEVEL and before <= 0):
        yield f"its figures are {before} and {after}"
        return
    side = rule.up if after > before else rule.down
    if rule.words(side) not in change.prose:
        yield f"it was {before} and is {after}, and the sentence says otherwise"
    threshold = _threshold(change.kind, report)
    if rule.size(before, after) + rule.lost < threshold:
        yield f"from {before} to {after} is less than the threshold of {threshold}"


def _threshold(kind: ChangeKind, report: ResearchReport) -> Decimal:
    materiality = report.config.policy.materiality
    sizes = {
        ChangeKind.LEVEL: materiality.level,
        ChangeKind.RATE: materiality.rate,
        ChangeKind.CONFIDENCE: materiality.confidence,
    }
    return Decimal(str(sizes[kind]))


def _of_evidence(
    change: Change, report: ResearchReport, answers: tuple[_Answered, ...]
) -> Iterator[str]:
    """Yields the findings on an older level or rate that the evidence contradicts."""
    against, before = report.changes.against, change.before
    if against is None or before is None:
        return
    instant = as_of_of(against, report.config.schedule)
    if change.kind is ChangeKind.LEVEL:
        known = _fixings(change.market, answers, instant.date())
        if known and not _within(before, known):
            yield f"{before} is none of its levels of {against}: {min(known)} to {max(known)}"
    if change.kind is ChangeKind.RATE:
        known = _rates(change.market, answers, instant)
        allowed = TOLERANCES[Quantity.RATE].size
        if known and all(abs(rate - before) > allowed for rate in known):
            yield f"{before} is not the rate of {against}, by its decisions: {min(known)}"


def _within(value: Decimal, known: set[Decimal]) -> bool:
    """Returns whether a level is among the fixings, or as near as fixings of another hour are."""
    low, high = min(known), max(known)
    tolerance = TOLERANCES[Quantity.OTHER_FIXING]
    return low - tolerance.allowance(value, low) <= value <= high + tolerance.allowance(value, high)


def _fixings(market: str, answers: tuple[_Answered, ...], last: date) -> set[Decimal]:
    """Returns a pair's fixings up to a day, from the histories that reach back to then."""
    first = last - OLDER_FIXINGS
    return {
        value
        for answer, _ in answers
        if isinstance(answer, History) and answer.symbol == market
        if answer.days and answer.days[0] <= first
        for day, value in zip(answer.days, answer.values, strict=True)
        if first <= day <= last
    }


def _rates(area: str, answers: tuple[_Answered, ...], instant: datetime) -> set[Decimal]:
    """Returns an area's rate at an instant: what the last decision by then set, or what the first
    one after it changed. Empty if no decision since a requested day is known, or no answer reaches
    back to the instant."""
    told = {
        decision.known_from: decision
        for answer, since in answers
        if isinstance(answer, RateDecisions) and since and since <= instant.date().isoformat()
        for decision in answer.decisions
        if decision.area == area
    }
    by_then = [at for at in told if at <= instant]
    if by_then:
        return {told[max(by_then)].rate}
    return {told[min(told)].rate - told[min(told)].change / 100} if told else set()
