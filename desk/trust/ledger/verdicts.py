"""The verdict on each claim: its reliability, and the check that decided.

A claim is rejected if it does not follow from its evidence or its source contradicts it. It is
contested if it is in a conflict or another origin contradicts it. It is verified if another origin
agrees, and single-source otherwise. A derived claim has the worst verdict among its inputs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from desk.analytics.comparison import (
    Comparable,
    Incomparable,
    SeriesComparison,
    compare_series,
    normalise,
)
from desk.analytics.units import BAND_EDGES, UNITS
from desk.contracts.findings.claims import Claim, Unit
from desk.contracts.findings.results import ConflictRecord, ResearchResult
from desk.contracts.findings.source_results import History, MonthAverages
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus, ClaimVerdict
from desk.trust.conflicts import surviving_claims
from desk.trust.ledger.corroboration import Corroboration, IndependentStatement
from desk.trust.ledger.rederivation import FailedCheck, Ledger

MOST_VERDICTS: Final = 400
LONGEST_WORDS: Final = 300

WORST_FIRST: Final = (
    ClaimStatus.REJECTED,
    ClaimStatus.CONTESTED,
    ClaimStatus.SINGLE_SOURCE,
    ClaimStatus.VERIFIED,
)

MOST_DAYS_APART: Final = 0.05
"""The share of the days behind a figure on which no other origin needs to agree: holidays differ,
and on a turbulent day a rate can move more than usual between two hours."""

FOLLOWS: Final = "It follows from its evidence"

FAILURES: Final[Mapping[ClaimCheck, str]] = {
    ClaimCheck.EVIDENCE: "its evidence is missing, changed, from another time or not about it",
    ClaimCheck.UNIT: "it is not counted in the unit of its metric",
    ClaimCheck.DATE: "its day is not the one that its evidence gives",
    ClaimCheck.VALUE: "its value is not the one that its evidence gives",
    ClaimCheck.FORMULA: "it is not what the formula of its metric gives for its inputs",
}
"""The failure of a rejected claim, in words. Its figure is not printed, so the expected one is not
either."""


class Averages(NamedTuple):
    """Another origin's monthly averages of a pair, and the tool result with them."""

    answer: MonthAverages
    evidence_id: str


class Delivered(NamedTuple):
    """A claim and the result that it is in."""

    result: ResearchResult
    claim: Claim


@dataclass(frozen=True, slots=True)
class Review:
    """The data by which the claims of some findings are judged.

    `failed_at_source` are the checks that claims fail against the source that was asked again, by
    result and claim id. `conflicts` are those between the sound findings and the validator's own
    figures. `silent` names the second sources that could not be asked. `failed_checks` caches the
    check that each claim fails by itself, which no conflict changes.
    """

    findings: Sequence[ResearchResult]
    ledger: Ledger
    corroboration: Corroboration
    conflicts: Sequence[ConflictRecord] = ()
    averages: Sequence[Averages] = ()
    failed_at_source: Mapping[tuple[str, str], FailedCheck] = field(default_factory=dict)
    silent: Sequence[str] = ()
    failed_checks: dict[tuple[str, Claim], FailedCheck | None] = field(default_factory=dict)

    @property
    def delivered(self) -> dict[str, list[Delivered]]:
        """All claims by id, in the order delivered."""
        found: dict[str, list[Delivered]] = {}
        for result in self.findings:
            for claim in result.claims:
                found.setdefault(claim.claim_id, []).append(Delivered(result, claim))
        return found


def verdicts_of(review: Review) -> tuple[ClaimVerdict, ...]:
    """Returns one verdict for each claim id, in the order of delivery, then rejections of claims
    whose id also has a sound claim.

    If several claims share an id, the verdict is that of the surviving claim; if none survives,
    that of the worst claim which is not rejected by itself. A rejected claim that shares its id
    with a sound claim has a rejection of its own, which names its result.
    """
    surviving = surviving_claims(sound_findings(review), review.conflicts)
    judge = _Judge(review, review.delivered, surviving)
    verdicts = [judge.verdict(name) for name in judge.delivered]
    return (*verdicts, *judge.rejections_beside_sound())[:MOST_VERDICTS]


