"""An answer about a market begins with the one figure that is asked for, and its day."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.contracts.agents.tasks import TaskType
from desk.contracts.findings.results import EventType, ResearchResult
from desk.contracts.markets import MarketSpec
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.graph import GraphRequest
from desk.contracts.runs.turns import StateEntry, TurnRequest
from desk.platform.memory.sentence_encoder import desk_embedding_model
from desk.platform.settings import Settings
from desk.programs.question.builtin.synthesis import take_turn
from desk.programs.turns import builtin_turn
from desk.trust.prose import split_sentences
from desk.trust.prose.references import render
from desk.trust.prose.synthesis_review import claims_in, review_synthesis
from starters.questions.choice import AskOptions, chosen
from tests.knowledge.asking import asked, documents_state
from tests.support.builders import answered, call, history, real_fixings, request
from tests.support.processes.homes import home_settings

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
END_OF_OCTOBER = "2026-10-30"
LIMITS = "# Limits\n\nThe limit for the yen is set by the risk committee at 40 million.\n"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return home_settings(tmp_path_factory.mktemp("home"))


@pytest.fixture(autouse=True)
def of_this_worker(with_meaning: None) -> Iterator[None]:
    """The model of meaning as a worker's turn has it."""
    known = WORKER_EMBEDDING_MODEL.set(desk_embedding_model)
    yield
    WORKER_EMBEDDING_MODEL.reset(known)


def measured(asking: GraphRequest, market: MarketSpec) -> ResearchResult:
    """What the price analyst finds for a question in the fixings that come with the desk."""
    window = asking.window
    assert window is not None
    first, last = window.start.date() - timedelta(weeks=56), window.end.date()
    # The packaged file has no rate of the Taiwan dollar.
    known = () if "TWD" in market.market else real_fixings(market.market)
    known = tuple(each for each in known if first <= each[0] <= last)
    answer = history(market.market, known, window.end)
    told = answered(call("ecb", "get_historical", symbol=market.market), answer)
    turn = request(TaskType.RESEARCH_FX, market, "2026-W44", results=[told])
    of_it = {"query": asking.query, "window": window}
    assignment = turn.assignment.model_copy(update=of_it)
    result = builtin_turn(turn.model_copy(update={"assignment": assignment})).result
    assert isinstance(result, ResearchResult)
    return result


def answer_to(
    question: str,
    settings: Settings,
    *beside: StateEntry,
    as_of: str | None = END_OF_OCTOBER,
) -> tuple[Synthesis, list[str]]:
    """The answer to a question, and its sentences as they are printed. Nothing of it is refused."""
    options = AskOptions(question, as_of=as_of)
    asking = chosen(options, settings, settings.config, now=NOW).request
    state = [*beside, *_researched(asking)]
    turn = _synthesis(asking, state)
    made = take_turn(turn).result
    assert isinstance(made, Synthesis)
    assert review_synthesis(made, state) == ()
    words = {f"[[{q.quotation_id}]]": q.text for q in made.quotations}
    summary = made.summary
    for reference, text in words.items():
        summary = summary.replace(reference, text)
    return made, [each.strip() for each in split_sentences(render(summary, claims_in(state)))]


def _researched(asking: GraphRequest) -> Iterator[StateEntry]:
    for node in asking.graph.nodes:
        market = node.market or asking.market
        if node.task is TaskType.RESEARCH_FX and market is not None:
            yield StateEntry(
                key=node.name, node=node.name, round=1, result=measured(asking, market)
            )


def _synthesis(asking: GraphRequest, state: Sequence[StateEntry]) -> TurnRequest:
    turn = asked(TaskType.SYNTHESISE, asking.query.question, state=state)
    window = asking.window or turn.assignment.window
    of_it = {"query": asking.query, "window": window}
    return turn.model_copy(update={"assignment": turn.assignment.model_copy(update=of_it)})


