"""What a swarm answers first: yes, no or open by the form of the objective, or that it needs a
model."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest

from desk.analytics.names.periods import SpanNamed
from desk.analytics.prices.pegs import peg_known
from desk.analytics.prices.series import window_days
from desk.analytics.retrieval.meaning import Vector
from desk.analytics.technical.measures import INSTALL_SWARM, needs_swarm
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import Query, TaskType
from desk.contracts.episode.analysis import Analysis
from desk.contracts.findings.claims import Metric, Unit
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.source_results import (
    DecisionCalendar,
    ScheduledDecision,
    SourceResult,
)
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.question.knowledge import Synthesis, YesOrNo
from desk.contracts.runs.turns import StateEntry, Turn
from desk.contracts.swarm.hypotheses import HypothesisKind
from desk.documents.rendering.words.prose import Known, odds_of, render_plain
from desk.platform.memory.sentence_encoder import desk_embedding_model
from desk.programs.swarm.builtin.plan import Ground, plan_swarm
from desk.programs.swarm.builtin.reading import calls_for_the_form
from desk.programs.swarm.objectives import (
    ABOUT,
    FORMS,
    OVER_SPAN,
    TAKEN,
    Answered,
    form_of,
    matched,
)
from desk.programs.swarm.objectives.nearness import FITTED, UNDECIDED, wordings
from desk.programs.swarm.objectives.relations import ranking_of
from desk.programs.swarm.tasks import BEHIND, asked_now, first_asked
from desk.programs.turns import builtin_turn
from desk.trust.prose import references, split_sentences
from desk.trust.prose.synthesis_review import claims_in, review_synthesis
from tests.support.builders import answered, pair_market, window
from tests.unit.programs.accept_wordings import seal
from tests.unit.programs.swarm.objective_wordings import BUILDING
from tests.unit.programs.swarm.test_swarm_leader import (
    CONCLUDE,
    DOLLAR_YEN,
    PLAN,
    SYMBOLS,
    led,
    symbols,
)
from tests.unit.programs.swarm.test_swarm_plan import TOOLS
from tests.unit.trust.prose.test_swarm_specialists import (
    ALL,
    COMPUTED,
    INDICATORS,
    NVIDIA,
    WEEK,
    YEN,
    analysis,
    answers,
    asked_of,
)

OBJECTIVE = "What of USD/JPY?"
FRANC = YEN.model_copy(update={"market": "EUR/CHF", "areas": ("XM", "CH"), "digits": 4})
STANDING = {
    Metric.LAST: "153.20",
    Metric.PAST_RANK: "96.40",
    Metric.VOLATILITY: "9.40",
    Metric.VOLATILITY_RANK: "34.00",
    Metric.QUARTER_MOVE: "4.30",
    Metric.QUARTER_SWING: "4.70",
    Metric.PRIOR_HIGH: "153.10",
    Metric.PRIOR_LOW: "146.00",
    Metric.DRAWDOWN: "-3.04",
    Metric.YEAR_HIGH: "158.00",
    Metric.YEAR_LOW: "143.00",
}


def told(
    form: str,
    given: Mapping[TaskType, Mapping[Capability, SourceResult]] = ALL,
    *,
    objective: str = OBJECTIVE,
    markets: tuple[MarketSpec, ...] = (YEN,),
    lost: TaskType | None = None,
    over: str | None = None,
    taken: bool = False,
    by_market: Mapping[str, Mapping[TaskType, Mapping[Capability, SourceResult]]] | None = None,
) -> tuple[Synthesis, str]:
    """What a round concludes on an objective of a form, and its summary as it is printed."""
    named = {ABOUT: form, **({TAKEN: "nearest"} if taken else {})} if form else {}
    span = {OVER_SPAN: over} if over else {}
    query = Query(question=objective, parameters={**named, **span})
    plan = plan_swarm("swarm/plan", Ground(objective, markets, TOOLS, form=FORMS.get(form)))
    entries = [StateEntry(key="plan_1", node="plan_1", result=plan)]
    for each in plan.subagents:
        beside = {"beside": ", ".join(each.beside)} if each.beside else {}
        own = query.model_copy(update={"parameters": {**query.parameters, **beside}})
        here = (by_market or {}).get(each.market.market, given)
        results = answers(each.task, here.get(each.task, {}), each.market)
        turn = builtin_turn(asked_of(each.task, results, market=each.market, query=own))
        result = turn.result if isinstance(turn.result, ResearchResult) else None
        error = None if result else "nothing was to be had"
        tools = ("market_analysis patterns",) if each.task is lost else ()
        entry = StateEntry(key=each.name, node=each.name, result=result, error=error, lost=tools)
        entries.append(entry)
    request = led(CONCLUDE, objective, state=tuple(entries))
    asked = request.assignment.model_copy(update={"query": query})
    turn = builtin_turn(request.model_copy(update={"assignment": asked}))
    assert isinstance(turn.result, Synthesis), turn.failure
    known = Known(claims_in(tuple(entries)), {}, odds_of(turn.result.hypotheses))
    return turn.result, render_plain(turn.result.summary, known)


def with_standing(**other: str) -> dict[TaskType, dict[Capability, SourceResult]]:
    figures = {**STANDING, **{Metric(name): value for name, value in other.items()}}
    conditions: dict[Capability, SourceResult]
    conditions = {Capability.MARKET_DATA: analysis({Metric.MONTH_MOVE: "2.10"})}
    conditions[Capability.STANDING] = analysis(figures)
    return {TaskType.RESEARCH_CONDITIONS: conditions}


def with_rsi(index: str) -> dict[TaskType, dict[Capability, SourceResult]]:
    indicators: SourceResult = analysis({**INDICATORS, Metric.RSI: index})
    return {TaskType.ANALYSE_TECHNICALS: {Capability.INDICATORS: indicators}}


@pytest.mark.parametrize(
    ("form", "given", "first"),
    [
        ("overbought", with_rsi("45.7"), "No: the 14-day RSI of USD/JPY is 45.7, and overbought"),
        ("overbought", with_rsi("70.0"), "Yes: the 14-day RSI of USD/JPY is 70.0, and overbought"),
        ("oversold", with_rsi("29.9"), "Yes: the 14-day RSI of USD/JPY is 29.9, and oversold"),
        ("dear", with_standing(), "Yes: USD/JPY was cheaper than now on 96.4 % of the days"),
        ("cheap", with_standing(), "No: USD/JPY was cheaper than now on 96.4 % of the days"),
        ("cheap", with_standing(past_rank="12.00"), "Yes: USD/JPY was cheaper than now on 12 %"),
        ("volatile", with_standing(), "No: the volatility of USD/JPY is higher than on 34 %"),
        ("drawdown", with_standing(), "No: USD/JPY stands -3.04 % from the highest price of"),
        ("drawdown", with_standing(drawdown="-12.00"), "Yes: USD/JPY stands -12.00 % from"),
        ("gained", with_standing(), "Yes: USD/JPY has moved +4.30 % over the quarter, for a usual"),
        ("lost", with_standing(), "No: USD/JPY has moved +4.30 % over the quarter"),
        ("sideways", with_standing(), "Open: USD/JPY has moved +4.30 % over the quarter"),
        ("sideways", with_standing(quarter_move="0.40"), "Yes: USD/JPY has moved +0.40 %"),
        ("breakout", with_standing(), "Yes: USD/JPY at 153.20 is above the highest price of the"),
        ("breakout", with_standing(last="150.00"), "No: USD/JPY at 150.00 is within the range"),
        ("breakout", with_standing(last="140.00"), "Yes: USD/JPY at 140.00 is below the lowest"),
        (
            "near-high",
            with_standing(),
            "No: USD/JPY at 153.20 is not near the highest price of twelve months, 158.00: near is"
            " the highest tenth of the range",
        ),
        ("near-high", with_standing(last="157.10"), "Yes: USD/JPY at 157.10 is near the highest"),
        ("near-low", with_standing(last="144.10"), "Yes: USD/JPY at 144.10 is near the lowest"),
        ("trend", ALL, "USD/JPY is in an uptrend: USD/JPY at 153.20 is above its 50-day average"),
        ("uptrend", ALL, "Yes: USD/JPY at 153.20 is above its 50-day average of 151.00 and its"),
        ("downtrend", ALL, "No: USD/JPY at 153.20 is above its 50-day average"),
        ("momentum-up", ALL, "Yes: the MACD histogram of USD/JPY is +0.12 % of the price"),
        ("carry", ALL, "Yes: holding USD against JPY pays 337.5 bp a year, 0.36 of the pair's"),
        ("unwinding", ALL, "No: JPY, which funds the trade, has not gained: USD/JPY +2.10 % on"),
        ("group-move", ALL, "No: over the quarter the group of USD/JPY moved +1.90 % against"),
        ("unusual-move", ALL, "No: the last week's move of USD/JPY was +0.40 σ from the usual"),
        ("seasonal", ALL, "No: the p value of the coming month of USD/JPY against its other"),
    ],
)
def test_the_first_sentence_answers_with_the_figure_that_decides(
    form: str, given: Mapping[TaskType, Mapping[Capability, SourceResult]], first: str
) -> None:
    synthesis, text = told(form, given)
    assert text.startswith(first)
    assert synthesis.answered
    assert {*FORMS[form].decides} & {
        Metric(name.partition(":")[2]) for name in references(synthesis.summary.split(". ")[0])
    }


def test_a_mark_stands_in_the_sentence_as_the_claim_that_it_is() -> None:
    synthesis, text = told("overbought", with_rsi("45.7"))
    assert "[[USD/JPY:rsi_overbought]]" in synthesis.summary
    assert "overbought begins at 70." in text


@pytest.mark.parametrize("form", FORMS)
def test_without_its_figures_a_form_stays_open_and_answers_nothing(form: str) -> None:
    market = YEN if MarketKind.PAIR in FORMS[form].kinds else NVIDIA
    bare = {task: {Capability.MARKET_DATA: analysis({Metric.MOVE: "0.85"})} for task in ALL}
    if market is NVIDIA:
        bare = {task: {} for task in ALL}
    synthesis, text = told(form, bare, markets=(market,))
    assert not synthesis.answered
    assert text.startswith("Open: ")
    first = split_sentences(synthesis.summary)[0]
    alone = {"summary": first, "sections": (), "missing": (), "hypotheses": (), "further": None}
    typed = [r.written for r in review_synthesis(synthesis.model_copy(update=alone), ())]
    assert typed == [], "where no claim is known, no number passes"


def test_without_its_packages_a_form_says_what_to_install() -> None:
    bare = analysis({Metric.LAST: "153.20"})
    short = bare.model_copy(update={"missing": (needs_swarm("indicators", "TA-Lib"),)})
    _, text = told("overbought", {TaskType.ANALYSE_TECHNICALS: {Capability.INDICATORS: short}})
    first = "Open: the relative strength index of USD/JPY is not known here. It takes packages"
    assert text.startswith(f"{first} that are not installed here: {INSTALL_SWARM}.")


def test_what_is_asked_of_the_second_currency_is_asked_of_the_pair_the_other_way_round() -> None:
    _, text = told("overbought", with_rsi("25.0"), objective="Is the yen overbought?")
    assert text.startswith("Yes: the 14-day RSI of USD/JPY is 25.0, and oversold begins at 30.")
    assert "As JPY is the second currency of USD/JPY, the question on the pair is: Is" in text


@pytest.mark.parametrize(
    ("form", "objective", "first"),
    [
        ("cheap", "Is USD/JPY cheap against its own past year?",
         "Open: the objective asks of one year, and this looks back over ten years: USD/JPY was"),
        ("gained", "Has USD/JPY risen over the last two years?",
         "Open: the objective asks of two years, and this looks back over a quarter: USD/JPY has"),
        ("cheap", "Is USD/JPY cheap by its own past of ten years?", "No: USD/JPY was cheaper than"),
        ("cheap", "Is USD/JPY cheap against past years?", "No: USD/JPY was cheaper than"),
        ("gained", "Has USD/JPY risen over the last 3 months?", "Yes: USD/JPY has moved"),
    ],
)  # fmt: skip
def test_a_span_that_was_not_measured_is_told_first_and_decides_nothing(
    form: str, objective: str, first: str
) -> None:
    synthesis, text = told(form, with_standing(), objective=objective)
    assert text.startswith(first)
    assert synthesis.answered is not first.startswith("Open")


def test_what_lies_further_ahead_is_told_over_the_form_s_own_span_and_left_open() -> None:
    synthesis, text = told("lower-ahead", objective="Will USD/JPY be weaker in six weeks?")
    asked = (
        "Open: the objective asks of six weeks, and this looks ahead over four weeks: USD/JPY is"
    )
    assert text.startswith(asked)
    assert not synthesis.answered


@pytest.mark.parametrize(
    ("objective", "read"),
    [
        ("Will USD/JPY be lower by the end of the year?", False),
        ("Will USD/JPY be lower by March?", False),
        ("Will USD/JPY be lower this week?", False),
        ("Will USD/JPY be lower by the end of next month?", True),
        ("Will USD/JPY be lower by late November?", True),
        ("Will USD/JPY be lower by christmas?", False),
        ("Will USD/JPY be lower in time for the summit?", False),
        ("Will USD/JPY be lower before the Fed meets?", False),
        ("Will USD/JPY be held lower by the Bank of Japan?", True),
        ("Will USD/JPY be lower, and by how much?", True),
        ("Will USD/JPY be lower by 2 %?", True),
        ("Will USD/JPY be lower after last year's fall?", True),
        ("Will USD/JPY be lower?", True),
    ],
)
def test_how_far_ahead_is_asked_is_read_or_told_as_not_read(objective: str, *, read: bool) -> None:
    synthesis, text = told("lower-ahead", objective=objective)
    assert text.startswith("Open: how far ahead is meant by ") is not read
    assert (synthesis.decided is YesOrNo.OPEN) is not read
    assert read or ", and this looks ahead over four weeks: USD/JPY is taken to be" in text


def test_a_limit_that_is_not_read_is_named_in_the_first_sentence() -> None:
    _, text = told("lower-ahead", objective="Is USD/JPY likely to be lower by christmas?")
    assert text.startswith(
        "Open: how far ahead is meant by christmas is not read, and this looks ahead over four"
        " weeks: USD/JPY is taken to be"
    )


def over_a_year(**figures: str) -> dict[TaskType, dict[Capability, SourceResult]]:
    """The market's standing with figures over the year besides."""
    given = with_standing()
    whole = given[TaskType.RESEARCH_CONDITIONS][Capability.STANDING]
    assert isinstance(whole, Analysis)
    since = SpanNamed(1, "year").before(window_days(window(WEEK))[1])
    over = analysis({Metric(name): value for name, value in figures.items()}).figures
    spanned = [figure.model_copy(update={"since": since}) for figure in over]
    both = whole.model_copy(update={"figures": (*whole.figures, *spanned)})
    given[TaskType.RESEARCH_CONDITIONS][Capability.STANDING] = both
    return given