def sound_findings(review: Review) -> tuple[ResearchResult, ...]:
    """Returns the findings without the claims that are rejected by themselves. Such claims are in
    no conflict."""
    judge = _Judge(review, review.delivered, {})
    return tuple(
        result.model_copy(
            update={
                "claims": tuple(
                    claim
                    for claim in result.claims
                    if judge.failed_check(Delivered(result, claim)) is None
                )
            }
        )
        for result in review.findings
    )


def failed_checks_of(review: Review) -> dict[str, FailedCheck]:
    """Returns the check that a claim of each id fails, by id. Ids whose claims pass are left
    out."""
    judge = _Judge(review, review.delivered, {})
    found = {
        name: judge.failed_check(each)
        for name, stands in judge.delivered.items()
        for each in stands
    }
    return {name: failed for name, failed in found.items() if failed}


def disagreeing(
    claim: Claim, corroboration: Corroboration
) -> tuple[tuple[IndependentStatement, Comparable], ...]:
    """Returns the statements of other origins that contradict a claim, in the claim's terms.

    Empty for a level that another origin confirms: on a turbulent day levels of different hours
    differ by more than the tolerance, and a level that one of several sources confirms is not an
    error.
    """
    compared = tuple(_compared(claim, corroboration))
    if _is_confirmed(claim, compared):
        return ()
    return tuple(pair for pair in compared if not pair[1].agree)


def _is_confirmed(
    claim: Claim, compared: Iterable[tuple[IndependentStatement, Comparable]]
) -> bool:
    return UNITS[claim.metric] is Unit.LEVEL and any(pair.agree for _, pair in compared)


