"""How answers about central banks begin, and the table of what the banks decided."""

from collections.abc import Iterator
from datetime import date, timedelta

import pytest

from desk.analytics.names.periods import READ
from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.contracts.agents.tasks import DAYS_ASKED, DAYS_READ, Query, TaskType
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import EventType, ResearchResult
from desk.contracts.findings.source_results import DatePrecision, RateDecision
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import StateEntry
from desk.contracts.weeks import TimeWindow
from desk.platform.memory.sentence_encoder import desk_embedding_model
from desk.programs.question.builtin.banks import decisions_table
from desk.programs.question.builtin.banks.table import SHOWN
from desk.programs.question.builtin.synthesis import take_turn
from desk.programs.turns import builtin_turn
from desk.trust.claims.rate_claims import differential_claim
from desk.trust.ledger.rederivation import Ledger
from desk.trust.prose import split_sentences
from desk.trust.prose.references import render
from desk.trust.prose.synthesis_review import review_synthesis
from tests.knowledge.asking import AS_OF, asked
from tests.support.builders import (
    answered,
    calendar,
    call,
    decision,
    decisions,
    policy_rates,
    rate_market,
    request,
)

WEEK = "2026-W44"
LOOKED_AT = TimeWindow(start=AS_OF - timedelta(weeks=156), end=AS_OF, time_zone="UTC")
SINCE_2025 = "2025-01-01/2026-11-02"
THIS_YEAR = "2026-01-01/2026-11-02"

OTTAWA = (
    decision("CA", "2024-12-11", "3.25", "-50"),
    decision("CA", "2025-01-29", "3.00", "-25"),
    decision("CA", "2025-03-12", "2.75", "-25"),
    decision("CA", "2025-04-16", "2.75", "0"),
)
WASHINGTON = (
    decision("US", "2024-12-18", "4.375", "-25"),
    decision("US", "2025-09-17", "4.125", "-25"),
    decision("US", "2026-09-16", "4.375", "25"),
    decision("US", "2026-10-28", "4.125", "-25"),
)
OSLO = (
    decision("NO", "2025-12-17", "4.00", "0"),
    decision("NO", "2026-03-26", "4.00", "0"),
    decision("NO", "2026-05-31", "4.25", "25", precision=DatePrecision.MONTH),
)
TOKYO = tuple(
    decision("JP", f"{2024 + n // 4}-0{2 * (n % 4) + 1}-20", "0.50", "0") for n in range(11)
)
AHEAD = (("JP", "2026-11-02"), ("JP", "2026-12-18"), ("US", "2026-12-09"))
BANKS = {"CA": OTTAWA, "US": WASHINGTON, "NO": OSLO, "JP": TOKYO}


@pytest.fixture(autouse=True)
def of_this_worker() -> Iterator[None]:
    """The model of meaning as a worker's turn has it."""
    known = WORKER_EMBEDDING_MODEL.set(desk_embedding_model)
    yield
    WORKER_EMBEDDING_MODEL.reset(known)


def research(area: str, days: str = "", window: TimeWindow = LOOKED_AT) -> ResearchResult:
    decided: tuple[RateDecision, ...] = BANKS[area]
    shown = request(
        TaskType.RESEARCH_RATES,
        rate_market(area),
        WEEK,
        results=[
            answered(
                call("central_banks", "get_policy_rate"),
                policy_rates(WEEK, since=None, **{area: str(decided[-1].rate)}),
            ),
            answered(call("central_banks", "get_rate_decisions"), decisions(WEEK, *decided)),
            answered(call("central_banks", "get_decision_calendar"), calendar(WEEK, *AHEAD)),
        ],
    )
    query = Query(question="?", parameters={DAYS_ASKED: days} if days else {})
    assignment = shown.assignment.model_copy(update={"query": query, "window": window})
    delivered = builtin_turn(shown.model_copy(update={"assignment": assignment})).result
    assert isinstance(delivered, ResearchResult)
    return delivered


