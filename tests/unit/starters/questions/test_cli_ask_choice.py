"""`desk ask`: what a question is put to, and what is said of one that cannot be asked."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from desk.contracts.agents.config import AgentConfig
from desk.contracts.agents.tasks import DAYS_ASKED, TaskType
from desk.contracts.names import AgentId
from desk.contracts.runs.graph import GraphRequest
from desk.platform.settings import Settings
from starters.questions.choice import AskOptions, Choice, chosen, market_in
from starters.questions.graph_runs import ask_run_id
from starters.terminal.exit_status import UsageError
from tests.support.processes.homes import home_settings

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
FREE = """
name: free
graph:
  - name: search
    agent: search_agent
    next: synthesis
  - name: synthesis
    agent: synthesis_agent
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return home_settings(tmp_path_factory.mktemp("home"))


def asked(settings: Settings, question: str, *parameters: str, graph: str | None = None,
          as_of: str | None = None, period: str | None = None,
          rank: str | None = None) -> Choice:  # fmt: skip
    options = AskOptions(question, graph, parameters, as_of, period, rank)
    return chosen(options, settings, settings.config, now=NOW)


def by_a_model(settings: Settings, question: str, **given: Any) -> Choice:
    """As `asked`, of a desk whose product manager is a model."""
    manager = AgentConfig(agent=AgentId.PRODUCT_MANAGER, model="claude-opus-5-5")
    policy = settings.config.policy.model_copy(update={"agents": (manager,)})
    config = settings.config.model_copy(update={"policy": policy})
    return chosen(AskOptions(question, **given), settings, config, now=NOW)


def test_a_model_plans_what_is_researched_before_what_code_reads_goes_on(
    settings: Settings,
) -> None:
    question = "Which G10 currency has been weakest since the Fed's last decision?"
    read = asked(settings, question).request
    choice = by_a_model(settings, question)
    plan, *rest = choice.request.graph.nodes
    assert (plan.name, plan.task) == ("planQuestion", TaskType.PLAN_QUESTION)
    assert [edge.to for edge in plan.edges] == [rest[0].name] and tuple(rest) == read.graph.nodes
    assert choice.request.markets == settings.config.markets and read.markets == ()
    assert "a model plans" in (choice.remark or "")


@pytest.mark.parametrize(
    "given",
    [
        {"graph": "tickets"},
        {"param": ("market=JP",)},
        {"period": "2026-W44"},
        {"rank": "Asia"},
    ],
)
def test_what_the_user_gives_is_planned_by_nobody_else(
    settings: Settings, given: dict[str, Any]
) -> None:
    question = "What did USD/JPY do?" if "graph" not in given else "What is open?"
    graph = by_a_model(settings, question, **given).request.graph
    assert graph.nodes[0].task is not TaskType.PLAN_QUESTION


def test_a_question_about_a_ticket_is_not_planned(settings: Settings) -> None:
    nodes = by_a_model(settings, "What holds up DESK-101?").request.graph.nodes
    assert nodes[0].task is TaskType.FETCH_TICKETS


@pytest.mark.parametrize("written", ["USD/JPY", "USDJPY", "usd-jpy", "usd/jpy"])
def test_a_question_that_names_a_pair_goes_to_the_market_graph(
    settings: Settings, written: str
) -> None:
    choice = asked(settings, f"Why did {written} fall?")
    request = choice.request
    assert request.graph.name == "market"
    assert request.market is not None
    assert request.query.parameters["market"] == request.market.market == "USD/JPY"
    assert "USD/JPY" in (choice.remark or "")


