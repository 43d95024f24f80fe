"""Claims derived once more from their evidence: what follows passes, all else is objected to."""

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from desk.analytics.prices.price_view import view_prices
from desk.analytics.prices.series import Fixings, window_days
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.claims import (
    Claim,
    Metric,
    Unit,
    claim_id,
    level_id,
    span_days,
    span_id,
)
from desk.contracts.findings.source_results import History, SourceResult
from desk.contracts.findings.verdicts import ClaimCheck
from desk.contracts.markets import MarketSpec
from desk.documents.rendering.figures.traces import figure_name
from desk.trust.claims.price_claims import price_claims
from desk.trust.claims.rate_claims import (
    decision_claims,
    differential_claim,
    in_a_row_claims,
    policy_rate_claims,
)
from desk.trust.claims.span_claims import beyond_claims, counted_claims
from desk.trust.ledger.corroboration import Corroboration
from desk.trust.ledger.derivation import given_by
from desk.trust.ledger.rederivation import Ledger
from desk.trust.seals import content_hash
from tests.support.builders import (
    decision,
    decisions,
    pair_market,
    policy_rates,
    rate_market,
    real_history,
    real_quote,
    window,
)

WEEK = "2025-W40"
YEN, CROWN, DOLLAR_PEG = pair_market(digits=2), pair_market("USD/SEK"), pair_market("USD/HKD")
JAPAN = rate_market()
SPECS = (YEN, CROWN, DOLLAR_PEG, JAPAN)
AREAS = ["US", "JP"]


def result(evidence_id: str, answer: SourceResult, **arguments: JsonValue) -> ToolResult:
    return raw(evidence_id, answer.model_dump(mode="json"), **arguments)


def raw(evidence_id: str, content: JsonValue, **arguments: JsonValue) -> ToolResult:
    return ToolResult(
        call=ToolCall(call_id=evidence_id, server="ecb", tool="ask", arguments=arguments),
        status=ToolStatus.OK,
        content=content,
        content_hash=content_hash(content),
    )


def ledger(*results: ToolResult, specs: tuple[MarketSpec, ...] = SPECS) -> Ledger:
    return Ledger(specs, window(WEEK), "US", results)


PRICES = result("yen", real_history("USD/JPY", WEEK), symbol="USD/JPY")
RATES = result("rates", policy_rates(WEEK, US="4.125", JP="0.5"), areas=[*AREAS])
DECIDED = result(
    "decided",
    decisions(WEEK, decision("US", "2025-09-30", "4.125", "-25")),
    areas=[*AREAS],
)


def prices(spec: MarketSpec = YEN, evidence: str = "yen") -> dict[str, Claim]:
    history = real_history(spec.market, WEEK)
    view = view_prices(Fixings.of(history), *window_days(window(WEEK)))
    assert view is not None
    return {claim.claim_id: claim for claim in price_claims(view, spec, evidence)}


def rates(spec: MarketSpec = YEN) -> dict[str, Claim]:
    _, last_day = window_days(window(WEEK))
    in_force = policy_rate_claims(policy_rates(WEEK, US="4.125", JP="0.5").rates, last_day, "rates")
    decided = decision_claims(
        decisions(WEEK, decision("US", "2025-09-30", "4.125", "-25")).decisions, "decided"
    )
    differential = differential_claim(spec, "US", in_force)
    assert differential is not None
    return {claim.claim_id: claim for claim in (*in_force, *decided, differential)}


CLAIMS: Mapping[str, Claim] = {**prices(), **rates()}
EVIDENCE = (PRICES, RATES, DECIDED)


def altered(metric: Metric, **changes: object) -> tuple[ClaimCheck | None, str]:
    """The check that objects to a claim with some fields changed, and its words."""
    claim = next(claim for claim in CLAIMS.values() if claim.metric is metric)
    found = ledger(*EVIDENCE).failed_check(claim.model_copy(update=changes), CLAIMS)
    return (found.check, found.words) if found else (None, "")


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=lambda claim: claim.claim_id)
def test_a_claim_that_follows_passes(claim: Claim) -> None:
    assert ledger(*EVIDENCE).failed_check(claim, CLAIMS) is None