def _since(question: str) -> str:
    """The words of a question that the tests take for its period."""
    known = (
        *("since the start of 2025", "this year", "in 2024 and in 2025"),
        *("this week", "december", "in the middle of may 2026"),
    )
    return next(words for words in known if words in question)


def answer(question: str, *results: ResearchResult, days: str = "") -> tuple[str, dict[str, str]]:
    """The summary as it is printed, and the sections by their titles."""
    state = tuple(StateEntry(key=r.market, node=f"node{r.market}", result=r) for r in results)
    parameters = {"papers": "first"} | ({DAYS_ASKED: days, READ: _since(question)} if days else {})
    made = take_turn(
        asked(TaskType.SYNTHESISE, question, state=state, last=False, **parameters)
    ).result
    assert isinstance(made, Synthesis) and review_synthesis(made, state) == ()
    claims = {claim.claim_id: claim for result in results for claim in result.claims}
    sections = {section.title: render(section.content, claims) for section in made.sections}
    return render(made.summary, claims), sections


@pytest.mark.parametrize(
    ("question", "areas", "days", "begins"),
    [
        (
            "how many times has the bank of canada eased since the start of 2025",
            ("CA",),
            SINCE_2025,
            "2 cuts and no rises by the Bank of Canada from 1 Jan 2025 to 2 Nov 2026, -50 bp in"
            " all: to 3.00 % on 29 Jan 2025 and to 2.75 % on 12 Mar 2025. At its other decisions",
        ),
        (
            "how many basis points has the fed moved since the start of 2025",
            ("US",),
            SINCE_2025,
            "-25 bp in all: the policy rate of the Federal Reserve was 4.375 % on 1 Jan 2025.",
        ),
        (
            "what was the rate of norges bank in the middle of may 2026",
            ("NO",),
            "2026-05-15/2026-05-15",
            "The policy rate of Norges Bank was 4.00 % before its decision in May 2026 and 4.25 %"
            " after it. The source gives only the month, so which of them held on 15 May 2026 is",
        ),
        (
            # The newer change is the other one.
            "when did the fed last hike",
            ("US",),
            "",
            "The Federal Reserve last raised its rate on 16 Sep 2026, by 25 bp to 4.375 %.",
        ),
        (
            "the last fed cut",
            ("US",),
            "",
            "The Federal Reserve last cut its rate on 28 Oct 2026, by 25 bp to 4.125 %.",
        ),
        (
            "when are the fed's next three decisions",
            ("US",),
            "",
            "By its calendar the Federal Reserve decides next on 9 Dec 2026. No later day is known"
            " here.",
        ),
        (
            "when did norges bank last hike",
            ("NO",),
            "",
            "Norges Bank last raised its rate in May 2026, by 25 bp to 4.25 %.",
        ),
        (
            "what did norges bank decide at its last meeting",
            ("NO",),
            "",
            "Norges Bank decided last, as far as is known, in May 2026: it raised its policy rate",
        ),
        (
            "boj decision due today?",
            ("JP",),
            "",
            "A decision of the Bank of Japan is due today, 2 Nov 2026; its outcome is not in the"
            " source yet. After that it decides on 18 Dec 2026.",
        ),
        (
            "what did the boj do this year",
            ("JP",),
            THIS_YEAR,
            "The Bank of Japan left its rate at 0.50 % at each of its 3 decisions from 1 Jan 2026",
        ),
        (
            "how many fed cuts are priced in for december",
            ("US",),
            "",
            "By its calendar the Federal Reserve decides next on 9 Dec 2026. What it will decide is"
            " not known here, nor what markets expect. ",
        ),
        (
            "did the bank of canada raise since the start of 2025",
            ("CA",),
            SINCE_2025,
            "No. 2 cuts and no rises by the Bank of Canada from 1 Jan 2025 to 2 Nov 2026, -50",
        ),
        (
            "who cut last, and by how much",
            ("CA", "NO", "US"),
            "",
            "The newest known cut is that of the Federal Reserve, on 28 Oct 2026, by 25 bp to"
            " 4.125 %. Before it came the last cut of the Bank of Canada, on 12 Mar 2025,",
        ),
        (
            "when did the boc last hike",
            ("CA",),
            "",
            "No rise of the Bank of Canada is known of the days that were looked at. It last cut",
        ),
        (
            "who voted against the last fed cut",
            ("US",),
            "",
            "Nothing that is known here answers the question.",
        ),
        (
            "is cpi in canada above the boc target",
            ("CA",),
            "",
            "Nothing that is known here answers the question.",
        ),
        (
            "the bank of canada or norges bank, who cut more since the start of 2025",
            ("CA", "NO"),
            SINCE_2025,
            "Rates were cut from 1 Jan 2025 to 2 Nov 2026 by the Bank of Canada (2 cuts, -50 bp in"
            " all). Not by Norges Bank, as far as is known. ",
        ),
        (
            "which central banks have raised rates this year",
            ("CA", "JP", "NO", "US"),
            THIS_YEAR,
            "Rates were raised from 1 Jan 2026 to 2 Nov 2026 by Norges Bank (1 rise, +25 bp in all)"
            " and the Federal Reserve (1 rise and 1 cut). Not by the Bank of Japan, as far as is"
            " known. What was decided by the Bank of Japan on 2 Nov 2026 is not known here. No"
            " decision of the Bank of Canada from 1 Jan 2026 to 2 Nov 2026 is known.",
        ),
        (
            "who hasn't moved rates this year",
            ("CA", "JP", "NO", "US"),
            THIS_YEAR,
            "Rates were left as they were from 1 Jan 2026 to 2 Nov 2026 by the Bank of Japan"
            " (3 decisions). Not by Norges Bank and the Federal Reserve, as far as is known.",
        ),
        (
            "which central banks haven't cut this year",
            ("CA", "JP", "NO", "US"),
            THIS_YEAR,
            "Rates were not cut from 1 Jan 2026 to 2 Nov 2026 by the Bank of Japan and Norges Bank"
            " (1 rise, +25 bp in all). They were by the Federal Reserve, as far as is known.",
        ),
        (
            "which central banks haven't hiked this year",
            ("CA", "JP", "NO", "US"),
            THIS_YEAR,
            "Rates were not raised from 1 Jan 2026 to 2 Nov 2026 by the Bank of Japan. They were by"
            " Norges Bank and the Federal Reserve, as far as is known.",
        ),
        (
            "how many central banks raised rates this year",
            ("CA", "JP", "NO", "US"),
            THIS_YEAR,
            "Rates were raised from 1 Jan 2026 to 2 Nov 2026 by Norges Bank",
        ),
        (
            "has the boj held this year",
            ("JP",),
            THIS_YEAR,
            "Yes, as far as is known. The Bank of Japan left its rate at 0.50 % at each of its 3",
        ),
        (
            "who has the lowest policy rate",
            ("CA", "JP", "NO", "US"),
            "",
            "Policy rates, the lowest first: the Bank of Japan 0.50 %, the Bank of Canada 2.75 %,",
        ),
        (
            "is there a fed decision before the next boj one",
            ("US", "JP"),
            "",
            "No. A decision of the Bank of Japan is due today, 2 Nov 2026;",
        ),
        (
            "does the fed decide after the boj",
            ("US", "JP"),
            "",
            "Yes. A decision of the Bank of Japan is due today, 2 Nov 2026;",
        ),
        (
            "which central banks meet this week",
            ("CA", "JP", "NO", "US"),
            "2026-11-02/2026-11-08",
            "Decision days from 2 Nov 2026 to 8 Nov 2026 by the banks' calendars: the Bank of Japan"
            " on 2 Nov 2026. No later decision day of ",
        ),
        (
            "which central banks decide in december",
            ("JP", "US"),
            "2026-12-01/2026-12-31",
            "Decision days from 1 Dec 2026 to 31 Dec 2026 by the banks' calendars: the Federal"
            " Reserve on 9 Dec 2026, the Bank of Japan on 18 Dec 2026.",
        ),
    ],
)
def test_an_answer_begins_with_what_is_asked(
    question: str, areas: tuple[str, ...], days: str, begins: str, with_meaning: None
) -> None:
    told, _ = answer(question, *(research(area, days) for area in areas), days=days)
    assert told.startswith(begins)


