"""Forms on the future: where a market is likely to be, and which decisions are ahead."""

from datetime import timedelta
from typing import Final

from desk.analytics.figures import day_of
from desk.analytics.names.central_banks import bank_in_a_sentence
from desk.analytics.names.listing import listed
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.findings.results import Leaning
from desk.contracts.swarm.hypotheses import Hypothesis, HypothesisKind
from desk.programs.swarm.conclusion.account import voice_with_evidence
from desk.programs.swarm.conclusion.wording import sentence
from desk.programs.swarm.hypotheses import WEEKS
from desk.programs.swarm.objectives.form import (
    AHEAD,
    CALENDAR,
    EVERYBODY,
    FUNDAMENTAL,
    PAIRS,
    Answered,
    Decide,
    Decided,
    MarketView,
    ObjectiveForm,
)

CLEAR: Final = 0.55
"""The probability from which a side decides a yes or a no; between one half and this the answer is
open. A convention."""

WITHIN: Final = timedelta(weeks=WEEKS)


def _of_kind(view: MarketView, kind: HypothesisKind) -> Hypothesis | None:
    """Returns the hypothesis over the four weeks that the sentences state; None without one."""
    return next(
        (each for each in view.hypotheses if each.kind is kind and each.weeks == WEEKS), None
    )


def _side_ahead(leaning: Leaning) -> Decide:
    def decide(view: MarketView) -> Decided:
        found = _of_kind(view, HypothesisKind.DIRECTION)
        if found is None:
            return _neither(view)
        side = "above" if found.leaning is Leaning.UP else "below"
        same = found.leaning is leaning
        answered = Answered.YES if same else Answered.NO
        if found.probability < CLEAR:
            answered = Answered.OPEN
        return Decided(
            answered,
            f"{view.name} is taken to be {side} its last price of {view.told(Metric.LAST)} in four"
            f" weeks with a probability of [[{found.reference}]]",
            _rests_on(view, found.leaning),
        )

    return decide


def _neither(view: MarketView) -> Decided:
    """Returns the open decision if the views favour neither side by enough."""
    if view.value(Metric.LAST) is None:
        return view.missing("price")
    alike = (
        f"; after similar stretches of the past it rose in {view.told(Metric.ANALOGUE_HIT_RATE)} of"
        " the cases"
        if view.value(Metric.ANALOGUE_HIT_RATE) is not None
        else ""
    )
    return Decided(
        Answered.OPEN,
        f"the findings come down on neither side of the last price of {view.name},"
        f" {view.told(Metric.LAST)}, over the next four weeks{alike}",
        (*_rests_on(view, Leaning.UP), *_range_words(view)),
    )


def _rests_on(view: MarketView, leaning: Leaning) -> tuple[str, ...]:
    """Says what speaks for a side and what against it, each with its figures."""
    other = Leaning.DOWN if leaning is Leaning.UP else Leaning.UP
    ways = {Leaning.UP: "higher", Leaning.DOWN: "lower"}
    told = []
    for way in (leaning, other):
        voices = _voices(view, way)
        if voices:
            told.append(f"For a {ways[way]} price: {listed(voices)}.")
    return tuple(told)


def _voices(view: MarketView, leaning: Leaning) -> list[str]:
    balance = view.account.balances[view.market]
    holders = {v.result.result_id for v in balance.voices if v.view.leaning is leaning}
    return [
        voice_with_evidence(view.account, agent, view.market, leaning)
        for agent, result in view.account.on(view.market)
        if result.result_id in holders
    ]


def _range_words(view: MarketView) -> tuple[str, ...]:
    found = _of_kind(view, HypothesisKind.RANGE)
    if found is None:
        return ()
    low, high = view.told(Metric.EXPECTED_LOW), view.told(Metric.EXPECTED_HIGH)
    said = f"By its usual swings it is from {low} to {high} with a probability of"
    return (f"{said} [[{found.reference}]].",)