def test_every_figure_of_a_pegged_pair_passes() -> None:
    claims = prices(DOLLAR_PEG, "peg")
    book = ledger(result("peg", real_history("USD/HKD", WEEK)))
    assert any(claim.metric is Metric.BAND_POSITION for claim in claims.values())
    assert [book.failed_check(claim, claims) for claim in claims.values()] == [None] * len(claims)


@given(st.sampled_from(sorted(CLAIMS)), st.integers(1, 9), st.integers(0, 5))
def test_any_digit_changed_is_objected_to(name: str, step: int, place: int) -> None:
    claim = CLAIMS[name]
    digits = [*claim.value.as_tuple().digits]
    digits[place % len(digits)] = (digits[place % len(digits)] + step) % 10
    sign, _, exponent = claim.value.as_tuple()
    value = Decimal((sign, digits, int(exponent)))
    found = ledger(*EVIDENCE).failed_check(claim.model_copy(update={"value": value}), CLAIMS)
    assert found is not None
    assert found.words.startswith(name)


DAYS = date(2025, 8, 1), date(2025, 9, 30)


def counted() -> dict[str, Claim]:
    """What is counted of some days, as for a question, and beyond a level."""
    fixings = Fixings.of(real_history("USD/JPY", WEEK))
    told = counted_claims(fixings, YEN, "yen", *DAYS)
    beyond = beyond_claims(fixings, YEN, "yen", Decimal("147.5"), *DAYS)
    return {claim.claim_id: claim for claim in (*told, *beyond)}


@pytest.mark.parametrize("name", sorted(counted()))
def test_what_is_counted_of_days_follows_from_the_fixings_by_the_days_of_its_name(
    name: str,
) -> None:
    claims, book = counted(), ledger(*EVIDENCE)
    assert book.failed_check(claims[name], claims) is None
    wrong = claims[name].model_copy(update={"value": claims[name].value + 1})
    found = book.failed_check(wrong, {**claims, name: wrong})
    assert found is not None and found.check in (ClaimCheck.VALUE, ClaimCheck.FORMULA)


def test_what_is_counted_beyond_one_level_is_none_of_another() -> None:
    claims = counted()
    above = claims[level_id("USD/JPY", Metric.DAYS_ABOVE, Decimal("147.5"), *DAYS)]
    renamed = level_id("USD/JPY", Metric.DAYS_ABOVE, Decimal("149.5"), *DAYS)
    found = ledger(*EVIDENCE).failed_check(above.model_copy(update={"claim_id": renamed}), claims)
    assert found is not None and found.check is ClaimCheck.VALUE


def test_a_value_at_another_precision_is_objected_to() -> None:
    last = CLAIMS["USD/JPY:last"].value
    assert altered(Metric.LAST, value=last.quantize(Decimal("0.001")))[0] is ClaimCheck.VALUE


def test_the_words_name_what_the_evidence_gives() -> None:
    check, words = altered(Metric.LAST, value=Decimal("99.99"))
    assert check is ClaimCheck.VALUE
    assert f"gives {CLAIMS['USD/JPY:last'].value}, not 99.99" in words


