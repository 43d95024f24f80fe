"""The Markdown and the HTML of an episode's answer: what stands where, and in which words."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from desk.analytics.evaluation import EVALUATION_METRICS
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import Blackboard, EpisodeStep, Evaluation
from desk.contracts.findings.results import ConflictKind, ConflictRecord, DecidedBy, Position
from desk.contracts.question.answers import AnswerReport, AnswerSection
from desk.contracts.runs.graph import GraphRecord
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.html import render_answer_html
from desk.documents.answer.json_form import answer_without_run_fields
from desk.documents.answer.markdown import answer_alone, render_answer_markdown
from desk.programs.episode.document.base_rate import base_rate
from desk.programs.episode.document.words import (
    evaluation_notes,
    evaluation_words,
    headline,
    insight_lines,
    metric_words,
    other_missing,
    part_lines,
    prices_of,
    step_lines,
)
from tests.support.documents.answers import FINISHED_AT, market_record
from tests.support.stocks.reports import AS_OF, stock_record

A = StockAction


def answer(record: GraphRecord | None = None, *, days: int | None = None) -> AnswerReport:
    at = FINISHED_AT if days is None else AS_OF + timedelta(days=days)
    return compile_answer(record or stock_record(), finished_at=at)


def sections(page: str) -> list[str]:
    return re.findall(r"<h2>([^<]*)</h2>", page)


def test_the_page_begins_with_the_recommendation_and_goes_on_in_its_order() -> None:
    page = render_answer_html(answer())
    assert page.index("likely to be higher") < page.index("Buy NVDA")
    assert page.index("Buy NVDA") < page.index('id="answer"') < page.index("<h2>For</h2>")
    assert sections(page) == [
        "For",
        "Against",
        "What would change it",
        "What is not known",
        "Prices",
        "Insights",
        "Evaluation",
        "What was looked up",
        "Steps",
        "Conflicts",
        "What is missing",
        "How it was found",
        "Sources",
    ]


def test_beside_the_probability_stands_how_often_the_price_was_higher_in_its_own_past() -> None:
    told = headline(answer())
    assert told is not None
    assert re.fullmatch(
        r"In its own past it was higher 4 weeks later after \d+ % of \d+ trading days, "
        r"\d+ \w+ \d+ to \d+ \w+ 2024 \(\d+ spans without an overlap\)\.",
        told.anyway.replace("\xa0", " "),
    )
    page = render_answer_html(answer())
    assert page.index("likely to be higher") < page.index("In its own past it was higher")


@pytest.mark.parametrize(
    ("days", "weeks", "rising", "expected"),
    [
        (200, 4, 200, (172, 172, 7)),
        (200, 4, 0, (0, 172, 7)),
        (200, 4, 100, (86, 172, 7)),
        (113, 4, 113, (85, 85, 4)),
        (112, 4, 112, None),
        (200, 52, 200, None),
    ],
)
def test_a_base_rate_is_counted_from_what_was_known_alone(
    days: int, weeks: int, rising: int, expected: tuple[int, int, int] | None
) -> None:
    """The price rises on so many days and then falls; what it did after the as-of day nobody
    knew."""
    history = prices_of(answer())
    assert history is not None
    first = AS_OF.date() - timedelta(days=days - 1)
    every = range(days + 60)
    dated = {
        "days": tuple(first + timedelta(days=place) for place in every),
        "closes": tuple(Decimal(1_000 - abs(place - rising)) for place in every),
    }
    rate = base_rate(history.model_copy(update=dated), weeks, AS_OF.date())
    assert (rate and (rate.rose, rate.starts, rate.apart)) == expected


def test_the_headline_leads_with_the_probability_and_what_it_rests_on() -> None:
    told = headline(answer())
    assert told is not None
    assert told.likely == "55 % likely to be higher on 8 Jul 2024"
    assert re.fullmatch(
        r"It rests on \d+ insights: \d+ pointing up, .+\. 60 % of what could be known, by weight, "
        r"is known\.",
        told.rests_on,
    )
    assert dict(told.facts) == {
        "Confidence": "33 %",
        "Horizon": "4 weeks, to 8 Jul 2024",
        "Costs": "0.10 % each way",
    }


@pytest.mark.parametrize(("least", "large"), [(0.33, True), (0.34, False), (None, True)])
def test_only_enough_confidence_brings_a_recommendation_in_large_type(
    least: float | None, large: bool
) -> None:
    told = answer()
    assert told.stock is not None
    stock = told.stock.model_copy(update={"recommended_from": least})
    told = told.model_copy(update={"stock": stock})
    page, text = render_answer_html(told), render_answer_markdown(told)
    assert ('<p class="do">Buy NVDA</p>' in page) is large
    assert ("**Buy NVDA**" in text) is large
    assert ("Nothing is recommended: what is known leans to buy" in text) is not large
    assert re.search(r"(?s)likely to be higher on.*onfidence (of )?33", text)
    # One voice: the steps and the evaluation say the same as the head.
    made = next(x for x in step_lines(told) if x.action is A.GENERATE_RECOMMENDATION)
    assert made.told == ("buy" if large else "leans to buy")
    not_followed = "if the lean to buy had been followed"
    assert (not_followed in evaluation_words(told)) is not large


def test_facts_made_for_practice_are_marked_wherever_they_are_printed() -> None:
    told = answer()
    assert told.stock is not None
    part = told.stock.board.ta_basic_data
    assert part is not None
    made = part.model_copy(update={"generated": "a generator, seed 7"})
    board = told.stock.board.model_copy(update={"ta_basic_data": made})
    stock = told.stock.model_copy(update={"board": board})
    told = told.model_copy(update={"stock": stock})
    for form in (render_answer_html(told), render_answer_markdown(told)):
        assert "no facts. They are generated by a generator, seed 7" in form
        assert "No facts: generated for practice by a generator, seed 7." in form
    assert [line.generated for line in part_lines(told)].count("") == 4
    resting = {line.insight.topic for line in insight_lines(told) if line.generated}
    assert "trend" in resting


def test_without_a_recommendation_the_headline_says_so() -> None:
    page = render_answer_html(answer(stock_record(A.RUN_TA_BASIC, given=True)))
    assert "Nothing is recommended here." in page
    assert "steps RUN_TA_BASIC" in page


def test_every_figure_of_the_board_and_of_the_evaluation_opens_its_evidence() -> None:
    page = render_answer_html(answer())
    parts = page[page.index('id="evaluation"') : page.index('id="steps"')]
    cells = re.findall(r"<td>(.*?)</td>", parts)
    figures = [cell for cell in cells if any(sign.isdigit() for sign in cell) and "20" not in cell]
    assert len(re.findall(r"<td>(?:<span[^>]*>)?<button", parts)) == 26
    assert all("popovertarget" in cell for cell in figures)


def test_an_insight_is_told_with_its_leaning_its_strength_and_its_evidence() -> None:
    first = insight_lines(answer())[0]
    assert (first.leaning, first.strength) == ("points up", "100 %")
    assert {metric_words(claim.metric) for claim in first.claims} == {"year's move", "volatility"}
    page = render_answer_html(answer())
    assert "Rests on year&#39;s move" in page
    assert 'style="--at:98%"' in page


def test_a_part_tells_what_it_lacks_and_why() -> None:
    parts = {part.action: part for part in part_lines(answer())}
    assert parts[A.FETCH_SENTIMENT].lacking == "tone of the news"
    assert any("no accounts" in line for line in parts[A.FETCH_FUNDAMENTALS].reasons)
    assert parts[A.RUN_TA_BASIC].lacking == ""
    unasked = part_lines(answer(stock_record(A.RUN_TA_BASIC, given=True)))
    assert unasked[0].figures is None


def test_what_could_not_be_had_does_not_say_again_what_the_board_says() -> None:
    told = answer(stock_record(failing=frozenset({A.GENERATE_RECOMMENDATION})))
    shown = other_missing(told)
    assert any(line.startswith("GENERATE_RECOMMENDATION (") for line in shown)
    assert not any(line.startswith("FETCH_") for line in shown)
    assert any(line.startswith("FETCH_") for line in told.missing)


def test_a_failed_part_says_why_on_the_board() -> None:
    told = answer(stock_record(failing=frozenset({A.FETCH_NEWS})))
    news = next(part for part in part_lines(told) if part.action is A.FETCH_NEWS)
    assert news.lacking == "stories"
    assert news.reasons == ("FETCH_NEWS (stock research agent) failed: the server was down",)


def test_an_evaluation_that_is_waited_for_says_when_it_is_known() -> None:
    waiting = answer(stock_record(A.RUN_TA_BASIC, A.GENERATE_INSIGHT, A.GENERATE_RECOMMENDATION),
                     days=1)  # fmt: skip
    told = "The outcome is known on 8 Jul 2024, when the horizon is over."
    assert evaluation_words(waiting) == told
    assert told in render_answer_markdown(waiting)
    assert evaluation_words(answer(stock_record(A.RUN_TA_BASIC))) == (
        "There is no recommendation to evaluate."
    )


def test_an_evaluation_that_was_not_made_says_so() -> None:
    steps = (A.RUN_TA_BASIC, A.GENERATE_INSIGHT, A.GENERATE_RECOMMENDATION)
    assert evaluation_words(answer(stock_record(*steps))).startswith("It was not evaluated.")


def test_an_evaluation_names_the_position_that_was_held() -> None:
    assert evaluation_words(answer()) == (
        "Outcome by 8 Jul 2024: bought at the entry, sold at the exit."
    )


def test_a_split_before_the_exit_says_in_which_shares_entry_and_exit_are() -> None:
    told = answer(stock_record(as_of=datetime(2024, 5, 24, 22, tzinfo=UTC)))
    line = (
        "Entry and exit are in shares as of the end of the horizon: one share became 10 on 10 Jun"
        " 2024. The blackboard's prices are in the shares before that."
    )
    assert evaluation_notes(told) == (line,)
    assert line in answer_alone(told)
    assert line in render_answer_markdown(told)
    assert "one share became 10 on 10 Jun 2024" in render_answer_html(told)
    assert evaluation_notes(answer()) == ()


@pytest.mark.parametrize(
    ("ratio", "told"),
    [
        ("1.5", "one share became 1.5"),
        ("0.05", "20 shares became one"),
        ("0.333333", "3 shares became one"),
    ],
)
def test_a_split_is_told_in_whole_shares_whichever_way_it_went(ratio: str, told: str) -> None:
    found = answer(stock_record(as_of=datetime(2024, 5, 24, 22, tzinfo=UTC)))
    split = {"day": "2024-06-10", "ratio": ratio}
    evidence = tuple(
        each.model_copy(update={"content": {**each.content, "splits": [split]}})
        if each.call.tool == "performance" and isinstance(each.content, dict)
        else each
        for each in found.evidence
    )
    (line,) = evaluation_notes(found.model_copy(update={"evidence": evidence}))
    assert f": {told} on 10 Jun 2024." in line


@pytest.mark.parametrize("symbol", ["^GSPC", "XAUUSD=X"])
def test_an_index_and_a_spot_price_are_told_to_be_nothing_that_is_held(symbol: str) -> None:
    record = stock_record(A.RUN_TA_BASIC, A.GENERATE_INSIGHT, A.GENERATE_RECOMMENDATION)
    board = record.stock.board.model_copy(update={"symbol": symbol})  # type: ignore[union-attr]
    stock = record.stock.model_copy(update={"board": board})  # type: ignore[union-attr]
    told = answer().model_copy(update={"stock": stock})
    line = f"{symbol} cannot be held as such"
    assert line in render_answer_markdown(told).replace("\\", "")
    assert line in render_answer_html(told)
    assert "cannot be held" not in render_answer_markdown(answer())


def test_an_evaluation_without_a_price_says_nothing_of_how_it_was_held() -> None:
    record = stock_record()
    evaluation = Evaluation(lacking=EVALUATION_METRICS)
    board = record.stock.board.model_copy(update={"evaluation": evaluation})  # type: ignore[union-attr]
    stock = record.stock.model_copy(update={"board": board})  # type: ignore[union-attr]
    told = evaluation_words(answer().model_copy(update={"stock": stock}))
    assert told.startswith("Outcome by 8 Jul 2024: not known. Lacking: entry, exit, ")
    before = answer().model_copy(update={"stock": stock, "finished_at": record.request.as_of})
    assert evaluation_words(before).startswith(
        "It will not be evaluated when its horizon is over, on 8 Jul 2024. Lacking: entry, exit, "
    )


def test_steps_tell_what_came_of_each_and_what_was_refused() -> None:
    told = step_lines(answer(stock_record(A.GENERATE_INSIGHT, A.FETCH_NEWS, given=True)))
    assert told[0].refused and told[0].told.startswith("refused: ")
    assert told[1].told == "0 figures, 1 lacking"
    usual = step_lines(answer())
    assert [line.told for line in usual[5:7]] == ["11 insights", "buy"]
    assert usual[7].reward == "+0.39"


def test_of_a_repeated_action_only_the_round_that_failed_is_told_to_have_failed() -> None:
    twice = (A.RUN_TA_BASIC, A.RUN_TA_BASIC)
    last = step_lines(answer(stock_record(*twice, given=True, failing_steps=frozenset({2}))))
    assert [line.told for line in last] == ["11 figures", "failed"]
    first = step_lines(answer(stock_record(*twice, given=True, failing_steps=frozenset({1}))))
    assert [line.told for line in first] == ["0 figures, 11 lacking", "11 figures"]


def test_insights_that_failed_between_two_that_did_not_are_told_to_have_failed() -> None:
    steps = (A.RUN_TA_BASIC, *(A.GENERATE_INSIGHT,) * 3)
    lines = step_lines(answer(stock_record(*steps, given=True, failing_steps=frozenset({3}))))
    assert [line.told for line in lines[1:]] == ["7 insights", "failed", "7 insights"]


def test_an_action_that_failed_once_and_for_all_is_told_to_have_failed() -> None:
    told = step_lines(answer(stock_record(failing=frozenset({A.RUN_TA_ADVANCED}))))
    assert [line.number for line in told if line.told == "failed"] == ["5"]


def test_why_an_episode_was_cut_off_stands_with_its_steps_and_with_what_is_missing() -> None:
    record = stock_record(A.RUN_TA_BASIC, A.GENERATE_INSIGHT, A.GENERATE_RECOMMENDATION)
    told = {"cut_off": "its time was used up", "notes": ("the learning system was away",)}
    stock = record.stock.model_copy(update=told)  # type: ignore[union-attr]
    short = answer(record.model_copy(update={"stock": stock}), days=1)
    assert {"the episode was cut off: its time was used up", "the learning system was away"} <= {
        *other_missing(short)
    }
    assert "Cut off: its time was used up." in render_answer_markdown(short)
    assert "Cut off: its time was used up." in render_answer_html(short)
    assert evaluation_words(short) == (
        "It was not evaluated: the episode was cut off. Its horizon ends on 8 Jul 2024."
    )


def test_a_note_is_told_where_a_section_has_paragraphs() -> None:
    prose = "One paragraph.\n\nAnother."
    section = AnswerSection(title="For", content=prose, prose=prose)
    line = "the learning system was away"
    told = answer().model_copy(update={"sections": (section,), "missing": (line,)})
    assert other_missing(told) == (line,)


def test_an_episode_cut_off_before_its_first_step_says_so() -> None:
    record = stock_record(A.RUN_TA_BASIC)
    about = {name: getattr(record.stock.board, name) for name in ("symbol", "as_of", "weeks")}  # type: ignore[union-attr]
    told = {"cut_off": "its time was used up", "steps": (), "board": Blackboard(**about)}
    stock = record.stock.model_copy(update={**told, "prices": None})  # type: ignore[union-attr]
    text = render_answer_markdown(answer(record.model_copy(update={"stock": stock, "nodes": ()})))
    assert "No step was taken.\n\nCut off: its time was used up." in text


def test_conflicts_of_an_episode_are_printed_as_those_of_a_swarm() -> None:
    record = stock_record()
    up = Position(agent="ta_agent", stated="up", source="NVDA prices", confidence=0.5, weight=0.4)
    conflict = ConflictRecord(
        conflict_id="NVDA/conflict/direction/NVDA:direction",
        market="NVDA",
        kind=ConflictKind.DIRECTION,
        positions=(up, up.model_copy(update={"stated": "down", "weight": 0.1})),
        chosen="up",
        decided_by=DecidedBy.VOTE,
        resolution="By vote.",
        resolved=True,
    )
    stock = record.stock.model_copy(update={"conflicts": (conflict,)})  # type: ignore[union-attr]
    told = answer(record.model_copy(update={"stock": stock}))
    assert "**NVDA direction**: decided by vote: up holds." in render_answer_markdown(told)
    assert "NVDA direction" in render_answer_html(told)


def test_the_terminal_is_told_the_recommendation_and_the_board_without_the_run() -> None:
    told = answer_alone(answer())
    assert told.splitlines()[2].startswith("**55 % likely to be higher on 8 Jul 2024.** In its")
    assert told.splitlines()[4].startswith("**Buy NVDA**: confidence 33 %")
    assert "### Fundamentals" in told
    assert "## Sources" not in told


def test_the_method_claims_no_profit() -> None:
    assert "no profit is claimed" in render_answer_markdown(answer())


def test_the_method_tells_entry_exit_costs_and_cash() -> None:
    text = " ".join(render_answer_markdown(answer()).split())
    for words in (
        "the entry, the close of the first trading day that begins (at 06:00 UTC) after the as-of",
        "the exit, the last close known at the end of the horizon",
        "Entry and exit are adjusted for splits up to the end of the horizon",
        "at the entry and again at the exit",
        "the US policy rate as known at the as-of instant",
    ):
        assert words in text


def test_an_answer_without_an_episode_says_nothing_of_one() -> None:
    told = compile_answer(market_record(), finished_at=FINISHED_AT)
    text = render_answer_html(told) + render_answer_markdown(told)
    for words in ("What was looked up", "Nothing is recommended", "no profit is claimed"):
        assert words not in text


def test_the_page_has_the_chart_and_is_the_same_every_time() -> None:
    page = render_answer_html(answer())
    assert 'aria-label="NVDA, daily closes from' in page
    assert page == render_answer_html(answer())


def test_two_runs_of_an_episode_say_the_same_but_for_when_their_steps_were_taken() -> None:
    one = answer()
    assert one.stock is not None
    first, *others = one.stock.steps
    moved = first.model_copy(update={"started_at": AS_OF, "ended_at": AS_OF})
    other = first.model_copy(update={"reason": "Another had it next."})

    def beginning(step: EpisodeStep) -> AnswerReport:
        stock = one.stock and one.stock.model_copy(update={"steps": (step, *others)})
        return one.model_copy(update={"stock": stock})

    assert answer_without_run_fields(beginning(moved)) == answer_without_run_fields(one)
    assert answer_without_run_fields(beginning(other)) != answer_without_run_fields(one)
