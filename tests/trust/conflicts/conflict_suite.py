"""What becomes of labelled conflicts: with the desk, by majority, and by the most recent word."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import combinations
from typing import Final, NamedTuple

from desk.analytics.comparison.normalise import (
    Artefact,
    Comparable,
    StatedFigure,
    normalise,
    statement_of,
)
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.findings.results import ConflictKind, ConflictRecord, Leaning, ResearchResult
from desk.contracts.runs.judgement import FindingsToJudge, Scope
from desk.contracts.week.report import MarketOutcome
from desk.platform.settings.desk_toml import read_desk_file
from desk.programs.judging.findings import judged_findings
from desk.programs.week.document.judging.surviving import read_again
from desk.trust.conflicts.detection import detect_conflicts
from desk.trust.conflicts.positions import StatedClaim, claim_position, state, state_on
from desk.trust.conflicts.surviving_claims import surviving_claims
from desk.trust.conflicts.voting import new_conflict
from tests.support.processes.homes import PROJECT
from tests.trust.conflicts import (
    conflict_artefacts,
    conflict_disputes,
    conflict_evidence,
    conflict_opinions,
)
from tests.trust.conflicts.conflict_cases import Case, Expected

VOTING: Final = read_desk_file(PROJECT / "desk.toml").run.policy.voting
MADE: Final = (
    conflict_artefacts.units,
    conflict_artefacts.scales,
    conflict_artefacts.directions,
    conflict_artefacts.digits,
    conflict_artefacts.hours,
    conflict_artefacts.terms,
    conflict_disputes.agreements,
    conflict_disputes.outweighed,
    conflict_disputes.outnumbered,
    conflict_disputes.published,
    conflict_disputes.pegged,
    conflict_evidence.misread,
    conflict_evidence.ranges,
    conflict_disputes.doubted,
    conflict_opinions.opposed,
    conflict_opinions.recommended,
    conflict_opinions.abstained,
)


class Ending(StrEnum):
    """How a case ended."""

    NOTHING = "no conflict"
    RESOLVED = "artefact resolved"
    RIGHT = "settled right"
    WRONG = "settled wrong"
    PERSON = "escalated"


WANTED: Final = {
    Expected.AGREEMENT: Ending.NOTHING,
    Expected.ARTEFACT: Ending.RESOLVED,
    Expected.RIGHT: Ending.RIGHT,
    Expected.PERSON: Ending.PERSON,
}
HARMLESS: Final = frozenset({Artefact.ROUNDING, Artefact.FIXING_HOUR, Artefact.UNIT})

Method = Callable[[Case], Ending]


class Said(NamedTuple):
    """What a result says about one thing, as who does not normalise reads it."""

    topic: tuple[str, ...]
    words: str
    result: ResearchResult


@cache
def cases() -> tuple[Case, ...]:
    """All cases, in the same order every time."""
    return tuple(case for make in MADE for case in make())


def desk(case: Case) -> Ending:
    """What the desk makes of a case: normalise, then vote, then ask a person."""
    if case.statements is not None:
        return _of_statements(case, *case.statements)
    results, conflicts = _judged(case)
    if conflicts:
        return _of_conflicts(case, conflicts)
    standing = surviving_claims(results, ())
    right = [statement_of(c) for r in case.results if r.result_id in case.right for c in r.claims]
    if not all(_says_the_same(statement_of(claim), right) for claim in standing.values()):
        return Ending.WRONG
    if tuple(results) != case.results:
        return Ending.RIGHT
    return Ending.RESOLVED if _differ_in_form(case.results) else Ending.NOTHING


def _judged(case: Case) -> tuple[Sequence[ResearchResult], Sequence[ConflictRecord]]:
    """The results without what does not follow from what they cite, and their conflicts."""
    market = case.results[0].market
    if case.reading is None:
        return case.results, detect_conflicts(market, case.results, VOTING)
    outcome = MarketOutcome(
        market=market,
        outcome=Outcome.RESEARCHED,
        results=case.results,
        evidence=case.reading.evidence,
    )
    asked = read_again(
        FindingsToJudge(
            scope=Scope.WITHIN_MARKETS,
            outcomes=(outcome,),
            voting=VOTING,
            markets=(case.reading.market,),
            base_area="US",
            window=case.reading.window,
        )
    )
    return asked.outcomes[0].results, judged_findings(asked).conflicts


def majority(case: Case) -> Ending:
    """What most results say holds; of equally many, what was said first."""
    return _by_baseline(case, lambda said: Counter(s.words for s in said).most_common(1)[0][0])


def most_recent(case: Case) -> Ending:
    """What was retrieved last holds."""
    return _by_baseline(case, lambda said: max(said, key=_retrieved).words)


METHODS: Final[dict[str, Method]] = {
    "The desk": desk,
    "Majority vote": majority,
    "Most recent wins": most_recent,
}


def _of_statements(case: Case, one: StatedFigure, other: StatedFigure) -> Ending:
    compared = normalise(one, other)
    if not isinstance(compared, Comparable) or compared.agree:
        return Ending.RESOLVED
    positions = [claim_position(StatedClaim(r, r.claims[0]), VOTING) for r in case.results]
    kind = ConflictKind.LEVEL
    return _of_conflicts(case, [new_conflict("case", "US", kind, positions, VOTING)])


def _of_conflicts(case: Case, conflicts: Sequence[ConflictRecord]) -> Ending:
    if any(not conflict.resolved for conflict in conflicts):
        return Ending.PERSON
    right = {words for r in case.results if r.result_id in case.right for words in _stated(r)}
    return Ending.RIGHT if all(c.chosen in right for c in conflicts) else Ending.WRONG


def _stated(result: ResearchResult) -> Iterable[str]:
    for claim in result.claims:
        yield from (state(claim.value, claim.unit), state_on(claim))
    yield from (view.leaning for view in result.views)


def _says_the_same(claim: StatedFigure, right: Iterable[StatedFigure]) -> bool:
    """Whether a claim can be printed as it stands: no one reads its form for another figure."""
    pairs = (normalise(claim, known) for known in right if known.subject == claim.subject)
    return any(
        isinstance(pair, Comparable) and pair.agree and HARMLESS.issuperset(pair.artefacts)
        for pair in pairs
    )


def _differ_in_form(results: Sequence[ResearchResult]) -> bool:
    """Whether two results say one thing in words that had to be brought to the same terms."""
    said = [(c, r.sources[0].origin) for r in results for c in r.claims]
    for (one, origin), (other, another) in combinations(said, 2):
        pair = normalise(statement_of(one, origin), statement_of(other, another))
        worded = {(c.subject, state(c.value, c.unit)) for c in (one, other)}
        if isinstance(pair, Comparable) and pair.artefacts and len(worded) > 1:
            return True
    return False


def _by_baseline(case: Case, choose: Callable[[Sequence[Said]], str]) -> Ending:
    """Two things said of one topic in other words are a conflict, and one of them holds."""
    topics: dict[tuple[str, ...], list[Said]] = {}
    for said in (said for result in case.results for said in _said(result)):
        topics.setdefault(said.topic, []).append(said)
    ending = Ending.NOTHING
    for each in topics.values():
        if len({said.words for said in each}) > 1:
            chosen = choose(each)
            right = {said.words for said in each if said.result.result_id in case.right}
            if chosen not in right:
                return Ending.WRONG
            ending = Ending.RIGHT
    return ending


def _said(result: ResearchResult) -> Iterable[Said]:
    for claim in result.claims:
        topic = (claim.subject, claim.metric, claim.as_of.isoformat())
        yield Said(topic, state(claim.value, claim.unit), result)
    for view in result.views:
        if view.leaning is not Leaning.ABSTAINS:
            yield Said((view.subject, view.kind), view.leaning, result)


def _retrieved(said: Said) -> str:
    return str(said.result.sources[0].retrieved_at)


def table() -> str:
    """The outcomes in Markdown: a matrix for each method, and the desk's by kind of case."""
    ended = _ended()
    parts = [_matrix(name, endings) for name, endings in ended.items()]
    return "\n\n".join([_summary(ended), *parts, _by_group(ended[next(iter(METHODS))])])


