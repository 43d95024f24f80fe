"""The gate: digits stand only in dates, periods and names, and number words before no unit."""

import re
import string
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.trust.prose.gate import asked_in, rejected_figures, unbacked, without
from desk.trust.prose.sentences import split_sentences
from tests.support.builders import claim

LAST = claim("USD/JPY", Metric.LAST, "157.25")
MOVE = claim("USD/JPY", Metric.MOVE, "-1.20", Unit.PERCENT)
CLAIMS = {each.claim_id: each for each in (LAST, MOVE)}
LONGEST_READING = 0.5
"""Seconds of a processor for a text of 4000 characters."""


def found(text: str) -> list[str]:
    return [text[each.start : each.end] for each in unbacked(text)]


PASSING_AND_NEAREST = {
    "an index": ("The S&P 500 closed.", "The S&P 5,300 closed.", "5,300"),
    "another index": ("The Nikkei 225 closed.", "The Nikkei closed at 38,900.", "38,900"),
    "a bond": ("JP10Y was steady.", "JP 10.5 was steady.", "10.5"),
    "a group": ("The G10 and the G-7 met.", "The G10 lost 10 %.", "10 %"),
    "money": ("M2 and M-2 grew.", "M2 grew by 2.", "2"),
    "settlement": ("It settles at T+2.", "It settles at 157.2.", "157.2"),
    "an illness": ("Since COVID-19 it drifted.", "Since COVID it lost 19 %.", "19 %"),
    "a release": ("H.10 has it.", "H.10 has 157.10.", "157.10"),
    "day and month": ("It met on 30 October.", "It fell on 30 October to 150.1.", "150.1"),
    "month and day": ("It met on Oct 30.", "It met in Oct 30.5.", "30.5"),
    "month before a unit": ("It cut in May.", "In May 25 bp were cut.", "25 bp"),
    "a full date": ("It met on 30 Oct 2026.", "It met on 30 Oct 2,026.", "2,026"),
    "an ISO date": ("Fixed on 2026-10-30.", "Fixed at 2026.30.", "2026.30"),
    "a range of days": ("It met on 28-29 October.", "It lost 28-29 %.", "28"),
    "a year": ("It broke in 2015.", "In 2015 it fell 12 %.", "12 %"),
    "a year that is a level": ("Since 2015 it rose.", "Gold rose to 2015 then.", "2015"),
    "a crisis": ("The 2008 crisis was worse.", "It was at 2008 then.", "2008"),
    "a season": ("The 2024-25 cycle ended.", "It traded at 2024.25.", "2024.25"),
    "a decade": ("In the 1990s it rose.", "In the 150s it rose.", "150"),
    "a numbered line": ("1. The yen fell.", "It fell 1.2 then.", "1.2"),
    "a window": ("It is near its 52-week high.", "Its 52-week high is 160.17.", "160.17"),
    "an average": ("Above its 200-day average.", "A 200-day average of 148.20.", "148.20"),
    "a tenor": ("A 10-year yield fell.", "A 10-year yield of 4.25 %.", "4.25 %"),
    "a span of a level": ("It is at the low of the 52 weeks of it.", "5 days of gains.", "5"),
    "one of a kind": ("The day was one of a weak dollar.", "It lost one dollar.", "one dollar"),
    "a first sign": ("A first sign that the gains end.", "Its first rate cut.", "first rate cut"),
    "months": ("A 3-month high.", "A 3-month gain of 3 %.", "3 %"),
    "a time": ("It fixed at 14:00.", "It fixed at 14.05.", "14.05"),
    "an hour": ("It fixed at 2 pm.", "It fixed at 2 pm at 157.30.", "157.30"),
    "a quarter": ("In Q3 it grew.", "Q3 growth of 2.1 %.", "2.1 %"),
    "an ISO week": ("In 2026-W44 it rose.", "In 2026-W44 it rose 44 %.", "44 %"),
    "a fiscal year": ("FY2026 ends in March.", "FY2026 debt of 2.5 trillion.", "2.5 trillion"),
    "an article": ("Article 5 and Section 13 say so.", "Article 5 sets 5.5 %.", "5.5 %"),
    "no money": ("Japan intervened.", "Japan spent 5 trillion yen.", "5 trillion"),
    "no words": ("It rose a little.", "It rose three percent.", "three percent"),
    "a point": ("At one point it rose.", "It cut a quarter point.", "quarter point"),
    "a point of view": ("Up to a point it rose.", "It cut by half a point.", "half a point"),
    "a fraction": ("It is in the third quarter.", "It lost a third of it.", "a third of"),
    "a quarter before a currency": (
        "In that weak quarter yen longs paid.",
        "It lost another quarter yen.",
        "another quarter yen",
    ),
    "a quarter of a year": (
        "Over the quarter the yen rose.",
        "It lost a quarter yen.",
        "quarter yen",
    ),
    "a half": ("In the second half it rose.", "It gave up half of the gain.", "half"),
    "a count of banks": ("Both central banks cut.", "Three central banks cut.", "Three"),
    "a streak": ("It rose for days.", "It rose for five straight days.", "five straight"),
    "the euro area": ("One euro area member cut.", "One euro was lost.", "One euro"),
    "a multiple": ("It rose, and rose.", "It doubled.", "doubled"),
    "an ordinal": ("In the first quarter it cut.", "It is the first cut.", "first cut"),
    "a part": ("An eighth note was struck.", "It lost an eighth of a point.", "an eighth of"),
    "a part as a step": ("By a third party.", "It rose by a third.", "by a third"),
    "one point": ("It made a basic point.", "It cut by a percentage point.", "a percentage point"),
    "a kind of multiple": ("The triple mandate holds.", "It was a triple cut.", "triple cut"),
    "a multiple to come": ("It asked to double-check.", "It could double.", "could double"),
    "nothing": ("It has no rate.", "Rates are near nil.", "nil"),
    "a numbered year": ("In year 1 of the plan it fell.", "This year 12 banks cut.", "12"),
    "a numbered week": ("It fell in week 12.", "This week 12 banks cut.", "12"),
    "a proportion": ("It fixed at 14:00.", "They split 60:40.", "60:40"),
    "a rank": ("The second bank decided.", "Its second-highest level.", "second-highest"),
    "one event": ("One day it rose.", "One more cut came.", "One more cut"),
    "one of them": ("Which one holds is open.", "One dissent was heard.", "One dissent"),
    "a superlative": (
        "Its highest level fell.",
        "Its highest level since May.",
        "highest level since",
    ),
    "a span of days": ("It has risen since May.", "At its weakest since 2022.", "weakest since"),
    "a level among tens": ("In the 80s it rose.", "It is in the low 80s.", "80"),
    "a year that was reached": ("It broke in 1950.", "Gold hit 1950.", "1950"),
    "an address": ("See https://example.org/157.25", "See example 157.25", "157.25"),
    "a share after an address": ("See https://x.org/4.16", "Up by https://x.org/4.16%", "4.16%"),
    "a table": ("See Table 12 and Rule 10b-5(c).", "See Table 157.25 for it.", "157.25"),
    "a name of a series": ("IR_POLICY_RATE rose.", "It gained XX_4_16 then.", "16"),
}