@pytest.mark.parametrize(
    ("question", "ranked", "called"),
    [
        (
            "did the rupiah or the ringgit do better in september?",
            ["USD/IDR", "USD/MYR"],
            "IDR and MYR",
        ),
        ("USD/JPY or EUR/USD last week?", ["EUR/USD", "USD/JPY"], "JPY and EUR"),
        (
            "which fell more last week, the aussie or the kiwi?",
            ["AUD/NZD", "AUD/USD", "NZD/USD"],
            "AUD and NZD",
        ),
        (
            "did sterling gain more against the euro or the yen last week?",
            ["EUR/USD", "GBP/USD", "USD/JPY"],
            "GBP, EUR and JPY",
        ),
        (
            "euro-swiss last week: still range-bound?",
            ["EUR/CHF"],
            "EUR/CHF",
        ),
        ("what is eur/sek and what is eur/nok?", ["EUR/NOK", "EUR/SEK"], "EUR/SEK and EUR/NOK"),
        (
            "did the Asian currencies fall more than the franc last month?",
            [
                "USD/CHF",
                "USD/CNY",
                "USD/HKD",
                "USD/IDR",
                "USD/INR",
                "USD/KRW",
                "USD/MYR",
                "USD/PHP",
                "USD/SGD",
                "USD/THB",
                "USD/TWD",
            ],
            None,
        ),
    ],
)
def test_pairs_that_a_question_names_beside_a_period_are_ranked(
    settings: Settings, question: str, ranked: list[str], called: str | None
) -> None:
    request = asked(settings, question).request
    assert sorted(measured_in(request)) == ranked
    assert called is None or request.query.parameters["rank"] == called


@pytest.mark.parametrize(
    ("question", "graph", "first", "beside"),
    [
        ("was the krona's worst day last week worse than the norwegian one's?",
         "market", "USD/SEK", ["USD/NOK"]),
        ("was the norwegian currency weaker than the swedish one last week?",
         "market", "USD/NOK", ["USD/SEK"]),
        ("is the rupiah or the ringgit at a record?", "currency", "USD/IDR", ["USD/MYR"]),
        ("did the riksbank or norges bank cut first this year?", "bank", "SE", ["NO"]),
        ("did the Bank of Japan and the Reserve Bank of Australia both hike this year?",
         "bank", "JP", ["AU"]),
        ("is the japanese policy rate higher than the swiss one's?", "bank", "JP", ["CH"]),
        ("when do the boc and the rbnz meet next?", "bank", "CA", ["NZ"]),
        ("who set the rate higher, canberra or wellington?", "bank", "AU", ["NZ"]),
        ("is tokyo's rate below the fed's?", "bank", "US", ["JP"]),
        ("how did bunds and gilts do versus treasuries?", "bank", "XM", ["GB", "US"]),
        ("is the us curve steeper than germany's?", "bank", "US", ["XM"]),
        ("did the yen fall after the Fed and the ECB last week?",
         "market", "USD/JPY", ["US", "XM"]),
        ("what happened to swissie since the snb cut", "currency", "USD/CHF", ["CH"]),
    ],
)  # fmt: skip
def test_what_a_question_names_besides_is_researched_side_by_side(
    settings: Settings, question: str, graph: str, first: str, beside: list[str]
) -> None:
    request = asked(settings, question).request
    assert request.graph.name == graph
    assert request.market is not None and request.market.market == first
    assert measured_in(request) == beside


def test_a_graph_that_somebody_chose_is_left_as_it_is(settings: Settings) -> None:
    request = asked(settings, "the yen or the franc?", "market=USD/JPY", graph="market").request
    assert measured_in(request) == []


def measured_in(request: GraphRequest) -> list[str]:
    return [node.market.market for node in request.graph.nodes if node.market]


def test_one_pair_that_a_question_names_is_measured_alone(settings: Settings) -> None:
    request = asked(settings, "What did the yen do in USD/JPY last week?").request
    assert request.market is not None and request.market.market == "USD/JPY"
    assert request.graph.name == "market" and measured_in(request) == []


def test_a_currency_without_a_market_goes_along_and_no_other_is_measured_for_it(
    settings: Settings,
) -> None:
    request = asked(settings, "has the peso or the real been steadier since august?").request
    assert request.market is not None and request.market.market == "USD/PHP"
    assert request.query.parameters["no_market"] == "BRL"
    assert request.query.parameters["shared_name"] == "peso=PHP/MXN"
    other = asked(settings, "did the mexican peso fall last week?").request
    assert other.market is None and other.query.parameters["no_market"] == "MXN"