@pytest.mark.parametrize(
    ("metric", "changes", "check"),
    [
        (Metric.LAST, {"unit": Unit.PERCENT}, ClaimCheck.UNIT),
        (Metric.LAST, {"subject": "USD/SEK"}, ClaimCheck.EVIDENCE),
        (Metric.LAST, {"claim_id": "USD/JPY:previous"}, ClaimCheck.EVIDENCE),
        (Metric.LAST, {"evidence": ()}, ClaimCheck.EVIDENCE),
        (Metric.LAST, {"evidence": ("rates",)}, ClaimCheck.EVIDENCE),
        (Metric.LAST, {"evidence": ("nowhere",)}, ClaimCheck.EVIDENCE),
        (Metric.LAST, {"evidence": ("yen", "nowhere")}, ClaimCheck.EVIDENCE),
        (Metric.LAST, {"formula": "highest"}, ClaimCheck.FORMULA),
        (Metric.WINDOW_HIGH, {"formula": None}, ClaimCheck.FORMULA),
        (Metric.WINDOW_HIGH, {"formula": "lowest"}, ClaimCheck.FORMULA),
        (Metric.MOVE, {"inputs": ("USD/JPY:last", "USD/JPY:previous")}, ClaimCheck.FORMULA),
        (Metric.MOVE, {"inputs": ()}, ClaimCheck.FORMULA),
        (Metric.Z_SCORE, {"formula": None}, ClaimCheck.FORMULA),
        (Metric.DIFFERENTIAL, {"value": Decimal("36.25")}, ClaimCheck.VALUE),
        (Metric.DIFFERENTIAL, {"inputs": ("JP:policy_rate", "US:policy_rate")}, ClaimCheck.FORMULA),
        (Metric.DIFFERENTIAL, {"evidence": ("decided",)}, ClaimCheck.EVIDENCE),
        (Metric.POLICY_RATE, {"evidence": ("decided",)}, ClaimCheck.VALUE),
        (Metric.DECISION_RATE, {"claim_id": "US:decision_rate"}, ClaimCheck.DATE),
    ],
)
def test_a_field_that_does_not_belong_is_objected_to(
    metric: Metric, changes: dict[str, object], check: ClaimCheck
) -> None:
    assert altered(metric, **changes)[0] is check


@pytest.mark.parametrize("metric", sorted({claim.metric for claim in CLAIMS.values()}))
def test_a_claim_dated_a_day_off_is_objected_to(metric: Metric) -> None:
    claim = next(claim for claim in CLAIMS.values() if claim.metric is metric)
    assert altered(metric, as_of=claim.as_of - timedelta(days=1))[0] is ClaimCheck.DATE


def test_a_decision_on_a_day_without_one_is_objected_to() -> None:
    claim = CLAIMS["US:decision_rate@2025-09-30"]
    day = claim.as_of - timedelta(days=1)
    moved = claim.model_copy(
        update={"as_of": day, "claim_id": claim_id("US", Metric.DECISION_RATE, day)}
    )
    found = ledger(*EVIDENCE).failed_check(moved, CLAIMS)
    assert found is not None
    assert found.check is ClaimCheck.DATE


def test_either_of_two_decisions_of_one_day_follows() -> None:
    both = decisions(
        WEEK, decision("US", "2025-09-30", "4.125", "-25"), decision("US", "2025-09-30", "4.0", "0")
    )
    claims = decision_claims(both.decisions, "decided")
    book = ledger(result("decided", both))
    assert [book.failed_check(claim, {}) for claim in claims] == [None] * 4


def test_a_move_falls_with_the_level_it_was_computed_from() -> None:
    last = CLAIMS["USD/JPY:last"]
    wrong = {**CLAIMS, "USD/JPY:last": last.model_copy(update={"value": last.value + 1})}
    found = ledger(*EVIDENCE).failed_check(CLAIMS["USD/JPY:move"], wrong)
    assert found is not None
    assert found.check is ClaimCheck.FORMULA


def test_a_differential_falls_with_a_rate_of_another_origin() -> None:
    rate = CLAIMS["JP:policy_rate"]
    wrong = {**CLAIMS, "JP:policy_rate": rate.model_copy(update={"value": Decimal("0.75")})}
    found = ledger(*EVIDENCE).failed_check(CLAIMS["USD/JPY:differential"], wrong)
    assert found is not None
    assert "JP:policy_rate" in found.words


def test_a_differential_of_a_market_that_is_not_covered_is_objected_to() -> None:
    found = ledger(*EVIDENCE, specs=(JAPAN,)).failed_check(CLAIMS["USD/JPY:differential"], CLAIMS)
    assert found is not None


@pytest.mark.parametrize("days", [-7, 7])
def test_evidence_of_another_as_of_instant_is_objected_to(days: int) -> None:
    answer = real_history("USD/JPY", WEEK)
    moved = answer.model_copy(update={"as_of": answer.as_of + timedelta(days=days)})
    found = ledger(result("yen", moved)).failed_check(CLAIMS["USD/JPY:last"], CLAIMS)
    assert found is not None
    assert found.check is ClaimCheck.EVIDENCE