def summary() -> str:
    """How each method did, the desk's matrix, and the kinds of case that it settles wrong."""
    ended = _ended()
    name, of_desk = next(iter(ended.items()))
    groups = dict.fromkeys(case.group for case in cases())
    both = zip(cases(), of_desk, strict=True)
    wrong = dict.fromkeys(case.group for case, ending in both if ending is Ending.WRONG)
    told = f"Of the {len(groups)} kinds of case the desk settles these wrong: {', '.join(wrong)}."
    return "\n\n".join([_summary(ended), _matrix(name, of_desk), told])


def _ended() -> dict[str, list[Ending]]:
    """How each method ends the cases, in their order."""
    return {name: [method(case) for case in cases()] for name, method in METHODS.items()}


def _summary(ended: Mapping[str, Sequence[Ending]]) -> str:
    rows = []
    for name, found in ended.items():
        both = zip(cases(), found, strict=True)
        endings = [(WANTED[case.expected], ending) for case, ending in both]
        right = sum(wanted is got for wanted, got in endings)
        wrong = sum(got is Ending.WRONG for _, got in endings)
        needless = sum(got is Ending.PERSON is not wanted for wanted, got in endings)
        unseen = sum(
            wanted in (Ending.RIGHT, Ending.PERSON) and got in (Ending.NOTHING, Ending.RESOLVED)
            for wanted, got in endings
        )
        rows.append((name, len(endings), right, wrong, needless, unseen))
    head = ("method", "cases", "as they should", "settled wrong", "escalated needlessly", "unseen")
    return _markdown(head, rows)


def _matrix(name: str, endings: Sequence[Ending]) -> str:
    both = zip(cases(), endings, strict=True)
    counts = Counter((case.expected, ending) for case, ending in both)
    rows = [
        (expected, *(counts[(expected, ending)] or "" for ending in Ending))
        for expected in Expected
    ]
    head = (f"{name}: should be", *Ending)
    return _markdown(head, rows)


def _by_group(endings: Sequence[Ending]) -> str:
    groups: dict[str, Counter[Ending]] = {}
    for case, ending in zip(cases(), endings, strict=True):
        groups.setdefault(f"{case.group} ({case.expected})", Counter())[ending] += 1
    rows = [(group, *(got[ending] or "" for ending in Ending)) for group, got in groups.items()]
    return _markdown(("The desk, by kind of case (should be)", *Ending), rows)


def _markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    ruler = ["---", *("---:" for _ in head[1:])]
    lines = [head, ruler, *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> int:
    """Print the outcomes."""
    sys.stdout.write(f"{table()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