@pytest.mark.parametrize(
    ("question", "first"),
    [
        # Levels, of a day and of now.
        (
            "where was sterling yen at the end of march",
            "The fixing of GBP/JPY of 31 Mar 2026 is 211.20.",
        ),
        ("what was eurusd on 24 june 2016", "The fixing of EUR/USD of 24 Jun 2016 is 1.1066."),
        (
            "what was usdjpy on 28 march 2026",
            "The fixing of USD/JPY of 27 Mar 2026 is 159.90, the last one by 28 Mar 2026.",
        ),
        ("USDKRW now pls", "The fixing of USD/KRW of 30 Oct 2026 is 1,335.27."),
        (
            "what is price of euro vs yen on 2026-09-30",
            "The fixing of EUR/JPY of 30 Sep 2026 is 178.27.",
        ),
        # Thresholds.
        (
            "did dollar yen ever fix above 160 this summer",
            "Yes: the highest fixing of USD/JPY from 1 Jun 2026 to 31 Aug 2026 was 163.91,"
            " on 28 Jul 2026.",
        ),
        (
            "did dollar yen ever fix above 164 this summer",
            "No: the highest fixing of USD/JPY from 1 Jun 2026 to 31 Aug 2026 was 163.91,"
            " on 28 Jul 2026.",
        ),
        (
            "has eurchf been below 0.92 this year",
            "Yes: the lowest fixing of EUR/CHF from 1 Jan 2026 to 30 Oct 2026 was 0.9008,"
            " on 9 Mar 2026.",
        ),
        (
            "has USD/INR ever been above 97",
            "No: the highest fixing of USD/INR in the 52 weeks to 30 Oct 2026 was 96.8250,"
            " on 20 May 2026.",
        ),
        (
            "did USD/INR trade above 95 this year?",
            "Yes: the highest fixing of USD/INR from 1 Jan 2026 to 30 Oct 2026 was 96.8250,"
            " on 20 May 2026.",
        ),
        ("is the aussie above 0.70?", "Yes: the fixing of AUD/USD of 30 Oct 2026 is 0.7025."),
        ("is dollar yen under 150 now", "No: the fixing of USD/JPY of 30 Oct 2026 is 157.25."),
        # Extremes, and the largest day.
        (
            "usdjpy high this year",
            "The highest fixing of USD/JPY from 1 Jan 2026 to 30 Oct 2026 was 163.91,"
            " on 28 Jul 2026.",
        ),
        (
            "low in aussie since june",
            "The lowest fixing of AUD/USD from 1 Jun 2026 to 30 Oct 2026 was 0.6887,"
            " on 30 Jun 2026.",
        ),
        (
            "biggest one-day move in cable this year",
            "The largest one-day move of GBP/USD from 1 Jan 2026 to 30 Oct 2026 was +1.71 %"
            " on 8 Apr 2026, from 1.3245 on 7 Apr 2026 to 1.3472.",
        ),
        (
            "worst day for sterling vs usd in 2026 so far + how bad",
            "The largest one-day fall of GBP/USD from 1 Jan 2026 to 30 Oct 2026 was -1.32 %"
            " on 18 Jun 2026, from 1.3406 on 17 Jun 2026 to 1.3229.",
        ),
        (
            "what was euro dollar's largest one-day gain in September",
            "The largest one-day rise of EUR/USD from 1 Sep 2026 to 30 Sep 2026 was +0.33 %",
        ),
        (
            "what was the yen's biggest one-day fall this year",
            "The largest one-day rise of USD/JPY from 1 Jan 2026 to 30 Oct 2026 was",
        ),
        (
            "how low did the rupee get this year",
            "The highest fixing of USD/INR from 1 Jan 2026 to 30 Oct 2026 was 96.8250,"
            " on 20 May 2026.",
        ),
        (
            "did the yen fall below 160 this summer",
            "Yes: the highest fixing of USD/JPY from 1 Jun 2026 to 31 Aug 2026 was 163.91,"
            " on 28 Jul 2026.",
        ),
        # A currency weaker than a number is one whose pair is above it, where it is quoted in it.
        (
            "was the won ever weaker than 1550 since the start of may",
            "Yes: the highest fixing of USD/KRW from 1 May 2026 to 30 Oct 2026 was 1,558.09,"
            " on 1 Jul 2026.",
        ),
        (
            "has the sing dollar traded stronger than 1.25 at all in 2026",
            "No: the lowest fixing of USD/SGD from 1 Jan 2026 to 30 Oct 2026 was 1.2617,",
        ),
        (
            "did the aussie get stronger than 72 cents in q3",
            "Yes: the highest fixing of AUD/USD from 1 Jul 2026 to 30 Sep 2026 was 0.7225,",
        ),
        (
            "rupee breached 95 this year y/n",
            "Yes: the fixings of USD/INR from 1 Jan 2026 to 30 Oct 2026 ranged from 89.8524,",
        ),
        # The level of a day, and of a currency by its everyday name.
        ("euro vs won fix on 3 july pls", "The fixing of EUR/KRW of 3 Jul 2026 is 1,752.95."),
        ("quid per euro on 3 july", "The fixing of EUR/GBP of 3 Jul 2026 is"),
        # A move, and whether there was one.
        (
            "sing dollar vs ringgit, how did october go",
            "SGD/MYR fell over the period (-0.60 %), from 3.1929 to 3.1736.",
        ),
        ("Did the rupee weaken in August?", "No: the Indian rupee rose against the US dollar"),
        (
            "eurosterling low for 2026, level + date",
            "The lowest fixing of EUR/GBP from 1 Jan 2026 to 30 Oct 2026 was 0.8338,",
        ),
        (
            "how much ground has the rupiah lost to the greenback since new year",
            "USD/IDR rose over the period (+8.57 %), from 16,716 to 18,148.",
        ),
        (
            "has the franc been firmer than the yen this month",
            "Yes: the Swiss franc rose 1.59 % against the Japanese yen.",
        ),
        (
            "best performing scandi ytd",
            "NOK did better than SEK: the Norwegian krone rose against the US dollar",
        ),
        (
            "is aussie up or down on the week",
            "AUD/USD was little changed over the week (+0.04 %), from 0.7022 to 0.7025.",
        ),
        # For how many days it went one way.
        (
            "how many days in a row has cable fallen",
            "By its fixing of 30 Oct 2026 GBP/USD has risen for 2 days in a row.",
        ),
        (
            "how many days in a row has the won fallen against the dollar",
            "By its fixing of 30 Oct 2026 USD/KRW has fallen for 2 days in a row: the South Korean"
            " won rose.",
        ),
        # What is counted of the days, of weeks, and beyond a number.
        (
            "how many weeks in a row has the dollar gained against the yen",
            "From Friday to Friday USD/JPY has risen for 1 week in a row.",
        ),
        (
            "how many times has usdchf fallen on the day in october",
            "USD/CHF fell on 10 of its 22 fixings from 1 Oct 2026 to 30 Oct 2026, and rose on 12.",
        ),
        (
            "on how many days did the yen lose in september",
            "USD/JPY rose on 11 of its 22 fixings from 1 Sep 2026 to 30 Sep 2026, and fell on 11.",
        ),
        (
            "Which month of 2026 has been the worst for the ringgit?",
            "The largest one-month rise of USD/MYR from 1 Jan 2026 to 30 Oct 2026 was +4.06 % in"
            " the month to 31 Mar 2026, from 3.8910 on 27 Feb 2026 to 4.0490.",
        ),
        (
            "longest losing run for the kiwi this yr?",
            "The longest run of falling fixings of NZD/USD from 1 Jan 2026 to 30 Oct 2026 is"
            " 8 days, up to 25 Jun 2026.",
        ),
        (
            "how much is the euro up on the year",
            "EUR/USD fell over the period (-4.92 %), from 1.1750 to 1.1172.",
        ),
        (
            "how much has the rupee slipped since new year",
            "USD/INR rose over the period (+5.66 %), from 89.8694 to 94.9552.",
        ),
        (
            "need the year-end 2025 fixings for USDCNY and USDHKD",
            "The fixing of USD/CNY of 31 Dec 2025 is 7.0010.",
        ),
        (
            "what was the biggest weekly drop of the yen this year",
            "The largest one-week rise of USD/JPY from 1 Jan 2026 to 30 Oct 2026 was +2.50 % in"
            " the week to 18 Sep 2026, from 154.04 on 11 Sep 2026 to 157.89.",
        ),
        (
            "how often did usdkrw close above 1450 this year",
            "123 of the fixings of USD/KRW from 1 Jan 2026 to 30 Oct 2026 were above the number"
            " that is asked about.",
        ),
        (
            "when did the yen first trade weaker than 160 this year",
            "The first fixing of USD/JPY above the number that is asked about, from 1 Jan 2026 to"
            " 30 Oct 2026, is that of 9 Jun 2026.",
        ),
        (
            "since when is eurusd below 1.15",
            "The last fixing of EUR/USD above the number that is asked about, from 29 Sep 2025 to"
            " 30 Oct 2026, is that of 16 Sep 2026.",
        ),
        (
            "average usdsgd in q3",
            "The mean of the fixings of USD/SGD from 1 Jul 2026 to 30 Sep 2026 is 1.2804.",
        ),
        (
            "how volatile has sterling been this month",
            "The daily moves of GBP/USD from 1 Oct 2026 to 30 Oct 2026 come to a volatility of"
            " 4.9 % a year.",
        ),
        (
            "on which day did the rupee hit its record low this year",
            "The highest fixing of USD/INR from 1 Jan 2026 to 30 Oct 2026 was 96.8250, on"
            " 20 May 2026.",
        ),
        (
            "what was the won's average in august against the euro",
            "The mean of the fixings of EUR/KRW from 1 Aug 2026 to 31 Aug 2026 is 1,626.41.",
        ),
        # What always was so is decided by the fixing that is nearest to the number.
        (
            "did usdjpy stay below 160 all year",
            "No: the highest fixing of USD/JPY from 1 Jan 2026 to 30 Oct 2026 was 163.91,"
            " on 28 Jul 2026.",
        ),
        (
            "has usdkrw stayed above 1300 this year",
            "Yes: the lowest fixing of USD/KRW from 1 Jan 2026 to 30 Oct 2026 was 1,324.45,"
            " on 23 Oct 2026.",
        ),
        (
            "did the yen never get weaker than 165 this year",
            "Yes: the highest fixing of USD/JPY from 1 Jan 2026 to 30 Oct 2026 was 163.91,"
            " on 28 Jul 2026.",
        ),
        # Where it stands in the band that an authority keeps.
        (
            "is usdhkd near the weak end of its band",
            "The fixing of USD/HKD of 30 Oct 2026, 7.8457, stands at 95.7 % of its band, from 7.75"
            " to 7.85.",
        ),
        # As many of several as are asked for.
        (
            "top three asian currencies this quarter",
            "KRW, INR and CNY did best in Asia: the South Korean won rose against the US dollar"
            " (USD/KRW -1.49 %); the Indian rupee rose",
        ),
        (
            "bottom 2 g10 fx in august",
            "SEK and CHF did worst in G10: the Swedish krona fell against the US dollar"
            " (USD/SEK +0.17 %); the Swiss franc rose",
        ),
        # What the market calls a level.
        ("is eur/usd below parity", "No: the fixing of EUR/USD of 30 Oct 2026 is 1.1172."),
        ("is eurchf under parity", "Yes: the fixing of EUR/CHF of 30 Oct 2026 is 0.9194."),
        # Of several, the one.
        (
            "which of aud and nzd did better against usd in august",
            "AUD did better than NZD: the Australian dollar rose 2.05 % against the US dollar; the"
            " New Zealand dollar rose 0.92 % against the US dollar.",
        ),
        (
            "worst G10 currency of september?",
            "NZD did worst in G10: the New Zealand dollar fell 4.60 % against the US dollar.",
        ),
        (
            "worst asian currency this year",
            "IDR did worst in Asia: the Indonesian rupiah fell against the US dollar",
        ),
        (
            "which asian currency did best this quarter",
            "KRW did best in Asia: the South Korean won rose against the US dollar"
            " (USD/KRW -1.49 %).",
        ),
        (
            "was the kiwi the worst performer in G10 last month",
            "Yes: NZD did worst in G10: the New Zealand dollar fell 4.60 % against the US dollar.",
        ),
        (
            "did kiwi beat aussie last quarter",
            "No: AUD did better than NZD: the Australian dollar rose 1.18 % against the US dollar;"
            " the New Zealand dollar fell 0.25 % against the US dollar.",
        ),
        (
            "is the yen at its weakest of the year",
            "No: the fixing of USD/JPY of 30 Oct 2026 is 157.25.",
        ),
        (
            "is usdcny at its low this year",
            "Yes: the fixing of USD/CNY of 30 Oct 2026, 6.6529, is the lowest from 1 Jan 2026 to"
            " 30 Oct 2026.",
        ),
        (
            "softest the aussie got last month",
            "The lowest fixing of AUD/USD from 1 Sep 2026 to 30 Sep 2026 was 0.6968, on"
            " 30 Sep 2026.",
        ),
        (
            "biggest drop in sterling this yr, what day",
            "The largest one-day fall of GBP/USD from 1 Jan 2026 to 30 Oct 2026 was -1.32 % on"
            " 18 Jun 2026,",
        ),
        (
            "did the won or the yen do worse in september",
            "KRW did worse than JPY: the South Korean won rose against the US dollar",
        ),
        (
            "usdinr range since june",
            "The fixings of USD/INR from 1 Jun 2026 to 30 Oct 2026 ranged from 94.3294, on"
            " 19 Jun 2026, to 96.7848, on 8 Oct 2026.",
        ),
        (
            "how far is dollar yen off its high this year",
            "The fixing of USD/JPY of 30 Oct 2026, 157.25, is 4.06 % below the highest from"
            " 1 Jan 2026 to 30 Oct 2026, 163.91, on 28 Jul 2026.",
        ),
        (
            "how far is the euro from its year high",
            "The fixing of EUR/USD of 30 Oct 2026, 1.1172, is below the highest in the 52 weeks to"
            " 30 Oct 2026, 1.1974, on 28 Jan 2026.",
        ),
        (
            "how many asian currencies are up vs the dollar this week",
            "Against the US dollar MYR and CNY rose; IDR and KRW fell; THB, SGD, INR, HKD and PHP"
            " hardly moved.",
        ),
        (
            "which G10 currencies fell in october",
            "Against the US dollar JPY, NZD and EUR fell; NOK, SEK, CAD, CHF, GBP and AUD rose.",
        ),
        (
            "rank the g10 currencies by this weeks move",
            "NOK did best in G10: the Norwegian krone rose against the US dollar",
        ),
        ("did the won rise this week", "No: the South Korean won fell against the US dollar"),
        # What is not there.
        (
            "where is euro koruna",
            "The desk has no market for the Czech koruna: nothing was measured of it.",
        ),
        (
            "eur/pln today?",
            "The desk has no market for the Polish zloty: nothing was measured of it.",
        ),
        (
            "how did the S&P 500 do last week",
            "The desk has no market for the S&P index: nothing was measured of it.",
        ),
        ("where is oil", "The desk has no market for oil: nothing was measured of it."),
    ],
)
def test_what_is_asked_for_is_the_first_sentence(
    question: str, first: str, settings: Settings
) -> None:
    made, sentences = answer_to(question, settings)
    assert sentences[0].startswith(first)
    assert made.answered is not first.startswith("The desk has no market")