def test_below_a_question_about_coming_days_stand_the_banks_that_meet(with_meaning: None) -> None:
    days = "2026-11-02/2026-12-12"
    results = [research(area, days) for area in ("CA", "JP", "NO", "US")]
    _, sections = answer("which central banks meet this week", *results, days=days)
    assert [title for title in sections if "policy rates" in title.lower()] == [
        "Bank of Japan: policy rates",
        "Federal Reserve: policy rates",
    ]


@pytest.mark.parametrize(
    "question",
    [
        "what is the fed's rate and when does the boj meet",
        "what's the fed rate, when's the next boj",
    ],
)
def test_each_part_of_a_question_is_answered_with_what_it_asks_for(
    question: str, with_meaning: None
) -> None:
    told, _ = answer(question, research("US"), research("JP"))
    assert told.startswith("The policy rate of the Federal Reserve was 4.125 %, as far as is known")
    assert told.endswith(
        "A decision of the Bank of Japan is due today, 2 Nov 2026; its outcome is not in the source"
        " yet. After that it decides on 18 Dec 2026."
    )


def test_both_parts_of_a_question_may_be_of_all_banks(with_meaning: None) -> None:
    question = "which bank has the lowest rate and when does it meet next"
    told, _ = answer(question, research("US"), research("JP"))
    assert told.startswith("Policy rates, the lowest first: the Bank of Japan 0.50 %, ")
    assert "The next decision days by the banks' calendars, the earliest first: " in told