@pytest.mark.parametrize("case", PASSING_AND_NEAREST)
def test_what_is_no_figure_passes(case: str) -> None:
    text, _, _ = PASSING_AND_NEAREST[case]
    assert found(text) == []


@pytest.mark.parametrize("case", PASSING_AND_NEAREST)
def test_the_nearest_figure_is_found(case: str) -> None:
    _, text, figure = PASSING_AND_NEAREST[case]
    assert any(figure in each for each in found(text)), found(text)


@pytest.mark.parametrize(
    "invented",
    [
        "Four fifths of the rise came on Friday alone.",
        "Roughly half of the euro's gain was matched by the yen.",
        "It cut for the fifth meeting in a row.",
        "It was the seventh cut of this cycle.",
        "It was expected by all 21 economists in a poll.",
        "It moved by half a US cent.",
        "The rate was raised by a quarter of a percentage point.",
        "It fell two yen.",
        "Exports rose twofold, and twice as fast as imports.",
        "It has risen three times.",
        "The loss was ½ %.",
        "Reserves stand at ３ trillion.",
        "It was its lowest fixing in a decade.",
        "It was the weakest in ten years.",
        "It is at its highest in more than five years.",
        "It was the sharpest weekly fall in the past two years.",
        "Inflation is the lowest in years.",
        "The fixing was the highest of the past ten years.",
        "It is the strongest level for two years.",
        "It was the weakest fixing over the last decade.",
    ],
)
def test_what_models_have_invented_is_found(invented: str) -> None:
    assert found(invented)


