"""The forms of a swarm's report: what they tell of conflicts, hypotheses, rounds and tokens."""

from pathlib import Path

import pytest

from desk.contracts.findings.results import ConflictRecord, DecidedBy
from desk.contracts.question.answers import AnswerReport
from desk.contracts.swarm.record import TokenRecord
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.html import render_answer_html
from desk.documents.answer.json_form import answer_from_json, answer_to_json
from desk.documents.answer.markdown import answer_alone, render_answer_markdown
from desk.documents.answer.publishing import publish_answer, read_answer_file
from desk.documents.rendering.words.trust import stated_words
from desk.programs.swarm.document.words import token_words
from desk.trust.conflicts.voting import decide
from tests.support.documents.answers import FINISHED_AT, market_record
from tests.support.swarms.reports import OBJECTIVE, RUN, direction, swarm_record
from tests.unit.documents.answer.test_reporting_answer import Page

HOSTILE = '</title><script>alert("x")</script>'


def report(rounds: int = 2) -> AnswerReport:
    return compile_answer(swarm_record(rounds=rounds), finished_at=FINISHED_AT)


def words_of(answer: AnswerReport) -> str:
    return " ".join(Page(render_answer_html(answer)).words.split())


def test_the_markdown_tells_of_conflicts_and_hypotheses_before_how_it_was_researched() -> None:
    text = render_answer_markdown(report())
    parts = (
        *(OBJECTIVE, "## What lies behind", "## Conflicts", "## Hypotheses"),
        *("## How it was researched", "### Round 2", "## Tokens", "## How it was found"),
    )
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_a_conflict_names_its_positions_what_holds_and_the_dissent() -> None:
    text = render_answer_markdown(report())
    assert "**USD/JPY target**: direction, decided by vote: 161.4 holds." in text
    assert "dissent: pattern specialist states 154.1 from an extrapolation of its own" in text
    assert "Spread of confidence 20 %" in text


def test_what_a_position_states_has_its_thousands_set_apart_as_figures_have() -> None:
    assert stated_words("18055") == "18,055"
    assert stated_words("+1250.5 bp on 2026-10-30") == "+1,250.5 bp on 2026-10-30"
    assert stated_words("down") == "down"


def test_a_hypothesis_names_its_level_its_day_its_probability_and_its_workflow() -> None:
    for text in (render_answer_markdown(report()), words_of(report()).replace("\u00a0", " ")):
        assert "USD/JPY above 157.25 on 30 Nov 2026" in text
        assert "61 % likely" in text
        assert "A last price at 157.25 or below it." in text
        assert f"{RUN}/hypothesis/usd-jpy-direction" in text


def test_each_round_names_its_specialists_what_it_recalled_and_why_it_was_the_last() -> None:
    for text in (render_answer_markdown(report()), words_of(report())):
        assert "swarm-ffff/findings/1" in text
        assert "r2_sentiment_nvda" in text
        assert "Another round: Nobody looked at risk outside of currencies." in text
        assert "No further round: nothing is open that another round could answer." in text


def test_a_terminal_is_shown_conflicts_and_hypotheses_and_not_how_it_was_researched() -> None:
    text = answer_alone(report())
    assert "## Hypotheses" in text
    assert "## Conflicts" in text
    assert "How it was researched" not in text


@pytest.mark.parametrize(
    ("tokens", "told"),
    [
        (TokenRecord(read=1_000, alone=4_200, leader=50, raw=500), "4.2 times as many"),
        (TokenRecord(read=1_000, alone=4_200, leader=50, raw=500), "(10 %)"),
        (TokenRecord(used=12_345), "12,345 used"),
        (TokenRecord(), "read 0,"),
    ],
)
def test_tokens_are_told_in_a_line_whatever_was_read(tokens: TokenRecord, told: str) -> None:
    assert told in token_words(tokens)
    assert "\n" not in token_words(tokens)


