"""The figure gate: what is no figure passes, what states a claim becomes it, the rest is named."""

import re
import time
from collections.abc import Mapping
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.claims import Claim, Metric, Unit
from domain.figure_gate import drop_sentences, read_prose
from domain.figures import print_claim
from domain.prose import REFERENCE, render
from domain.sentences import split_sentences
from tests.support.builders import claim
from tests.support.wires import CLAIMS, INVENTED, TRUE

LAST = claim("USD/JPY", Metric.LAST, "157.25")
MOVE = claim("USD/JPY", Metric.MOVE, "-1.20", Unit.PERCENT)
CHANGE = claim("JP", Metric.DECISION_CHANGE, "25", Unit.BASIS_POINTS, dated=True)
RATE = claim("JP", Metric.POLICY_RATE, "0.50", Unit.PERCENT_A_YEAR)
STREAK = claim("USD/JPY", Metric.STREAK, "-5", Unit.DAYS)
SCORE = claim("USD/JPY", Metric.Z_SCORE, "2.1", Unit.STANDARD_DEVIATIONS)


def known(*claims: Claim) -> dict[str, Claim]:
    return {c.claim_id: c for c in claims}


def rejected(text: str, claims: Mapping[str, Claim] | None = None) -> list[str]:
    return [figure.written for figure in read_prose(text, claims or {}).rejected]


def bound(text: str, *claims: Claim) -> str:
    read = read_prose(text, known(*claims))
    assert read.rejected == ()
    return read.prose