@pytest.mark.parametrize(
    "clean",
    [
        "It was the highest fixing of the week, and the largest move of the past quarter.",
        "USD/SGD fell [[USD/JPY:move|size]], while the dollar rose against the rupee.",
        "The Riksbank decides a day after the Federal Reserve.",
        "No decision of the Federal Reserve or the Swiss National Bank fell into the week.",
        "By late 2027 the committee expects to be done.",
        "One of the members dissented, the first of April being near.",
        "It rose above its 200-day average on Thursday, 29 October.",
        "Friday's fixing was the lowest in more than twelve months.",
        "It was the largest move in the week, and the highest fixing of the year.",
        "The strongest in the group fell least.",
    ],
)
def test_clean_sentences_pass(clean: str) -> None:
    assert found(clean) == []


def test_a_figure_is_named_with_the_reference_that_prints_it() -> None:
    (rejected,) = rejected_figures("It ended at 157.25.", CLAIMS, place="event 1")
    assert (rejected.place, rejected.written) == ("event 1", "157.25")
    assert "[[USD/JPY:last]] prints 157.25" in rejected.reason


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("It moved by 25 bp.", ["US:decision_change"]),
        ("Its rate is about 4.4 %.", ["US:policy_rate"]),
        ("It moved by 4 bp.", ["US:policy_rate"]),
        ("It moved by 75 bp.", []),
        ("It is at 7.", []),
        ("It is at its highest since May.", ["USD/JPY:highest_since"]),
    ],
)
def test_with_a_figure_go_the_claims_that_say_it_and_no_others(
    written: str, named: list[str]
) -> None:
    """As far as its digits go: a day is no number, and since when is what a claim of it says."""
    told = (
        claim("US", Metric.POLICY_RATE, "4.375", Unit.PERCENT_A_YEAR),
        claim("US", Metric.DECISION_CHANGE, "-25", Unit.BASIS_POINTS),
        claim("US", Metric.NEXT_DECISION, "20250507", Unit.CALENDAR_DAY),
        claim("USD/JPY", Metric.HIGHEST_SINCE, "20250525", Unit.CALENDAR_DAY),
    )
    (rejected,) = rejected_figures(written, {each.claim_id: each for each in told})
    assert re.findall(r"\[\[([^\]@]+)(?:@[\d-]+)?\]\]", rejected.reason) == named


def test_of_a_figure_that_no_claim_prints_those_that_the_text_is_about_are_named() -> None:
    (rejected,) = rejected_figures(
        "It gave up half of the gain.", CLAIMS, rests_on=(MOVE.claim_id,)
    )
    assert "[[USD/JPY:move]] prints -1.20 %" in rejected.reason


def test_an_unknown_reference_is_named_with_the_nearest() -> None:
    (rejected,) = rejected_figures("It is at [[USD/JPY:lst]].", CLAIMS)
    assert "the nearest are [[USD/JPY:last]]" in rejected.reason