@pytest.mark.parametrize(
    "question",
    [
        "how many yen did the finance ministry spend on intervention in july",
        "usdchf rsi",
        "is the loonie overbought against the euro",
        "is cable over its 100 day moving average",
        "how correlated are AUD/USD and NZD/USD",
        "highest the franc has ever been",
        "is the won in a downtrend",
        "correlation between AUD/USD and NZD/USD this year, daily changes",
        "is the euro below purchasing power parity",
        "should i hedge my idr receivables now",
        "where will eurusd be in march",
        "where will eurusd be at the end of march 2027",
        "how far is usdsgd from the top of its band",
        "median of eurchf fixings in 2026",
        "where will eurusd trade at the end of the year",
    ],
)
def test_what_no_fixing_answers_is_refused_first(question: str, settings: Settings) -> None:
    made, sentences = answer_to(question, settings)
    assert sentences[0] == "Nothing that is known here answers the question."
    assert not made.answered


@pytest.mark.parametrize(
    ("question", "unread"),
    [("best em currency ytd", "em"), ("biggest loser in latam fx this month", "latam")],
)
def test_the_first_of_all_is_none_of_a_group_that_the_desk_does_not_have(
    question: str, unread: str, settings: Settings
) -> None:
    made, sentences = answer_to(question, settings)
    assert sentences[:2] == [
        "No fact that is known here surely answers the question.",
        f"Not read in the question: {unread}.",
    ]
    assert not made.answered


