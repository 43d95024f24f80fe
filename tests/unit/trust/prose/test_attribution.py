"""Attribution: whose figure a sentence says it prints, and whose it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.names.central_banks import CENTRAL_BANKS
from desk.analytics.names.currencies import currency_name
from desk.analytics.names.markets import AREAS, DOLLAR
from desk.contracts.findings.claims import Metric, Unit
from desk.documents.rendering.words.prose import Known, printable_prose
from desk.trust.prose import Form, printed, rejected_figures
from tests.support.builders import claim

PAIRS = (
    *("USD/JPY", "AUD/USD", "NZD/USD", "USD/KRW", "USD/CHF", "EUR/USD", "EUR/JPY", "USD/SEK"),
    "GBP/USD",
)
BANKS = ("JP", "US", "NO", "SE", "CH", "GB")
CLAIMS = {
    each.claim_id: each
    for each in (
        *(claim(pair, Metric.LAST, "9.8006") for pair in PAIRS),
        *(claim(pair, Metric.MOVE, "1.20", Unit.PERCENT) for pair in PAIRS),
        *(claim(pair, Metric.DIFFERENTIAL, "200", Unit.BASIS_POINTS) for pair in PAIRS),
        *(claim(bank, Metric.POLICY_RATE, "2.25", Unit.PERCENT_A_YEAR) for bank in BANKS),
        *(claim(bank, Metric.DIFFERENTIAL, "-75", Unit.BASIS_POINTS) for bank in BANKS),
        claim("WEEK", Metric.DOLLAR_FELL, "7", Unit.COUNT),
    )
}


def reasons(prose: str) -> list[str]:
    return [each.reason for each in rejected_figures(prose, CLAIMS)]


@pytest.mark.parametrize(
    "prose",
    [
        "The yen ended the week at [[AUD/USD:last]].",
        "The yen closed at [[AUD/USD:last]] and the Australian dollar at [[USD/JPY:last]].",
        "The yen and the won closed at [[USD/KRW:last]] and [[USD/JPY:last]].",
        "Levels were [[USD/KRW:last]] for the yen and [[USD/JPY:last]] for the won.",
        "[[USD/KRW:last]] was the yen's close.",
        "The yen closed at [[USD/JPY:last]] (USD/KRW).",
        "The yen had a bad week. It closed at [[AUD/USD:last]].",
        "The yen had a bad week:\n\n- closed at [[AUD/USD:last]]",
        "The yen stood against the dollar at [[AUD/USD:last]].",
        "The yen fell more than the won, by [[USD/KRW:move]].",
        "The yen fell against the euro to [[USD/JPY:last]].",
        "The yen fell [[USD/JPY:move]] against the euro.",
        "The euro closed at [[EUR/JPY:last]].",
        "The Brazilian real closed at [[USD/KRW:last]].",
        "China's currency closed at [[USD/JPY:last]].",
        "Dollar-yen closed at [[USD/KRW:last]].",
        "It left EUR/JPY at [[USD/JPY:last]].",
        "EUR/CHF fell by [[USD/CHF:move]].",
        "The kiwi fell [[USD/CHF:move]].",
        "[[USD/CHF:move|CHF]], to [[USD/SEK:last]].",
        "The euro's carry is [[USD/JPY:differential|size]].",
        "The Bank of Japan's rate stands [[USD/JPY:differential|moved]] the Fed's.",
        "While the Bank of Japan held, the Fed's rate stood at [[JP:policy_rate]].",
        "Tokyo's policy rate is [[US:policy_rate]].",
        "Gilts pay more than the policy rate of [[US:policy_rate]].",
        "The yen [[WEEK:dollar_fell]].",
    ],
)
def test_a_figure_of_something_else_is_refused(prose: str) -> None:
    assert any("and the text says it of" in why for why in reasons(prose))


@pytest.mark.parametrize(
    "prose",
    [
        "The yen ended the week at [[USD/JPY:last]].",
        "The yen closed at [[USD/JPY:last]] and the Australian dollar at [[AUD/USD:last]].",
        "The yen and the won closed at [[USD/JPY:last]] and [[USD/KRW:last]].",
        "[[USD/JPY:last]] was the yen's close, and the won's was [[USD/KRW:last]].",
        "The Australian and New Zealand dollars closed at [[AUD/USD:last]] and [[NZD/USD:last]].",
        "The antipodeans closed at [[AUD/USD:last]] and [[NZD/USD:last]].",
        "The pair closed at [[USD/JPY:last]], and the dollar rose [[USD/JPY:move]].",
        "With the dollar it is [[USD/JPY:move]] (USD/JPY) to [[USD/KRW:move]] (USD/KRW).",
        "The yen fell more than the won, by [[USD/JPY:move]].",
        "The yen fell against the euro to [[EUR/JPY:last]].",
        "The dollar rose against the franc ([[USD/CHF:move]]) and the yen ([[USD/JPY:move]]).",
        "The Australian dollar weakened with Chinese demand, to [[AUD/USD:last]].",
        "EUR/CHF held as USD/CHF rose [[USD/CHF:move]].",
        "The dollar gained against the krona, where USD/SEK rose [[USD/SEK:move]]; it lost against"
        " the won.",
        "The Bank of Japan pays [[JP:policy_rate]], against the Fed's midpoint of"
        " [[US:policy_rate]].",
        "- **Yen:** [[USD/JPY:last]]\n- **Won:** [[USD/KRW:last]]",
        "NZD/USD pays [[US:policy_rate]].",
        "[[USD/CHF:move|CHF]], to [[USD/CHF:last]].",
        "While the Bank of Japan held, the Fed's rate stood at [[US:policy_rate]].",
        "Norges Bank pays more than the Riksbank ([[SE:policy_rate]]).",
        "The euro bought [[EUR/USD:last]] dollars.",
        "The krona, unlike the krone, closed at [[USD/SEK:last]].",
        "Norges Bank and the Riksbank held. Their rates are [[NO:policy_rate]] and"
        " [[SE:policy_rate]].",
        "| Norges Bank | [[NO:policy_rate]] |\n| Riksbank | [[SE:policy_rate]] |",
        "The Fed's rate stands [[USD/JPY:differential|moved]] the Bank of Japan's.",
        "The Riksbank's rate stands [[SE:differential|moved]] the Fed's.",
        "The dollar [[WEEK:dollar_fell]].",
        "It was calm, and the rate stayed at [[US:policy_rate]].",
        "Sterling won back [[GBP/USD:move]].",
        "Italy and Spain aside, a move of [[GBP/USD:move]] stood out.",
        "Yen won the week, by [[USD/JPY:move]].",
        "Kiwi, won over by yields, rose [[NZD/USD:move]].",
        "The euro – real rates aside – moved [[EUR/USD:move]].",
        "As euro real rates fell, it moved [[EUR/USD:move]].",
        "As the krona and real yields rose, it moved [[USD/SEK:move]].",
        "The krona fell in real-dollar terms, by [[USD/SEK:move]].",
        "Dollar/won moved [[USD/KRW:move]], and dollar-yen moved [[USD/JPY:move]].",
    ],
)
def test_a_figure_of_what_the_sentence_names_is_not_refused(prose: str) -> None:
    assert reasons(prose) == []


@pytest.mark.parametrize(
    "prose",
    [
        "Levels were [[USD/JPY:last|named]] for the yen and [[USD/KRW:last|named]] for the won.",
        "The Fed's [[US:policy_rate]] compares with [[JP:policy_rate|named]].",
        "It closed at [[USD/JPY:last|named]], and EUR/JPY at [[EUR/JPY:last]].",
    ],
)
def test_a_figure_that_prints_its_name_fits_anywhere(prose: str) -> None:
    assert reasons(prose) == []
    assert reasons(prose.replace("|named", "")) != []


def test_the_reason_says_how_to_print_the_figure_with_its_name() -> None:
    (why,) = reasons("The yen ended the week at [[AUD/USD:last]].")
    assert why == (
        "it is of AUD/USD, and the text says it of yen: name AUD/USD last before it, or write"
        " [[AUD/USD:last|named]], which prints 9.8006 (AUD/USD)"
    )
    assert reasons("The yen ended the week at [[AUD/USD:last|named]].") == []
    rate = CLAIMS["JP:policy_rate"]
    assert printed(rate, Form.NAMED) == "2.25 % (Bank of Japan)"
    assert reasons("The dollar [[WEEK:dollar_fell|named]].") == [
        "it has no pair or bank to name: leave |named out"
    ]


CODES = sorted({*AREAS} - {DOLLAR})


@given(st.sampled_from(CODES), st.sampled_from(CODES))
def test_only_a_currencys_own_level_is_printed_as_its_level(named: str, other: str) -> None:
    level = claim(f"{other}/USD", Metric.LAST, "9.8006")
    prose = f"The {currency_name(named)} closed at [[{level.claim_id}]]."
    assert bool(rejected_figures(prose, {level.claim_id: level})) is (named != other)


@given(st.sampled_from(sorted(CENTRAL_BANKS)), st.sampled_from(sorted(CENTRAL_BANKS)))
def test_only_a_banks_own_rate_is_printed_as_its_rate(named: str, other: str) -> None:
    rate = claim(other, Metric.POLICY_RATE, "2.25", Unit.PERCENT_A_YEAR)
    prose = f"The rate of the {CENTRAL_BANKS[named].name} is [[{rate.claim_id}]]."
    assert bool(rejected_figures(prose, {rate.claim_id: rate})) is (named != other)


@pytest.mark.parametrize(
    "prose",
    [
        "The two policy rates are [[JP:policy_rate]] and [[US:policy_rate]].",
        "The gap between the two policy rates is [[USD/JPY:differential|size]].",
        "Norges Bank and the Riksbank held. The two banks decide again in December.",
        "Of the yen and the won, the yen is the worse of the two.",
        "All three rose: USD/JPY [[USD/JPY:move|moved]], USD/KRW [[USD/KRW:move|moved]] and"
        " USD/SEK [[USD/SEK:move|moved]].",
    ],
)
def test_a_count_of_what_the_sentence_names_is_no_figure(prose: str) -> None:
    assert reasons(prose) == []


@pytest.mark.parametrize(
    "prose",
    [
        "Norges Bank and the Riksbank held: two banks are done.",
        "Norges Bank and the Riksbank held, and the three banks decide again.",
        "Norges Bank and the Riksbank made the two cuts of the year.",
        "It is the worse of the two.",
        "The yen and the won lost the two percent again.",
        "All four rose: USD/JPY [[USD/JPY:move|moved]], USD/KRW [[USD/KRW:move|moved]] and"
        " USD/SEK [[USD/SEK:move|moved]].",
    ],
)
def test_any_other_count_is_a_figure(prose: str) -> None:
    (why,) = reasons(prose)
    assert "a number in words" in why


def test_what_follows_a_sentence_that_was_left_out_is_read_again() -> None:
    prose = "The won rose. The yen fell 2 %. It closed at [[USD/JPY:last]]. It was calm."
    assert len(reasons(prose)) == 1
    left = printable_prose(prose, Known(CLAIMS, {}), "summary")
    assert left.prose == "The won rose. It was calm."
    assert len(left.dropped) == 2


def test_a_text_is_held_to_the_rules_that_it_was_written_by() -> None:
    earlier = "The yen ended the week at [[AUD/USD:last]]."
    assert rejected_figures(earlier, CLAIMS)
    assert rejected_figures(earlier, CLAIMS, rules=0) == ()