def test_the_same_instant_written_in_another_zone_passes() -> None:
    content = {**real_history("USD/JPY", WEEK).model_dump(mode="json")}
    content["as_of"] = "2025-10-06T08:00:00+01:00"
    assert ledger(raw("yen", content)).failed_check(CLAIMS["USD/JPY:last"], CLAIMS) is None


def test_evidence_that_was_changed_after_it_was_hashed_is_objected_to() -> None:
    content = {**real_history("USD/JPY", WEEK).model_dump(mode="json"), "missing": "x"}
    changed = PRICES.model_copy(update={"content": content})
    found = ledger(changed).failed_check(CLAIMS["USD/JPY:last"], CLAIMS)
    assert found is not None
    assert "hash" in found.words


def test_a_refused_call_is_no_evidence() -> None:
    refused = ToolResult(call=PRICES.call, status=ToolStatus.REFUSED, error="no")
    assert ledger(refused).failed_check(CLAIMS["USD/JPY:last"], CLAIMS) is not None


def test_an_answer_about_another_pair_than_was_asked_for_is_objected_to() -> None:
    book = ledger(result("yen", real_history("USD/JPY", WEEK), symbol="USD/SEK"))
    found = book.failed_check(CLAIMS["USD/JPY:last"], CLAIMS)
    assert found is not None
    assert "not asked about USD/JPY" in found.words


def test_a_fixing_from_the_future_spoils_its_evidence() -> None:
    history = real_history("USD/JPY", WEEK)
    ahead = history.model_copy(
        update={
            "days": (*history.days, window(WEEK).end.date() + timedelta(days=1)),
            "values": (*history.values, Decimal("150")),
        }
    )
    found = ledger(result("yen", ahead)).failed_check(CLAIMS["USD/JPY:last"], CLAIMS)
    assert found is not None
    assert "not known yet" in found.words


def test_two_different_results_under_one_id_are_no_evidence() -> None:
    other = result("yen", real_history("USD/SEK", WEEK))
    found = ledger(PRICES, other).failed_check(CLAIMS["USD/JPY:last"], CLAIMS)
    assert found is not None
    assert ledger(PRICES, PRICES).failed_check(CLAIMS["USD/JPY:last"], CLAIMS) is None


def test_a_quote_gives_the_last_level_and_nothing_else() -> None:
    book = ledger(PRICES, result("quote", real_quote("USD/JPY", WEEK)))
    last, high = CLAIMS["USD/JPY:last"], CLAIMS["USD/JPY:window_high"]
    assert book.failed_check(last.model_copy(update={"evidence": ("quote",)}), CLAIMS) is None
    assert book.failed_check(last.model_copy(update={"evidence": ("yen", "quote")}), CLAIMS) is None
    assert book.failed_check(high.model_copy(update={"evidence": ("quote",)}), CLAIMS) is not None


def test_two_pieces_of_evidence_that_differ_speak_against_the_claim() -> None:
    quote = real_quote("USD/JPY", WEEK).model_copy(update={"value": Decimal("120.00")})
    book = ledger(PRICES, result("quote", quote))
    both = CLAIMS["USD/JPY:last"].model_copy(update={"evidence": ("yen", "quote")})
    assert book.failed_check(both, CLAIMS) is not None


def test_histories_that_contradict_themselves_are_no_evidence() -> None:
    content = {**real_history("USD/JPY", WEEK).model_dump(mode="json")}
    wrong: list[dict[str, JsonValue]] = [
        {"values": ["1"]},
        {"values": "many"},
        {"days": content["days"][::-1]},
    ]
    for broken in wrong:
        found = ledger(raw("yen", {**content, **broken})).failed_check(
            CLAIMS["USD/JPY:last"], CLAIMS
        )
        assert found is not None
        assert found.check is ClaimCheck.EVIDENCE