@pytest.mark.parametrize(
    ("question", "first", "unknown"),
    [
        (
            "usdsgd rsi and where is it",
            "The fixing of USD/SGD of 30 Oct 2026 is 1.2784.",
            "usdsgd rsi",
        ),
        (
            "what's norway's policy rate and how did nok do this month",
            "USD/NOK fell over the period (-3.86 %), from 9.6006 to 9.2302.",
            "what's norway's policy rate",
        ),
    ],
)
def test_the_part_of_a_question_that_nothing_answers_is_named_behind_what_is_known(
    question: str, first: str, unknown: str, settings: Settings
) -> None:
    made, sentences = answer_to(question, settings)
    assert sentences[0] == first
    assert sentences[-1] == (
        f"Nothing that is known here answers this part of the question: {unknown}."
    )
    assert not made.answered


def test_the_order_of_a_group_begins_with_what_is_asked_for(settings: Settings) -> None:
    _, worst = answer_to("worst G10 currency of september?", settings)
    assert any(
        each.startswith("G10 against the US dollar, from worst to best: NZD") for each in worst
    )
    _, best = answer_to("which G10 currency did best in september?", settings)
    assert any(
        each.startswith("G10 against the US dollar, from best to worst: JPY") for each in best
    )


@pytest.mark.parametrize(
    ("question", "first"),
    [
        (
            "is the loonie having a better october than the aussie",
            "Yes: CAD did better than AUD: the Canadian dollar rose against the US dollar (USD/CAD"
            " -1.51 %); the Australian dollar rose 0.82 % against the US dollar.",
        ),
        (
            "did the aussie fall more than the kiwi in september",
            "No: NZD did worse than AUD: the New Zealand dollar fell 4.60 % against the US dollar;"
            " the Australian dollar fell 2.71 % against the US dollar.",
        ),
        # Both fell: neither rose more.
        (
            "did the ringgit rise more than the rupiah in september",
            "No: IDR did better than MYR: the Indonesian rupiah fell against the US dollar (USD/IDR"
            " +1.02 %); the Malaysian ringgit fell against the US dollar (USD/MYR +1.29 %).",
        ),
        (
            "did the rupiah rise more than the ringgit in september",
            "No: IDR did better than MYR: the Indonesian rupiah fell against the US dollar (USD/IDR"
            " +1.02 %); the Malaysian ringgit fell against the US dollar (USD/MYR +1.29 %).",
        ),
        # The desk measures no cross of the yen and the won.
        (
            "has the yen been weaker than the won this year",
            "Yes: the Japanese yen fell against the US dollar (USD/JPY +0.37 %); the South Korean"
            " won rose against the US dollar (USD/KRW -7.54 %).",
        ),
        (
            "how much more did the franc gain than the euro in october",
            "CHF did better than EUR: the Swiss franc rose against the US dollar (USD/CHF -1.40 %);"
            " the euro fell 1.61 % against the US dollar.",
        ),
        (
            "is eurusd more volatile than usdjpy this year",
            "No: USD/JPY was the more volatile from 1 Jan 2026 to 30 Oct 2026: the volatility of"
            " its daily moves is 7.7 % a year, that of EUR/USD 5.6 %.",
        ),
        (
            "which was calmer in september, cable or dollar swiss",
            "GBP/USD was the less volatile from 1 Sep 2026 to 30 Sep 2026: the volatility of its"
            " daily moves is 4.4 % a year, that of USD/CHF 5.8 %.",
        ),
    ],
)
def test_two_currencies_are_compared_with_both_figures(
    question: str, first: str, settings: Settings
) -> None:
    made, sentences = answer_to(question, settings)
    assert sentences[0] == first and made.found