PASSING_AND_NEAREST = {
    "an index": ("The S&P 500 closed.", "The S&P 5,300 closed.", "5,300"),
    "another index": ("The Nikkei 225 closed.", "The Nikkei closed at 38,900.", "38,900"),
    "a tenor": ("EUR/USD 1M forwards were quiet.", "EUR/USD 1.08 forwards were quiet.", "1.08"),
    "a bond": ("JP10Y was steady.", "JP 10.5 was steady.", "10.5"),
    "a series": ("The series CBPOL holds it.", "The series holds 4.35.", "4.35"),
    "a standard": ("By ISO 4217 it is JPY.", "By ISO it is 42.17.", "42.17"),
    "a group": ("The G10 met.", "The G10 lost 10 %.", "10 %"),
    "settlement": ("It settles at T+2.", "It settles at 157.2.", "157.2"),
    "an illness": ("Since COVID-19 it drifted.", "Since COVID it lost 19 %.", "19 %"),
    "a release": ("H.10 has it.", "H.10 has 157.10.", "157.10"),
    "day and month": ("It met on 30 October.", "It fell on 30 October to 150.1.", "150.1"),
    "month and day": ("It met on Oct 30.", "It met in Oct 30.5.", "30.5"),
    "month before a unit": ("It cut in May.", "In May 25 bp were cut.", "25 bp"),
    "a full date": ("It met on 30 Oct 2026.", "It met on 30 Oct 2,026.", "2,026"),
    "an ISO date": ("Fixed on 2026-10-30.", "Fixed at 2026.30.", "2026.30"),
    "a short date": ("It meets on 10/30.", "It lost 10/30 %.", "30 %"),
    "a range of days": ("It met on 28-29 October.", "It lost 28-29 %.", "28"),
    "a year": ("It broke in 2015.", "In 2015 it fell 12 %.", "12 %"),
    "a year that is a level": ("Since 2015 it rose.", "Gold rose to 2015 then.", "2015"),
    "a crisis": ("The 2008 crisis was worse.", "It was at 2008 then.", "2008"),
    "a season": ("The 2024-25 cycle ended.", "It traded at 2024.25.", "2024.25"),
    "a decade": ("In the 1990s it rose.", "In the 150s it rose.", "150"),
    "a numbered line": ("1. The yen fell.", "It fell 1.2 then.", "1.2"),
    "a bracketed marker": ("2) The yen fell.", "It closed at 2) the yen.", "2"),
    "markers within": ("Two risks: (1) rates; (2) oil.", "It rose (3) on the week.", "3"),
    "a lettered marker": ("See a1 above.", "See a157.25 above.", "157.25"),
    "a window": ("It is near its 52-week high.", "Its 52-week high is 160.17.", "160.17"),
    "an average": ("Above its 200-day average.", "A 200-day average of 148.20.", "148.20"),
    "weeks": (
        "Against the 52 weeks before it is calm.",
        "It rose for 5 weeks in a row.",
        "5 weeks",
    ),
    "days": ("It fixed 14 days before.", "It has risen for 9 days in a row.", "9 days"),
    "a streak": ("A 5-day window.", "A 5-day winning streak.", "5-day"),
    "months": ("A 3-month high.", "A 3-month gain of 3 %.", "3 %"),
    "a yield's term": ("A 10-year yield fell.", "A 10-year yield of 4.25 %.", "4.25 %"),
    "a repo's term": ("The 1-day repo rate.", "A repo rate of 1.75 %.", "1.75 %"),
    "a trigger above": (
        "Officials may act above 150.",
        "It rose above 150.32 on Friday.",
        "150.32",
    ),
    "a bare trigger": ("above 150", "closed above 150.32", "150.32"),
    "a break": ("A break of 7.85 is a risk.", "It broke 7.8512 on Friday.", "7.8512"),
    "a trigger below": ("below 1.05 would hurt", "It fell below 1.05 on Friday.", "1.05"),
    "a condition": ("if it falls through 1,300", "It fell through 1,300.", "1,300"),
    "a far condition": (
        "USD/JPY rose, and a break above 160 would draw officials in.",
        "It is unclear if officials care, but USD/JPY rose above 160.32.",
        "160.32",
    ),
    "a state": ("Stops cluster above 150.", "USD/JPY is trading above 150.32.", "150.32"),
    "a quantity": ("A move over 160 matters.", "Payrolls showed over 300,000 jobs.", "300,000"),
    "confidence": ("With confidence 0.85 it holds.", "Consumer confidence 98.4 held.", "98.4"),
    "percent confident": ("We are 85 % confident.", "It is 85 % higher.", "85 %"),
    "a time": ("It fixed at 14:00.", "It fixed at 14.05.", "14.05"),
    "an hour": ("It fixed at 2 pm.", "It fixed at 2 pm at 157.30.", "157.30"),
    "a zone": ("It fixed at 08:30 GMT.", "It fixed at 8.30.", "8.30"),
    "sources": ("3 sources agree.", "3 sources put it at 1.08.", "1.08"),
    "markets": ("In two of 38 markets it rose.", "It rose 38 in two markets.", "38"),
    "members": ("4 of 9 members dissented.", "4.9 members dissented.", "4.9"),
    "weeks of weeks": ("Only 3 of 52 weeks were calm.", "Only 3 of 52 weeks saw 2 %.", "2 %"),
    "a vote": ("It was an 8-1 vote.", "It was an 8-1 vote for 0.75 %.", "0.75 %"),
    "a vote at the end": ("It held by 7-2.", "It held 4.75 % by 7-2.", "4.75 %"),
    "an ordinal": ("Its 3rd cut, and 2nd consecutive.", "Its 3rd cut, of 30 bp.", "30 bp"),
    "a quarter": ("In Q3 it grew.", "Q3 growth of 2.1 %.", "2.1 %"),
    "a quarter's year": ("By 3Q26 it ends.", "By 3Q26 it is 4.5 %.", "4.5 %"),
    "an ISO week": ("In 2026-W44 it rose.", "In 2026-W44 it rose 44 %.", "44 %"),
    "a week": ("In W44 and week 44 it rose.", "In week 44.5 it rose.", "44.5"),
    "a half": ("H1 2026 was calm.", "H1 2026 saw 3.4 %.", "3.4 %"),
    "a fiscal year": ("FY2026 ends in March.", "FY2026 debt of 2.5 trillion.", "2.5 trillion"),
    "an article": ("Article 5 and Section 13 say so.", "Article 5 sets 5.5 %.", "5.5 %"),
    "a rule": ("Rule 10b-5 applies.", "The rule applies at 10.5.", "10.5"),
    "a version": ("By v2.1 of the code.", "By 2.1 of the code.", "2.1"),
    "a base": ("Quoted per 100 yen.", "Quoted for 157 yen.", "157"),
    "no money": ("Japan intervened.", "Japan spent 5 trillion yen.", "5 trillion"),
    "no words": ("It rose a little.", "It rose three percent.", "three percent"),
    "half a percent": ("It lost half its gain.", "It lost half a percent.", "half a percent"),
    "a point": ("At this point it rose.", "It cut a quarter point.", "a quarter point"),
    "an address": ("See https://example.org/2026/157.25", "See example 157.25", "157.25"),
    "a claim's name": (
        "JP:decision_change@2026-10-30: no source",
        "JP:2026.10 has none",
        "2026.10",
    ),
}