def level(value: str, **changes: object) -> Claim:
    claim = Claim(
        claim_id="USD/JPY:last",
        subject="USD/JPY",
        metric=Metric.LAST,
        value=Decimal(value),
        unit=Unit.LEVEL,
        as_of=window(WEEK).end.date(),
        evidence=("other",),
    )
    return claim.model_copy(update=changes)


@pytest.mark.parametrize(
    ("content", "arguments", "passes"),
    [
        ({"price": 147.51}, {"ticker": "USDJPY"}, True),
        ({"price": "147.5148"}, {"ticker": "USD/JPY"}, True),
        ({"base": "USD", "rates": {"JPY": 147.51}}, {}, True),
        ({"text": "USD/JPY closed at 147.51 on Friday."}, {}, True),
        ({"price": 147.52}, {"ticker": "USDJPY"}, False),
        ({"price": 1475.1}, {"ticker": "USDJPY"}, False),
        ({"price": 147.51}, {"ticker": "USDSEK"}, False),
        ({"text": "USD/JPY, 2025-10-03 at 147:51"}, {}, False),
        ({"text": "USD/JPY 1147.51"}, {}, False),
        ({"price": 147.51, "as_of": "2025-09-01T00:00:00Z"}, {"ticker": "USDJPY"}, False),
        (None, {"ticker": "USDJPY"}, False),
    ],
)
def test_a_figure_from_a_tool_of_another_shape_must_stand_in_its_answer(
    content: JsonValue, arguments: dict[str, JsonValue], passes: bool
) -> None:
    found = ledger(raw("other", content, **arguments)).failed_check(level("147.51"), {})
    assert (found is None) is passes


def test_a_figure_without_a_fraction_of_its_own_is_not_stretched_to_fit() -> None:
    book = ledger(raw("other", {"price": 147.51}, ticker="USDJPY"))
    assert book.failed_check(level("1.5E+2"), {}) is not None
    assert book.failed_check(level("148"), {}) is None


def test_a_derived_figure_may_follow_from_levels_of_another_tool() -> None:
    book = ledger(raw("other", {"now": 150.0, "before": 148.0}, ticker="USDJPY"))
    previous = level("148.00", metric=Metric.PREVIOUS, claim_id="USD/JPY:previous")
    claims = {"USD/JPY:last": level("150.00"), "USD/JPY:previous": previous}
    move = level(
        "1.35",
        metric=Metric.MOVE,
        claim_id="USD/JPY:move",
        unit=Unit.PERCENT,
        formula="percent_change",
        inputs=("USD/JPY:previous", "USD/JPY:last"),
    )
    assert book.failed_check(move, claims) is None
    assert book.failed_check(move.model_copy(update={"value": Decimal("1.36")}), claims) is not None
    assert book.failed_check(move, {}) is not None


APRIL = "2025-W15"
"""The dollar's fall of April 2025: the yen at its dearest since the September before."""


def april() -> tuple[Ledger, dict[str, Claim]]:
    history = real_history("USD/JPY", APRIL)
    view = view_prices(Fixings.of(history), *window_days(window(APRIL)))
    assert view is not None
    claims = price_claims(view, YEN, "yen")
    evidence = result("yen", history, symbol="USD/JPY")
    return Ledger(SPECS, window(APRIL), "US", [evidence]), {c.claim_id: c for c in claims}


def test_a_pair_with_digits_of_its_own_follows_as_another_market_quotes_it() -> None:
    history = real_history("USD/JPY", APRIL)
    answer = result("yen", history, symbol="USD/JPY")
    own = pair_market().model_copy(update={"digits": 3})
    book = Ledger((own,), window(APRIL), "US", [answer])
    for specs in ({}, {own.market: own}):
        found = {c.claim_id: c for c in given_by(answer, history, specs, window(APRIL))}
        assert all(book.failed_check(each, found) is None for each in found.values())
    wrong = found["USD/JPY:last"].model_copy(update={"value": Decimal("1.000")})
    assert book.failed_check(wrong, found) is not None
    of_pair = result("USD/JPY/research_fx/yen", history, symbol="USD/JPY")
    book = Ledger((own,), window(APRIL), "US", [of_pair])
    cut = {c.claim_id: c for c in given_by(of_pair, history, {}, window(APRIL))}
    assert book.failed_check(cut["USD/JPY:last"], cut) is not None


