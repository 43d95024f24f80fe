"""What a week's claims come to when they are counted, and how prose prints it."""

from datetime import date
from decimal import Decimal

import pytest

from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.markets import MarketGroup
from desk.trust.claims.week_counts import counts_by_sign, week_counts
from desk.trust.prose.reference_faults import faults
from desk.trust.prose.references import Form, printed
from tests.support.builders import claim, pair_market

MARCH = date(2025, 3, 20)


def decided(area: str, change: str, day: date = MARCH) -> Claim:
    made = claim(area, Metric.DECISION_CHANGE, change, Unit.BASIS_POINTS)
    named = claim_id(area, Metric.DECISION_CHANGE, day)
    return made.model_copy(update={"claim_id": named, "as_of": day})


def moved(pair: str, move: str) -> Claim:
    return claim(pair, Metric.MOVE, move, Unit.PERCENT)


def counts(*claims: Claim) -> dict[str, Claim]:
    return week_counts({each.claim_id: each for each in claims})


def told(*claims: Claim) -> dict[str, str]:
    return {name: printed(each, Form.PLAIN) for name, each in counts(*claims).items()}


def test_banks_are_counted_by_what_they_decided() -> None:
    week = (decided("CH", "-25"), decided("US", "0"), decided("SE", "0"), decided("JP", "25"))
    assert told(*week) == {
        "WEEK:banks_cut": "1 of the 4 banks that decided cut",
        "WEEK:banks_raised": "1 of the 4 banks that decided raised",
        "WEEK:banks_held": "2 of the 4 banks that decided held",
    }
    assert counts(*week)["WEEK:banks_cut"].inputs == tuple(sorted(each.claim_id for each in week))


def test_of_a_bank_that_decided_again_the_newest_decision_counts() -> None:
    week = (decided("US", "-50", date(2020, 3, 3)), decided("US", "0"), decided("CH", "0"))
    assert counts(*week)["WEEK:banks_held"].value == 2
    assert told(*week)["WEEK:banks_cut"] == "none of the 2 banks that decided cut"


def test_a_single_bank_is_named_and_not_counted() -> None:
    assert counts(decided("CH", "-25"), moved("USD/CHF", "1.2")) == {}


def test_the_dollar_is_counted_whichever_side_of_the_pair_it_is() -> None:
    week = (moved("USD/CHF", "-4.16"), moved("EUR/USD", "2.61"), moved("USD/INR", "0.82"))
    assert told(*week) == {
        "WEEK:dollar_rose": "rose against 1 of 3 currencies",
        "WEEK:dollar_fell": "fell against 2 of 3 currencies",
        "WEEK:dollar_little_changed": "was little changed against none of 3 currencies",
    }


def test_a_pair_that_did_not_move_is_on_neither_side_and_a_cross_is_no_part() -> None:
    week = (moved("USD/HKD", "0.00"), moved("USD/INR", "0.82"), moved("EUR/CHF", "1.00"))
    assert {name: each.value for name, each in counts(*week).items()} == {
        "WEEK:dollar_rose": Decimal(1),
        "WEEK:dollar_fell": Decimal(0),
        "WEEK:dollar_little_changed": Decimal(1),
    }


def test_a_move_that_is_called_little_changed_is_neither_a_rise_nor_a_fall() -> None:
    specs = [
        pair_market("USD/INR"),
        pair_market("AUD/USD"),
        pair_market("USD/SEK"),
        pair_market("USD/HKD"),
    ]
    week = [moved("USD/INR", "0.01"), moved("AUD/USD", "-0.09"), moved("USD/SEK", "0.10")]
    week.append(moved("USD/HKD", "-0.02"))
    found = week_counts({each.claim_id: each for each in week}, specs)
    assert {name: int(each.value) for name, each in found.items() if name.startswith("WEEK")} == {
        "WEEK:dollar_rose": 1,
        "WEEK:dollar_fell": 1,
        "WEEK:dollar_little_changed": 2,
    }


def test_an_earlier_report_is_counted_as_it_was() -> None:
    week = {each.claim_id: each for each in (moved("USD/INR", "0.01"), moved("AUD/USD", "-0.09"))}
    earlier = week_counts(week, by_sign=True)
    assert {name: int(each.value) for name, each in earlier.items()} == {
        "WEEK:dollar_rose": 2,
        "WEEK:dollar_fell": 0,
    }
    assert counts_by_sign(earlier.values())
    assert not counts_by_sign(week_counts(week).values())


def test_groups_are_counted_where_they_are_known() -> None:
    claims = {each.claim_id: each for each in (moved("USD/CHF", "-1.00"), moved("USD/SEK", "2.00"))}
    specs = [pair_market("USD/CHF"), pair_market("USD/SEK"), pair_market("USD/HKD")]
    assert {spec.group for spec in specs} == {MarketGroup.G10}
    (rose,) = [c for c in week_counts(claims, specs).values() if c.claim_id == "G10:dollar_rose"]
    assert printed(rose, Form.PLAIN) == "rose against 1 of 2 G10 currencies"


@pytest.mark.parametrize("form", ["size", "signed", "about", "moved"])
def test_a_count_is_printed_with_its_own_words_only(form: str) -> None:
    claims = counts(decided("CH", "-25"), decided("US", "0"))
    ((_, why),) = faults(f"In all [[WEEK:banks_cut|{form}]].", claims)
    assert "leave" in why
    assert not list(faults("In all [[WEEK:banks_cut]].", claims))