@pytest.mark.parametrize("case", PASSING_AND_NEAREST)
def test_what_is_no_figure_of_a_market_passes(case: str) -> None:
    text, _, _ = PASSING_AND_NEAREST[case]
    assert read_prose(text, CLAIMS) == (text, ())


@pytest.mark.parametrize("case", PASSING_AND_NEAREST)
def test_the_nearest_invented_figure_is_rejected(case: str) -> None:
    _, text, figure = PASSING_AND_NEAREST[case]
    assert figure in rejected(text)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("It closed at 157.25.", LAST),
        ("It closed at ¥157.25.", LAST),
        ("It closed at 157.25円.", LAST),
        ("It closed at １５７．２５.", LAST),
        ("It closed at 157.250.", LAST),
        ("It closed at 157.3.", LAST),
        ("It closed at 157.2.", LAST),
        ("It closed at about 157.", LAST),
        ("It closed at roughly ¥157.", LAST),
        ("USD/JPY fell 1.2 %.", MOVE),
        ("USD/JPY fell by 1.20%.", MOVE),
        ("USD/JPY ended 1.2 percent lower.", MOVE),
        ("A fall of 1.2 % in USD/JPY.", MOVE),
        ("The move in USD/JPY was −1.2 %.", MOVE),
        ("The move in USD/JPY was (1.2) %.", MOVE),
        ("The move in USD/JPY was minus 1.2 %.", MOVE),
        ("The move in USD/JPY was 1.2 %.", MOVE),
        ("The BoJ raised its rate by 25 bp.", CHANGE),
        ("The BoJ raised its rate by 25bps.", CHANGE),
        ("The BoJ raised its rate by 25 basis points.", CHANGE),
        ("The BoJ raised its rate by 0.25 %.", CHANGE),
        ("The BoJ raised its rate by 0.25 percentage points.", CHANGE),
        ("The BoJ raised its rate by a quarter point.", CHANGE),
        ("The BoJ raised its rate by a quarter of a percentage point.", CHANGE),
        ("The BoJ's 25-basis-point hike.", CHANGE),
        ("The BoJ's rate is 0.5 %.", RATE),
        ("The BoJ's rate is ½ %.", RATE),
        ("The BoJ's rate is half a percent.", RATE),
        ("USD/JPY has fallen for 5 days in a row.", STREAK),
        ("USD/JPY has fallen for five straight sessions.", STREAK),
        ("It was a 2.1-sigma week.", SCORE),
        ("The z-score is 2.1.", SCORE),
    ],
)
def test_a_figure_that_states_a_claim_becomes_its_reference(text: str, stated: Claim) -> None:
    assert f"[[{stated.claim_id}]]" in bound(text, stated)
    assert not re.search(r"\d", REFERENCE.sub("", bound(text, stated)))


@pytest.mark.parametrize(
    ("text", "claim_"),
    [
        ("It closed at 157.52.", LAST),
        ("It closed at 157.", LAST),
        ("It closed at 157.25 %.", LAST),
        ("It closed at about 158.", LAST),
        ("USD/JPY rose 1.2 %.", MOVE),
        ("The move in USD/JPY was +1.2 %.", MOVE),
        ("USD/JPY fell 1 %.", MOVE),
        ("USD/JPY fell 1.2.", MOVE),
        ("USD/JPY fell 1.2 bp.", MOVE),
        ("The BoJ cut its rate by 25 bp.", CHANGE),
        ("The BoJ raised its rate by 25 %.", CHANGE),
        ("The BoJ raised its rate by 0.25 bp.", CHANGE),
        ("The BoJ raised its rate by 20 bp.", CHANGE),
        ("The BoJ's rate is −0.5 %.", RATE),
        ("The BoJ's rate is 0.5.", RATE),
        ("The BoJ's rate rose 0.5 %.", RATE),
        ("The Fed's rate is 0.5 %.", RATE),
        ("EUR/USD closed at 157.25.", LAST),
        ("Inflation was 0.5 %.", RATE),
        ("The 10-year yield is 0.5 %.", RATE),
        ("USD/JPY has risen for 5 days in a row.", STREAK),
        ("USD/JPY has fallen for 4 days in a row.", STREAK),
        ("It was a 3.1-sigma week.", SCORE),
    ],
)
def test_a_figure_that_is_wrong_in_any_way_states_nothing(text: str, claim_: Claim) -> None:
    read = read_prose(text, known(claim_))
    assert len(read.rejected) == 1
    assert read.prose == text


