"""A figure of a real week that is withheld, and where its value is still to be read.

The week is researched and validated as it is. Then a validator rejects one claim wherever it was
delivered, or a conflict about it is decided for nothing, and the week is published once more.
"""

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from desk.analytics.figures import print_claim
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.results import ConflictKind, ConflictRecord, Position, ResearchResult
from desk.contracts.findings.source_results import History
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus, ClaimVerdict
from desk.contracts.names import AgentId
from desk.contracts.week.report import MarketOutcome, ResearchReport
from desk.programs.week.document.json_form import to_json
from desk.programs.week.document.judging.claims import printed_claims
from desk.programs.week.document.rendering.html import render_html
from desk.programs.week.document.rendering.markdown import render_markdown
from desk.trust.conflicts.positions import state
from desk.trust.ledger.derivation import derive
from desk.trust.ledger.evidence import read_answer
from desk.trust.prose.references import Form, printed
from tests.trust.in_process import Tools
from tests.trust.real_weeks import Desk, real_config

WEEK: Final = "2022-W43"
MARKETS: Final = ("EUR/USD", "USD/JPY", "USD/CAD", "USD/HKD", "US", "XM", "CA")
"""Two that decided in the week, a pegged pair, and the base of the differentials."""

FIXINGS: Final = (Metric.LAST, Metric.PREVIOUS)

NOT_PRINTED: Final = frozenset({"evidence", "config", "seal", "timings"})
"""What of a report's JSON nobody reads as its text: what the sources answered, and the settings."""


class How(StrEnum):
    """How a figure is withheld."""

    REJECTED = "rejected"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Week:
    """A week as it was researched."""

    desk: Desk
    outcomes: tuple[MarketOutcome, ...]
    report: ResearchReport
    _published: dict[tuple[str, How], ResearchReport] = field(default_factory=dict)

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """What the week prints when nothing is withheld, but for the counts over its claims, which
        are made anew of what is left."""
        counted = {claim.claim_id for claim in self.report.counts}
        printed = printed_claims(self.report)
        return {name: claim for name, claim in printed.items() if name not in counted}

    @property
    def delivered(self) -> dict[str, Claim]:
        """Those of its claims that agents delivered. The counts of a week are counted of whatever
        stands, so that none of them can be withheld."""
        names = {claim.claim_id for result in self._results() for claim in result.claims}
        return {name: claim for name, claim in self.claims.items() if name in names}

    def withholding(self, name: str, how: How) -> ResearchReport:
        """The report of the week without one claim."""
        if (name, how) not in self._published:
            self._published[name, how] = self._without(name, how)
        return self._published[name, how]

    def _without(self, name: str, how: How) -> ResearchReport:
        change = _rejected if how is How.REJECTED else _undecided
        changed = [
            change(outcome, name) if name in _delivered(outcome) else outcome
            for outcome in self.outcomes
        ]
        return self.desk.publish(self.report.week, changed)

    def dependents(self, name: str) -> frozenset[str]:
        """The claims that were computed from one, directly or by others: those that name it as an
        input, and of a pair's last and previous fixing those that come out differently where the
        history lacks it."""
        found, waiting = set[str](), [name]
        while waiting:
            at = waiting.pop()
            further = {one for one, known in self._inputs.items() if at in known} - found - {name}
            found |= further
            waiting.extend(further)
        return frozenset(found)

    @cached_property
    def _inputs(self) -> dict[str, set[str]]:
        """What each claim was computed from."""
        inputs: dict[str, set[str]] = {}
        for result in self._results():
            for claim in result.claims:
                inputs.setdefault(claim.claim_id, set()).update(claim.inputs)
        for fixing in (c for c in self.claims.values() if c.metric in FIXINGS):
            for changed in self._changed_without(fixing):
                inputs.setdefault(changed, set()).add(fixing.claim_id)
        return inputs

    def _changed_without(self, fixing: Claim) -> Iterator[str]:
        """The statistics that are others where the history lacks a fixing, and the extremes that
        are this very fixing."""
        specs = {spec.market: spec for spec in self.desk.config.markets}
        for result in self.report.evidence:
            answer = read_answer(result.content)
            if not isinstance(answer, History) or answer.symbol != fixing.subject:
                continue
            points = zip(answer.days, answer.values, strict=True)
            days, values = zip(*(p for p in points if p[0] != fixing.as_of), strict=True)
            less = answer.model_copy(update={"days": days, "values": values})
            whole, lacking = (
                {c.claim_id: c for c in derive(each, specs, self.report.window, "")}
                for each in (answer, less)
            )
            for name, claim in whole.items():
                if claim.unit is not Unit.LEVEL:
                    changed = name not in lacking or lacking[name].value != claim.value
                else:
                    own = (claim.as_of, claim.value) == (fixing.as_of, fixing.value)
                    changed = own and claim.metric not in FIXINGS
                if changed:
                    yield name

    def _results(self) -> Iterator[ResearchResult]:
        return (result for outcome in self.outcomes for result in outcome.results)


