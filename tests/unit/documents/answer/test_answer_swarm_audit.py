"""The audit of a swarm's report: a sound one passes, and what is forged is found by name."""

from collections.abc import Callable
from typing import Any

import pytest

from desk.contracts.question.answers import AnswerReport
from desk.documents.answer.audit import counted_in_answer, findings_in_answer
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.json_form import answer_from_json, answer_to_json
from desk.trust.seals import sealed
from starters.published.audit.result import counted_words
from tests.support.documents.answers import FINISHED_AT
from tests.support.swarms.reports import swarm_record

Change = Callable[[dict[str, Any]], None]

ANSWER = compile_answer(swarm_record(rounds=2), finished_at=FINISHED_AT)


def forged(change: Change) -> AnswerReport:
    """The report with one thing changed, and sealed anew by whoever changed it."""
    told = ANSWER.model_dump(mode="json")
    change(told)
    return sealed(AnswerReport.model_validate(told))


def put(*path: str | int, value: Any) -> Change:
    def change(told: dict[str, Any]) -> None:
        place: Any = told
        for step in path[:-1]:
            place = place[step]
        assert place.get(path[-1]) != value if isinstance(place, dict) else True
        place[path[-1]] = value

    return change


def doubled(*path: str) -> Change:
    def change(told: dict[str, Any]) -> None:
        place: Any = told
        for step in path:
            place = place[step]
        place.append(place[0])

    return change


def put_in(name: str, number: int, **values: Any) -> Change:
    def change(told: dict[str, Any]) -> None:
        told["swarm"][name][number].update(values)

    return change


HYPOTHESIS, TARGET = "hypothesis usd-jpy", "conflict USD/JPY/conflict/USD/JPY:target"

FORGERIES: dict[str, tuple[Change, str]] = {
    "the level": (put_in("hypotheses", 0, level="158.25"), HYPOTHESIS),
    "the day of the level": (put_in("hypotheses", 0, level_on="2026-10-29"), HYPOTHESIS),
    "the lower bound": (put_in("hypotheses", 1, low="150.00"), HYPOTHESIS),
    "the upper bound": (put_in("hypotheses", 1, high="170.00"), HYPOTHESIS),
    "the day it is due": (put_in("hypotheses", 0, due="2027-10-29T07:00:00Z"), HYPOTHESIS),
    "the weeks": (put_in("hypotheses", 0, weeks=8), HYPOTHESIS),
    "the probability of a direction": (put_in("hypotheses", 0, probability=0.7), HYPOTHESIS),
    "the probability of a range": (put_in("hypotheses", 1, probability=0.75), HYPOTHESIS),
    "no side": (put_in("hypotheses", 0, leaning="neutral"), HYPOTHESIS),
    "what it rests on": (put_in("hypotheses", 0, claims=["USD/JPY:rsi"]), HYPOTHESIS),
    "a hypothesis twice": (doubled("swarm", "hypotheses"), HYPOTHESIS),
    "a figure in a statement": (
        put_in("hypotheses", 0, statement="It stands above 170.25."),
        "hypothesis 1",
    ),
    "a figure in what refutes it": (
        put_in("hypotheses", 0, refuted_by="A price of [[USD/JPY:rsi]]."),
        "hypothesis 1, refuted by",
    ),
    "a figure in the strategy": (
        put("swarm", "rounds", 0, "plan", "strategy", value="It is at 170.25, so look."),
        "round 1, strategy",
    ),
    "a figure in the refined objective": (
        put("swarm", "rounds", 0, "refined", "objective", value="Why is it at 170.25?"),
        "round 1, refined objective",
    ),
    "what was asked": (put("swarm", "rounds", 0, "objective", value="Another."), "round 1"),
    "the number of a round": (put("swarm", "rounds", 1, "number", value=3), "rounds"),
    "who did the work": (
        put("swarm", "rounds", 0, "plan", "subagents", 0, "agent", value="pattern_specialist"),
        "round 1",
    ),
    "what was chosen": (put_in("conflicts", 1, chosen="170"), TARGET),
    "the other position as chosen": (put_in("conflicts", 1, chosen="154.1"), TARGET),
    "who decided": (put_in("conflicts", 1, decided_by="person"), TARGET),
    "that nobody decided": (put_in("conflicts", 1, decided_by=None), TARGET),
    "how it was settled": (put_in("conflicts", 1, resolution="All agreed."), TARGET),
    "the spread": (put_in("conflicts", 1, spread=0.0), TARGET),
    "a position": (
        put("swarm", "conflicts", 1, "positions", 1, "stated", value="161.5"),
        TARGET,
    ),
    "a conflict twice": (doubled("swarm", "conflicts"), "conflict"),
    "a claim on another market": (
        put("claims", -1, "value", value="303.49"),
        "claim NVDA",
    ),
    "the markets": (put("swarm", "markets", value=[]), "round 2"),
    "the market of a hypothesis": (
        lambda told: told["swarm"]["hypotheses"][0].update(market=told["swarm"]["markets"][1]),
        HYPOTHESIS,
    ),
}


def test_a_sound_report_has_no_findings_after_it_was_written_and_read() -> None:
    assert findings_in_answer(ANSWER) == ()
    assert findings_in_answer(answer_from_json(answer_to_json(ANSWER))) == ()


@pytest.mark.parametrize(("change", "where"), FORGERIES.values(), ids=list(FORGERIES))
def test_what_was_forged_is_found_where_it_stands(change: Change, where: str) -> None:
    found = findings_in_answer(forged(change))
    assert any(finding.where.startswith(where) for finding in found), found


def test_it_counts_conflicts_and_hypotheses() -> None:
    counts = counted_in_answer(ANSWER)
    assert (counts.conflicts, counts.hypotheses) == (2, 2)


def test_the_command_says_what_it_looked_at() -> None:
    assert counted_words(counted_in_answer(ANSWER)).startswith(
        "0 quotations, 8 claims, 2 conflicts, 2 hypotheses,"
    )