def test_every_figure_of_the_page_opens_its_trace_on_whichever_market() -> None:
    page = Page(render_answer_html(report()))
    assert {"trace-USD-JPY-expected-low", "trace-NVDA-last"} <= set(page.opens)
    assert set(page.opens) <= set(page.popovers)
    assert len(set(page.ids)) == len(page.ids)
    assert {"conflicts", "hypotheses", "rounds"} <= set(page.ids)


def test_a_conflict_that_waits_or_is_withheld_is_told_so() -> None:
    record = swarm_record()
    assert record.swarm is not None
    views, target = record.swarm.conflicts
    undecided: ConflictRecord = views.model_copy(
        update={"chosen": None, "decided_by": None, "resolved": False}
    )
    withheld = decide(target, None, DecidedBy.PERSON, "Ada")
    told = swarm_record(conflicts=(undecided, withheld))
    text = words_of(compile_answer(told, finished_at=FINISHED_AT))
    assert "waiting for a person" in text
    assert "decided by Ada" in text
    assert "the figure is withheld" in text


def test_a_swarm_without_conflicts_or_hypotheses_says_so() -> None:
    answer = compile_answer(swarm_record(conflicts=(), hypotheses=()), finished_at=FINISHED_AT)
    for text in (render_answer_markdown(answer), words_of(answer)):
        assert "No two findings contradict each other." in text
        assert "None that rests on surviving claims." in text


def test_the_picture_has_every_node_of_both_rounds() -> None:
    text = render_answer_html(report())
    assert text.count("<rect ") == 11
    assert '<g class="done"><title>plan_2: done</title>' in text


def test_words_of_a_leader_do_nothing_on_the_page() -> None:
    record = swarm_record(
        hypotheses=(direction(statement=f"Up. {HOSTILE} [x](https://evil.example)"),)
    )
    assert record.swarm is not None
    first = record.swarm.rounds[0]
    spec = first.plan.subagents[0].model_copy(update={"objective": HOSTILE, "boundaries": HOSTILE})
    plan = first.plan.model_copy(update={"strategy": HOSTILE, "subagents": (spec,)})
    told = first.model_copy(update={"plan": plan, "recalled": (HOSTILE,), "stopped": HOSTILE})
    swarm = record.swarm.model_copy(update={"rounds": (told,)})
    answer = compile_answer(record.model_copy(update={"swarm": swarm}), finished_at=FINISHED_AT)
    page = Page(render_answer_html(answer))
    assert "script" not in page.tags
    assert not any("evil" in link for link in page.links)
    assert "<script>" not in render_answer_markdown(answer).replace("\\<", "")


def test_the_forms_of_a_swarm_are_published_and_read_back(tmp_path: Path) -> None:
    files = publish_answer(report(), tmp_path)
    assert read_answer_file(Path(files.json_file)) == report()
    assert answer_from_json(answer_to_json(report())) == report()


def test_an_answer_without_a_swarm_tells_of_none() -> None:
    answer = compile_answer(market_record(), finished_at=FINISHED_AT)
    text = render_answer_markdown(answer) + render_answer_html(answer)
    assert not any(word in text for word in ("Hypotheses", "## Conflicts", "Tokens", 'id="rounds"'))


def test_a_claim_in_what_a_specialist_was_asked_is_printed_as_its_figure() -> None:
    record = swarm_record()
    assert record.swarm is not None
    (round_,) = record.swarm.rounds
    first, *others = round_.plan.subagents
    asked = first.model_copy(update={"objective": "Why does it stand at [[USD/JPY:last]]?"})
    plan = round_.plan.model_copy(update={"subagents": (asked, *others)})
    swarm = record.swarm.model_copy(update={"rounds": (round_.model_copy(update={"plan": plan}),)})
    answer = compile_answer(record.model_copy(update={"swarm": swarm}), finished_at=FINISHED_AT)
    for page in (render_answer_markdown(answer), render_answer_html(answer)):
        assert "Why does it stand at 157.25?" in page
