"""What of a week's findings may be printed: which claims stand, with which verdict, and which
sentences are left when the others are gone."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import ToolResult
from desk.contracts.config import RunConfig, VotingConfig
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ConflictRecord
from desk.contracts.findings.source_results import (
    DecisionCalendar,
    PolicyRates,
    RateDecisions,
    SourceResult,
)
from desk.contracts.findings.verdicts import ClaimVerdict, DroppedSentence
from desk.contracts.markets import MarketSpec
from desk.contracts.week.report import MarketOutcome, ReportedObjection
from desk.contracts.weeks import TimeWindow
from desk.documents.report.claims import returned_by, week_claims
from desk.documents.report.conflicts import conflicts_of
from desk.documents.report.coverage import NOT_REACHED, is_counted
from desk.documents.report.markets.objections import grounds_of, objections_of, without_objected
from desk.documents.report.markets.standing import Standing, sifted, standings_of
from desk.documents.report.markets.verdicts import verdicts_of
from desk.documents.report.prose import ProseGuard
from desk.runs.boards.market_outcome import decide_outcome
from desk.trust.claims.banks import known_banks
from desk.trust.claims.event_days import scheduled_days
from desk.trust.ledger.ledger import Ledger
from desk.trust.prose.prose import clip

NONE_CHOSEN = "its sources disagree on its figure, and none was chosen"

MOST_DROPPED = 2_000
"""What a market's section can hold."""


class JudgedMarket(NamedTuple):
    """What may be printed of a market.

    `outcome` holds no claim, view, sentence or reason beyond that; `claims` are by id. It is
    `undecided` while a conflict of it waits for a person.
    """

    outcome: MarketOutcome
    claims: Mapping[str, Claim]
    verdicts: tuple[ClaimVerdict, ...] = ()
    dropped: tuple[DroppedSentence, ...] = ()
    objections: tuple[ReportedObjection, ...] = ()
    undecided: bool = False


class JudgedWeek(NamedTuple):
    """What may be printed of a week: its markets by name, its claims by id, its conflicts."""

    markets: Mapping[str, JudgedMarket]
    claims: Mapping[str, Claim]
    conflicts: tuple[ConflictRecord, ...]

    def known_to(self, market: str) -> dict[str, Claim]:
        """What a market's prose may refer to: the week's claims, its own in their place, and none
        that it had to withhold."""
        judged = self.markets[market]
        return _known(self.claims, judged.claims, {v.claim_id for v in judged.verdicts})


def judge(
    outcomes: Sequence[MarketOutcome],
    config: RunConfig,
    window: TimeWindow,
    voting: VotingConfig,
) -> JudgedWeek:
    """The findings on the configured markets, in their order, judged by the ledger, the validators
    and the conflicts by the rules of `voting`. A market without an outcome is there as one that was
    not reached."""
    by_market = {outcome.market: outcome for outcome in outcomes}
    there = [by_market.get(name) or not_reached(name) for name in config.market_names]
    evidence = [result for outcome in there for result in outcome.evidence]
    ledger = Ledger(config.markets, window, config.policy.base_area, evidence)
    sound = [sifted(outcome, ledger) for outcome in there]
    conflicts = conflicts_of(sound, voting)
    standings = standings_of(sound, conflicts, ledger)
    claims = week_claims({market: standing.claims for market, standing in standings.items()})
    answers = _rate_answers(evidence)
    banks, scheduled = known_banks(answers), scheduled_days(answers)
    markets = {}
    for spec, outcome in zip(config.markets, there, strict=True):
        standing = standings[spec.market]
        known = _known(claims, standing.claims, standing.rejected.keys())
        guard = ProseGuard(known, banks, scheduled, spec.areas)
        verdicts = verdicts_of(outcome, standing, conflicts)
        grounds = grounds_of(outcome, known, verdicts, banks, spec.areas)
        heard = without_objected(outcome, grounds)
        printable = _as_it_stands(spec, guard.outcome(heard.outcome), standing)
        markets[spec.market] = JudgedMarket(
            outcome=printable,
            claims=standing.claims,
            verdicts=verdicts,
            dropped=(*heard.dropped, *guard.dropped)[:MOST_DROPPED],
            objections=objections_of(printable, grounds),
            undecided=any(c.market == spec.market and not c.resolved for c in conflicts),
        )
    return JudgedWeek(markets, claims, conflicts)


def not_reached(market: str) -> MarketOutcome:
    """The outcome of a market that the run has none of."""
    return MarketOutcome(market=market, outcome=Outcome.MISSING, missing=(NOT_REACHED,))


def _rate_answers(evidence: Sequence[ToolResult]) -> tuple[SourceResult, ...]:
    """What the sources say of central banks: their rates, their decisions, their calendars."""
    return (
        *returned_by("get_policy_rate", PolicyRates, evidence),
        *returned_by("get_rate_decisions", RateDecisions, evidence),
        *returned_by("get_decision_calendar", DecisionCalendar, evidence),
    )


def _known(
    week: Mapping[str, Claim], own: Mapping[str, Claim], judged: Collection[str]
) -> dict[str, Claim]:
    others = {name: claim for name, claim in week.items() if name not in judged}
    return {**others, **own}


def _as_it_stands(spec: MarketSpec, outcome: MarketOutcome, standing: Standing) -> MarketOutcome:
    """The outcome with what is withheld named, and missing without its essential figure."""
    missing = outcome.missing
    if standing.rejected:
        named = ", ".join(standing.rejected)
        missing = (clip(f"{spec.market}: rejected and withheld: {named}"), *missing)
    lacking = decide_outcome(spec, outcome.results, outcome.agents)
    became = outcome.outcome
    if is_counted(outcome) and lacking not in (Outcome.RESEARCHED, Outcome.PARTIAL):
        became = Outcome.MISSING
        missing = missing or (NONE_CHOSEN,)
    return outcome.model_copy(update={"missing": missing, "outcome": became})