def test_a_range_becomes_two_references_and_never_a_negative_number() -> None:
    low = claim("US", Metric.POLICY_RATE, "3.75", Unit.PERCENT_A_YEAR)
    high = claim("GB", Metric.POLICY_RATE, "4.00", Unit.PERCENT_A_YEAR)
    for text in ("Rates of 3.75-4.00 %.", "Rates between 3.75 % and 4.00 %."):
        prose = bound(text, low, high)
        assert "[[US:policy_rate]]" in prose
        assert "[[GB:policy_rate]]" in prose


def test_a_range_is_bound_whole_or_not_at_all() -> None:
    rate = claim("US", Metric.POLICY_RATE, "3.75", Unit.PERCENT_A_YEAR)
    read = read_prose("Rates of 3.50-3.75 %.", known(rate))
    assert read.prose == "Rates of 3.50-3.75 %."
    assert [figure.written for figure in read.rejected] == ["3.50"]


def test_claims_that_the_text_rests_on_go_first() -> None:
    yen = claim("USD/JPY", Metric.MOVE, "1.20", Unit.PERCENT)
    won = claim("USD/KRW", Metric.MOVE, "1.20", Unit.PERCENT)
    claims = known(yen, won)
    read = read_prose("It rose 1.2 %.", claims, rests_on=(won.claim_id,))
    assert read == ("It rose [[USD/KRW:move]].", ())
    assert read_prose("The yen's pair rose 1.2 %.", claims).prose.endswith("[[USD/JPY:move]].")


def test_a_figure_that_several_claims_state_is_rejected_with_their_names() -> None:
    yen = claim("USD/JPY", Metric.MOVE, "1.20", Unit.PERCENT)
    won = claim("USD/KRW", Metric.MOVE, "1.20", Unit.PERCENT)
    (figure,) = read_prose("It rose 1.2 %.", known(yen, won)).rejected
    assert "[[USD/JPY:move]]" in figure.reason
    assert "[[USD/KRW:move]]" in figure.reason


def test_two_decisions_of_one_rate_are_told_by_the_newest() -> None:
    old = claim("JP", Metric.DECISION_CHANGE, "25", Unit.BASIS_POINTS, day="2026-07-31", dated=True)
    assert bound("The BoJ raised by 25 bp.", old, CHANGE).endswith(f"[[{CHANGE.claim_id}]].")


def test_the_words_beside_a_figure_say_which_of_two_equal_ones_is_meant() -> None:
    high = claim("USD/JPY", Metric.WINDOW_HIGH, "157.25")
    assert bound("It closed at 157.25.", LAST, high) == "It closed at [[USD/JPY:last]]."
    assert bound("It made a high of 157.25.", LAST, high).endswith("[[USD/JPY:window_high]].")
    assert rejected("It saw 157.25.", known(LAST, high)) == ["157.25"]


def test_a_figure_near_a_claim_is_rejected_with_what_to_do() -> None:
    (figure,) = read_prose(
        "USD/JPY closed at 157.52. It rose.", known(LAST), place="event 1"
    ).rejected
    assert (figure.place, figure.written) == ("event 1", "157.52")
    assert figure.sentence == "USD/JPY closed at 157.52."
    assert "[[USD/JPY:last]] is 157.25" in figure.reason
    assert "leave it out" in figure.reason


def test_a_figure_in_a_reference_is_left_alone_be_it_known_or_not() -> None:
    text = "It is [[USD/JPY:last]] and [[JP:decision_rate@2020-01-01]] and [[157.25]]."
    assert read_prose(text, known(LAST)) == (text, ())


def test_references_never_push_a_text_beyond_its_bound() -> None:
    text = "It is 25 bp. " * 300
    read = read_prose(text, known(CHANGE))
    assert len(read.prose) <= 4_000
    assert "no room" in read.rejected[-1].reason
    assert len(read.rejected) + read.prose.count("[[") == 300


@pytest.mark.parametrize("text", TRUE)
def test_what_strategists_truly_write_passes(text: str) -> None:
    read = read_prose(text, CLAIMS)
    assert read.rejected == ()
    assert read_prose(read.prose, CLAIMS) == read
    assert render(read.prose, CLAIMS)


@pytest.mark.parametrize(("text", "figure"), INVENTED)
def test_what_was_invented_is_caught(text: str, figure: str) -> None:
    assert figure in rejected(text, CLAIMS)