def test_a_figure_of_the_question_is_printed_as_that() -> None:
    asked = asked_in("Has USD/JPY fixed above 160, or by 2.5 %, since 30 October 2026?")
    assert asked == {"asked:160": "160 (as asked)", "asked:2.5 %": "2.5 % (as asked)"}
    (why,) = rejected_figures("It is below 160.", CLAIMS, others=asked)
    assert "If only the question has it, write [[asked:160]]" in why.reason
    assert rejected_figures("It is below [[asked:160]].", CLAIMS, others=asked) == ()
    assert rejected_figures("It is below [[asked:170]].", CLAIMS, others=asked)


def test_other_things_may_be_referred_to_where_they_are_known() -> None:
    assert rejected_figures("It says [[q1]].", CLAIMS, others=("q1",)) == ()
    assert rejected_figures("It says [[q1]].", CLAIMS)


def test_only_the_sentences_with_rejected_figures_go() -> None:
    text = "It was calm. It ended at 9.99. So it [[USD/JPY:move|moved]]."
    assert (
        without(text, rejected_figures(text, CLAIMS))
        == "It was calm. So it [[USD/JPY:move|moved]]."
    )
    assert without("It was calm.", ()) == "It was calm."


WORDS = st.lists(st.text(string.ascii_lowercase, min_size=1, max_size=9), max_size=30)
NUMBERISH = re.compile(
    r"one|two|three|four|five|six|seven|eight|nine|ten|ele|twe|thir|half|quart|third|fif|dozen"
    r"|hundred|thousand|illion|doubl|tripl|trebl|quadr|quint|halv|fold|twice|thrice|first|second"
    r"|zero|nil|nought|since|several|couple|umpteenth|ninth"
)


@given(WORDS)
def test_words_without_numbers_pass(words: list[str]) -> None:
    text = " ".join(word for word in words if not NUMBERISH.search(word))
    assert unbacked(text) == ()


@given(WORDS, st.integers(0, 10**6), st.integers(0, 9))
def test_a_decimal_anywhere_is_found(words: list[str], whole: int, tenth: int) -> None:
    assert unbacked(f"{' '.join(words)} was {whole}.{tenth} and so on")


@given(st.text(max_size=300))
def test_any_text_is_read_and_what_is_left_of_it_holds_nothing(text: str) -> None:
    rejected = rejected_figures(text, CLAIMS)
    assert all(each.written and each.sentence is not None for each in rejected)
    left = without(text, rejected)
    assert len(split_sentences(left)) <= len(split_sentences(text))


@pytest.mark.parametrize("piece", ["one two ", "a half of ", "2026-", "1 ", "[[", "three or four "])
def test_a_long_text_is_read_in_bounded_time(piece: str) -> None:
    # A pattern that goes back over what it has read would take many seconds for this, or minutes.
    began = process_time()
    unbacked(piece * (4_000 // len(piece)))
    assert process_time() - began < LONGEST_READING


def test_a_number_of_ever_so_many_words_is_found() -> None:
    *_, last = found(f"It moved by {'half and ' * 40}one percent in a week.")
    assert last.endswith("half and one percent")


def test_a_reference_is_no_figure_whatever_it_holds() -> None:
    assert unbacked("[[JP:decision_change@2026-10-30]] and [[USD/JPY:move|about]]") == ()


def test_it_is_a_claim_that_is_named_in_a_form_that_fits() -> None:
    change: Claim = claim("JP", Metric.DECISION_CHANGE, "25", Unit.BASIS_POINTS)
    known = {change.claim_id: change}
    assert rejected_figures("It [[JP:decision_change|moved]].", known) == ()
    (wrong,) = rejected_figures("It cut by [[JP:decision_change]].", known)
    assert "goes the other way: it is +25 bp" in wrong.reason