def test_two_currencies_are_measured_against_each_other_too(settings: Settings) -> None:
    request = asked(settings, "Did the euro fall against the yen last week?").request
    assert sorted(measured_in(request)) == ["EUR/JPY", "EUR/USD", "USD/JPY"]
    against = asked(settings, "Did the yen fall against the dollar last week?").request
    assert against.market is not None and against.market.market == "USD/JPY"
    assert measured_in(against) == [] and "no_market" not in against.query.parameters


def test_the_dollar_alone_is_held_against_all_currencies(settings: Settings) -> None:
    request = asked(settings, "did the dollar fall last week?").request
    measured = {node.market.market for node in request.graph.nodes if node.market}
    assert request.graph.name == "ranking" and {"USD/JPY", "EUR/USD", "USD/KRW"} <= measured
    assert asked(settings, "is the dollar limit raised?").request.graph.name == "tickets"


@pytest.mark.parametrize(
    ("question", "graph", "market"),
    [
        ("when does the riksbank meet next?", "bank", "SE"),
        ("what did the ECB do lately", "bank", "XM"),
        ("Did the yen fall after the BoJ last week?", "market", "USD/JPY"),
        ("what happened to swissie since the snb cut", "currency", "USD/CHF"),
        ("What does DESK-101 say of the Fed?", "tickets", None),
    ],
)
def test_a_bank_that_a_question_names_is_looked_up_and_its_calendar_read(
    settings: Settings, question: str, graph: str, market: str | None
) -> None:
    request = asked(settings, question).request
    assert request.graph.name == graph
    assert (request.market and request.market.market) == market


def test_a_banks_decisions_are_looked_at_for_three_years_before_the_days_that_are_named(
    settings: Settings,
) -> None:
    window = asked(settings, "what did the ECB do lately").request.window
    assert window is not None and (window.end - window.start).days == 1092
    named = asked(settings, "what did the ECB do in 2024").request
    assert named.query.parameters["period_days"] == "2024-01-01/2024-12-31"
    assert named.window is not None and named.window.end == window.end
    assert named.window.start.date().isoformat() == "2021-01-04"
    far = asked(settings, "what did the SNB do in january 2015").request.window
    assert far is not None and far.end.date().isoformat() == "2015-01-31"


@pytest.mark.parametrize(
    ("question", "graph", "market"),
    [
        ("when's threadneedle street up again", "bank", "GB"),
        ("did the canadian two-year yield fall this month", "bank", "CA"),
        ("what's the gap between aussie and kiwi policy rates?", "bank", "AU"),
        ("did the aussie fall this month", "market", "AUD/USD"),
        ("did malaysias money get weaker this yr", "currency", "USD/MYR"),
        ("is china's currency stronger than a year ago", "currency", "USD/CNY"),
        ("how is japan doing", "bank", "JP"),
        ("who hiked most in asia this year", "bank", "CN"),
        ("what was the yens best day in oct", "market", "USD/JPY"),
        ("where did dollar sing close last fri", "currency", "USD/SGD"),
        ("who runs the london office", "tickets", None),
    ],
)
def test_a_place_or_currency_stands_for_its_bank_where_the_question_is_of_one(
    settings: Settings, with_meaning: None, question: str, graph: str, market: str | None
) -> None:
    request = asked(settings, question).request
    assert (request.graph.name, request.market and request.market.market) == (graph, market)


def test_what_a_bank_will_do_in_a_month_is_no_question_of_the_last_one(
    settings: Settings, with_meaning: None
) -> None:
    ahead = asked(settings, "will the ecb cut before the fed in september").request.query
    assert ahead.parameters["period_unread"] == "september"
    assert ahead.days_asked is None
    past = asked(settings, "did the ecb raise in september").request.query
    assert past.days_asked is not None


def test_a_month_to_come_is_not_taken_for_last_years_where_a_bank_is_asked_about(
    settings: Settings,
) -> None:
    ahead = asked(settings, "is the rba due in december?").request
    assert ahead.window is not None and (ahead.window.end - ahead.window.start).days == 1092
    assert ahead.query.parameters["period_unread"] == "december"
    past = asked(settings, "what did the rba do in december 2025?").request
    assert past.query.parameters["period_days"] == "2025-12-01/2025-12-31"
    assert past.query.parameters["period_read"] == "december 2025"
    moved = asked(settings, "what did the yen do in december?").request
    assert moved.query.parameters["period_read"] == "december"


