"""The audit of an episode's report: a sound one passes, and what is forged is found by name."""

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

import pytest

from desk.analytics.evaluation import POSITIONS, performance
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.analysis import MeasuredFigure
from desk.contracts.episode.stock import Evaluation, Recommended, StockRecord
from desk.contracts.question.answers import AnswerReport
from desk.contracts.runs.graph import GraphRecord
from desk.documents.answer.audit import counted_in_answer, findings_in_answer
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.json_form import answer_from_json, answer_to_json
from desk.documents.audit.findings import AuditFinding
from desk.programs.episode.document import words
from desk.programs.episode.document.audit import outcome_findings
from desk.trust.seals import content_hash, sealed
from tests.support.documents.answers import FINISHED_AT
from tests.support.stocks.reports import stock_record

Told = dict[str, Any]
Change = Callable[[Told], None]


@cache
def sound() -> AnswerReport:
    """The report on an episode of the usual order. It is compiled by the first test that wants it,
    since each process that collects tests imports this file."""
    return compile_answer(stock_record(), finished_at=FINISHED_AT)


def forged(change: Change, answer: AnswerReport | None = None) -> AnswerReport:
    """The report with one thing changed, and sealed anew by whoever changed it."""
    told = (answer or sound()).model_dump(mode="json")
    change(told)
    return sealed(AnswerReport.model_validate(told))


def put(*path: str | int, value: Any) -> Change:
    def change(told: Told) -> None:
        place: Any = told
        for step in path[:-1]:
            place = place[step]
        assert place[path[-1]] != value
        place[path[-1]] = value

    return change


def everywhere(change: Callable[[Told], None]) -> Change:
    """The same change on every blackboard, so that they agree with each other."""

    def on_all(told: Told) -> None:
        for board in (told["stock"]["board"], *(s["board"] for s in told["stock"]["steps"])):
            change(board)

    return on_all


def on_board(name: str, value: Any) -> Change:
    """Another value in a field of every blackboard that has something there."""

    def change(board: Told) -> None:
        if board["recommendation"] is not None:
            assert board[name] != value
            board[name] = value

    return everywhere(change)


def of_insight(**values: Any) -> Change:
    """The first insight told otherwise, wherever it stands."""
    return everywhere(lambda board: board["insights"] and board["insights"][0].update(values))


def of_part(name: str, **values: Any) -> Change:
    """The first figure of a part told otherwise, wherever it stands."""
    return everywhere(lambda board: board[name] and board[name]["figures"][0].update(values))


def without_figure(name: str) -> Change:
    return everywhere(lambda board: board[name] and board[name]["figures"].pop())


def without_lacking(name: str) -> Change:
    return everywhere(lambda board: board[name] and board[name].update(lacking=[]))


def asked_otherwise(**arguments: Any) -> Change:
    """The evaluation's tool was asked another thing, and its source says so as well."""

    def change(told: Told) -> None:
        for place in ("evidence", "sources"):
            for each in told[place]:
                call = each.get("call", each)
                if call["tool"] == "performance":
                    assert any(call["arguments"][name] != arguments[name] for name in arguments)
                    call["arguments"].update(arguments)

    return change


def asked_without(name: str) -> Change:
    """The evaluation's tool was not told something, and its source says so as well."""

    def change(told: Told) -> None:
        for place in ("evidence", "sources"):
            for each in told[place]:
                call = each.get("call", each)
                if call["tool"] == "performance":
                    del call["arguments"][name]

    return change


def evaluated(metric: str, value: str) -> Change:
    """Another figure of the evaluation wherever it stands: in the answer of its tool, hashed anew,
    in the claim on it, on every blackboard, and in the reward of the step."""

    def change(told: Told) -> None:
        claim = next(c for c in told["claims"] if c["metric"] == metric)
        assert claim["value"] != value
        claim["value"] = value
        result = next(r for r in told["evidence"] if r["call"]["call_id"] == claim["evidence"][0])
        boards = (told["stock"]["board"], *(s["board"] for s in told["stock"]["steps"]))
        held = [board["evaluation"] for board in boards if board["evaluation"]]
        for each in (result["content"], *held):
            next(f for f in each["figures"] if f["metric"] == metric)["value"] = value
        result["content_hash"] = content_hash(result["content"])
        if metric == "reward":
            told["stock"]["steps"][-1]["reward"] = value
            for each in held:
                each["reward"] = value

    return change


def planted(as_of: str, *figures: Told) -> Change:
    """The market data of another instant, hashed anew, behind the claim on the last price."""

    def change(told: Told) -> None:
        claim = next(c for c in told["claims"] if c["metric"] == "last")
        result = next(r for r in told["evidence"] if r["call"]["call_id"] == claim["evidence"][0])
        result["content"]["as_of"] = as_of
        result["content"]["figures"] += figures
        result["content_hash"] = content_hash(result["content"])

    return change