def test_the_volatility_of_a_whole_group_is_not_known(settings: Settings) -> None:
    made, sentences = answer_to("most volatile asian currency in october", settings)
    assert sentences[0] == "Nothing that is known here answers the question." and not made.answered


@pytest.mark.parametrize(
    ("question", "unread", "then"),
    [
        # Neither the word nor what it makes of the euro is known.
        ("where is euro stonkie", "stonkie", "Taken for a question about now and the last week:"),
        ("did euro stonkie fall last week", "stonkie", "Taken for a question about last week:"),
        ("how is stonkie doing against the euro", "stonkie", "Taken for a question about now"),
        # A word beside a currency may make it another market or another measure.
        ("where is euro beast", "beast", "Taken for a question about now and the last week:"),
        ("euro positioning", "positioning", "Taken for a question about now and the last week:"),
    ],
)
def test_what_may_name_another_market_is_told_first(
    question: str, unread: str, then: str, settings: Settings
) -> None:
    made, sentences = answer_to(question, settings)
    assert sentences[0] == f"Not read in the question: {unread}."
    assert sentences[1].startswith(then)
    assert not made.answered and not made.found


def test_how_a_currency_moved_is_no_name_and_told_first(settings: Settings) -> None:
    made, sentences = answer_to("did cable wobble last week", settings)
    assert sentences[0] == "Not read in the question: wobble." and made.found