def test_any_other_question_goes_to_the_ticket_graph_and_that_is_said(settings: Settings) -> None:
    choice = asked(settings, "What holds up DESK-101?")
    assert choice.request.graph.name == "tickets"
    assert choice.request.market is None
    assert "tickets" in (choice.remark or "")


def test_a_question_of_the_rates_of_two_currencies_is_one_about_their_banks(
    settings: Settings, with_meaning: None
) -> None:
    request = asked(settings, "Which is cheaper to borrow in, yen or francs?").request
    assert request.graph.name == "bank" and request.market is not None
    beside = [node.market.market for node in request.graph.nodes if node.market]
    assert (request.market.market, beside) == ("JP", ["CH"])
    assert asked(settings, "is the Swissie at a record?").request.graph.name == "currency"


@pytest.mark.parametrize(
    ("question", "graph"),
    [
        ("is the Swissie at a record?", "currency"),
        ("how weak is the rupee?", "currency"),
        ("Did the rupee fall last week?", "market"),
        ("What is the cut-off for won payments?", "tickets"),
        ("When does the lease of the London office end?", "tickets"),
        ("Is the yen fixing of DESK-101 late?", "tickets"),
    ],
)
def test_a_currency_without_a_period_is_looked_up_and_measured(
    settings: Settings, question: str, graph: str
) -> None:
    assert asked(settings, question).request.graph.name == graph


def test_a_period_that_is_given_goes_before_one_that_is_named(settings: Settings) -> None:
    request = asked(settings, "How was the krona in the first fortnight of September?").request
    assert request.query.parameters["period_read"] == "September"
    assert request.query.parameters["period_unread"] == "fortnight"
    given = asked(settings, "How was the krona in September?", period="2026-W36").request
    assert given.query.parameters["period_read"] == "2026-W36"
    assert "period_unread" not in given.query.parameters
    assert given.window is not None and given.window.end < datetime(2026, 9, 8, tzinfo=UTC)
    assert ask_run_id(given.graph, given.query) != ask_run_id(request.graph, request.query)


@pytest.mark.parametrize("period", ["last week", "2026-W60", "2027", "2026-09-04/2026-09-01"])
def test_a_period_that_is_none_is_refused(settings: Settings, period: str) -> None:
    with pytest.raises(UsageError, match="--period"):
        asked(settings, "How was the krona?", period=period)


def test_a_period_is_for_what_is_measured(settings: Settings) -> None:
    with pytest.raises(UsageError, match="measures nothing"):
        asked(settings, "What holds up DESK-101?", period="2026-W36")


@pytest.mark.parametrize(
    ("question", "graph"),
    [
        ("Which Asian currency did worst in October?", "ranking"),
        ("Who led the G10 last week?", "ranking"),
        ("Which Asian currency is the cheapest?", "tickets"),
        ("Did USD/KRW fall with Asia last week?", "ranking"),
        ("Did the Asia desk close DESK-101 last week?", "tickets"),
        ("Did the Asian rally of the won end last week?", "ranking"),
        ("worst performing asian fx in q3", "ranking"),
        ("strongest of the majors", "ranking"),
        ("What does the G10 limit cover?", "tickets"),
    ],
)
def test_a_group_is_ranked_beside_a_period_or_where_its_best_or_worst_is_asked_for(
    settings: Settings, with_meaning: None, question: str, graph: str
) -> None:
    assert asked(settings, question).request.graph.name == graph