def test_the_decisions_of_a_bank_beside_a_pair_are_looked_at_for_years() -> None:
    week = TimeWindow(start=AS_OF - timedelta(days=7), end=AS_OF, time_zone="UTC")
    alone, beside = research("CA"), research("CA", window=week)
    assert beside.events == alone.events
    counted = (claim for claim in beside.claims if claim.metric is Metric.DECISIONS_WITHIN)
    assert [claim.value for claim in counted] == [len(OTTAWA)]


def test_a_half_that_is_of_a_bank_is_answered_by_the_days_that_it_names(with_meaning: None) -> None:
    question = "what has the fed done since the start of 2025 and where is the yen"
    days = {DAYS_ASKED: SINCE_2025, DAYS_READ: "since the start of 2025"}
    week = TimeWindow(start=AS_OF - timedelta(days=7), end=AS_OF, time_zone="UTC")
    bank = research("US", SINCE_2025, week)
    pair = bank.model_copy(update={"market": "USD/JPY", "claims": (), "events": ()})
    state = tuple(StateEntry(key=r.market, node=r.market, result=r) for r in (pair, bank))
    made = take_turn(asked(TaskType.SYNTHESISE, question, state=state, last=False, **days)).result
    assert isinstance(made, Synthesis) and review_synthesis(made, state) == ()
    told = render(made.summary, {claim.claim_id: claim for claim in bank.claims})
    assert "2 cuts and 1 rise by the Federal Reserve from 1 Jan 2025 to 2 Nov 2026" in told


def test_what_answers_both_parts_is_told_once(with_meaning: None) -> None:
    question = "what did the boj do at its last meeting and when is the next one"
    told, _ = answer(question, research("JP"))
    assert told.startswith("The Bank of Japan decided last, as far as is known, on 20 ")
    assert told.count("A decision of the Bank of Japan is due today") == 1
    assert told.endswith("After that it decides on 18 Dec 2026.")


