"""How often ranges held: told as of each week, in years that the rule was not chosen by."""

from desk.training.ranges import CHOSEN_BY, lines, measure


def test_ranges_called_68_hold_in_66_to_70_of_100_cases_of_later_years() -> None:
    pairs = ("EUR/USD", "USD/JPY", "GBP/USD", "USD/CHF", "AUD/USD", "USD/CNY", "USD/HKD", "USD/KRW")
    found = measure(pairs, CHOSEN_BY.stop, 2026)
    assert 0.66 <= found.share <= 0.70
    assert {each.market for each in found.markets} == set(pairs)
    for each in found.markets:
        assert each.weeks >= 240
        # By chance alone a share of one market lies within twelve points.
        assert 0.56 <= each.share <= 0.80
        assert each.first.year == CHOSEN_BY.stop


def test_a_market_without_prices_is_told_and_costs_the_others_nothing() -> None:
    found = measure(("USD/TWD", "EUR/USD"), 2022, 2022)
    assert [each.market for each in found.markets] == ["EUR/USD"]
    assert found.missing[0].startswith("USD/TWD: TWD is not among")
    table = "\n".join(lines(found))
    assert "EUR/USD        52" in table
    assert "chosen by the weeks of 2009 to 2021" in table


def test_years_without_prices_are_told() -> None:
    found = measure(("EUR/USD",), 1990, 1995)
    assert found.markets == ()
    assert found.missing == ("EUR/USD: too few prices before these years, or none in them",)