@pytest.mark.parametrize(
    ("question", "areas"),
    [
        ("which bank in asia cut last and by how much", {"TH", "KR", "PH"}),
        ("who in the g10 hiked most recently", {"US", "JP", "NO"}),
        ("latest central bank to put rates up", {"US", "TH"}),
        ("which central banks meet next week", {"AU", "GB", "TH"}),
        ("who has the highest policy rate in the g10 rn", {"US", "AU", "NO"}),
        ("when do the scandi central banks meet next", {"SE", "NO"}),
        ("who hasn't moved rates in 2026", {"US", "TH"}),
        ("how many asian central banks hiked in 2025", {"TH", "KR"}),
        ("what are the policy rates", {"US", "TH"}),
        ("any g10 central banks that eased this year", {"US", "AU"}),
        ("which bank has the highest rate in g10 and when does it meet", {"US", "AU"}),
        ("who changed the settlement limit last", set[str]()),
        ("which central banks cut in september", {"US", "AU", "TH"}),
        ("when is the next meeting", set[str]()),
        ("rate decision of the central bank of freedonia", set[str]()),
    ],
)
def test_banks_that_are_asked_about_together_are_researched(
    settings: Settings, with_meaning: None, question: str, areas: set[str]
) -> None:
    request = asked(settings, question).request
    own = {request.market.market} if request.market else set[str]()
    researched = own | {node.market.market for node in request.graph.nodes if node.market}
    assert request.graph.name == ("bank" if areas else "tickets") and areas <= researched


@pytest.mark.parametrize(
    ("question", "graph", "market", "beside", "read", "of_bank"),
    [
        ("where is usdkrw and what's the korean policy rate", "market", "USD/KRW", {"KR"}, "", ""),
        (
            *("what did the rba decide in august and where is audusd", "market", "AUD/USD"),
            *({"AU"}, "", "2026-08-01/2026-08-31"),
        ),
        (
            *("how did the yen do this month and has the boj hiked this year", "market"),
            *("USD/JPY", {"JP"}, "this month", "2026-01-01/2026-11-22"),
        ),
        (
            *("did the boj hike in 2026 and what did the yen do", "currency", "USD/JPY"),
            *({"JP"}, "2026", "2026-01-01/2026-11-22"),
        ),
        (
            *("is sterling higher than in june and has the boe moved since?", "market", "GBP/USD"),
            *({"GB"}, "june", "2026-07-01/2026-11-22"),
        ),
        ("what moved usdkrw in korean trading hours", "market", "USD/KRW", set[str](), "", ""),
    ],
)
def test_a_bank_beside_a_pair_is_asked_about_by_its_own_half(
    settings: Settings,
    with_meaning: None,
    question: str,
    graph: str,
    market: str,
    beside: set[str],
    read: str,
    of_bank: str,
) -> None:
    request = asked(settings, question).request
    assert request.graph.name == graph and request.market is not None
    assert request.market.market == market
    assert {node.market.market for node in request.graph.nodes if node.market} == beside
    assert request.query.parameters.get("period_read", "") == read
    assert request.query.parameters.get(DAYS_ASKED, "") == of_bank


def test_a_next_decision_is_asked_for_on_days_of_the_calendar(
    settings: Settings, with_meaning: None
) -> None:
    request = asked(settings, "which central banks meet next week").request
    assert request.query.parameters["period_read"] == "next week"
    assert request.query.periods_asked == ((date(2026, 11, 23), date(2026, 11, 29)),)
    assert request.window is not None and request.window.end == NOW


def test_a_group_that_is_given_is_ranked_pair_by_pair(settings: Settings) -> None:
    request = asked(settings, "Who led?", rank="asia", period="2026-W44").request
    pairs = {spec.market for spec in settings.config.markets if spec.group == "Asia"}
    measured = [node.market.market for node in request.graph.nodes if node.market]
    assert {name for name in pairs if "/" in name} == set(measured)
    assert request.query.parameters == {"rank": "Asia", "period_read": "2026-W44"}
    assert request.market is None


def test_a_group_that_there_is_not_is_refused_with_those_there_are(settings: Settings) -> None:
    with pytest.raises(UsageError, match="there are G10, Asia"):
        asked(settings, "Who led?", rank="Europe")


def test_a_market_as_a_parameter_is_the_market_that_is_meant(settings: Settings) -> None:
    request = asked(settings, "What is the policy rate?", "market=jp").request
    assert request.market is not None
    assert request.market.market == "JP"
    assert request.query.parameters == {"market": "JP"}