@dataclass(slots=True)
class _Judge:
    """The verdicts so far. Those of derived claims are computed after those of their inputs."""

    review: Review
    delivered: Mapping[str, Sequence[Delivered]]
    surviving: Mapping[str, Claim]
    found: dict[str, ClaimVerdict] = field(default_factory=dict)
    series: dict[tuple[str, ...], tuple[SeriesComparison, Averages] | None] = field(
        default_factory=dict
    )

    def verdict(self, name: str) -> ClaimVerdict:
        """Returns the verdict on an id."""
        if name not in self.found:
            stands = self._judged(name)
            own = [self._own_verdict(each) for each in stands]
            self.found[name] = min(own, key=_badness)
            verdicts = [self._with_inputs(v, each) for v, each in zip(own, stands, strict=True)]
            self.found[name] = min(verdicts, key=_badness)
        return self.found[name]

    def failed_check(self, each: Delivered) -> FailedCheck | None:
        """Returns the check that a claim fails, by the ledger with the result's own claims as
        inputs, or by the source that was asked again."""
        review, result = self.review, each.result.result_id
        place = (result, each.claim)
        if place not in review.failed_checks:
            at_source = review.failed_at_source.get((result, each.claim.claim_id))
            review.failed_checks[place] = self._of_ledger(each) or at_source
        return review.failed_checks[place]

    def rejections_beside_sound(self) -> Iterator[ClaimVerdict]:
        """Yields a rejection of each failed claim whose id has another verdict."""
        for name, stands in self.delivered.items():
            if self.verdict(name).status is ClaimStatus.REJECTED:
                continue
            for each in stands:
                if failed := self.failed_check(each):
                    verdict = _rejected(each.claim, failed)
                    yield verdict.model_copy(update={"result": each.result.result_id})

    def _of_ledger(self, each: Delivered) -> FailedCheck | None:
        claims = {name: stands[0].claim for name, stands in self.delivered.items()}
        claims |= {claim.claim_id: claim for claim in reversed(each.result.claims)}
        return self.review.ledger.failed_check(each.claim, claims)

    def _judged(self, name: str) -> Sequence[Delivered]:
        stands = self.delivered[name]
        sound = [each for each in stands if self.failed_check(each) is None] or stands
        surviving = self.surviving.get(name)
        return [each for each in sound if each.claim == surviving][:1] or sound

    def _own_verdict(self, each: Delivered) -> ClaimVerdict:
        """Returns the verdict on a claim without regard to its inputs."""
        claim = each.claim
        failed = self.failed_check(each)
        if failed is not None:
            return _rejected(claim, failed)
        compared = tuple(_compared(claim, self.review.corroboration))
        conflict = self._conflict(claim)
        if conflict is not None:
            words = f"It is in the conflict {conflict.conflict_id}"
            return self._contested(claim, words, compared)
        by_series = None if claim.metric in BAND_EDGES else self._by_series(claim)
        if by_series is not None and by_series.status is not ClaimStatus.SINGLE_SOURCE:
            return by_series
        if compared:
            return self._by_other_origins(claim, compared)
        return self._by_days(claim) or by_series or self._single(claim)

    def _by_days(self, claim: Claim) -> ClaimVerdict | None:
        """Returns verified if other origins agree on the days that a figure of a series is computed
        from."""
        found = self.review.corroboration.on_days(claim)
        if found is None or found.days - found.agreed > MOST_DAYS_APART * found.days:
            return None
        agreed = "" if found.days == found.agreed else f"{found.agreed} of "
        words = (
            f"It was recomputed from fixings; {_names(found.by)} states the same on {agreed}the"
            f" {found.days} days"
        )
        return _verdict(
            claim,
            ClaimStatus.VERIFIED,
            ClaimCheck.SECOND_SOURCE,
            words,
            origins=self._origins(claim, found.by),
            evidence=[statement.evidence_id for statement in found.by],
        )

    def _conflict(self, claim: Claim) -> ConflictRecord | None:
        return next(
            (
                conflict
                for conflict in self.review.conflicts
                if any(position.claim_id == claim.claim_id for position in conflict.positions)
            ),
            None,
        )

    def _by_other_origins(
        self, claim: Claim, compared: Sequence[tuple[IndependentStatement, Comparable]]
    ) -> ClaimVerdict:
        against = [statement for statement, pair in compared if not pair.agree]
        borne_out = _is_confirmed(claim, compared)
        if against and not borne_out:
            names = _names(against)
            return self._contested(claim, f"{names} states it differently", compared)
        agreeing = [(statement, pair) for statement, pair in compared if pair.agree]
        statements = [statement for statement, _ in agreeing]
        resolved = dict.fromkeys(a.value for _, pair in agreeing for a in pair.artefacts)
        after = f", after its {' and '.join(resolved)}" if resolved else ""
        if against:
            after += f"; that of {_names(against)}, of another hour, lies further off"
        return _verdict(
            claim,
            ClaimStatus.VERIFIED,
            ClaimCheck.SECOND_SOURCE,
            f"{_names(statements)} states the same{after}",
            origins=self._origins(claim, statements),
            evidence=[statement.evidence_id for statement in statements],
        )

    def _contested(
        self, claim: Claim, words: str, compared: Iterable[tuple[IndependentStatement, Comparable]]
    ) -> ClaimVerdict:
        for_it = [statement for statement, pair in compared if pair.agree]
        return _verdict(
            claim,
            ClaimStatus.CONTESTED,
            ClaimCheck.SECOND_SOURCE,
            words,
            origins=self._origins(claim, for_it),
            evidence=[statement.evidence_id for statement, _ in compared],
        )

    def _by_series(self, claim: Claim) -> ClaimVerdict | None:
        """Returns the verdict by another origin's monthly averages of the history that a claim
        rests on."""
        if claim.evidence not in self.series:
            self.series[claim.evidence] = self._series(claim)
        found = self.series[claim.evidence]
        if found is None:
            return None
        comparison, averages = found
        origin = averages.answer.source.origin or averages.answer.source.name
        whose = f"the monthly averages of {origin} of {comparison.span}"
        if comparison.agrees:
            status = ClaimStatus.SINGLE_SOURCE
            words = f"Its series agrees with {whose} within {comparison.widest} %"
        elif comparison.is_another_quantity:
            status = ClaimStatus.REJECTED
            words = f"Its series is not that of {whose}: another pair, direction or scale"
        else:
            status = ClaimStatus.CONTESTED
            words = f"Its series differs from {whose}"
        return _verdict(
            claim,
            status,
            ClaimCheck.SERIES,
            words,
            origins=self._origins(claim),
            evidence=[averages.evidence_id],
        )

    def _series(self, claim: Claim) -> tuple[SeriesComparison, Averages] | None:
        for answer in self.review.corroboration.own(claim):
            if not isinstance(answer, History):
                continue
            for averages in self.review.averages:
                if averages.answer.source.origin == answer.source.origin:
                    continue
                comparison = compare_series(answer, averages.answer)
                if comparison is not None:
                    return comparison, averages
        return None

    def _single(self, claim: Claim) -> ClaimVerdict:
        stated = self.review.corroboration.statement(claim)
        reasons = [
            f"the figure of {other.statement.origin} is of {compared.reason}"
            for other in self.review.corroboration.others(claim)
            if isinstance(compared := normalise(stated, other.statement), Incomparable)
        ]
        reasons += [f"{name} could not be asked" for name in self.review.silent]
        return _verdict(
            claim,
            ClaimStatus.SINGLE_SOURCE,
            ClaimCheck.FORMULA if claim.formula else ClaimCheck.VALUE,
            f"{FOLLOWS}; {reasons[0] if reasons else 'no other origin states it'}",
            origins=self._origins(claim),
        )

    def _with_inputs(self, own: ClaimVerdict, each: Delivered) -> ClaimVerdict:
        """Returns the worst of a derived claim's own verdict and those of its inputs.

        If all inputs are verified, a value recomputed from them is verified.
        """
        claim = each.claim
        inputs = [self.verdict(name) for name in claim.inputs if name in self.delivered]
        if not inputs or own.status in (ClaimStatus.REJECTED, ClaimStatus.CONTESTED):
            return own
        weakest = min(inputs, key=_badness)
        origins = list(dict.fromkeys(o for verdict in inputs for o in verdict.origins))
        if weakest.status is ClaimStatus.VERIFIED:
            words = "It was recomputed from inputs that are verified"
            return _verdict(claim, ClaimStatus.VERIFIED, ClaimCheck.FORMULA, words, origins=origins)
        if weakest.status is ClaimStatus.SINGLE_SOURCE:
            return own.model_copy(update={"origins": own.origins or tuple(origins)[:8]})
        words = f"It rests on {weakest.claim_id}, which is {weakest.status}"
        return _verdict(claim, weakest.status, weakest.decided_by, words, origins=origins)

    def _origins(self, claim: Claim, others: Iterable[IndependentStatement] = ()) -> list[str]:
        own = self.review.corroboration.statement(claim).origin
        origins = (own, *(other.statement.origin for other in others))
        return list(dict.fromkeys(origin for origin in origins if origin))