def test_a_wrong_figure_beside_a_right_one_takes_the_sentence_with_it() -> None:
    text = "USD/JPY closed at 157.25. GDP rose 2.1 % and USD/JPY closed at 157.25. It was calm."
    read = read_prose(text, known(LAST))
    left = drop_sentences(read.prose, read.rejected)
    assert left == "USD/JPY closed at [[USD/JPY:last]]. It was calm."
    assert drop_sentences(text, read.rejected) == "USD/JPY closed at 157.25. It was calm."


@pytest.mark.parametrize(
    "text",
    [
        "The U.S. data rose to 1.0832 on Friday.",
        "No. 1 of the risks is at 157.25 already.",
        "Some pairs, e.g. USD/JPY, were calm.",
        "It is [[USD/JPY:last]]. [[USD/JPY:move]] came after.",
        "J. Powell of the Fed spoke at 2 p.m. New York time.",
        "1. The yen fell.",
        "It met on Oct. 30 in Tokyo.",
        "Is it over? It is.",
    ],
)
def test_sentences_joined_are_the_text_again(text: str) -> None:
    pieces = split_sentences(text)
    assert "".join(pieces) == text
    assert len(pieces) == (2 if "]]. [[" in text or "?" in text else 1)


def test_a_dropped_sentence_leaves_its_neighbours_whole() -> None:
    text = (
        "In the U.S. the Fed met, i.e. nothing new. It cut rates by 99 bp at No. 1 speed."
        " The rate is [[US:policy_rate]]. Calm followed."
    )
    read = read_prose(text, {})
    assert drop_sentences(read.prose, read.rejected) == (
        "In the U.S. the Fed met, i.e. nothing new. The rate is [[US:policy_rate]]. Calm followed."
    )


UNITS = {
    Metric.LAST: Unit.LEVEL,
    Metric.MOVE: Unit.PERCENT,
    Metric.RANGE_POSITION: Unit.PERCENT,
    Metric.POLICY_RATE: Unit.PERCENT_A_YEAR,
    Metric.DECISION_CHANGE: Unit.BASIS_POINTS,
    Metric.Z_SCORE: Unit.STANDARD_DEVIATIONS,
    Metric.STREAK: Unit.DAYS,
}
VALUES = st.decimals(-(10**7), 10**7, allow_nan=False, allow_infinity=False, places=2)
ANY_CLAIM = st.builds(
    lambda metric, value: claim("USD/JPY", metric, str(value), UNITS[metric]),
    st.sampled_from(sorted(UNITS)),
    VALUES,
)
SPOKEN = (
    "the yen fell as rates rose after Bank of Japan said policy may change soon, while USD/JPY"
    " stayed calm on Friday. It was quiet; nothing moved but oil. Traders at that point sold, and"
    " points of view differ"
)
PLAIN_WORDS = st.lists(st.sampled_from(SPOKEN.split()), max_size=40).map(" ".join)


LEVEL_WORDS = {
    Metric.WINDOW_HIGH: "high",
    Metric.WINDOW_LOW: "low",
    Metric.YEAR_HIGH: "52-week high",
    Metric.YEAR_LOW: "52-week low",
}


@given(ANY_CLAIM)
def test_any_printed_claim_is_bound_to_it(printed: Claim) -> None:
    text = f"USD/JPY: it was {print_claim(printed)}."
    if printed.unit is Unit.DAYS:
        text = f"USD/JPY: the same way for {print_claim(printed)} in a row."
    elif printed.metric in (Metric.RANGE_POSITION, Metric.BAND_POSITION, Metric.DIFFERENTIAL):
        text = f"USD/JPY: the gap, or the place in its range, was {print_claim(printed)}."
    elif printed.metric in LEVEL_WORDS:
        text = f"USD/JPY: its {LEVEL_WORDS[printed.metric]} was {print_claim(printed)}."
    read = read_prose(text, known(printed))
    assert read.rejected == ()
    assert f"[[{printed.claim_id}]]" in read.prose
    assert print_claim(printed) in render(read.prose, known(printed))


@given(PLAIN_WORDS)
def test_text_without_numbers_is_never_rejected(text: str) -> None:
    assert read_prose(text, CLAIMS) == (text, ())


@given(
    st.text(
        alphabet=st.characters(exclude_categories=("Nd", "Nl", "No", "Cs")), max_size=200
    ).filter(lambda text: not re.search("cent|point|illion|hundred|thousand|[%‰]", text, re.I))
)
def test_letters_of_any_script_are_never_rejected(text: str) -> None:
    assert read_prose(text, CLAIMS) == (text, ())