def test_since_when_a_level_is_the_lowest_is_derived_again() -> None:
    book, claims = april()
    since = claims["USD/JPY:lowest_since"]
    assert book.failed_check(since, claims) is None
    for value in (Decimal(20240929), Decimal(20241399), Decimal(2024)):
        failed = book.failed_check(since.model_copy(update={"value": value}), claims)
        assert failed is not None and failed.check is ClaimCheck.VALUE
        assert "30 Sep 2024" in failed.words


@pytest.mark.parametrize("metric", [Metric.FROM_HIGH, Metric.FROM_LOW])
def test_how_far_a_period_s_last_level_is_from_its_ends_is_derived_again(metric: Metric) -> None:
    month = window(WEEK).model_copy(update={"start": window(WEEK).end - timedelta(days=30)})
    view = view_prices(Fixings.of(real_history("USD/JPY", WEEK)), *window_days(month))
    assert view is not None
    claims = {claim.claim_id: claim for claim in price_claims(view, YEN, "yen")}
    book = Ledger(SPECS, month, "US", [PRICES])
    away = claims[claim_id("USD/JPY", metric)]
    assert book.failed_check(away, claims) is None
    nearer = away.model_copy(update={"value": away.value / 2})
    failed = book.failed_check(nearer, claims)
    assert failed is not None and failed.check is ClaimCheck.VALUE


def test_how_many_meetings_in_a_row_decided_the_same_is_derived_again() -> None:
    cut = decision("US", "2025-09-30", "4.125", "-25")
    before = (
        decision("US", "2025-06-18", "4.625", "0"),
        decision("US", "2025-07-30", "4.375", "-25"),
    )
    answer = decisions(WEEK, cut).model_copy(update={"before": before})
    (claim,) = in_a_row_claims(answer, "decided")
    assert (claim.claim_id, claim.value) == ("US:cuts_in_a_row@2025-09-30", Decimal(2))
    book = ledger(result("decided", answer, areas=[*AREAS]))
    assert book.failed_check(claim, {}) is None
    failed = book.failed_check(claim.model_copy(update={"value": Decimal(3)}), {})
    assert failed is not None and failed.check is ClaimCheck.VALUE
    assert ledger(DECIDED).failed_check(claim, {}) is not None


def test_a_decision_from_before_the_range_can_be_named() -> None:
    cut = decision("US", "2025-09-30", "4.125", "-25")
    before = (decision("US", "2025-06-18", "4.625", "0"),)
    answer = decisions(WEEK, cut).model_copy(update={"before": before})
    named = {c.claim_id: c for c in given_by(result("decided", answer), answer, {}, window(WEEK))}
    held = named["US:decision_rate@2025-06-18"]
    assert (held.value, f"{held.as_of}") == (Decimal("4.625"), "2025-06-18")
    assert ledger(result("decided", answer, areas=[*AREAS])).failed_check(held, {}) is None


def test_a_meeting_before_the_range_that_was_not_known_yet_spoils_its_evidence() -> None:
    later = decision("US", "2025-07-30", "4.375", "-25")
    later = later.model_copy(update={"known_from": window(WEEK).end + timedelta(days=1)})
    answer = decisions(WEEK, decision("US", "2025-09-30", "4.125", "-25"))
    answer = answer.model_copy(update={"before": (later,)})
    decided = decision_claims(answer.decisions, "decided")[0]
    failed = ledger(result("decided", answer, areas=[*AREAS])).failed_check(decided, {})
    assert failed is not None and "not known yet" in failed.words


def test_the_origin_of_a_decision_from_before_the_range_is_its_bank() -> None:
    before = (decision("US", "2025-06-18", "4.625", "0"),)
    answer = decisions(WEEK).model_copy(update={"before": before})
    (rate, _) = decision_claims(before, "decided")
    stated = Corroboration([result("decided", answer, areas=[*AREAS])], window(WEEK))
    assert stated.statement(rate).origin == "Bank of US"


