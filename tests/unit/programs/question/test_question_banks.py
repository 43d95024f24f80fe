"""What is told of a central bank that a question names."""

from datetime import date
from typing import Any

from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.analytics.retrieval.wordings import load_vectors
from desk.contracts.agents.tasks import TaskType
from desk.contracts.findings.claims import Metric, Unit, claim_id
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import StateEntry
from desk.platform.memory.sentence_encoder import desk_embedding_model
from desk.programs.question.builtin.banks import bank_sentences
from desk.programs.question.builtin.kinds import FILE, QuestionKind, all_wordings, kind_of
from desk.programs.question.builtin.synthesis import take_turn
from desk.programs.question.builtin.synthesis.markets import asked as aspects
from desk.trust.prose.synthesis_review import review_synthesis
from tests.knowledge.asking import asked, documents_state
from tests.support.builders import calendar, claim, decisions, policy_rates, rate_market
from tests.unit.programs.week.test_rates_analyst import HIKE, HOLD, WEEK, research

JAPAN = rate_market("JP")
KNOWN_AT = date(2024, 8, 5)


def standing(*asked_with: Any) -> str:
    """What is told of banks, as one text."""
    return " ".join(bank_sentences(*asked_with))


def test_without_a_kind_the_rate_goes_first_then_the_last_decision_and_the_next_day() -> None:
    scheduled = calendar(WEEK, ("JP", "2024-09-20"), ("JP", "2024-10-31"), ("US", "2024-09-18"))
    result = research(JAPAN, decided=decisions(WEEK, HIKE), scheduled=scheduled)
    told = standing((result,), KNOWN_AT)
    assert told.startswith("The policy rate of the Bank of Japan was [[JP:policy_rate]], as far as")
    assert "It decided last, as far as is known, on 31 Jul 2024: it raised its policy rate" in told
    assert told.endswith("By its calendar it decides next on 20 Sep 2024, and then on 31 Oct 2024.")


def test_a_meeting_whose_outcome_is_not_known_is_told_with_its_day() -> None:
    covered = decisions(WEEK, covered_until="2024-07-30")
    days = calendar(WEEK, ("JP", "2024-07-31"))
    result = research(JAPAN, decided=covered, scheduled=days, by_question=True)
    told = standing((result,), KNOWN_AT)
    assert "It was scheduled to decide on 31 Jul 2024. The outcome is not" in told
    assert told.endswith("No later decision day of it is known here.")


def test_a_bank_without_any_event_is_told_of_rather_than_what_sounds_like_it() -> None:
    entry = StateEntry(key="rates", node="researchRates", result=research(JAPAN))
    request = asked(TaskType.SYNTHESISE, "when does the boj meet?", state=(entry,), papers="first")
    made = take_turn(request).result
    assert isinstance(made, Synthesis)
    assert "No later decision day of it is known here." in made.summary
    assert made.summary.endswith("Nothing written fits the question.") and not made.answered
    assert review_synthesis(made, (entry,)) == ()


def test_of_several_banks_the_rates_go_first_in_their_order() -> None:
    results = [research(rate_market(area)) for area in ("JP", "US")]
    assert standing(results, KNOWN_AT).startswith(
        "Policy rates, the highest first: the Federal Reserve [[US:policy_rate]], the Bank of Japan"
        " [[JP:policy_rate]]."
    )


def test_the_yields_of_a_banks_area_are_told_where_a_source_has_them() -> None:
    result = research(JAPAN)
    ten_years = claim("JP", Metric.YIELD_10Y, "1.02", Unit.PERCENT_A_YEAR)
    known = result.model_copy(update={"claims": (*result.claims, ten_years)})
    told = standing((known,), KNOWN_AT)
    assert "Ten-year government bonds of Japan yielded [[JP:yield_10y]] on " in told
    rates = StateEntry(key="rates", node="researchRates", result=known)
    request = asked(TaskType.SYNTHESISE, "where are jgbs?", state=(rates,), papers="first")
    made = take_turn(request).result
    assert isinstance(made, Synthesis) and "Nothing is said here" not in made.summary
    assert made.summary.endswith("Nothing written fits the question.")
    assert review_synthesis(made, (rates,)) == ()