def _range_ahead(view: MarketView) -> Decided:
    found = _of_kind(view, HypothesisKind.RANGE)
    if found is None:
        return view.missing("range to be expected")
    low, high = view.told(Metric.EXPECTED_LOW), view.told(Metric.EXPECTED_HIGH)
    return Decided(
        Answered.TELLS,
        f"{view.name} is taken to be from {low} to {high} in four weeks with a probability of"
        f" [[{found.reference}]]",
        (*_held(view), *_direction_words(view)),
    )


def _held(view: MarketView) -> tuple[str, ...]:
    """Says how often such ranges have held for this market."""
    if view.values(Metric.RANGE_HELD, Metric.RANGE_STARTS) is None:
        return ()
    held, starts = view.told(Metric.RANGE_HELD), view.told(Metric.RANGE_STARTS)
    return (f"Such ranges held in {held} of {starts} weekly starts of its last five years.",)


def _direction_words(view: MarketView) -> tuple[str, ...]:
    found = _of_kind(view, HypothesisKind.DIRECTION)
    if found is None:
        return ("Neither side of its last price is likelier by enough to be named.",)
    side = "above" if found.leaning is Leaning.UP else "below"
    said = (
        f"It is taken to be {side} its last price of {view.told(Metric.LAST)} with a probability of"
        f" [[{found.reference}]]."
    )
    return (said, *_rests_on(view, found.leaning))


def _decision_ahead(view: MarketView) -> Decided:
    """Decides whether a bank of the pair decides within four weeks of the as-of instant."""
    end = view.account.request.assignment.window.end
    known = {
        area: day
        for area in view.spec.areas
        if (claim := view.claim(area, Metric.NEXT_DECISION)) and (day := day_of(claim.value))
    }
    if not known:
        return view.missing("calendar of decisions")
    last = (end + WITHIN).date()
    near = [area for area, day in known.items() if day <= last]
    told = [
        f"{bank_in_a_sentence(area)} decides on [[{claim_id(area, Metric.NEXT_DECISION)}]]"
        for area in sorted(near or known, key=lambda area: known[area])
    ]
    unknown = [bank_in_a_sentence(area) for area in view.spec.areas if area not in known]
    when = "within four weeks" if near else "later than in four weeks"
    if not unknown:
        return Decided(Answered.YES if near else Answered.NO, f"{listed(told)}, {when}")
    lacking = f"no coming decision of {listed(unknown)} is known here"
    if near:
        return Decided(Answered.YES, f"{listed(told)}, {when}", (sentence(lacking),))
    return Decided(Answered.OPEN, f"{lacking}; {listed(told)}, {when}", addressed=False)


OUTLOOKS: Final = (
    ObjectiveForm(
        name="higher-ahead",
        line="higher ahead: the leader takes a higher price in four weeks to be likely",
        question="Will {} be higher in four weeks?",
        decides=(Metric.LAST,),
        decide=_side_ahead(Leaning.UP),
        agents=EVERYBODY,
        by_hypotheses=True,
        looks_back=AHEAD,
        spans=False,
        mirror="lower-ahead",
    ),
    ObjectiveForm(
        name="lower-ahead",
        line="lower ahead: the leader takes a lower price in four weeks to be likely",
        question="Will {} be lower in four weeks?",
        decides=(Metric.LAST,),
        decide=_side_ahead(Leaning.DOWN),
        agents=EVERYBODY,
        by_hypotheses=True,
        looks_back=AHEAD,
        spans=False,
        mirror="higher-ahead",
    ),
    ObjectiveForm(
        name="range-ahead",
        line="range ahead: between which prices it is likely to be in four weeks",
        question="Where will {} be in four weeks?",
        decides=(Metric.EXPECTED_LOW, Metric.EXPECTED_HIGH),
        decide=_range_ahead,
        agents=EVERYBODY,
        by_hypotheses=True,
        looks_back=AHEAD,
        spans=False,
    ),
    ObjectiveForm(
        name="decision-ahead",
        line="event ahead: a central bank behind the pair decides within four weeks",
        question="Is there a decision of a central bank ahead for {}?",
        decides=(Metric.NEXT_DECISION,),
        decide=_decision_ahead,
        agents=FUNDAMENTAL,
        asks=(CALENDAR,),
        kinds=PAIRS,
    ),
)