def swapped(told: Told) -> None:
    first, second = told["stock"]["steps"][:2]
    first["action"], second["action"] = second["action"], first["action"]


def dropped_step(told: Told) -> None:
    del told["stock"]["steps"][1]


def with_conflict(told: Told) -> None:
    position = {"agent": "ta_agent", "stated": "up", "source": "a", "confidence": 0.5}
    told["stock"]["conflicts"] = [
        {
            "conflict_id": "NVDA/conflict/direction/NVDA",
            "market": "NVDA",
            "kind": "direction",
            "positions": [position, {**position, "stated": "down", "confidence": 0.9}],
            "resolution": "Nobody decided.",
            "resolved": True,
        }
    ]


SECOND, LAST = "step 2", "step 8"
INSIGHTS, RECOMMENDED = "step 6", "step 7"

FORGERIES: dict[str, tuple[Change, str]] = {
    "the stock": (put("stock", "market", "market", value="AAPL"), "stock"),
    "the symbol of the board": (put("stock", "board", "symbol", value="AAPL"), "blackboard"),
    "the instant of a step's board": (
        put("stock", "steps", 1, "board", "as_of", value="2024-06-11T22:00:00Z"),
        SECOND,
    ),
    "the horizon of the question": (
        put("question", value="NVDA: buy, hold or sell for the next 5 weeks?"),
        "question",
    ),
    "the weeks": (everywhere(lambda board: board.update(weeks=8)), "horizon"),
    "the end of the horizon": (put("stock", "due", value="2024-07-09T22:00:00Z"), "horizon"),
    "the cost": (put("stock", "cost", value="0.01"), "cost"),
    "the number of a step": (put("stock", "steps", 1, "number", value=7), SECOND),
    "two steps swapped": (swapped, "step 1"),
    "a step left out": (dropped_step, SECOND),
    "a refusal": (lambda told: told["stock"]["steps"][1].update(refused="not now"), SECOND),
    "the reward of a step": (put("stock", "steps", 7, "reward", value="3.00"), LAST),
    "a reward before the evaluation": (put("stock", "steps", 2, "reward", value="1"), "step 3"),
    "another's part": (put("stock", "steps", 1, "board", "news_data", value=None), SECOND),
    "what was taken": (
        put("stock", "steps", 1, "board", "taken", value=["FETCH_NEWS"] * 3),
        SECOND,
    ),
    "the board alone": (put("stock", "board", "confidence", value=0.99), "blackboard"),
    "how often a node worked": (put("nodes", 1, "rounds", value=4), "steps"),
    "a figure": (of_part("ta_basic_data", value="122.79"), "blackboard"),
    "its precision": (of_part("ta_basic_data", value="121.7900"), "blackboard"),
    "its day": (of_part("ta_basic_data", as_of="2024-06-07"), "blackboard"),
    "its metric": (of_part("ta_basic_data", metric="adx"), "blackboard"),
    "a figure left out": (without_figure("ta_advanced_data"), "blackboard"),
    "what lacks left out": (without_lacking("fundamentals_data"), "blackboard"),
    "the strength of an insight": (of_insight(strength=0.01), INSIGHTS),
    "the way an insight points": (of_insight(leaning="down"), INSIGHTS),
    "the topic of an insight": (of_insight(topic="chips"), INSIGHTS),
    "what an insight rests on": (of_insight(metrics=["rsi"]), INSIGHTS),
    "an insight on nothing": (of_insight(metrics=["price_to_book"]), "blackboard"),
    "a figure in an insight": (of_insight(statement="It rose 12.5 %."), "insight 1"),
    "a reference in an insight": (of_insight(statement="It is [[NVDA:z_score]]."), "insight 1"),
    "an insight left out": (
        everywhere(lambda board: board["insights"] and board["insights"].pop()),
        INSIGHTS,
    ),
    "a figure in a reason": (
        put("stock", "steps", 1, "reason", value="It is at 125.30."),
        "step 2, reason",
    ),
    "the recommendation": (on_board("recommendation", "sell"), RECOMMENDED),
    "the confidence": (on_board("confidence", 0.97), RECOMMENDED),
    "the probability": (on_board("probability", 0.7), RECOMMENDED),
    "the reasons against": (on_board("reasons_against", []), RECOMMENDED),
    "a reason of nobody": (on_board("reasons_for", ["a hunch"]), "blackboard"),
    "reasons for nothing": (on_board("recommendation", None), "blackboard"),
    "a figure of the evaluation": (of_part("evaluation", value="100.00"), "blackboard"),
    "the reward": (
        everywhere(lambda board: board["evaluation"] and board["evaluation"].update(reward="9")),
        "evaluation",
    ),
    "a figure of the evaluation left out": (without_figure("evaluation"), "blackboard"),
    "a claim of the evaluation": (
        lambda told: told["claims"][-1].update(value="4.20"),
        "claim NVDA:reward",
    ),
    "which position was measured": (asked_otherwise(position="short"), "evaluation"),
    "at which cost": (asked_otherwise(cost=0.0), "evaluation"),
    "a cost that is no number": (asked_otherwise(cost="abc"), "evaluation"),
    "a cost that is not finite": (asked_otherwise(cost="sNaN"), "evaluation"),
    "a cost that is too fine for a float": (
        asked_otherwise(cost="0.1000000000000000000001"),
        "evaluation",
    ),
    "no cost": (asked_without("cost"), "evaluation"),
    "no position": (asked_without("position"), "evaluation"),
    "no instant": (asked_without("made_at"), "evaluation"),
    "an instant that is none": (asked_otherwise(made_at="yesterday"), "evaluation"),
    "a move with all that rests on it": (evaluated("forward_move", "9.00"), "evaluation"),
    "what was gained over cash": (evaluated("over_cash", "9.00"), "evaluation"),
    "what was gained over holding": (evaluated("over_holding", "0.05"), "evaluation"),
    "a reward with all that it stands in": (evaluated("reward", "3.00"), "evaluation"),
    "an entry of nothing": (evaluated("entry", "0"), "evaluation"),
    "an exit of nothing": (evaluated("exit", "-1"), "evaluation"),
    "an entry out of all bounds": (evaluated("entry", "1E-22"), "evaluation"),
    "since when": (asked_otherwise(made_at="2024-06-03T22:00:00+00:00"), "evaluation"),
    "the prices of the chart": (
        lambda told: told["stock"].update(prices=told["claims"][0]["evidence"][0]),
        "chart",
    ),
    "prices of nowhere": (lambda told: told["stock"].update(prices="nowhere"), "chart"),
    "a later answer behind a figure": (planted("2024-07-08T22:00:00Z"), "claim NVDA:last"),
    "a later answer at all": (planted("2024-06-20T22:00:00Z"), "claim NVDA:last"),
    "an evaluation among earlier figures": (
        planted("2024-07-08T22:00:00Z", {"metric": "exit", "value": "9", "as_of": "2024-07-08"}),
        "evidence RUN_TA_BASIC/market_data",
    ),
    "a conflict": (with_conflict, "conflict"),
    "a cut-off episode that is complete": (
        lambda told: told["stock"].update(cut_off="its time was used up"),
        "outcome",
    ),
    "a cut-off that is not told": (
        lambda told: told["stock"].update(cut_off="its time was used up"),
        "missing",
    ),
    "a note that is not told": (
        lambda told: told["stock"].update(notes=["the learning system was away"]),
        "missing",
    ),
}