def test_a_bank_of_a_pair_has_its_rate_told_once_with_a_day_ahead_or_without() -> None:
    result = research(scheduled=calendar(WEEK, ("US", "2024-09-18")))
    entry = StateEntry(key="rates", node="researchRates", result=result)
    request = asked(TaskType.SYNTHESISE, "what moved the yen?", state=(entry,), papers="first")
    made = take_turn(request).result
    assert isinstance(made, Synthesis)
    (rates,) = (s.content for s in made.sections if s.title == "USD/JPY: policy rates")
    assert "The policy rate of the Bank of Japan was [[JP:policy_rate]], as far as is" in rates
    assert rates.count("[[US:policy_rate]]") == rates.count("[[JP:policy_rate]]") == 1
    assert review_synthesis(made, (entry,)) == ()


TOKYO, WASHINGTON = ("JP", "2024-09-20"), ("US", "2024-09-18")


def both_banks(kind: QuestionKind) -> str:
    scheduled, decided = calendar(WEEK, TOKYO, WASHINGTON), decisions(WEEK, HIKE, HOLD)
    results = [
        research(rate_market(area), decided=decided, scheduled=scheduled) for area in ("JP", "US")
    ]
    return standing(results, KNOWN_AT, kind)


def test_of_several_banks_the_earliest_decision_day_goes_first_where_a_day_is_asked_for() -> None:
    assert both_banks(QuestionKind.NEXT).startswith(
        "The next decision days by the banks' calendars, the earliest first: the Federal Reserve on"
        " 18 Sep 2024, the Bank of Japan on 20 Sep 2024. The policy rate of the Bank of Japan was"
    )


def test_a_decision_goes_first_where_one_is_asked_for() -> None:
    result = research(JAPAN, decided=decisions(WEEK, HIKE), scheduled=calendar(WEEK, TOKYO))
    told = standing((result,), KNOWN_AT, QuestionKind.DECIDED)
    assert told.startswith("The Bank of Japan decided last, as far as is known, on 31 Jul 2024: ")
    assert told.endswith("By its calendar it decides next on 20 Sep 2024.")


def test_a_meeting_without_an_outcome_goes_first_where_its_decision_is_asked_for() -> None:
    covered = decisions(WEEK, covered_until="2024-07-30")
    days = calendar(WEEK, ("JP", "2024-07-31"))
    result = research(JAPAN, decided=covered, scheduled=days, by_question=True)
    told = standing((result,), KNOWN_AT, QuestionKind.DECIDED)
    assert told.startswith("The Bank of Japan was scheduled to decide on 31 Jul 2024. The outcome")
    assert "The outcome is not in the source yet. No decision of it is known of the days" in told


def test_a_rise_is_no_cut_and_what_is_not_known_of_is_said() -> None:
    result = research(JAPAN, decided=decisions(WEEK, HIKE))
    told = standing((result,), KNOWN_AT, QuestionKind.CHANGED)
    assert told.startswith(
        "The Bank of Japan last raised its rate on 31 Jul 2024, by [[JP:decision"
    )
    assert "No cut of it is known of the days that were looked at." in told


def test_of_what_no_fact_answers_that_is_said_before_what_is_known() -> None:
    assert both_banks(QuestionKind.OTHER).startswith(
        "Nothing that is known here answers the question. Of the Bank of Japan and the Federal"
        " Reserve this is known. The policy rate of the Bank of Japan was [[JP:policy_rate]]"
    )


def test_a_bank_that_sets_no_rate_is_told_as_that() -> None:
    rates = policy_rates(WEEK, US="5.375")
    told = standing((research(rate_market("SG"), rates=rates),), KNOWN_AT, QuestionKind.RATE)
    assert told.startswith("The Monetary Authority of Singapore has no policy rate: it steers")