def test_a_misspelled_word_is_read_with_saying_so(settings: Settings) -> None:
    made, sentences = answer_to("how did strlng do in febuary", settings)
    assert sentences[0] == "Read 'strlng' as 'sterling' and 'febuary' as 'february'."
    assert sentences[1].startswith("GBP/USD fell over the period (-2.10 %)") and made.found


def test_a_market_that_the_desk_does_not_have_is_not_answered_with_another(
    settings: Settings,
) -> None:
    _, sentences = answer_to("where is euro koruna", settings)
    assert len(sentences) == 1


def test_now_is_the_newest_fixing_that_is_known_and_its_age_is_told(settings: Settings) -> None:
    made, sentences = answer_to("where is dollar yen?", settings, as_of=None)
    assert made.answered
    told = "The newest fixing of USD/JPY known here is that of 30 Oct 2026, 28 days before this"
    assert sentences[:2] == [f"{told} question.", "The fixing of USD/JPY of 30 Oct 2026 is 157.25."]


@pytest.mark.parametrize("day", [24, 28, 29, 30])
def test_the_last_week_is_a_whole_one_on_every_day_after_the_newest_fixing(
    day: int, settings: Settings
) -> None:
    now = datetime(2026, 11, day, 12, tzinfo=UTC)
    asking = chosen(AskOptions("what moved usdjpy"), settings, settings.config, now=now).request
    (state,) = _researched(asking)
    assert isinstance(state.result, ResearchResult)
    moves = [e for e in state.result.events if e.event_type is EventType.FX_MOVEMENT]
    assert [render(e.description, claims_in([state])).partition(". ")[0] for e in moves] == [
        "USD/JPY rose over the week (+0.29 %), from 156.80 to 157.25"
    ]