@pytest.mark.parametrize(
    ("form", "figures", "first"),
    [
        ("cheap", {"past_rank": "12.00"},
         "Yes: USD/JPY was cheaper than now on 12 % of the days of the last year; 20 % or less"),
        ("volatile", {"volatility_rank": "91.00"},
         "Yes: the volatility of USD/JPY is higher than on 91 % of the days of the last year,"),
        ("lost", {"span_move": "-7.10", "span_swing": "9.40"},
         "Yes: USD/JPY has moved -7.10 % over the last year, for a usual swing of 9.40 %"),
        ("sideways", {"span_move": "-1.10", "span_swing": "9.40"},
         "Yes: USD/JPY has moved -1.10 % over the last year"),
        ("breakout", {"prior_high": "161.00", "prior_low": "140.00"},
         "No: USD/JPY at 153.20 is within the range of the year before, 140.00 to 161.00"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("given", [True, False])
def test_a_form_decides_over_the_span_that_is_asked_for(
    form: str, figures: dict[str, str], first: str, *, given: bool
) -> None:
    objective = OBJECTIVE if given else "And USD/JPY over the last year?"
    over = "one year" if given else None
    synthesis, text = told(form, over_a_year(**figures), objective=objective, over=over)
    assert text.startswith(first)
    assert synthesis.answered and synthesis.decided is not YesOrNo.OPEN


def test_a_span_is_asked_of_the_tool_by_its_first_day() -> None:
    query = Query(question=OBJECTIVE, parameters={ABOUT: "dear", OVER_SPAN: "six months"})
    request = asked_of(TaskType.RESEARCH_CONDITIONS, (), query=query)
    asked = calls_for_the_form(request)[Capability.STANDING]
    _, last = window_days(request.assignment.window)
    assert asked == {"symbol": "USD/JPY", "since": SpanNamed(6, "month").before(last).isoformat()}


def test_what_a_bank_will_do_is_told_by_the_bank_and_not_by_a_pair() -> None:
    synthesis, text = told("", objective="will the Bank of Japan hike?")
    assert text.startswith(
        "What the Bank of Japan will do needs a model: no form decides it. What is known of the"
        " Bank of Japan: its policy rate is "
    )
    assert "USD/JPY" not in text and "`desk ask 'what did the Bank of Japan decide?'` says" in text
    assert not synthesis.answered and synthesis.decided is None


def test_what_lies_ahead_is_left_open_where_what_could_decide_was_lost() -> None:
    whole, _ = told("lower-ahead")
    assert whole.decided in {YesOrNo.YES, YesOrNo.NO}
    short, text = told("lower-ahead", lost=TaskType.MINE_PATTERNS)
    assert short.decided is YesOrNo.OPEN
    assert text.startswith("Open: USD/JPY is taken to be")
    assert "but not all data on the pattern" in text.partition(". ")[0]
    direct, _ = told("overbought", with_rsi("45.7"), lost=TaskType.MINE_PATTERNS)
    assert direct.decided is YesOrNo.NO


def test_what_lies_ahead_is_answered_by_the_hypothesis_and_not_by_the_past() -> None:
    synthesis, text = told("higher-ahead")
    (direction,) = (h for h in synthesis.hypotheses if h.kind is HypothesisKind.DIRECTION)
    odds = f"{direction.probability:.0%}".replace("%", " %")
    assert f"in four weeks with a probability of {odds}." in text
    assert "For a higher price: " in text
    first = text.split(":")[0]
    assert first in {Answered.YES, Answered.NO, Answered.OPEN}


def test_a_correlation_takes_a_second_market() -> None:
    beside = analysis({Metric.CORRELATION: "0.71", Metric.CORRELATION_YEAR: "0.64"})
    given = {TaskType.RESEARCH_CONDITIONS: {Capability.CO_MOVEMENT: beside}}
    _, text = told("correlated", given, markets=(YEN, FRANC))
    assert text.startswith(
        "Yes: the correlation of the daily moves of USD/JPY and EUR/CHF over the last quarter is"
        " 0.71, and it is strong from 0.5 on"
    )
    synthesis, alone = told("correlated")
    assert "it takes a second market" in alone
    assert not synthesis.answered


def test_a_decision_within_four_weeks_lies_ahead() -> None:
    end = window(WEEK).end
    near, later = date(2026, 11, 12), date(2026, 12, 9)
    calendar = DecisionCalendar(
        as_of=end,
        source=COMPUTED,
        scheduled=(
            ScheduledDecision(area="JP", bank="Bank of Japan", day=near, source="announced"),
            ScheduledDecision(area="US", bank="Federal Reserve", day=later, source="announced"),
        ),
    )
    carry = {**ALL[TaskType.ANALYSE_FUNDAMENTALS], Capability.DECISION_CALENDAR: calendar}
    _, text = told("decision-ahead", {TaskType.ANALYSE_FUNDAMENTALS: carry})
    assert text.startswith("Yes: the Bank of Japan decides on 12 Nov 2026, within four weeks.")


def test_no_decision_is_said_to_be_far_where_the_days_of_one_bank_are_not_known() -> None:
    later = ScheduledDecision(
        area="US", bank="Federal Reserve", day=date(2026, 12, 9), source="announced"
    )
    calendar = DecisionCalendar(as_of=window(WEEK).end, source=COMPUTED, scheduled=(later,))
    carry = {**ALL[TaskType.ANALYSE_FUNDAMENTALS], Capability.DECISION_CALENDAR: calendar}
    synthesis, text = told("decision-ahead", {TaskType.ANALYSE_FUNDAMENTALS: carry})
    assert synthesis.decided is YesOrNo.OPEN and not synthesis.answered
    assert text.startswith(
        "Open: no coming decision of the Bank of Japan is known here; the Federal Reserve decides"
        " on 9 Dec 2026, later than in four weeks."
    )


def peg(**figures: str) -> dict[TaskType, dict[Capability, SourceResult]]:
    given = {Metric(name): value for name, value in figures.items()}
    band: SourceResult = analysis(given, symbol="EUR/CHF")
    return {TaskType.RESEARCH_CONDITIONS: {Capability.PEG_BAND: band}}


def test_a_peg_that_was_given_up_does_not_stand() -> None:
    gone = peg(last="0.9194", band_low="1.20", peg_since="20110906", peg_ended="20150115")
    synthesis, text = told("peg-holds", gone, markets=(FRANC,))
    assert synthesis.answered
    assert text.startswith(
        "No: the Swiss National Bank gave up its floor of 1.20 on 15 Jan 2015, and EUR/CHF stands"
        " at 0.9194."
    )


def test_whether_a_peg_goes_on_is_left_open_and_is_no_answer() -> None:
    held = peg(last="1.2010", band_low="1.20", peg_since="20110906", edge_distance="0.08")
    synthesis, text = told("peg-holds", held, markets=(FRANC,))
    assert not synthesis.answered
    assert text.startswith("Open: EUR/CHF at 1.2010 is 0.08 % from the edge of its floor of 1.20")
    _, near = told("peg-edge", held, markets=(FRANC,))
    assert near.startswith("Yes: EUR/CHF at 1.2010 is 0.08 % from the edge of its floor of 1.20")


def test_a_peg_that_stands_is_told_with_what_was_counted_of_it_once() -> None:
    counted = peg(
        last="7.8457",
        band_low="7.75",
        band_high="7.85",
        peg_since="20050518",
        edge_distance="0.05",
        band_position="96",
        band_spans="274",
        band_outside="0.00",
        band_break_most="1.09",
        band_starts="62",
        band_ended_low="1.61",
        band_ended_middle="14.52",
        band_ended_high="83.87",
    )
    band = counted[TaskType.RESEARCH_CONDITIONS][Capability.PEG_BAND]
    hong_kong = pair_market("USD/HKD")
    own = {Capability.PEG_BAND: band.model_copy(update={"symbol": "USD/HKD"})}
    given = {TaskType.RESEARCH_CONDITIONS: own}
    synthesis, text = told("peg-holds", given, markets=(hong_kong,))
    assert "is 0.05 % from the upper edge of its band" in text
    assert "Of 274 spans of four weeks" in text
    assert "a probability of 1.09 % at most" in text
    (scenarios,) = (each.content for each in synthesis.sections if each.title == "Scenarios")
    assert scenarios.count("\n") == 0, "what the summary tells is not told again"
    assert "band_ended_high" in scenarios


def test_a_decision_ahead_is_told_with_what_followed_meetings_like_the_last() -> None:
    """The record is that of the bank, and not of the pair."""
    record = analysis(
        {
            Metric.DECISION_STARTS: "20",
            Metric.HELD_SHARE: "55.00",
            Metric.RAISED_SHARE: "45.00",
            Metric.CUT_SHARE: "0.00",
        },
        symbol="JP",
    )
    calendar = DecisionCalendar(
        as_of=window(WEEK).end,
        source=COMPUTED,
        scheduled=(
            ScheduledDecision(
                area="JP", bank="Bank of Japan", day=date(2026, 11, 12), source="announced"
            ),
        ),
    )
    carry = {
        **ALL[TaskType.ANALYSE_FUNDAMENTALS],
        Capability.DECISION_CALENDAR: calendar,
        Capability.DECISION_RECORD: record,
    }
    synthesis, _ = told("decision-ahead", {TaskType.ANALYSE_FUNDAMENTALS: carry})
    (scenarios,) = (each.content for each in synthesis.sections if each.title == "Scenarios")
    assert "Of [[JP:decision_starts]] meetings that followed one like the last known" in scenarios
    assert "a rise [[JP:raised_share]]" in scenarios


def test_a_peg_and_its_end_are_known_from_when_they_were_announced() -> None:
    instants = [datetime(2011, 9, 6, 7, tzinfo=UTC), datetime(2015, 1, 15, 9, 29, tzinfo=UTC)]
    assert peg_known("EUR/CHF", instants[0]) is None
    found = peg_known("EUR/CHF", instants[1])
    assert found is not None and found.ended is not None and found.ended > instants[1]


def planned(objective: str, parameters: Mapping[str, str] | None = None) -> Turn:
    request = led(PLAN, objective)
    query = Query(question=objective, parameters=dict(parameters or {}))
    franc = DOLLAR_YEN.model_copy(update={"symbol": "USD/CHF"})
    asked = request.assignment.model_copy(update={"query": query})
    results = (answered(SYMBOLS, symbols(franc)),)
    exchanges = ({"results": results},)
    return builtin_turn(
        request.model_validate(
            {**request.model_dump(), "assignment": asked.model_dump(), "exchanges": exchanges}
        )
    )


def test_a_question_on_the_franc_s_cap_researches_its_pair_with_the_euro() -> None:
    turn = planned("Will the franc's cap hold?")
    assert turn.result is not None and turn.result.kind == "swarm_plan"
    assert [each.market.market for each in turn.result.subagents] == ["EUR/CHF"]
    assert [tool.tool for tool in turn.result.subagents[0].tools].count("peg_band") == 1


def test_what_no_form_fits_needs_a_model_and_is_told_what_was_measured() -> None:
    synthesis, text = told("", objective="Is USD/JPY mispriced against rate differentials?")
    assert not synthesis.answered
    assert text.startswith("This needs a model. Here is what was measured: USD/JPY ")
    offered = " Without a model the nearest questions can be answered. `desk swarm USD/JPY --about"
    assert offered in text
    commands = [line for line in text.split("`") if line.startswith("desk swarm")]
    assert commands == ["desk swarm USD/JPY --about carry"]


@pytest.mark.parametrize(
    "objective",
    ["What would tariffs do to USD/JPY?", "Should we hedge our USD/JPY receivables?"],
)
def test_what_is_near_to_no_form_is_offered_none(objective: str) -> None:
    synthesis, text = told("", objective=objective)
    assert not synthesis.answered
    assert text.startswith("This needs a model. Here is what was measured: USD/JPY ")
    assert "--about" not in text


def test_the_form_that_was_taken_is_said_and_one_that_was_named_is_not() -> None:
    _, taken = told("", with_rsi("45.7"), objective="Is USD/JPY overbought?")
    assert "Taken as `--about overbought`." in taken
    again = "is USD/JPY overbought now?"
    _, other = told("overbought", with_rsi("45.7"), objective=again, taken=True)
    assert "Taken as `--about overbought`: Is USD/JPY overbought?" in other
    _, named = told("overbought", with_rsi("45.7"))
    assert "Taken as" not in named


@pytest.mark.parametrize(("objective", "form"), BUILDING)
def test_by_words_alone_no_objective_is_taken_for_another(objective: str, form: str | None) -> None:
    found = matched(objective).form
    assert found is None or found.name == form


class FixedMeaning:
    """As a model for which each question means just what one wording does."""

    def __init__(self, wording: str) -> None:
        meaning = desk_embedding_model()
        assert meaning is not None
        self._vector = meaning.question(wording)

    def question(self, text: str) -> Vector:
        return self._vector


@pytest.mark.parametrize("form", FORMS)
def test_an_objective_that_means_a_wording_has_its_form(form: str, with_meaning: None) -> None:
    wording = wordings()[form][0]
    about = " of the Hong Kong dollar and the euro" if MarketKind.PAIR in FORMS[form].kinds else ""
    found = matched(f"{wording}{about}", lambda: FixedMeaning(wording)).form
    assert found is not None and found.name == form


@pytest.mark.parametrize("wording", wordings()[UNDECIDED][:5])
def test_what_a_bank_will_decide_is_not_when_it_decides(wording: str, with_meaning: None) -> None:
    meaning = FixedMeaning(wording)
    assert matched(f"{wording} of Australia", lambda: meaning).form is None
    assert matched(f"{wording} of Australia").form is None


@pytest.mark.parametrize(
    ("objective", "form"),
    [
        ("Will USD/JPY rise over the next four weeks?", "higher-ahead"),
        ("Will the Swiss franc be stronger in four weeks?", "higher-ahead"),
        ("Will the yen weaken over the coming month?", "lower-ahead"),
        ("Will cable be lower a month from now?", "lower-ahead"),
        ("Where will EUR/USD be in four weeks?", "range-ahead"),
    ],
)
def test_whether_it_rises_is_told_from_where_it_will_be(
    objective: str, form: str, with_meaning: None
) -> None:
    found = matched(objective, desk_embedding_model).form
    assert found is not None and found.name == form


@pytest.mark.parametrize(
    ("objective", "form"),
    [
        ("Is the Turkish lira cheap?", "cheap"),
        ("Is the pound calm by the standards of the last three years?", "calm"),
        ("Which way is USD/CNY trending?", "trend"),
        ("Is EUR/CHF near its low of the last two years?", "near-low"),
        ("Is EUR/CHF near its high of the last two years?", "near-high"),
        ("Will sterling be weaker against the dollar in six weeks?", "lower-ahead"),
        ("eurchf near its two-year low?", "near-low"),
        ("is usdhkd near the edge of its band?", "peg-edge"),
        ("Has the zloty outrun the koruna this quarter?", "strongest"),
        ("Which has done better this quarter, the zloty or the koruna?", "ahead"),
        ("has the rand been the weakest of rand, peso and real this quarter?", "weakest"),
        ("Which was the weakest of yen, franc and euro?", "behind"),
        ("Which pays the larger carry, the Indian rupee or the Indonesian rupiah?", "most-carry"),
        ("Has the baht been steadier than the ringgit?", "most-volatile"),
        ("Which is the cheaper by its own past, the krona or the Norwegian krone?", "dearest"),
        ("Is the zloty more overbought than the koruna?", "most-overbought"),
        ("Is the zloty overbought?", "overbought"),
        ("Which will be more volatile next year, the baht or the ringgit?", None),
        ("hkma's band, is it intact", "peg-holds"),
        ("looks like cable is washed out here", "oversold"),
        ("eurchf still heading south?", "downtrend"),
        ("Is the Swiss franc moving with the euro?", "correlated"),
        ("Is the franc moving with gold?", None),
        ("kiwi beaten down too much technically?", "oversold"),
        ("usdcad going up or down??", "trend"),
        ("Who swings more, sterling or the euro?", "most-volatile"),
        ("Which suffers most if the Fed hikes again, the rupee or the rupiah?", None),
        ("Why is the yen so cheap?", None),
        ("Will the peso be calmer next quarter than this one?", None),
    ],
)
def test_an_objective_has_the_form_that_it_means(
    objective: str, form: str | None, with_meaning: None
) -> None:
    found = matched(objective, desk_embedding_model).form
    assert (found.name if found else None) == form


@pytest.mark.parametrize(("objective", "form"), BUILDING)
def test_by_meaning_no_objective_is_taken_for_another(
    objective: str, form: str | None, with_meaning: None
) -> None:
    found = matched(objective, desk_embedding_model).form
    assert found is None or found.name == form


def test_what_tells_forms_apart_is_that_of_the_wordings() -> None:
    assert {*wordings()} == {*FORMS, UNDECIDED}
    with np.load(FITTED) as kept:
        assert kept["of"].tolist() == [seal()], (
            "run `python -m tests.unit.programs.accept_wordings`"
        )


def test_no_wording_is_that_of_two_forms() -> None:
    said = [wording.casefold() for own in wordings().values() for wording in own]
    assert len(said) == len({*said})


def test_a_form_decides_by_figures_that_have_units_and_mirrors_come_in_pairs() -> None:
    for form in FORMS.values():
        assert form.decides and form.agents and len(wordings()[form.name]) >= 3
        if form.opposite:
            assert FORMS[form.opposite].opposite == form.name
    assert all(first != second for first, second in pairwise(sorted(FORMS)))
    assert isinstance(Unit.LEVEL, str)


def test_a_form_is_read_from_the_parameters_before_the_words() -> None:
    query = Query(question="Is USD/JPY overbought?", parameters={ABOUT: "carry"})
    assert form_of(query).form is FORMS["carry"]


def test_a_further_round_knows_what_was_asked_at_first() -> None:
    objective = f"Settle which way USD/JPY leans.{BEHIND}{OBJECTIVE}"
    assert first_asked(objective) == first_asked(OBJECTIVE) == OBJECTIVE
    assert asked_now(objective) == "Settle which way USD/JPY leans."


@pytest.mark.parametrize(
    ("moves", "who", "ranked"),
    [
        ({"USD/SEK": "1.2", "USD/NOK": "-0.3"}, "NOK", ["USD/NOK", "USD/SEK"]),
        ({"USD/CAD": "-0.5", "AUD/USD": "0.4"}, "CAD", ["USD/CAD", "AUD/USD"]),
        ({"EUR/CHF": "-1", "AUD/NZD": "0.4"}, "AUD/NZD", ["AUD/NZD", "EUR/CHF"]),
    ],
)
def test_the_currency_that_is_ahead_is_the_one_that_gained(
    moves: Mapping[str, str], who: str, ranked: Sequence[str]
) -> None:
    ranking = ranking_of({market: Decimal(move) for market, move in moves.items()})
    assert ranking.markets == ranked and ranking.name(ranked[0]) == who


RANKED = tuple(pair_market(pair) for pair in ("USD/SEK", "USD/NOK", "USD/CAD"))


def moved(form: str, objective: str, *moves: str) -> str:
    """The first sentence on three pairs that moved so over the quarter."""
    given = {
        spec.market: {
            TaskType.RESEARCH_CONDITIONS: {
                Capability.MARKET_DATA: analysis({Metric.QUARTER_MOVE: move}, symbol=spec.market)
            }
        }
        for spec, move in zip(RANKED, moves, strict=True)
    }
    _, text = told(form, objective=objective, markets=RANKED, by_market=given)
    return text.partition(". ")[0]


@pytest.mark.parametrize(
    ("form", "moves", "first"),
    [
        ("weakest", ("1.00", "3.00", "2.00"), "No: against USD, NOK has done worst over the"),
        ("weakest", ("4.00", "3.00", "2.00"), "Yes: against USD, SEK has done worst over the"),
        ("strongest", ("1.00", "3.00", "2.00"), "Yes: against USD, all fell and SEK fell least"),
        ("strongest", ("4.00", "3.00", "-2.00"), "No: against USD, CAD has done best over the"),
        ("ahead", ("1.00", "3.00", "2.00"), "against USD, all fell and SEK fell least over the"),
        ("behind", ("-1.00", "-3.00", "-2.00"), "against USD, all rose and SEK rose least"),
    ],
)
def test_a_superlative_is_answered_yes_or_no_of_the_currency_that_it_names(
    form: str, moves: tuple[str, str, str], first: str
) -> None:
    objective = "has the krona been the weakest of krona, Norwegian krone and loonie?"
    assert moved(form, objective, *moves).casefold().startswith(first.casefold())


def compared(form: str, task: TaskType, figures: Mapping[str, Mapping[Metric, str]]) -> str:
    """The summary on some pairs with such figures."""
    given = {
        pair: {task: {Capability.MARKET_DATA: analysis(own, symbol=pair)}}
        for pair, own in figures.items()
    }
    markets = tuple(pair_market(pair) for pair in figures)
    return told(form, objective="Which of them?", markets=markets, by_market=given)[1]


def test_several_are_put_in_order_by_a_figure_of_each() -> None:
    swings = {"USD/SEK": {Metric.VOLATILITY: "9.10"}, "USD/NOK": {Metric.VOLATILITY: "11.20"}}
    text = compared("most-volatile", TaskType.RESEARCH_CONDITIONS, swings)
    first = "Against USD, NOK has swung most over the quarter: USD/NOK by 11.20 % a year"
    assert text.startswith(f"{first}, USD/SEK by 9.10 % a year.")


def test_of_pairs_that_begin_with_a_shared_currency_the_lowest_is_the_dearest() -> None:
    ranks = {"USD/SEK": {Metric.PAST_RANK: "12.00"}, "USD/NOK": {Metric.PAST_RANK: "48.00"}}
    text = compared("dearest", TaskType.RESEARCH_CONDITIONS, ranks)
    assert text.startswith("Against USD, SEK is dearest by its own past: USD/SEK was cheaper")
    assert "Of a pair that begins with USD, a low figure is a high one of the other" in text


def test_without_the_figure_of_one_market_nothing_is_compared() -> None:
    swings = {"USD/SEK": {Metric.VOLATILITY: "9.10"}, "USD/NOK": {Metric.MOVE: "1.20"}}
    text = compared("most-volatile", TaskType.RESEARCH_CONDITIONS, swings)
    assert text.startswith("Open: the volatility of USD/NOK is not known here.")


def spanned(pair: str, figures: Mapping[str, str], **of_the_year: str) -> SourceResult:
    """What a tool tells of a pair, with figures over the year besides."""
    own = analysis({Metric(name): value for name, value in figures.items()}, symbol=pair)
    since = SpanNamed(1, "year").before(window_days(window(WEEK))[1])
    over = analysis({Metric(name): value for name, value in of_the_year.items()}).figures
    dated = (figure.model_copy(update={"since": since}) for figure in over)
    return own.model_copy(update={"figures": (*own.figures, *dated)})


def test_no_market_is_compared_by_its_quarter_where_others_are_by_the_year() -> None:
    told_of = {
        "USD/SEK": spanned("USD/SEK", {"quarter_move": "5.00"}, span_move="1.10"),
        "USD/NOK": spanned("USD/NOK", {"quarter_move": "-2.00"}),
        "USD/CAD": spanned("USD/CAD", {"quarter_move": "-4.00"}, span_move="2.30"),
    }
    given = {
        pair: {TaskType.RESEARCH_CONDITIONS: {Capability.STANDING: found}}
        for pair, found in told_of.items()
    }
    _, text = told("ahead", objective="Which?", markets=RANKED, by_market=given, over="one year")
    assert text.startswith(
        "Against USD, all fell and SEK fell least over the last year: USD/SEK +1.10 %, USD/CAD"
        " +2.30 %. USD/NOK is not compared: no move over the last year is known here."
    )


def test_where_all_carries_cost_the_one_that_costs_least_is_named() -> None:
    carries = {
        "USD/JPY": {Metric.DIFFERENTIAL: "262.5", Metric.CARRY_TO_VOLATILITY: "0.35"},
        "USD/CHF": {Metric.DIFFERENTIAL: "387.5", Metric.CARRY_TO_VOLATILITY: "0.63"},
    }
    given = {
        pair: {
            TaskType.ANALYSE_FUNDAMENTALS: {
                Capability.RATIOS: analysis(own, symbol=pair),
            }
        }
        for pair, own in carries.items()
    }
    markets = tuple(pair_market(pair) for pair in carries)
    _, text = told("most-carry", objective="Which?", markets=markets, by_market=given)
    assert text.startswith("Against USD, JPY costs least to hold, and all cost: holding USD")


def test_a_superlative_is_asked_of_the_currency_that_is_named_twice() -> None:
    objective = "of krona, Norwegian krone and loonie, has the Norwegian krone been weakest?"
    first = moved("weakest", objective, "1.00", "3.00", "2.00")
    assert first.startswith("Yes: against USD, NOK has done worst over the quarter")
