"""What a report says first, composed of its claims, its decisions and its news."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from desk.analytics.figures import print_day
from desk.contracts.agents.config import Upward
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.results import EventType, Impact, Reported
from desk.contracts.markets import MarketGroup
from desk.contracts.week.report import (
    CalendarRow,
    Lead,
    Mover,
    RateRow,
    ResearchReport,
    Sentence,
)
from desk.programs.week.document.audit.report import audit
from desk.programs.week.document.rendering.directions import DOWN, NEITHER, UP, ranked, way
from desk.programs.week.document.rendering.html import render_html
from desk.programs.week.document.sections.lead import lead_of
from desk.programs.week.document.sections.summary import summary_of
from desk.trust.claims.dollar_index import dollar_index_claims
from desk.trust.claims.week_counts import week_counts
from desk.trust.seals import sealed
from tests.support.builders import answered, calendar, call, claim, pair_market
from tests.support.documents.reports import sample_report

MOVES = {
    "USD/NOK": ("-1.29", "-0.9"),
    "USD/SEK": ("-1.19", "-1.1"),
    "NZD/USD": ("-0.90", "-0.7"),
    "EUR/USD": ("-0.19", "-0.2"),
    "USD/JPY": ("0.29", "0.2"),
}
DECIDED = date(2026, 10, 30)


def claims_of(moves: dict[str, tuple[str, str]]) -> dict[str, Claim]:
    made = [
        *(claim(pair, Metric.MOVE, move, Unit.PERCENT) for pair, (move, _) in moves.items()),
        *(
            claim(pair, Metric.Z_SCORE, score, Unit.STANDARD_DEVIATIONS)
            for pair, (_, score) in moves.items()
        ),
        *(claim(pair, Metric.LAST, "1.1") for pair in moves),
        claim("JP", Metric.DECISION_CHANGE, "25", Unit.BASIS_POINTS, dated=True),
        claim("JP", Metric.DECISION_RATE, "1.50", Unit.PERCENT_A_YEAR, dated=True),
    ]
    claims = {each.claim_id: each for each in made}
    return claims | week_counts(claims)


def report_of(moves: dict[str, tuple[str, str]], *calendar: CalendarRow) -> ResearchReport:
    rows = tuple(
        Mover(
            market=pair,
            group=MarketGroup.G10,
            last=Decimal("1.1"),
            last_on=DECIDED,
            move=Decimal(move),
            z_score=Decimal(score),
        )
        for pair, (move, score) in moves.items()
    )
    return sample_report().model_copy(update={"movers": rows, "calendar": calendar})


def row(area: str, bank: str, day: date, outcome: str, *, ahead: bool = False) -> CalendarRow:
    said = Sentence(prose=outcome, text=outcome)
    return CalendarRow(area=area, bank=bank, day=day, outcome=said, ahead=ahead)


def lead(moves: dict[str, tuple[str, str]], *calendar: CalendarRow) -> Lead:
    return lead_of(report_of(moves, *calendar), claims_of(moves))


def titles(found: Lead) -> list[str]:
    return [theme.title for theme in found.themes]


def test_neighbours_that_went_the_same_way_are_one_theme_and_the_rest_stand_alone() -> None:
    found = lead(MOVES)
    assert titles(found) == [
        "Scandinavian currencies gain on the dollar",
        "The New Zealand dollar loses to the dollar",
    ]
    assert (
        found.themes[0].moved.text
        == "USD/NOK -1.29 %, USD/SEK -1.19 %: more than usual for USD/SEK."
    )


def test_neighbours_that_went_apart_are_no_theme() -> None:
    apart = MOVES | {"USD/SEK": ("1.19", "1.1")}
    assert not any("Scandinavian" in title for title in titles(lead(apart)))


def test_a_neighbour_that_did_not_move_at_all_went_neither_way() -> None:
    still = MOVES | {"USD/CAD": ("0.00", "0.0"), "AUD/USD": ("-0.50", "-0.4")}
    assert "Commodity currencies lose to the dollar" not in titles(lead(still))
    before = lead_of(report_of(still), claims_of(still), 7)
    assert "Commodity currencies lose to the dollar" in titles(before)


def test_a_bloc_is_unusual_for_those_whose_move_is() -> None:
    [bloc, *_] = lead(MOVES | {"USD/SEK": ("-3.19", "-2.1")}).themes
    assert bloc.moved.text == "USD/SEK -3.19 %, USD/NOK -1.29 %: unusual for USD/SEK."


def test_nothing_is_said_of_how_usual_a_move_is_without_a_z_score() -> None:
    report = report_of(MOVES)
    unscored = tuple(row.model_copy(update={"z_score": None}) for row in report.movers)
    report = report.model_copy(update={"movers": unscored})
    found = lead_of(report, claims_of(MOVES))
    assert found.standfirst is not None
    assert found.standfirst.text == "The largest move was USD/NOK at -1.29 %."
    assert [theme.moved.text for theme in found.themes] == [
        "USD/NOK -1.29 %, USD/SEK -1.19 %.",
        "NZD/USD -0.90 % to 1.1.",
    ]


def test_a_neighbour_that_was_little_changed_went_neither_way() -> None:
    little = MOVES | {"USD/SEK": ("-0.09", "-0.1")}
    assert not any("Scandinavian" in title for title in titles(lead(little)))
    report, claims = report_of(little), claims_of(little)
    assert any("Scandinavian" in title for title in titles(lead_of(report, claims, 1)))


def test_the_headline_counts_what_was_little_changed() -> None:
    little = MOVES | {"USD/SEK": ("-0.09", "-0.1")}
    specs = [pair_market(pair) for pair in little]
    claims = claims_of(little)
    counted = claims | week_counts(claims, specs)
    told = lead_of(report_of(little), counted).headline.text
    assert told.startswith(
        "The dollar rose against 3 of 5 currencies, fell against 1 and was little changed against"
        " 1."
    )
    sixth = lead_of(report_of(little), counted, 6).headline.text
    assert sixth.startswith(
        "The dollar rose against 3 of 5 currencies, fell against 1 of 5 currencies and was little "
        "changed against 1 of 5 currencies."
    )
    earlier = lead_of(report_of(little), counted, 5).headline.text
    assert earlier.startswith(
        "The dollar rose against 3 of 5 G10 currencies and was little changed against 1 of 5 "
        "currencies."
    )


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ("-0.9", "an ordinary one: no move of the week as a whole was unusual."),
        ("-1.9", "larger than usual, yet no move of the week as a whole was unusual."),
        ("-2.0", "The largest and most unusual move was USD/NOK at -1.29 % (-2.0 σ)."),
    ],
)
def test_unusual_is_said_from_two_sigma_on(score: str, words: str) -> None:
    standfirst = lead(MOVES | {"USD/NOK": ("-1.29", score)}).standfirst
    assert standfirst is not None
    assert standfirst.text.endswith(words)


def test_the_most_unusual_move_comes_before_the_largest_one() -> None:
    moves = MOVES | {"EUR/USD": ("1.00", "2.6"), "USD/SEK": ("-1.19", "-2.1")}
    found = lead(moves)
    assert found.standfirst is not None
    assert found.standfirst.text == (
        "The most unusual move was EUR/USD at +1.00 % (+2.6 σ), followed by USD/SEK -1.19 %"
        " (-2.1 σ); the largest was USD/NOK at -1.29 % (-0.9 σ)."
    )
    largest = lead(moves | {"USD/SEK": ("-1.49", "-2.1")}).standfirst
    assert largest is not None
    assert largest.text.endswith("followed by USD/SEK -1.49 % (-2.1 σ, the largest move).")
    assert titles(lead(MOVES | {"NZD/USD": ("-2.90", "-2.6")})) == [
        "The New Zealand dollar loses to the dollar",
        "Scandinavian currencies gain on the dollar",
    ]
    before = lead_of(report_of(moves), claims_of(moves), 8).standfirst
    assert before is not None
    assert before.text.endswith("Unusual for the pair: USD/SEK (-2.1 σ), EUR/USD (+2.6 σ).")


def at_the_ends() -> tuple[ResearchReport, dict[str, Claim]]:
    """EUR/USD was at its year's low within the week, USD/SEK ended the week at its year's high."""
    ends = {
        "EUR/USD": {"window_low": "1.1130", "window_high": "1.1188"},
        "USD/SEK": {"window_low": "1.0", "window_high": "1.1"},
    }
    report = report_of(MOVES)
    rows = tuple(
        each.model_copy(
            update={name: Decimal(level) for name, level in ends.get(each.market, {}).items()}
        )
        for each in report.movers
    )
    own = (
        claim("EUR/USD", Metric.YEAR_LOW, "1.1130"),
        claim("EUR/USD", Metric.WINDOW_LOW, "1.1130"),
        claim("EUR/USD", Metric.YEAR_HIGH, "1.1974"),
        claim("USD/SEK", Metric.YEAR_HIGH, "1.1"),
        claim("USD/SEK", Metric.WINDOW_HIGH, "1.1"),
    )
    claims = claims_of(MOVES) | {each.claim_id: each for each in own}
    return report.model_copy(update={"movers": rows, "lead": None}), claims


def test_an_end_of_the_years_range_within_the_week_is_in_the_lead_and_in_the_summary() -> None:
    report, claims = at_the_ends()
    found = lead_of(report, claims)
    assert found.standfirst is not None
    assert found.standfirst.text.endswith(
        "The dollar reached a twelve-month high against SEK and EUR."
    )
    told = {theme.title: theme.moved.text for theme in found.themes}
    assert told["The dollar reached a twelve-month high against SEK and EUR"] == (
        "USD/SEK to 1.1, where it ended (-1.19 %); EUR/USD to 1.1130, ending at 1.1 (-0.19 %)."
    )
    eighth = lead_of(report, claims, 8)
    assert str(eighth.standfirst).count("reached a twelve-month") == 2 * 2
    assert "USD/SEK reached a twelve-month high" in titles(eighth)
    assert (
        "At the end of the week at a 52-week high: USD/SEK; within the week at a 52-week low: "
        "EUR/USD."
    ) in [said.text for said in summary_of(report, claims)]


def test_an_end_of_the_years_range_is_told_of_a_pair_without_a_z_score() -> None:
    report, claims = at_the_ends()
    unscored = tuple(row.model_copy(update={"z_score": None}) for row in report.movers)
    report = report.model_copy(update={"movers": unscored})
    assert "reached a twelve-month" in str(lead_of(report, claims).standfirst)
    assert "reached a twelve-month" not in str(lead_of(report, claims, 7).standfirst)


def test_every_market_with_an_event_of_high_impact_is_named_in_the_summary() -> None:
    report, claims = at_the_ends()
    section = next(part for part in report.markets if part.events)
    event = section.events[0].model_copy(
        update={"impact": Impact.HIGH, "event_type": EventType.FX_MOVEMENT}
    )
    high = section.model_copy(update={"market": "USD/HKD", "events": (event,)})
    told = summary_of(report.model_copy(update={"markets": (high,)}), claims)
    assert "Of high impact too, as their sections say: USD/HKD." in [said.text for said in told]


def test_the_dollar_is_counted_over_all_in_the_headline_and_over_each_group_below() -> None:
    report = sample_report()
    assert report.lead is not None
    assert report.lead.headline.text.startswith(
        "The dollar fell against 3 of 5 currencies and rose against 2;"
    )
    lines = [said.text for said in report.summary if said.text.startswith("The dollar ")]
    assert lines == [
        "The dollar rose against 2 of 3 G10 currencies and fell against 1; "
        "it fell against 2 of 2 Asian currencies."
    ]


def test_a_lead_of_an_earlier_edition_is_composed_as_it_was() -> None:
    report, claims = at_the_ends()
    before = lead_of(report, claims, 0)
    assert before.standfirst is not None
    assert before.standfirst.text.endswith("no pair moved out of its usual range.")
    assert "edition" not in before.model_dump()
    told = summary_of(report.model_copy(update={"lead": before}), claims)
    assert not any("within the week" in said.text for said in told)


def test_a_bank_that_changed_its_rate_is_in_the_headline_and_its_pair_in_its_theme() -> None:
    outcome = "raised ([[JP:decision_change@2026-10-30]]) to [[JP:decision_rate@2026-10-30]]"
    soon = sample_report().as_of.date() + timedelta(days=3)
    ahead = row("GB", "Bank of England", soon, "scheduled", ahead=True)
    found = lead(MOVES, row("JP", "Bank of Japan", DECIDED, outcome), ahead)
    assert found.headline.text == "The Bank of Japan raised rates."
    theme = found.themes[0]
    assert theme.title == "The Bank of Japan raised rates"
    assert theme.moved.text == "The Bank of Japan raised (+25 bp) to 1.50 % on 30 Oct."
    assert theme.why is not None
    assert theme.why.text == "in the same week USD/JPY +0.29 %."
    assert theme.ahead is not None
    assert theme.ahead.text == f"the Bank of England decides on {print_day(soon)}."


def test_every_bank_that_changed_its_rate_is_in_the_headline_and_in_a_theme() -> None:
    banks = {
        "US": ("Federal Reserve", "75"),
        "GB": ("Bank of England", "25"),
        "HK": ("Hong Kong Monetary Authority", "75"),
        "CH": ("Swiss National Bank", "50"),
        "BR": ("Bank Indonesia", "-25"),
    }
    changes = {
        change.claim_id: change
        for area, (_, points) in banks.items()
        for change in [
            claim(area, Metric.DECISION_CHANGE, points, Unit.BASIS_POINTS, dated=True),
        ]
    }
    rows = tuple(
        row(area, bank, DECIDED, f"{'cut' if points < '0' else 'raised'} ([[{name}]])")
        for (area, (bank, points)), name in zip(banks.items(), changes, strict=True)
    )
    claims = claims_of(MOVES) | changes
    found = lead_of(report_of(MOVES, *rows), claims)
    others = "the Bank of England, the Hong Kong Monetary Authority and the Swiss National Bank"
    assert (
        found.headline.text
        == f"The Federal Reserve, {others} raised rates, Bank Indonesia cut rates."
    )
    assert found.themes[0].title == f"T{others[1:]} raised rates, Bank Indonesia cut rates"
    assert found.themes[0].moved.text.count(" on 30 Oct") == 4
    before = lead_of(report_of(MOVES, *rows), claims, 7)
    assert "Swiss National Bank" not in before.headline.text
    counted = claims | week_counts(claims | claims_of(MOVES))
    many = lead_of(report_of(MOVES, *rows), {**counted, **week_counts(changes)}).headline.text
    assert many == (
        "4 of the 5 banks that decided raised rates, among them the Federal Reserve, the Bank of"
        " England and the Hong Kong Monetary Authority, Bank Indonesia cut rates."
    )


@pytest.mark.parametrize(
    ("edition", "announced", "told"),
    [
        (8, (), "when Norges Bank and Sveriges Riksbank decide next is not on record; "),
        (
            8,
            ("NO",),
            "Norges Bank does not decide within six weeks; when Sveriges Riksbank decides "
            "next is not on record; ",
        ),
        (8, ("NO", "SE"), "Norges Bank and Sveriges Riksbank do not decide within six weeks; "),
        (7, ("NO", "SE"), "the day of the next decision is not on record; "),
    ],
    ids=["no day on record", "one of two", "both later", "as it was told before"],
)
def test_a_bank_that_decides_after_the_calendar_is_told_from_one_without_a_day_on_record(
    edition: int, announced: tuple[str, ...], told: str
) -> None:
    banks = {"NO": "Norges Bank", "SE": "Sveriges Riksbank"}
    ends = dict.fromkeys(announced, date(2026, 12, 17))
    ahead = calendar("2026-W44").model_copy(update={"ends": ends})
    report = report_of({"USD/NOK": ("-1.29", "-0.9"), "USD/SEK": ("-1.19", "-1.1")}).model_copy(
        update={
            "policy_rates": tuple(
                RateRow(area=area, bank=bank, group=MarketGroup.G10, rate=Decimal(0))
                for area, bank in banks.items()
            ),
            "evidence": (answered(call("central_banks", "get_decision_calendar"), ahead),),
        }
    )
    placed = claim("USD/NOK", Metric.RANGE_POSITION, "5.6", Unit.PERCENT)
    known = claims_of(MOVES) | {placed.claim_id: placed}
    [theme] = lead_of(report, known, edition).themes
    assert theme.ahead is not None
    assert theme.ahead.text == f"{told}in the 52-week range, USD/NOK at 5.6 %."
    [now] = lead_of(report, known).themes
    later = " and ".join(banks[area] for area in announced)
    verb = "does" if len(announced) == 1 else "do"
    words = f"{later} {verb} not decide within six weeks." if later else None
    assert (now.ahead and now.ahead.text) == words


def test_a_bank_whose_last_announced_day_has_passed_has_none_on_record() -> None:
    report = report_of(MOVES, row("SE", "Sveriges Riksbank", date(2026, 11, 5), "", ahead=True))
    ahead = calendar("2026-W38").model_copy(update={"ends": {"NO": date(2026, 9, 17)}})
    rates = (RateRow(area="NO", bank="Norges Bank", group=MarketGroup.G10, rate=Decimal("4.25")),)
    told = {
        "policy_rates": rates,
        "evidence": (answered(call("central_banks", "get_decision_calendar"), ahead),),
    }
    report = report.model_copy(update=told)
    found = lead_of(report, claims_of(MOVES), 8).themes[0].ahead
    assert found is not None
    assert found.text.endswith("; when Norges Bank decides next is not on record.")
    lines = [said.text for said in summary_of(report, claims_of(MOVES))]
    assert any("Not known is when Norges Bank decides next." in line for line in lines)


def test_the_dollar_is_mixed_where_the_only_pair_of_a_group_went_the_other_way() -> None:
    moves = {"EUR/USD": ("-1.09", "-1.0"), "USD/JPY": ("0.03", "0.1"), "USD/KRW": ("-1.0", "-1.0")}
    report = report_of(moves)
    asian = report.movers[-1].model_copy(update={"group": MarketGroup.ASIA})
    report = report.model_copy(update={"movers": (*report.movers[:-1], asian)})
    specs = [
        pair_market(pair).model_copy(
            update={"group": MarketGroup.ASIA if pair == "USD/KRW" else MarketGroup.G10}
        )
        for pair in moves
    ]
    claims = claims_of(moves)
    counted = claims | week_counts(claims, specs)
    assert titles(lead_of(report, counted))[0] == "The dollar is mixed"
    assert titles(lead_of(report, counted, 7))[0] == "The dollar is higher"


@pytest.mark.parametrize(
    ("move", "score", "headline", "standfirst"),
    [
        ("-1.29", "-0.9", "USD/NOK fell 1.29 % to 1.1.", "An ordinary move (-0.9 σ)."),
        ("1.29", "1.9", "USD/NOK rose 1.29 % to 1.1.", "A larger move than usual (+1.9 σ)."),
        ("0.00", "0.0", "USD/NOK was unchanged at 1.1.", "An ordinary move (0.0 σ)."),
    ],
)
def test_a_report_of_one_pair_tells_its_move_once(
    move: str, score: str, headline: str, standfirst: str
) -> None:
    one = {"USD/NOK": (move, score)}
    named = {f"USD/NOK:{metric}" for metric in (Metric.MOVE, Metric.Z_SCORE, Metric.LAST)}
    claims = {name: made for name, made in claims_of(one).items() if name in named}
    found = lead_of(report_of(one), claims)
    assert found.headline.text == headline
    assert found.standfirst is not None
    assert found.standfirst.text == standfirst
    before = lead_of(report_of(one), claims, 7)
    assert before.headline.text.startswith("USD/NOK moved most (")


def test_a_reason_is_a_publishers_words_and_told_once() -> None:
    story = Reported(
        subject="USD/NOK",
        title="Krone gains as oil rises",
        publisher="Wire",
        published_at=datetime(2026, 10, 29, tzinfo=UTC),
        evidence_id="e1",
    )
    report = report_of(MOVES)
    sections = tuple(
        part.model_copy(update={"market": market, "reported": (story,)})
        for part, market in zip(report.markets, ("USD/NOK", "NZD/USD"), strict=False)
    )
    found = lead_of(report.model_copy(update={"markets": sections}), claims_of(MOVES))
    assert [theme.story for theme in found.themes] == [story, None]


def test_a_week_without_moves_says_so() -> None:
    found = lead_of(report_of({}), {})
    assert found.headline.text.startswith("No move is known: the sources have no fixing")
    earlier = lead_of(report_of({}), {}, edition=3)
    assert earlier.headline.text == "No currency has a move to report."
    assert (found.standfirst, found.themes) == (None, ())


def test_the_audit_finds_a_lead_that_does_not_follow() -> None:
    report = sample_report()
    assert report.lead is not None
    assert not [line for line in audit(report) if "lead" in line.where]
    words = Sentence(prose="The dollar rose against every currency.", text="The dollar fell.")
    forged = report.lead.model_copy(update={"headline": words})
    found = audit(sealed(report.model_copy(update={"lead": forged})))
    assert any("lead" in line.where for line in found)


def test_the_audit_reads_a_lead_that_a_model_wrote() -> None:
    report = sample_report()
    words = Sentence(prose="The dollar gained 4 %.", text="The dollar gained 4 %.")
    written = Lead(headline=words, written=True)
    found = audit(sealed(report.model_copy(update={"lead": written})))
    assert any("lead, headline" in line.where for line in found)


def test_a_page_has_one_direction_for_the_dollar() -> None:
    assert way("USD/SEK", -1, Upward.DOLLAR) == DOWN
    assert way("NZD/USD", -1, Upward.DOLLAR) == UP
    assert way("NZD/USD", -1, Upward.CURRENCY) == DOWN
    assert way("EUR/CHF", -1, Upward.DOLLAR) == NEITHER
    order = [each.market for each in ranked(report_of(MOVES))]
    assert order == ["NZD/USD", "USD/JPY", "EUR/USD", "USD/SEK", "USD/NOK"]


def test_the_page_of_a_report_leads_with_its_headline_and_ends_with_its_coverage() -> None:
    page = render_html(sample_report())
    assert page.index('class="headline"') < page.index('id="week"') < page.index('id="movers"')
    assert page.index('id="markets"') < page.index('id="coverage"')


def test_the_dollar_index_is_a_claim_over_six_fixings_of_one_day() -> None:
    levels = {
        "EUR/USD": ("1.1172", "1.1193"),
        "USD/JPY": ("157.25", "156.80"),
        "GBP/USD": ("1.3399", "1.3368"),
        "USD/CAD": ("1.3969", "1.3996"),
        "USD/SEK": ("9.8264", "9.9447"),
        "USD/CHF": ("0.8230", "0.8244"),
    }
    claims = {
        each.claim_id: each
        for pair, (last, previous) in levels.items()
        for each in (
            claim(pair, Metric.LAST, last),
            claim(pair, Metric.PREVIOUS, previous),
        )
    }
    found = dollar_index_claims(claims)
    # 50.14348112 x EURUSD^-0.576 x USDJPY^0.136 x GBPUSD^-0.119 x USDCAD^0.091 x ...
    assert {name: str(each.value) for name, each in found.items()} == {
        "DOLLAR:previous": "101.80",
        "DOLLAR:last": "101.85",
        "DOLLAR:move": "0.05",
    }
    assert len(found["DOLLAR:last"].inputs) == 6
    del claims["USD/CHF:last"]
    assert dollar_index_claims(claims) == {}