def test_days_after_the_newest_fixing_are_not_answered_for(settings: Settings) -> None:
    asked = "has usdsgd fixed above 1.30 at any time since July"
    _, sentences = answer_to(asked, settings, as_of=None)
    assert sentences[0] == (
        "The fixings of USD/SGD known here end on 30 Oct 2026, 28 days before the last of the days"
        " that are asked about."
    )
    assert sentences[1].startswith(
        "No, as far as is known: the fixings of USD/SGD from 1 Jul 2026 to 30 Oct 2026 ranged"
    )


@pytest.mark.parametrize("asked", ["did usdjpy rise yesterday", "usdjpy on the day, today?"])
def test_an_older_move_is_not_told_as_that_of_a_day_without_a_fixing(
    asked: str, settings: Settings
) -> None:
    made, sentences = answer_to(asked, settings, as_of=None)
    assert sentences[0].startswith(
        "No fixing of USD/JPY is known here of the days that are asked about: the newest is that of"
        " 30 Oct 2026,"
    )
    assert not made.answered
    assert not any("Measured" in each or "rose" in each or "fell" in each for each in sentences)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "how far has euro dollar come off its january peak",
            "The fixing of EUR/USD of 30 Oct 2026, 1.1172, is 6.70 % below the highest from"
            " 1 Jan 2026 to 31 Jan 2026, 1.1974, on 28 Jan 2026.",
        ),
        (
            "how much has usdjpy fallen since its july peak",
            "The fixing of USD/JPY of 30 Oct 2026, 157.25, is 4.06 % below the highest from"
            " 1 Jul 2026 to 31 Jul 2026, 163.91, on 28 Jul 2026.",
        ),
        (
            "where is eurusd relative to its february low",
            "The fixing of EUR/USD of 30 Oct 2026, 1.1172, is 4.94 % below the lowest from"
            " 1 Feb 2026 to 28 Feb 2026, 1.1753, on 19 Feb 2026.",
        ),
    ],
)
def test_from_a_high_or_low_of_past_days_is_measured_up_to_now(
    question: str, told: str, settings: Settings
) -> None:
    made, sentences = answer_to(question, settings)
    assert sentences[0] == told
    assert made.answered
    assert not any("Measured from" in each for each in sentences)