def month_of(history: History, evidence: str = "yen") -> tuple[ToolResult, History]:
    """A history cut to September 2025, as a model asks for it in the week after."""
    first, last = (history.days.index(day) for day in (date(2025, 9, 1), date(2025, 9, 30)))
    cut = slice(first, last + 1)
    asked = history.model_copy(update={"days": history.days[cut], "values": history.values[cut]})
    return result(evidence, asked, symbol=asked.symbol), asked


def test_a_move_over_the_days_that_were_asked_for_is_a_claim_and_is_derived_again() -> None:
    answer, asked = month_of(real_history("USD/JPY", WEEK))
    named = {c.claim_id: c for c in given_by(answer, asked, {"USD/JPY": YEN}, window(WEEK))}
    move = named["USD/JPY:span_move.2025-09-01.2025-09-30"]
    start, end = (named[name] for name in move.inputs)
    assert (start.as_of, end.as_of) == (date(2025, 9, 1), date(2025, 9, 30))
    assert move.value == ((end.value / start.value - 1) * 100).quantize(Decimal("0.01"))
    book = ledger(answer)
    of_span = [c for c in named.values() if span_days(c)]
    assert len(of_span) == 5 and all(book.failed_check(c, named) is None for c in of_span)
    twice = move.model_copy(update={"value": move.value * 2})
    failed = book.failed_check(twice, named)
    assert failed is not None and failed.check is ClaimCheck.VALUE


def test_a_move_goes_by_no_other_days_than_its_own() -> None:
    answer, asked = month_of(real_history("USD/JPY", WEEK))
    named = {c.claim_id: c for c in given_by(answer, asked, {"USD/JPY": YEN}, window(WEEK))}
    move = named["USD/JPY:span_move.2025-09-01.2025-09-30"]
    of_august = span_id("USD/JPY", Metric.SPAN_MOVE, date(2025, 8, 1), date(2025, 8, 29))
    for wrong in (of_august, "USD/JPY:span_move", "USD/JPY:move.2025-09-01.2025-09-30"):
        assert ledger(answer).failed_check(move.model_copy(update={"claim_id": wrong}), named)


def test_the_window_s_own_move_goes_by_one_name() -> None:
    history = real_history("USD/JPY", WEEK)
    view = view_prices(Fixings.of(history), *window_days(window(WEEK)))
    assert view is not None and view.previous is not None
    first = history.days.index(view.previous.day)
    asked = history.model_copy(
        update={"days": history.days[first:], "values": history.values[first:]}
    )
    named = given_by(result("yen", asked), asked, {"USD/JPY": YEN}, window(WEEK))
    assert Metric.MOVE in {c.metric for c in named}
    assert not any(span_days(c) for c in named)


def test_a_move_from_the_window_s_start_that_ends_before_it_has_a_name_of_its_own() -> None:
    history = real_history("USD/JPY", WEEK)
    year = window(WEEK).model_copy(update={"start": window(WEEK).end - timedelta(days=300)})
    view = view_prices(Fixings.of(history), *window_days(year))
    assert view is not None and view.previous is not None
    first = history.days.index(view.previous.day)
    days, values = history.days[first : first + 20], history.values[first : first + 20]
    asked = history.model_copy(update={"days": days, "values": values})
    named = {c.claim_id for c in given_by(result("yen", asked), asked, {"USD/JPY": YEN}, year)}
    assert f"USD/JPY:span_move.{days[0]}.{days[-1]}" in named


def test_a_figure_of_other_days_is_told_with_them() -> None:
    answer, asked = month_of(real_history("USD/JPY", WEEK))
    named = {c.claim_id: c for c in given_by(answer, asked, {"USD/JPY": YEN}, window(WEEK))}
    move = named["USD/JPY:span_move.2025-09-01.2025-09-30"]
    assert figure_name(move) == "USD/JPY span move, 1 Sep 2025 to 30 Sep 2025"
    assert figure_name(named["USD/JPY:last"]) == "USD/JPY last"