KINDS = {
    "when does the boj meet next?": QuestionKind.NEXT,
    "is the RBA or the RBNZ first up?": QuestionKind.NEXT,
    "what did the riksbank do in June": QuestionKind.DECIDED,
    "when was the ECB's last cut": QuestionKind.CHANGED,
    "Are Swiss policy rates below Sweden's?": QuestionKind.RATE,
    "what do ten-year gilts yield": QuestionKind.YIELD,
    "who heads the Bank of England?": QuestionKind.OTHER,
    "will the Fed cut at its next meeting": QuestionKind.AHEAD,
    "is the Riksbank going to hike on Thursday?": QuestionKind.AHEAD,
    "Are Swedish rates the same as in the euro area?": QuestionKind.RATE,
    "how many contracts are short sterling": QuestionKind.OTHER,
    "what has Oslo done with rates this year": QuestionKind.DECIDED,
    "which hiked more recently, the boj or the ecb": QuestionKind.CHANGED,
    "did the kiwi fall last week?": QuestionKind.MOVE,
    "is the Swissie at a record?": QuestionKind.LEVEL,
    "what colour are the chairs of the canteen": None,
}


def test_a_question_has_the_kind_that_is_nearest_in_meaning(with_meaning: None) -> None:
    assert {question: kind_of(question, desk_embedding_model) for question in KINDS} == KINDS


def test_a_question_has_no_kind_without_a_model_of_meaning() -> None:
    assert kind_of("when does the boj meet next?", lambda: None) is None


def test_every_wording_has_its_vector() -> None:
    told = "run `python -m tests.unit.programs.accept_wordings`"
    assert {*all_wordings()} == set(load_vectors(FILE)), told
    assert {*aspects.ASPECTS.every()} == set(load_vectors(aspects.FILE)), told


MINUTES = """# Minutes of the rates group

## Next meeting

The next meeting of the group is on 19 May 2026, after the boards.
"""


def answer_on(bank: str, documents: StateEntry) -> Synthesis:
    rates = StateEntry(key="rates", node="researchRates", result=research(JAPAN))
    question = f"when does {bank} meet next and where is its rate?"
    request = asked(TaskType.SYNTHESISE, question, state=(rates, documents), papers="first")
    made = take_turn(request).result
    assert isinstance(made, Synthesis)
    assert review_synthesis(made, (rates, documents)) == ()
    return made


def test_the_meeting_of_another_body_is_not_quoted_for_that_of_a_bank() -> None:
    made = answer_on("the boj", documents_state(minutes=MINUTES))
    assert made.summary.startswith("The policy rate of the Bank of Japan was")
    assert not made.answered and not made.quotations


def test_what_is_written_of_a_bank_under_any_of_its_names_goes_first() -> None:
    written = MINUTES.replace("of the group", "of the Bank of Japan")
    made = answer_on("the boj", documents_state(minutes=written))
    assert made.found and [q.text for q in made.quotations] == [
        "The next meeting of the Bank of Japan is on 19 May 2026, after the boards."
    ]


def test_what_comes_near_and_speaks_of_a_bank_stands_behind_what_is_known_of_it() -> None:
    near = "# Diary\n\nThe Bank of Japan meets in Kyoto on its rate.\n\nThe group meets in Leeds."
    made = answer_on("the boj", documents_state(diary=near))
    assert made.summary.startswith("The policy rate of the Bank of Japan") and not made.answered
    assert [section.title for section in made.sections][-1] == "Nearest in what is written"
    assert [q.text for q in made.quotations] == ["The Bank of Japan meets in Kyoto on its rate."]


JULY = date(2024, 7, 1), date(2024, 7, 31)