def test_a_sound_report_has_no_findings_after_it_was_written_and_read() -> None:
    assert findings_in_answer(sound()) == ()
    assert findings_in_answer(answer_from_json(answer_to_json(sound()))) == ()


@pytest.mark.parametrize(("change", "where"), FORGERIES.values(), ids=list(FORGERIES))
def test_what_was_forged_is_found_where_it_stands(change: Change, where: str) -> None:
    found = findings_in_answer(forged(change))
    assert any(finding.where.startswith(where) for finding in found), found


@pytest.mark.parametrize(
    ("steps", "given"),
    [((), False), ((StockAction.RUN_TA_BASIC,), True)],
    ids=["recommended", "not to be recommended"],
)
def test_an_answer_that_is_told_to_be_none_is_found(
    steps: tuple[StockAction, ...], given: bool
) -> None:
    record = stock_record(*steps, given=given, complete=not given)
    answer = compile_answer(record, finished_at=FINISHED_AT)
    assert answer.answered
    assert findings_in_answer(answer) == ()
    told = findings_in_answer(forged(put("answered", value=False), answer))
    assert [finding.where for finding in told] == ["answered"]


def held(recommended: Recommended, **known: str) -> StockRecord:
    """The episode with another recommendation, and what came of that."""
    stock = stock_record().stock
    assert stock is not None
    given = {name: Decimal(value) for name, value in known.items()}
    figures = performance(
        Decimal("120.91"),
        given["exit"],
        POSITIONS[recommended],
        stock.cost,
        given.get("rate"),
        given.get("volatility"),
        28,
    )
    evaluation = Evaluation(
        figures=tuple(
            MeasuredFigure(metric=metric, value=value, as_of=stock.due.date())
            for metric, value in figures.items()
        )
    )
    told = {"recommendation": recommended, "evaluation": evaluation}
    return stock.model_copy(update={"board": stock.board.model_copy(update=told)})