def test_a_graph_of_ones_own_is_read_from_its_file(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "free.yaml"
    file.write_text(FREE)
    choice = asked(settings, "Why did USD/JPY fall?", graph=str(file))
    assert (choice.request.graph.name, choice.remark) == ("free", None)


def test_two_letters_are_a_word_and_no_market(settings: Settings) -> None:
    assert market_in("IN the US, NO rate is set", settings.config.markets) is None


def test_of_two_pairs_the_first_is_researched(settings: Settings) -> None:
    assert market_in("EUR/USD or USD/JPY?", settings.config.markets) == "EUR/USD"


@pytest.mark.parametrize(
    ("question", "parameters", "told"),
    [
        ("", (), "empty"),
        (" \n\t ", (), "empty"),
        ("x" * 4_001, (), "4,001"),
        ("What\x00?", (), "control"),
        ("What\x1b[31m?", (), "control"),
        ("\udc80", (), "control"),
        ("What?", ("ticket",), "name=value"),
        ("What?", ("=x",), "name=value"),
        ("What?", ("ticket=",), "empty"),
        ("What?", ("ticket=a", "ticket=b"), "twice"),
        ("What?", ("tickets=DESK-1",), "did you mean ticket?"),
        ("What?", ("market=USD/JPX",), "USD/JPY"),
    ],
)
def test_what_cannot_be_asked_is_told_with_what_to_do(
    settings: Settings, question: str, parameters: tuple[str, ...], told: str
) -> None:
    with pytest.raises(UsageError, match=told.replace("?", r"\?")):
        asked(settings, question, *parameters)


def test_a_graph_that_wants_a_market_says_so(settings: Settings) -> None:
    with pytest.raises(UsageError, match="--param market="):
        asked(settings, "What happened?", graph="market")


def test_a_graph_that_wants_a_parameter_says_which_and_what_it_is(settings: Settings) -> None:
    with pytest.raises(UsageError, match=r"needs --param first=VALUE \(.+\)"):
        asked(settings, "How do they differ?", graph="documents")


@pytest.mark.parametrize("written", ["2026-10-30", "20261030", "2026-W44-5", "2026W445"])
def test_a_day_stands_for_its_end_on_the_desks_clock(settings: Settings, written: str) -> None:
    request = asked(settings, "What?", as_of=written).request
    assert request.as_of == datetime(2026, 10, 30, 23, 59, 59, tzinfo=UTC)


def test_an_instant_without_an_offset_is_the_desks_local_time(settings: Settings) -> None:
    request = asked(settings, "What?", as_of="2026-07-01T12:00").request
    assert request.as_of == datetime(2026, 7, 1, 11, tzinfo=UTC)


@pytest.mark.parametrize("written", ["2026-11-23", "2027-01-01T00:00Z", "soon", "30.10.2026"])
def test_an_instant_that_has_not_come_or_is_none_is_refused(
    settings: Settings, written: str
) -> None:
    with pytest.raises(UsageError, match="--as-of"):
        asked(settings, "What?", as_of=written)


def test_the_same_question_is_one_run_however_it_is_spaced(settings: Settings) -> None:
    one, two, other = (
        asked(settings, question).request
        for question in ("What holds  up DESK-101?", "What holds up DESK-101?\n", "What is up?")
    )
    ids = [ask_run_id(each.graph, each.query, each.as_of) for each in (one, two, other)]
    assert ids[0] == ids[1] != ids[2]
    assert ids[0].startswith("ask-")
    assert len(ids[0]) == 16


def test_another_instant_parameter_or_graph_is_another_run(settings: Settings) -> None:
    requests = [
        asked(settings, "What?").request,
        asked(settings, "What?", as_of="2026-10-30").request,
        asked(settings, "What?", "ticket=DESK-101").request,
        asked(settings, "What?", "first=a", "second=b", graph="documents").request,
    ]
    assert len({ask_run_id(each.graph, each.query, each.as_of) for each in requests}) == 4


@pytest.mark.parametrize(
    "question", ["carry on aud/jpy", "what is the carry of aussie yen", "the carry on usdjpy"]
)
def test_the_carry_of_a_pair_is_asked_of_its_banks(
    settings: Settings, with_meaning: None, question: str
) -> None:
    assert asked(settings, question).request.graph.name == "bank"


def test_a_pair_is_measured_where_its_price_is_asked_for(
    settings: Settings, with_meaning: None
) -> None:
    for question in ("aud/jpy rate now", "what is the usdjpy rate", "aud/jpy in september"):
        assert asked(settings, question).request.graph.name != "bank"