@pytest.mark.parametrize(
    "question", ["when do the fed and the boj meet", "the fed and the boj: who decides first"]
)
def test_what_is_asked_of_two_banks_is_one_question(question: str, with_meaning: None) -> None:
    told, _ = answer(question, research("US"), research("JP"))
    assert "The next decision days by the banks' calendars, the earliest first: " in told


def test_each_period_that_is_asked_about_is_answered(with_meaning: None) -> None:
    days = "2024-01-01/2024-12-31,2025-01-01/2025-12-31"
    question = "how often did the bank of canada cut in 2024 and in 2025"
    told, _ = answer(question, research("CA", days), days=days)
    assert told.startswith(
        "On 11 Dec 2024 the Bank of Canada cut its policy rate (-50 bp) to 3.25 %."
    )
    assert (
        "2 cuts and no rises by the Bank of Canada from 1 Jan 2025 to 31 Dec 2025, -50 bp in all:"
        in told
    )


def test_an_answer_on_two_rates_is_their_gap_and_how_far_they_are_known(with_meaning: None) -> None:
    results = [research("US"), research("CA")]
    rates = [c for r in results for c in r.claims if c.metric is Metric.POLICY_RATE]
    held = rate_market("US").model_copy(update={"areas": ("US", "CA")})
    apart = differential_claim(held, "US", rates)
    assert apart is not None
    results[0] = results[0].model_copy(update={"claims": (*results[0].claims, apart)})
    told, _ = answer("how much more do i get overnight in us dollars than in loonies", *results)
    assert told == (
        "The policy rate of the Federal Reserve, 4.125 %, is 137.5 bp above that of the Bank of"
        " Canada, 2.75 %. These rates are known up to 2 Nov 2026."
    )


def test_a_table_has_the_decisions_that_are_asked_about_newest_first(with_meaning: None) -> None:
    question = "what did norges bank decide this year"
    _, sections = answer(question, research("NO", THIS_YEAR), days=THIS_YEAR)
    assert sections["Decisions of Norges Bank, newest first"].splitlines() == [
        "| Day | Decision | Rate |",
        "| --- | --- | ---: |",
        "| May 2026 | raised by 25 bp | 4.25 % |",
        "| 26 Mar 2026 | held | 4.00 % |",
    ]


def test_a_table_says_of_how_many_decisions_it_has_the_newest(with_meaning: None) -> None:
    _, sections = answer("what is the policy rate of the boj", research("JP"))
    title = "Decisions of the Bank of Japan, newest first"
    *rows, _, left = sections[title].splitlines()
    assert len(rows) == 9 and rows[2].startswith("| 2 Nov 2026 | Due today. The out")
    assert left == (
        "Shown are the newest of 11 decisions of the Bank of Japan from 20 Jan 2024 to 20 May 2026."
    )
    rest = "\n".join(told for title, told in sections.items() if "newest" not in title)
    assert (
        "left its" not in rest and "scheduled to decide on its policy rate on 18 Dec 2026" in rest
    )


def test_nothing_shows_more_of_a_decision_than_its_month(with_meaning: None) -> None:
    told, sections = answer("when did norges bank last hike", research("NO"))
    assert "31 May" not in told + "".join(sections.values())


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        (Metric.CUTS_WITHIN, "2"),
        (Metric.RISES_WITHIN, "0"),
        (Metric.DECISIONS_WITHIN, "3"),
        (Metric.CHANGE_WITHIN, "-50"),
    ],
)
def test_what_decisions_come_to_is_derived_again_from_them(metric: Metric, value: str) -> None:
    made = research("CA", SINCE_2025)
    known = {claim.claim_id: claim for claim in made.claims}
    claim = next(each for each in made.claims if each.metric is metric)
    assert str(claim.value) == value
    evidence = answered(call("central_banks", "get_rate_decisions"), decisions(WEEK, *OTTAWA))
    ledger = Ledger([rate_market("CA")], LOOKED_AT, "US", [evidence])
    assert ledger.failed_check(claim, known) is None
    seeded = claim.model_copy(update={"value": claim.value - 25})
    assert ledger.failed_check(seeded, known) is not None
    longer = claim.model_copy(
        update={"claim_id": claim.claim_id.replace("2025-01-01", "2024-12-01")}
    )
    assert ledger.failed_check(longer, known) is not None