def researched(desk: Desk, week: str = WEEK, markets: Sequence[str] = MARKETS) -> Week:
    """A week of some markets, as the built-in analysts find it."""
    outcomes = tuple(desk.validate(desk.research(week, market)) for market in markets)
    return Week(desk, outcomes, desk.publish(week, outcomes))


def all_to_be_read() -> list[str]:
    """What is still to be read of each claim of the week that is withheld, one at a time."""
    with tempfile.TemporaryDirectory() as folder, Tools(Path(folder)) as tools:
        week = researched(Desk(tools, real_config(tools)))
        return [line for how in How for line in to_be_read(week, week.delivered, how)]


def to_be_read(week: Week, names: Iterable[str], how: How) -> list[str]:
    """What is still to be read of some claims, each withheld by itself."""
    return [
        f"{name}, {how}: {told}"
        for name in sorted(names)
        for told in leaks(week, name, week.withholding(name, how), pages=False)
    ]


def leaks(week: Week, name: str, report: ResearchReport, *, pages: bool = True) -> list[str]:
    """Where a withheld claim, or what was computed from it, is still to be read: as a claim, as a
    figure in a text, or as a point of a chart. A figure that another claim prints is none."""
    surviving = printed_claims(report)
    gone = {
        each: week.claims[each] for each in (name, *week.dependents(name)) if each in week.claims
    }
    found = [f"{each} is printed" for each in gone if each in surviving]
    spoken = {form for claim in surviving.values() for form in _forms(claim)}
    wanted = {form: each for each, claim in gone.items() for form in _forms(claim) - spoken}
    for place, text in _texts(report, pages=pages):
        found += [
            f"{each} in the {place}: {form}" for form, each in wanted.items() if _reads(text, form)
        ]
    return found


def _forms(claim: Claim) -> set[str]:
    """A claim as any text prints it; none of a bare count, which reads like any other number."""
    if claim.unit is Unit.COUNT:
        return set()
    return {print_claim(claim), *(printed(claim, form) for form in (Form.SIZE, Form.SIGNED))}


def _reads(text: str, figure: str) -> bool:
    return re.search(rf"(?<![\d.,+−-]){re.escape(figure)}(?![\d%])", text) is not None


def _texts(report: ResearchReport, *, pages: bool) -> Iterator[tuple[str, str]]:
    yield "Markdown", render_markdown(report)
    plain = json.loads(to_json(report))
    strings = _strings({key: value for key, value in plain.items() if key not in NOT_PRINTED})
    yield "JSON", "\n".join(strings)
    if pages:
        page = _Page()
        page.feed(render_html(report))
        yield "page", "\n".join(page.texts)


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for each in value.values():
                yield from _strings(each)
        case list():
            for each in value:
                yield from _strings(each)


class _Page(HTMLParser):
    """The words of a page, those of its drawings and of its hints included."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [value for name, value in attrs if value and name in ("title", "aria-label")]


def _delivered(outcome: MarketOutcome) -> set[str]:
    return {claim.claim_id for result in outcome.results for claim in result.claims}


def _rejected(outcome: MarketOutcome, name: str) -> MarketOutcome:
    assert outcome.validation is not None
    verdict = ClaimVerdict(
        claim_id=name,
        status=ClaimStatus.REJECTED,
        decided_by=ClaimCheck.VALUE,
        words="The source denies it",
    )
    others = (each for each in outcome.validation.verdicts if each.claim_id != name)
    validation = outcome.validation.model_copy(update={"verdicts": (*others, verdict)})
    return outcome.model_copy(update={"validation": validation})


def _undecided(outcome: MarketOutcome, name: str) -> MarketOutcome:
    """The outcome with a conflict about the claim that a person has decided for nothing. Its
    positions state other figures, so that it tells none that is looked for."""
    stands: Iterable[Claim] = (c for r in outcome.results for c in r.claims if c.claim_id == name)
    claim = next(iter(stands))
    step = 7 * (abs(claim.value) or Decimal(1))
    off = (claim.value + step, claim.value + 2 * step)
    positions = tuple(
        Position(
            agent=AgentId.VALIDATOR,
            claim_id=name,
            stated=state(value, claim.unit),
            source="a test",
            confidence=0.5,
            weight=0.5,
        )
        for value in off
    )
    conflict = ConflictRecord(
        conflict_id=f"{outcome.market}/conflict/{name}",
        market=outcome.market,
        kind=ConflictKind.LEVEL,
        positions=positions,
        resolution="A person must decide.",
        resolved=False,
    )
    return outcome.model_copy(update={"conflicts": (*outcome.conflicts, conflict)})