def away_from_every_claim(number: Decimal) -> Decimal:
    """The number, or the next one above it that no claim is within 1 of."""
    while any(abs(abs(claim.value) - number) <= 1 for claim in CLAIMS.values()):
        number += 3
    return number


@given(
    st.decimals("0.0001", 10**6, allow_nan=False, allow_infinity=False).map(away_from_every_claim),
    st.booleans(),
)
def test_a_number_in_no_claim_is_always_rejected(number: Decimal, grouped: bool) -> None:
    written = f"{number:,f}" if grouped else f"{number:f}"
    for subject in ("USD/JPY", "The pair", "Brent", "Australia's output"):
        assert rejected(f"{subject} was at {written}.", CLAIMS) == [written]


@given(st.lists(st.sampled_from((*TRUE, *(text for text, _ in INVENTED))), max_size=4))
def test_binding_twice_is_binding_once(texts: list[str]) -> None:
    read = read_prose(" ".join(texts), CLAIMS)
    again = read_prose(read.prose, CLAIMS)
    assert again.prose == read.prose
    assert [f.written for f in again.rejected] == [f.written for f in read.rejected]


@given(st.lists(st.sampled_from((*TRUE, *(text for text, _ in INVENTED))), max_size=4))
def test_without_the_rejected_sentences_nothing_is_rejected(texts: list[str]) -> None:
    read = read_prose(" ".join(texts), CLAIMS)
    left = drop_sentences(read.prose, read.rejected)
    assert read_prose(left, CLAIMS).rejected == ()


@given(st.text(max_size=300))
def test_the_gate_survives_any_text(text: str) -> None:
    read = read_prose(text, CLAIMS)
    drop_sentences(read.prose, read.rejected)
    assert "".join(split_sentences(text)) == text


HOSTILE = (
    "1" * 4_000, "1 " * 2_000, "1," * 2_000, "1,111" * 800, "1." * 2_000, "-" * 4_000,
    "1/2/" * 1_000, "[[" * 2_000, "[[a" * 1_333, "one " * 1_000, "hundred and " * 330,
    "above 1 " * 500, "1'" * 2_000, "\n" * 4_000, " " * 4_000, "a_" * 2_000, "Q1" * 2_000,
    "30 Oct " * 570, "fallen for 5 days " * 220, "U.S. " * 800, "voted by " * 440, "½" * 4_000,
    "1\u00a0" * 2_000, "held " * 400 + "by 1-2" * 300, "confidence " * 360, "http://" * 570,
    "if above 1 " * 360, "unclear if " * 360, "1 000 " * 660, "28, " * 1_000, "cut by fifty " * 300,
    "if inflation falls to 1 % " * 150, "one fifty " * 400, "USD/JPY > 1 " * 330, "50-, " * 800,
    "at one fifty-eight " * 200, "if a and b " * 350 + "falls to 3 %",
    "with USD/JPY above 1 " * 190, "between 9 and " * 280, "a break of 1 " * 300, "1/2 " * 1_000,
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
def test_hostile_text_costs_little_time(text: str) -> None:
    started = time.process_time()
    read_prose(text, CLAIMS)
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize(
    "sentence",
    [
        "The Bank of Japan raised its rate to 1.2 %.",
        "The Fed cut its rate to 1.2 %.",
        "Tax was cut by 1.2 %.",
        "Options imply 41.0 % volatility.",
        "The 52-week high was 157.25.",
        "The yen rose 1.2 %.",
        "The yuan rose 1.2 %.",
    ],
)
def test_a_figure_that_only_happens_to_equal_a_claim_is_not_bound_to_it(sentence: str) -> None:
    claims = known(
        claim("USD/JPY", Metric.MOVE, "1.20"),
        claim("USD/JPY", Metric.RANGE_POSITION, "41.0"),
        claim("USD/JPY", Metric.LAST, "157.25"),
        claim("USD/JPY", Metric.YEAR_HIGH, "163.91"),
    )
    read = read_prose(sentence, claims, rests_on=tuple(claims))
    assert "[[" not in read.prose
    assert len(read.rejected) == 1


@pytest.mark.parametrize("sentence", ["Trigger level: 150.", "The trigger is 150."])
def test_a_level_that_is_named_a_trigger_is_no_figure(sentence: str) -> None:
    assert read_prose(sentence, {}) == (sentence, ())