def test_the_part_of_a_question_that_no_figure_answers_is_named_last(settings: Settings) -> None:
    asked = "average eurgbp in 2025 and how far are we from it now"
    made, sentences = answer_to(asked, settings)
    assert sentences[0].startswith("The mean of the fixings of EUR/GBP from 1 Jan 2025")
    assert sentences[-1] == (
        "Nothing that is known here answers this part of the question: how far are we from it now."
    )
    assert not made.answered


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "did the yen fall in october and was it worse than the won?",
            ("Yes: the Japanese yen fell", "Yes: JPY did worse than KRW"),
        ),
        (
            "how volatile was eurchf in q3 and what was its range",
            ("The daily moves of EUR/CHF", "The fixings of EUR/CHF from 1 Jul 2026"),
        ),
        (
            "where was usdsgd at the end of august and where is it now",
            ("The fixing of USD/SGD of 30 Oct 2026 is", "USD/SGD rose over the period (+0.45 %)"),
        ),
    ],
)
def test_both_parts_of_a_question_are_answered(
    question: str, told: tuple[str, str], settings: Settings
) -> None:
    made, sentences = answer_to(question, settings)
    assert sentences[0].startswith(told[0])
    assert any(each.startswith(told[1]) for each in sentences)
    assert made.answered
    assert len({*sentences}) == len(sentences)


def test_the_size_of_a_change_is_no_level(settings: Settings) -> None:
    made, sentences = answer_to("is eurgbp up more than 1% since july", settings)
    assert not any(each.startswith(("Yes", "No")) and "number" not in each for each in sentences)
    assert any(each.startswith("Not read in the question: a number") for each in sentences)
    assert not made.answered


def test_now_is_compared_with_the_end_of_past_days(settings: Settings) -> None:
    _, sentences = answer_to("is sterling higher than in june", settings)
    assert sentences[0].startswith("Yes: the British pound rose 1.3")
    assert sentences[1].startswith("Measured from the fixing of 30 Jun 2026 to that of 30 Oct 2026")


def test_a_number_that_is_no_level_of_the_pair_decides_nothing(settings: Settings) -> None:
    made, sentences = answer_to("has dollar yen been above 1.10 this year", settings)
    assert not any(each.startswith(("Yes", "No:")) for each in sentences)
    assert sentences[0].startswith("Taken for a question about this year: USD/JPY rose")
    assert any(each.startswith("Not read in the question: a number") for each in sentences)
    assert not made.answered


def test_how_far_a_number_is_off_is_answered_with_neither_yes_nor_no(settings: Settings) -> None:
    made, sentences = answer_to("how much room until usdhkd hits 7.85", settings)
    assert sentences[0].startswith("Taken for a question about now and the last week: The fixing")
    assert not made.answered


@pytest.mark.parametrize(
    "question",
    [
        *("dollar yen?", "kiwi versus a year ago"),
        *("did the kiwi not fall this week", "has the won not gained this year"),
    ],
)
def test_what_asks_for_no_side_is_answered_with_neither_yes_nor_no(
    question: str, settings: Settings
) -> None:
    _, sentences = answer_to(question, settings)
    assert not any(each.startswith(("Yes", "No:")) for each in sentences)


def test_behind_a_figure_that_is_asked_for_stands_no_cause(settings: Settings) -> None:
    _, sentences = answer_to("usdjpy high this year", settings)
    assert not any("Federal Reserve" in each or "caused" in each for each in sentences)


def test_a_currency_without_fixings_is_told_before_the_other_ones(settings: Settings) -> None:
    asking = "how did the taiwan dollar and the singapore dollar compare over the third quarter"
    _, sentences = answer_to(asking, settings)
    assert sentences[0] == "Nothing is said here of the New Taiwan dollar."
    assert any("USD/SGD" in each for each in sentences[1:])


def test_nearest_texts_come_after_what_they_are_not_about(settings: Settings) -> None:
    papers = documents_state(rates="# Rates\n\nPick a source for the policy rate of Vietnam.\n")
    _, sentences = answer_to("what is taiwan's policy rate", settings, papers)
    assert sentences[0] == "Nothing is said here of Taiwan."
    assert sentences[1].startswith("No passage surely fits the question.")


def test_no_paper_is_quoted_beside_a_price(settings: Settings) -> None:
    papers = documents_state(limits=LIMITS)
    made, sentences = answer_to("did USD/JPY rise last week", settings, papers)
    assert sentences[0].startswith(("Yes: ", "No: "))
    assert made.quotations == ()


def test_what_is_written_is_answered_with_that(settings: Settings) -> None:
    papers = documents_state(limits=LIMITS)
    made, sentences = answer_to(
        "what limit is set for the yen by the risk committee", settings, papers
    )
    assert made.quotations
    assert not any("fixing" in each for each in sentences)