def test_no_sum_is_told_where_the_rate_before_the_days_is_not_known() -> None:
    made = research("CA", "2024-11-01/2025-01-31")
    metrics = {claim.metric for claim in made.claims}
    assert Metric.CUTS_WITHIN in metrics and Metric.CHANGE_WITHIN not in metrics


def test_an_answers_first_sentence_stands_by_itself(with_meaning: None) -> None:
    told, _ = answer(
        "how often did the fed move this year", research("US", THIS_YEAR), days=THIS_YEAR
    )
    assert split_sentences(told)[0].strip() == (
        "1 cut and 1 rise by the Federal Reserve from 1 Jan 2026 to 2 Nov 2026, 0 bp in all: to"
        " 4.375 % on 16 Sep 2026 and to 4.125 % on 28 Oct 2026."
    )


def test_a_section_names_the_bank_of_a_stance_and_says_its_days_ahead_once() -> None:
    _, sections = answer("when did norges bank last hike", research("NO"))
    assert sections["Norges Bank: policy rates"].splitlines()[0] == (
        "- The stance of Norges Bank: tightening (policy rate 4.25 %, last decision +25 bp)."
    )
    result = research("US")
    ahead = next(e for e in result.events if e.event_type is EventType.SCHEDULED_DECISION)
    later = ahead.model_copy(update={"event_date": date(2027, 1, 27)})
    both = result.model_copy(update={"events": (*result.events, later)})
    _, sections = answer("when does the fed decide next", both)
    told = sections["Federal Reserve: policy rates"]
    assert told.count("is scheduled to decide") == 1
    assert "on 9 Dec 2026." in told and "It then decides on 27 Jan 2027." in told


def test_beside_a_pair_only_the_newest_decisions_of_a_bank_are_shown() -> None:
    pair = research("JP").model_copy(update={"market": "USD/JPY"})
    table = decisions_table((pair,), (date(2024, 1, 1), date(2026, 11, 2)), None)
    assert table and table.content.count("| held |") == SHOWN < len(TOKYO)
    shown = "Shown are the newest of the decisions of the Bank of Japan from 20 Jan 2024 to"
    assert shown in table.content
    asked = decisions_table((research("JP"),), *[(date(2024, 1, 1), date(2026, 11, 2))] * 2)
    assert asked and asked.content.count("| held |") == len(TOKYO)


def test_a_note_on_several_banks_is_one_line() -> None:
    noted = [
        research(area).model_copy(update={"warnings": (f"{area}: known up to 30 Sep 2026",)})
        for area in ("US", "JP", "NO", "CA")
    ]
    _, sections = answer("which central banks meet next", *noted)
    lines = sections["Policy rates, bank by bank"].splitlines()
    assert lines[-1] == "- Note: US, JP, NO and CA: known up to 30 Sep 2026"
    assert not [line for line in lines[:-1] if "Note" in line]


def test_many_markets_of_a_kind_share_a_section_and_an_empty_one_has_none() -> None:
    nothing = research("CA").model_copy(
        update={
            "market": "SG",
            **dict.fromkeys(("events", "claims", "views"), ()),
            "missing": ("SG: no policy rate.",),
        }
    )
    banks = [research(area) for area in ("US", "JP", "NO")]
    _, few = answer("which central banks meet next", *banks, nothing)
    assert not [title for title in few if "Singapore" in title]
    assert {"Federal Reserve: policy rates", "Norges Bank: policy rates"} <= few.keys()
    _, many = answer("which central banks meet next", *banks, research("CA"), nothing)
    assert few["Norges Bank: policy rates"] in many["Policy rates, bank by bank"]
    assert not [title for title in many if title.endswith(": policy rates")]
