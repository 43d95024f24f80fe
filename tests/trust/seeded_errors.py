"""Errors seeded into real weeks, one at a time, and whether the desk catches each of them.

Every corruption is tried in up to three places: in an agent's finding, where the desk must not
print it as it stands; in one place of a published report whose seal is made anew; and throughout
a report that was compiled with it, where only the evidence can tell.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from enum import StrEnum
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from desk.contracts.findings.results import MarketEvent
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.week.report import MarketOutcome, ResearchReport
from desk.programs.week.document.audit.report import audit
from tests.trust.corrupt_reports import in_one_place, throughout
from tests.trust.corruptions import ClaimEdit, Corruption, ErrorClass, EventEdit, claim_words
from tests.trust.in_process import Tools
from tests.trust.real_weeks import WEEKS, Desk, Findings, after_review, real_config
from tests.trust.wrong_claims import WRONG_CLAIMS
from tests.trust.wrong_events import WRONG_EVENTS
from tests.trust.wrong_evidence import of_another_market, stale

SEED: Final = 20261122
WORKERS: Final = 2
OF_EACH_CLASS: Final = 1
TWICE: Final = frozenset({ErrorClass.DIGIT, ErrorClass.PROSE})
"""Classes of which twice as many are seeded."""


class Place(StrEnum):
    """Where an error is put."""

    FINDING = "an agent's finding"
    REPORT = "one place of a report"
    THROUGHOUT = "throughout a report"


class Trial(NamedTuple):
    """One error in one place. `words` say what it was and, where it was missed, what happened."""

    error: ErrorClass
    place: Place
    caught: bool
    words: str


class WeekTrials(NamedTuple):
    """What the trials of a week came to. `false_rejections` are of the uncorrupted week."""

    week: str
    markets: int
    claims: int
    corruptions: int
    trials: tuple[Trial, ...]
    false_rejections: tuple[str, ...]


class Clean(NamedTuple):
    """One market of a week as it is: findings, outcome and report."""

    findings: Findings
    outcome: MarketOutcome
    report: ResearchReport


def run(
    weeks: Sequence[str] = WEEKS, *, every: int = 1, workers: int = WORKERS
) -> list[WeekTrials]:
    """The trials of some weeks; of each market's corruptions, every so-manieth.

    The same weeks give the same trials, however many processes do the work.
    """
    if workers == 1:
        return [run_week(week, every) for week in weeks]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(run_week, weeks, [every] * len(weeks)))


def run_week(week: str, every: int = 1) -> WeekTrials:
    """The trials of one week."""
    with tempfile.TemporaryDirectory() as folder, Tools(Path(folder)) as tools:
        desk = Desk(tools, real_config(tools))
        clean = [clean_market(desk, week, market) for market in desk.config.market_names]
        whole = desk.publish(week, [market.outcome for market in clean])
        corruptions = [
            corruption
            for place, market in enumerate(clean)
            for corruption in islice(_corruptions(desk, market, clean), place % every, None, every)
        ]
        by_market = {market.findings.spec.market: market for market in clean}
        trials = [
            trial
            for corruption in corruptions
            for trial in _try(desk, by_market[corruption.findings.spec.market], corruption)
        ]
    return WeekTrials(
        week=week,
        markets=len(clean),
        claims=sum(len(section.claims) for section in whole.markets),
        corruptions=len(corruptions),
        trials=tuple(trials),
        false_rejections=(
            *_false_rejections(whole),
            *(line for market in clean for line in _false_rejections(market.report)),
        ),
    )


def clean_market(desk: Desk, week: str, market: str) -> Clean:
    """A market researched, validated and published alone."""
    findings = desk.research(week, market)
    outcome = desk.validate(findings)
    return Clean(findings, outcome, desk.publish(week, [outcome]))


def _corruptions(desk: Desk, market: Clean, week: Sequence[Clean]) -> Iterator[Corruption]:
    findings = market.findings
    others = [other.findings for other in week if other is not market]
    for error in ErrorClass:
        random = Random(f"{SEED}/{findings.week}/{findings.spec.market}/{error}")
        count = OF_EACH_CLASS * (2 if error in TWICE else 1)
        yield from islice(_wrong_claims(error, findings, random), count)
        yield from islice(_wrong_events(error, findings, random), count)
        if error is ErrorClass.STALE:
            yield from islice(stale(desk, findings, random), count)
        if error is ErrorClass.OTHER_MARKET:
            yield from islice(of_another_market(findings, others, random), count)


def _wrong_claims(error: ErrorClass, findings: Findings, random: Random) -> Iterator[Corruption]:
    """One candidate of each claim that the class applies to, in an order of its own."""
    if error not in WRONG_CLAIMS:
        return
    claims = [claim for result in findings.results for claim in result.claims]
    for claim in random.sample(claims, len(claims)):
        wrong = next(WRONG_CLAIMS[error](claim, findings, random), None)
        if wrong is not None:
            edit = ClaimEdit(claim, wrong)
            yield Corruption(error, findings, edit, claim_words(claim, wrong))


def _wrong_events(error: ErrorClass, findings: Findings, random: Random) -> Iterator[Corruption]:
    if error not in WRONG_EVENTS:
        return
    events = [event for result in findings.results for event in result.events]
    for event in random.sample(events, len(events)):
        edit = next(WRONG_EVENTS[error](event, findings, random), None)
        if edit is not None:
            yield Corruption(error, findings, edit, _event_words(edit))


def _event_words(edit: EventEdit) -> str:
    fields = [
        f"{name} {getattr(edit.before, name)} -> {getattr(edit.after, name)}"
        for name in MarketEvent.model_fields
        if getattr(edit.before, name) != getattr(edit.after, name)
    ]
    return f"{edit.before.event_id}: {'; '.join(fields)}"


def _try(desk: Desk, market: Clean, corruption: Corruption) -> Iterator[Trial]:
    words = f"{corruption.place}: {corruption.words}"
    yield Trial(corruption.error, Place.FINDING, _caught_by_desk(desk, corruption), words)
    for place, report in (
        (Place.REPORT, in_one_place(market.report, corruption)),
        (Place.THROUGHOUT, throughout(desk, market.outcome, corruption)),
    ):
        if report is not None:
            yield Trial(corruption.error, place, bool(audit(report)), words)


def _caught_by_desk(desk: Desk, corruption: Corruption) -> bool:
    findings = corruption.corrupted()
    reviewed = findings.with_results(after_review(result) for result in findings.results)
    report = desk.publish(findings.week, [desk.validate(reviewed)])
    return not corruption.edit.printed_in(report.markets[0])


def _false_rejections(report: ResearchReport) -> Iterator[str]:
    """What is objected to in a report of an uncorrupted week."""
    names = report.config.market_names
    whose = f"{report.week} {names[0] if len(names) == 1 else f'{len(names)} markets'}"
    for section in report.markets:
        for verdict in section.verdicts:
            if verdict.status is ClaimStatus.REJECTED:
                yield f"{whose}: {verdict.claim_id} is rejected: {verdict.words}"
        for dropped in section.dropped:
            yield f"{whose}: {section.market} lost a sentence: {dropped.place}: {dropped.reason}"
    for finding in audit(report):
        yield f"{whose}: the audit objects: {finding.where}: {finding.words}"


def missed(weeks: Iterable[WeekTrials]) -> list[str]:
    """Every error that was not caught, with its class and place; and each place without a trial,
    which catches nothing because nothing was tried."""
    trials = [trial for week in weeks for trial in week.trials]
    untried = set(Place) - {trial.place for trial in trials}
    return [
        *(f"{place}: no error was tried" for place in Place if place in untried),
        *(f"{trial.error}, {trial.place}: {trial.words}" for trial in trials if not trial.caught),
    ]


def table(weeks: Sequence[WeekTrials]) -> str:
    """For each class and place how many were caught of how many, in Markdown."""
    tried = Counter((t.error, t.place) for week in weeks for t in week.trials)
    caught = Counter((t.error, t.place) for week in weeks for t in week.trials if t.caught)
    lines = [f"| caught, in | {' | '.join(Place)} |", f"| --- |{' ---: |' * len(Place)}"]
    lines += [
        _row(error, {p: (caught[error, p], tried[error, p]) for p in Place}) for error in ErrorClass
    ]
    whole = {
        place: tuple(
            sum(c for (_, p), c in counts.items() if p is place) for counts in (caught, tried)
        )
        for place in Place
    }
    return "\n".join((*lines, _row("**all**", whole)))


def _row(error: str, places: Mapping[Place, tuple[int, ...]]) -> str:
    cells = (f"{caught:,} of {tried:,}" if tried else "" for caught, tried in places.values())
    return f"| {error} | {' | '.join(cells)} |"