def _compared(
    claim: Claim, corroboration: Corroboration
) -> Iterable[tuple[IndependentStatement, Comparable]]:
    stated, deviation = corroboration.statement(claim), corroboration.daily_deviation(claim)
    for other in corroboration.others(claim):
        compared = normalise(stated, other.statement, deviation)
        if isinstance(compared, Comparable):
            yield other, compared


def _names(statements: Iterable[IndependentStatement]) -> str:
    return " and ".join(dict.fromkeys(one.source.origin or one.source.name for one in statements))


def _because(failed: FailedCheck) -> str:
    reason = FAILURES.get(failed.check, failed.words)
    return f"{reason[0].upper()}{reason[1:]}"


def _rejected(claim: Claim, failed: FailedCheck) -> ClaimVerdict:
    return _verdict(claim, ClaimStatus.REJECTED, failed.check, _because(failed))


def _badness(verdict: ClaimVerdict) -> int:
    return WORST_FIRST.index(verdict.status)


def _verdict(
    claim: Claim,
    status: ClaimStatus,
    check: ClaimCheck,
    words: str,
    *,
    origins: Sequence[str] = (),
    evidence: Sequence[str] = (),
) -> ClaimVerdict:
    return ClaimVerdict(
        claim_id=claim.claim_id,
        status=status,
        decided_by=check,
        words=words[:LONGEST_WORDS],
        origins=tuple(origins)[:8],
        evidence=tuple(dict.fromkeys(evidence))[:8],
    )
