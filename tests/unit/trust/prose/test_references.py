"""References: which form prints what, and which does not fit."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.figures import print_claim
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.trust.prose.reference_faults import faults
from desk.trust.prose.references import Form, UnknownReferenceError, printed, references, render
from tests.support.builders import claim

LAST = claim("USD/JPY", Metric.LAST, "9.8006")
FALL = claim("USD/CHF", Metric.MOVE, "-4.16", Unit.PERCENT)
RISE = claim("EUR/USD", Metric.MOVE, "1.27", Unit.PERCENT)
STILL = claim("USD/HKD", Metric.MOVE, "0.00", Unit.PERCENT)
BELOW = claim("USD/SEK", Metric.DIFFERENTIAL, "-187.5", Unit.BASIS_POINTS)
CUT = claim("NZ", Metric.DECISION_CHANGE, "-25", Unit.BASIS_POINTS)
RATE = claim("NZ", Metric.POLICY_RATE, "2.25", Unit.PERCENT_A_YEAR)
BEFORE = claim("USD/JPY", Metric.PREVIOUS, "9.9012", day="2026-10-23")
HIGH = claim("USD/JPY", Metric.WINDOW_HIGH, "9.9100")
LOW = claim("USD/JPY", Metric.YEAR_LOW, "9.1000")
STREAK = claim("USD/JPY", Metric.STREAK, "-5", Unit.DAYS)
POSITION = claim("USD/JPY", Metric.RANGE_POSITION, "92.1", Unit.PERCENT)
CLAIMS = {
    each.claim_id: each
    for each in (
        *(LAST, FALL, RISE, STILL, BELOW, CUT, RATE, STREAK, POSITION),
        *(BEFORE, HIGH, LOW),
    )
}


@pytest.mark.parametrize(
    ("prose", "text"),
    [
        ("It fell [[USD/CHF:move]].", "It fell 4.16 %."),
        ("It fell by [[USD/CHF:move]].", "It fell by 4.16 %."),
        ("The move was [[USD/CHF:move]].", "The move was -4.16 %."),
        ("As stocks gained it fell ([[USD/CHF:move]]).", "As stocks gained it fell (-4.16 %)."),
        ("It gained, then lost [[USD/CHF:move]].", "It gained, then lost 4.16 %."),
        (
            "The franc gained against it ([[USD/CHF:move]]).",
            "The franc gained against it (-4.16 %).",
        ),
        ("It fell over the week ([[USD/CHF:move]]).", "It fell over the week (-4.16 %)."),
        ("It [[USD/CHF:move|moved]].", "It fell 4.16 %."),
        ("It [[EUR/USD:move|moved]].", "It rose 1.27 %."),
        ("It [[USD/HKD:move|moved]].", "It was unchanged."),
        ("A fall of [[USD/CHF:move|size]].", "A fall of 4.16 %."),
        ("It moved [[USD/CHF:move|signed]].", "It moved -4.16 %."),
        ("It fell [[USD/CHF:move|about]].", "It fell about 4.2 %."),
        ("It is at [[USD/JPY:last|about]].", "It is at about 9.80."),
        ("It is [[USD/SEK:differential|moved]] the Fed's.", "It is 187.5 bp below the Fed's."),
        ("It is [[USD/SEK:differential|size]] lower.", "It is 187.5 bp lower."),
        ("It [[NZ:decision_change|moved]], to [[NZ:policy_rate]].", "It cut by 25 bp, to 2.25 %."),
        ("It cut its rate by [[NZ:decision_change]].", "It cut its rate by 25 bp."),
        ("It [[USD/JPY:streak|moved]].", "It fell for 5 days in a row."),
        ("It is up at [[USD/JPY:range_position]].", "It is up at 92.1 %."),
        ("Rates above [[NZ:policy_rate]].", "Rates above 2.25 %."),
        ("From [[USD/JPY:previous]] to [[USD/JPY:last]].", "From 9.9012 to 9.8006."),
        ("From a high of [[USD/JPY:window_high]] down.", "From a high of 9.9100 down."),
        ("Far from [[USD/JPY:last]], at [[USD/JPY:previous]].", "Far from 9.8006, at 9.9012."),
    ],
)
def test_a_reference_says_how_it_is_printed(prose: str, text: str) -> None:
    assert render(prose, CLAIMS) == text
    assert list(faults(prose, CLAIMS)) == []


@pytest.mark.parametrize(
    ("prose", "why"),
    [
        ("It rose [[USD/CHF:move]].", "the other way: it is -4.16 %"),
        ("It fell by [[EUR/USD:move]].", "the other way: it is +1.27 %"),
        ("It is up [[USD/CHF:move|size]].", "the other way"),
        ("It rose ([[USD/CHF:move]]).", "the other way"),
        ("USD/CHF rose sharply over the week ([[USD/CHF:move]]).", "the other way"),
        ("USD/CHF also gained ([[USD/CHF:move]]).", "the other way"),
        ("It fell [[USD/HKD:move]].", "the other way: it is 0.00 %"),
        ("It raised its rate by [[NZ:decision_change]].", "the other way: it is -25 bp"),
        ("It [[USD/JPY:last|moved]].", "a last does not move"),
        ("It [[USD/CHF:move|up]].", "there is no such form: the forms are |size"),
        ("It went from [[USD/JPY:last]] to [[USD/JPY:previous]].", "exchange the two"),
        ("A high of [[USD/JPY:year_low]] was seen.", "it is no high: it is a year_low"),
        ("Its low at [[USD/JPY:window_high|about]].", "it is no low: it is a window_high"),
    ],
)
def test_a_reference_that_does_not_fit_is_refused(prose: str, why: str) -> None:
    ((_, told),) = faults(prose, CLAIMS)
    assert why in told


@pytest.mark.parametrize("metric", [Metric.YEAR_HIGH, Metric.YEAR_LOW, Metric.PRIOR_HIGH])
def test_a_high_is_dated_only_where_its_claim_is_of_the_day_that_reached_it(metric: Metric) -> None:
    looked_up_to = claim("USD/JPY", metric, "9.9100")
    prose = f"It was at [[{looked_up_to.claim_id}]] on [[{looked_up_to.claim_id}|day]]."
    ((found, told),) = faults(prose, {looked_up_to.claim_id: looked_up_to})
    assert (found.form, told) == (Form.DAY, "when it was reached is not known: leave |day out")
    reached = looked_up_to.model_copy(update={"formula": "highest"})
    assert list(faults(prose, {reached.claim_id: reached})) == []


@pytest.mark.parametrize(
    ("prose", "text"),
    [
        (
            "[[USD/CHF:move|CHF]].",
            "The Swiss franc rose against the US dollar (USD/CHF -4.16 %).",
        ),
        (
            "Risk soured: [[USD/CHF:move|USD]].",
            "Risk soured: the US dollar fell 4.16 % against the Swiss franc.",
        ),
        ("[[EUR/USD:move|quote]].", "The US dollar fell against the euro (EUR/USD +1.27 %)."),
        ("[[USD/HKD:move|base]].", "The US dollar was unchanged against the Hong Kong dollar."),
    ],
)
def test_a_reference_says_which_currency_it_speaks_of(prose: str, text: str) -> None:
    assert render(prose, CLAIMS) == text
    assert list(faults(prose, CLAIMS)) == []


@pytest.mark.parametrize(
    "prose",
    [
        "The franc lost a little ground: USD/CHF [[USD/CHF:move|moved]].",
        "USD/CHF [[USD/CHF:move|moved]], and the Swiss franc has weakened.",
        "The dollar also rose, with USD/CHF at [[USD/CHF:last]] after [[USD/CHF:move|signed]].",
        "The euro fell; EUR/USD ended [[EUR/USD:move|signed]].",
    ],
)
def test_a_currencys_direction_is_held_to_the_move_that_the_sentence_refers_to(prose: str) -> None:
    claims = CLAIMS | {"USD/CHF:last": claim("USD/CHF", Metric.LAST, "0.8154")}
    ((found, told),) = faults(prose, claims)
    assert "it goes the other way" in told
    assert "the currency's verb" in told
    assert prose[found.start : found.end].split()[-1] in ("lost", "weakened", "rose", "fell")


@pytest.mark.parametrize(
    "prose",
    [
        "The franc gained: USD/CHF [[USD/CHF:move|moved]].",
        "The franc lost ground on Monday, but USD/CHF [[USD/CHF:move|moved]] over the week.",
        "The dollar slipped against the franc and fell on: USD/CHF [[USD/CHF:move|moved]].",
        "The dollar fell against the franc ([[USD/CHF:move]]) and the euro ([[EUR/USD:move]]).",
        "The franc lost ground.",
        "The euro area cut its rate, and EUR/USD [[EUR/USD:move|moved]].",
        "The Australian dollar rose as USD/CHF [[USD/CHF:move|moved]].",
    ],
)
def test_what_a_currency_did_rightly_or_on_a_day_or_elsewhere_stands(prose: str) -> None:
    assert list(faults(prose, CLAIMS)) == []


@pytest.mark.parametrize(
    "metric", [Metric.MACD_HISTOGRAM, Metric.RELATIVE_MOVE, Metric.DRAWDOWN, Metric.NET_MARGIN]
)
def test_a_percentage_that_is_no_move_has_no_verb(metric: Metric) -> None:
    held = claim("USD/CHF", metric, "-0.80", Unit.PERCENT)
    ((_, told),) = faults(f"It [[{held.claim_id}|moved]].", {held.claim_id: held})
    assert "does not move" in told


def test_a_count_leaves_out_the_whole_only_behind_another_of_the_same() -> None:
    fell, rose, asian = (
        claim(subject, metric, value, Unit.COUNT)
        for subject, metric, value in (
            ("WEEK", Metric.DOLLAR_FELL, "7"),
            ("WEEK", Metric.DOLLAR_ROSE, "6"),
            ("ASIA", Metric.DOLLAR_FELL, "3"),
        )
    )
    claims = {each.claim_id: each for each in (fell, rose, asian)}
    both = f"The dollar [[{fell.claim_id}]] and [[{rose.claim_id}|also]]."
    assert render(both, claims).endswith(" currencies and rose against 6.")
    assert list(faults(both, claims)) == []
    for wrong in (
        f"It [[{rose.claim_id}|also]].",
        f"It [[{asian.claim_id}]] and [[{rose.claim_id}|also]].",
    ):
        ((_, told),) = faults(wrong, claims)
        assert "no count of the same" in told


def test_names_are_told_without_their_forms() -> None:
    prose = "[[USD/CHF:move|moved]], [[ USD/JPY:last ]] and [[q1]]"
    assert references(prose) == ("USD/CHF:move", "USD/JPY:last", "q1")
    with pytest.raises(UnknownReferenceError, match="q1"):
        render(prose, CLAIMS)


@given(
    st.decimals(-1_000, 1_000, places=2),
    st.sampled_from([Metric.MOVE, Metric.DECISION_CHANGE, Metric.DIFFERENTIAL]),
)
def test_every_form_prints_the_claims_own_figure(value: Decimal, metric: Metric) -> None:
    unit = Unit.PERCENT if metric is Metric.MOVE else Unit.BASIS_POINTS
    held: Claim = claim("USD/CHF", metric, str(value), unit)
    size = printed(held, Form.SIZE)
    assert Decimal(size.split()[0].replace(",", "")) == abs(value)
    assert printed(held, Form.SIGNED) == printed(held, Form.PLAIN) == print_claim(held)
    moved = printed(held, Form.MOVED)
    assert (size in moved) is (value != 0)
    assert ("fell" in moved or "cut" in moved or "below" in moved) is (value < 0)


@given(st.decimals("0.0001", 100_000, places=4))
def test_about_is_within_half_of_its_last_digit(value: Decimal) -> None:
    held = claim("USD/JPY", Metric.LAST, str(value))
    told = Decimal(printed(held, Form.ABOUT).removeprefix("about ").replace(",", ""))
    assert abs(told - value) <= value / 100


@pytest.mark.parametrize(
    ("prose", "told"),
    [
        ("It pays [[NZ:policy_rate]] basis points.", "it prints 2.25 %: leave `basis points`"),
        ("It fell [[USD/CHF:move]]%.", "it prints -4.16 %: leave `%`"),
        ("It fell [[USD/CHF:move|size]] per cent.", "it prints -4.16 %: leave `per cent`"),
        ("It stands at [[USD/JPY:last]] pips.", "it prints 9.8006: leave `pips`"),
    ],
)
def test_a_figure_in_another_unit_is_refused(prose: str, told: str) -> None:
    assert [why for _, why in faults(prose, CLAIMS) if told in why], prose


@pytest.mark.parametrize(
    "prose",
    [
        "USD/CHF [[USD/CHF:move|moved]].",
        "EUR/CHF held as USD/CHF fell [[USD/CHF:move]].",
        "The franc rose as USD/CHF fell [[USD/CHF:move]].",
        "NZD/USD pays [[NZ:policy_rate]].",
        "It stood at [[USD/JPY:last]] at a basis point's distance.",
    ],
)
def test_a_figure_in_its_own_unit_is_not_refused(prose: str) -> None:
    assert [*faults(prose, CLAIMS)] == []