def test_a_question_of_past_days_is_answered_with_these_before_what_is_known_today() -> None:
    result = research(JAPAN, decided=decisions(WEEK, HIKE), scheduled=calendar(WEEK, TOKYO))
    rate, decided = (
        standing((result,), KNOWN_AT, kind, JULY)
        for kind in (QuestionKind.RATE, QuestionKind.DECIDED)
    )
    then = f"[[{claim_id('JP', Metric.DECISION_RATE, date(2024, 7, 31))}]]"
    assert rate.startswith(
        f"The policy rate of the Bank of Japan was {then} on 31 Jul 2024, by its decision on 31 Jul"
        " 2024. Its policy rate was [[JP:policy_rate]], as far as"
    )
    assert decided.startswith(
        "On 31 Jul 2024 the Bank of Japan raised its policy rate ([[JP:decision_change@2024"
    )
    assert "decides next" not in rate + decided


def test_of_days_before_what_is_known_no_rate_of_today_is_told_as_theirs() -> None:
    result = research(JAPAN, decided=decisions(WEEK, HIKE))
    june = date(2024, 6, 1), date(2024, 6, 30)
    told = standing((result,), KNOWN_AT, QuestionKind.RATE, june)
    assert told.startswith("The policy rate of the Bank of Japan on 30 Jun 2024 is not known here.")
    assert "No decision of it from 1 Jun 2024 to 30 Jun 2024 is known." in told


def answer_to(question: str, unread: str = "") -> Synthesis:
    result = research(JAPAN, decided=decisions(WEEK, HIKE), scheduled=calendar(WEEK, TOKYO))
    rates = StateEntry(key="rates", node="researchRates", result=result)
    request = asked(
        TaskType.SYNTHESISE, question, state=(rates,), papers="first", period_unread=unread
    )
    known = WORKER_EMBEDDING_MODEL.set(desk_embedding_model)
    made = take_turn(request).result
    WORKER_EMBEDDING_MODEL.reset(known)
    assert isinstance(made, Synthesis) and review_synthesis(made, (rates,)) == ()
    return made


def test_what_was_not_read_stands_behind_that_for_which_the_question_is_taken(
    with_meaning: None,
) -> None:
    unsure = answer_to("the boj, its floor and a plug")
    assert unsure.summary.startswith("Taken for a question about ") and not unsure.found
    assert ". Not read in the question: floor and plug. " in unsure.summary
    days = answer_to("what is the policy rate of the boj in 2031", unread="2031")
    assert days.summary.startswith(
        "Taken for a question about the policy rate: The policy rate of the Bank of Japan was"
        " [[JP:policy_rate]], as far as is known up to 5 Aug 2024. Not read in the question: 2031"
        " (`--period` names other days). "
    )
    number = answer_to("what was the policy rate of the boj on the 5th")
    assert ". Not read in the question: a number. " in number.summary and not number.found


def test_words_that_are_near_to_nothing_are_told_to_have_no_answer(with_meaning: None) -> None:
    made = answer_to("which sandwiches does the canteen of the boj sell on fridays?")
    assert made.summary.startswith("Nothing that is known here answers the question. ")
    assert not made.answered


def test_a_question_that_was_read_is_found_and_what_says_nothing_of_it_is_told_last(
    with_meaning: None,
) -> None:
    made = answer_to("what is the policy rate of the boj, mates?")
    assert made.summary.startswith("The policy rate of the Bank of Japan was")
    assert made.summary.endswith("Not read in the question: mates.") and made.found
    assert "Nothing written fits the question." not in made.summary


def test_what_is_written_of_places_goes_before_the_banks_that_sit_there() -> None:
    closed = "# Closures\n\n| Place | Closed on |\n|---|---|\n| Tokyo | 12 October |\n"
    rates = [
        StateEntry(key=area, node=f"rates{area}", result=research(rate_market(area)))
        for area in ("JP", "US")
    ]
    question = "is tokyo or washington closed on columbus day?"
    state = (*rates, documents_state(closed=closed))
    made = take_turn(asked(TaskType.SYNTHESISE, question, state=state, papers="first")).result
    assert isinstance(made, Synthesis) and not made.answered
    assert made.summary.startswith("No passage surely fits the question.")
    assert [q.text for q in made.quotations] == ["Tokyo | 12 October"]