OUTCOMES: dict[str, dict[str, str]] = {
    "a gain": {"exit": "128.203", "rate": "5.375", "volatility": "50.76"},
    "a loss": {"exit": "97.4071", "rate": "-0.6", "volatility": "31.3"},
    "a small risk": {"exit": "121.5", "rate": "0.125", "volatility": "0.11"},
    "hardly a risk": {"exit": "121.5", "rate": "0.125", "volatility": "0.01"},
    "no risk": {"exit": "121.5", "rate": "5.33"},
    "no cash": {"exit": "121.5", "volatility": "31.3"},
    "neither": {"exit": "121.5"},
}


def faults(stock: StockRecord) -> list[AuditFinding]:
    assert stock.board.evaluation is not None
    return list(outcome_findings(stock, stock.board.evaluation))


@pytest.mark.parametrize("recommended", list(Recommended))
@pytest.mark.parametrize("known", OUTCOMES.values(), ids=list(OUTCOMES))
def test_what_came_of_any_recommendation_follows_as_it_was_rounded(
    recommended: Recommended, known: dict[str, str]
) -> None:
    assert faults(held(recommended, **known)) == []


@pytest.mark.parametrize("recommended", list(Recommended))
def test_what_came_of_another_position_does_not_follow(recommended: Recommended) -> None:
    stock = held(recommended, **OUTCOMES["a gain"])
    for other in Recommended:
        board = stock.board.model_copy(update={"recommendation": other})
        same = POSITIONS[other] == POSITIONS[recommended]
        assert (faults(stock.model_copy(update={"board": board})) == []) is same


def by_a_model(record: GraphRecord, *actions: StockAction) -> GraphRecord:
    """The run, in which a model carried out some actions."""
    nodes = tuple(
        node.model_copy(
            update={
                "contribution": node.contribution.model_copy(
                    update={"usage": node.contribution.usage.model_copy(update={"model": "claude"})}
                )
            }
        )
        if node.entry.node in actions
        else node
        for node in record.nodes
    )
    return record.model_copy(update={"nodes": nodes})


def test_a_models_insights_and_recommendation_are_its_own() -> None:
    record = by_a_model(
        stock_record(), StockAction.GENERATE_INSIGHT, StockAction.GENERATE_RECOMMENDATION
    )
    own = compile_answer(record, finished_at=FINISHED_AT)
    assert findings_in_answer(forged(on_board("confidence", 0.6), own)) == ()
    assert findings_in_answer(forged(of_insight(strength=0.2), own)) == ()
    assert findings_in_answer(forged(of_insight(topic="chips"), own)) != ()


def test_why_a_step_was_refused_is_what_the_blackboard_gives() -> None:
    steps = (StockAction.GENERATE_INSIGHT, StockAction.RUN_TA_BASIC)
    refused = compile_answer(stock_record(*steps, given=True), finished_at=FINISHED_AT)
    assert findings_in_answer(refused) == ()
    for value in ("Another reason.", None):
        change = put("stock", "steps", 0, "refused", value=value)
        assert any(f.where == "step 1" for f in findings_in_answer(forged(change, refused)))


def test_it_counts_steps_and_insights() -> None:
    counts = counted_in_answer(sound())
    assert (counts.steps, counts.insights, counts.claims) == (8, 11, 26)


def charged(answer: AnswerReport | None = None) -> AnswerReport:
    """The report of an episode whose basic technicals are charged."""
    answer = answer or sound()
    assert answer.stock is not None
    charge = Decimal("0.005")
    steps = tuple(
        step.model_copy(update={"charge": charge})
        if step.action is StockAction.RUN_TA_BASIC
        else step
        for step in answer.stock.steps
    )
    update = {"steps": steps, "charges": {StockAction.RUN_TA_BASIC: charge}}
    stock = answer.stock.model_copy(update=update)
    return sealed(answer.model_copy(update={"stock": stock}))


def test_charges_are_told_on_the_page_and_a_forged_one_is_found() -> None:
    assert findings_in_answer(charged()) == ()
    stock = sound().stock
    assert stock is not None and stock.board.evaluation is not None
    reward = stock.board.evaluation.reward
    assert reward is not None
    left = f"the episode comes to {reward - Decimal('0.005'):+f}."
    assert words.evaluation_notes(charged())[-1].endswith(left)
    assert words.step_columns(charged()) == (
        *("Step", "Action", "Result", "Charge", "Reward", "Seconds"),
    )
    cells = {cell[1]: cell[3] for cell in map(words.step_cells, words.step_lines(charged()))}
    assert (cells["RUN_TA_BASIC"], cells["FETCH_NEWS"]) == ("0.005", "0")
    free = forged(put("stock", "steps", 3, "charge", value="0.001"), charged())
    assert AuditFinding("step 4", "its charge of 0.001 is not that of RUN_TA_BASIC") in list(
        findings_in_answer(free)
    )
