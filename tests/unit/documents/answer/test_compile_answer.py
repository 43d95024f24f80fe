"""From a graph's record to the answer: what is printed, what is left out, what is said of it."""

import pytest

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import Query, TaskType
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus, ClaimVerdict
from desk.contracts.names import AgentId
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.graph import NodeState
from desk.contracts.question.knowledge import Quotation
from desk.contracts.runs.graph import GraphRecord
from desk.documents import evidence as carried_evidence
from desk.documents.answer.audit import findings_in_answer
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.html import render_answer_html
from desk.trust.prose.synthesis_review import NOTHING_LEFT
from tests.support.documents.answers import (
    FINISHED_AT,
    documents_read,
    failed_node,
    market_record,
    outcome,
    quotations,
    synthesis,
    synthesised,
    ticket_record,
    usd_jpy_claims,
    validated_record,
    web_searched,
    with_validation,
)


def compiled(record: GraphRecord) -> AnswerReport:
    return compile_answer(record, finished_at=FINISHED_AT)


def failed_search() -> GraphRecord:
    return ticket_record(
        failed_node(
            "searchContext", AgentId.SEARCH_AGENT, TaskType.SEARCH_WEB, "the server was down"
        )
    )


def test_words_of_sources_are_printed_in_their_place_with_their_source() -> None:
    answer = compiled(ticket_record())
    assert answer.summary == (
        "The ticket is “In Progress” (DESK-101, status): “Settlement is held up” (DESK-101)."
    )
    assert "“Fails cost 0.25 % a day” (Cost of fails, page 2)" in answer.sections[0].content


def test_a_figure_of_the_question_is_printed_as_asked_and_no_other_is() -> None:
    record = market_record("It fixed below [[asked:160]]. It fixed below [[asked:170]].")
    query = Query(question="Has USD/JPY fixed above 160?")
    request = record.request.model_copy(update={"query": query})
    answer = compiled(record.model_copy(update={"request": request}))
    assert answer.sections[0].content == "It fixed below 160 (as asked)."
    assert len(answer.dropped) == 1
    assert findings_in_answer(answer) == ()
    assert "160 (as asked)" in render_answer_html(answer)
    other = answer.model_copy(update={"question": "Has it fixed above 170?"})
    assert any("asked:160" in each.words for each in findings_in_answer(other))


def test_two_quotations_in_a_row_from_one_place_name_it_once() -> None:
    answer = compiled(ticket_record(synthesised(synthesis("It says [[q3]] and [[q3]]."))))
    assert answer.summary.count("(Settlement policy)") == 1


def test_each_line_names_its_source_by_itself() -> None:
    answer = compiled(ticket_record(synthesised(synthesis("No.", "- [[q3]]\n- [[q3]]"))))
    assert answer.sections[0].content.count("(Settlement policy)") == 2


def test_what_markdown_would_act_on_in_a_source_is_printed_as_it_stands() -> None:
    content = compiled(ticket_record()).sections[0].content
    assert r"the \*operations lead\* \<by 10:00>" in content


def test_an_agents_own_words_are_no_html_no_link_and_nothing_to_a_terminal() -> None:
    made = synthesis("It is <b>[[q1]]</b>, see [this](https://evil.example)\x1b[31m.")
    assert compiled(ticket_record(synthesised(made))).summary == (
        r"It is \<b>“In Progress” (DESK-101, status)\</b>, see [this]\(https://evil.example)[31m."
    )


def test_a_figure_of_a_claim_is_printed_with_its_unit() -> None:
    answer = compiled(market_record())
    assert (answer.summary, answer.sections[0].content) == (
        "USD/JPY moved +0.29 %.",
        "The pair stood at 157.25.",
    )


def test_claims_come_with_what_goes_into_them_and_no_others() -> None:
    answer = compiled(market_record())
    assert len(usd_jpy_claims()) > 3
    assert [claim.claim_id for claim in answer.claims] == [
        "USD/JPY:last",
        "USD/JPY:previous",
        "USD/JPY:move",
    ]


def test_a_claim_that_does_not_follow_from_its_evidence_takes_its_sentence_along() -> None:
    record = market_record()
    research = record.nodes[0]
    wrong = tuple(
        claim.model_copy(update={"value": claim.value + 1}) if claim.metric == "last" else claim
        for claim in usd_jpy_claims()
    )
    result = research.entry.result
    assert result is not None
    entry = research.entry.model_copy(
        update={"result": result.model_copy(update={"claims": wrong})}
    )
    nodes = (research.model_copy(update={"entry": entry}), record.nodes[1])
    answer = compiled(record.model_copy(update={"nodes": nodes}))
    assert answer.sections == ()
    assert any("USD/JPY:last is left out" in line for line in answer.missing)
    assert findings_in_answer(answer) == ()


def validated(status: ClaimStatus, *origins: str) -> GraphRecord:
    """The market's record with a validator's verdict on the last fixing."""
    verdict = ClaimVerdict(
        claim_id="USD/JPY:last",
        status=status,
        decided_by=ClaimCheck.SECOND_SOURCE,
        words="another source says otherwise",
        origins=origins,
    )
    return with_validation(market_record(), (verdict,))


def test_a_claim_that_the_validator_rejected_takes_its_sentence_along() -> None:
    answer = compiled(validated(ClaimStatus.REJECTED))
    assert (answer.sections, answer.summary) == ((), NOTHING_LEFT)
    assert any("another source says otherwise" in line for line in answer.missing)
    assert findings_in_answer(answer) == ()


def test_a_validators_verdict_comes_with_its_claim() -> None:
    answer = compiled(validated_record())
    assert {verdict.claim_id: verdict.status for verdict in answer.verdicts} == {
        "USD/JPY:last": ClaimStatus.VERIFIED,
        "USD/JPY:previous": ClaimStatus.SINGLE_SOURCE,
        "USD/JPY:move": ClaimStatus.SINGLE_SOURCE,
    }
    assert findings_in_answer(answer) == ()
    alone = compiled(validated(ClaimStatus.VERIFIED, "ECB"))
    assert any("fewer than two origins" in finding.words for finding in findings_in_answer(alone))


def test_words_of_a_thing_read_in_parts_are_found_in_the_part_that_has_them() -> None:
    named = {q.quotation_id: q.evidence_id for q in compiled(ticket_record()).quotations}
    assert (named["q5"], named["q3"]) == ("parseDocs/get_doc.1", "parseDocs/get_doc.2")


def test_every_source_that_is_quoted_is_listed_once_with_its_evidence() -> None:
    answer = compiled(ticket_record())
    listed = [source.evidence_id for source in answer.sources]
    assert listed == [result.evidence_id for result in answer.evidence]
    assert set(listed) == {quotation.evidence_id for quotation in answer.quotations}


@pytest.mark.parametrize(
    "sentence", ["It cost 4.5 % in fees.", "See [[q9]].", "It moved [[USD/JPY:move]]."]
)
def test_a_sentence_that_nothing_supports_is_left_out_and_told(sentence: str) -> None:
    answer = compiled(ticket_record(synthesised(synthesis(f"{sentence} It is [[q1]]."))))
    assert answer.summary == "It is “In Progress” (DESK-101, status)."
    assert [dropped.place for dropped in answer.dropped] == ["summary"]


def test_words_that_stand_in_no_source_are_left_out_and_told() -> None:
    invented = Quotation(
        quotation_id="q1", text="Closed", source="DESK-101", evidence_id="fetchTickets/fetch_ticket"
    )
    made = synthesis("The ticket is [[q1]]. It says [[q2]].").model_copy(
        update={"quotations": (invented, *quotations()[1:])}
    )
    answer = compiled(ticket_record(synthesised(made)))
    assert answer.summary == "It says “Settlement is held up” (DESK-101)."
    assert any("DESK-101" in line and "left out" in line for line in answer.missing)


def test_a_failed_node_makes_an_answer_incomplete_and_says_why() -> None:
    answer = compiled(failed_search())
    line = next(line for line in answer.nodes if line.node == "searchContext")
    assert (answer.outcome, line.state) == (Outcome.INCOMPLETE, NodeState.FAILED)
    assert line.error == "the server was down"
    assert any("search agent" in told and "the server was down" in told for told in answer.missing)


def test_an_honest_no_is_complete_and_no_answer() -> None:
    made = synthesis("Nothing that was found says so.", answered=False, missing=["who decided it"])
    answer = compiled(ticket_record(synthesised(made)))
    assert (answer.outcome, answer.answered) == (Outcome.COMPLETE, False)
    assert answer.missing == (
        "who decided it",
        "DESK-404 is not known to the tracker",
    )


def test_without_a_synthesis_the_answer_says_what_was_found_by_kind() -> None:
    broken = failed_node("synthesis", AgentId.SYNTHESIS_AGENT, TaskType.SYNTHESISE, "timed out")
    answer = compiled(ticket_record(broken))
    assert (answer.outcome, answer.answered) == (Outcome.INCOMPLETE, False)
    assert "No synthesis was made" in answer.summary
    content = answer.sections[0].content
    assert all(word in content for word in ("Tickets: “DESK-101”", "Documents", "PDF files"))
    assert findings_in_answer(answer) == ()


def test_a_run_in_which_everything_failed_has_an_answer_all_the_same() -> None:
    nodes = [
        failed_node(node, AgentId.JIRA_AGENT, TaskType.FETCH_TICKETS, "no tool answered")
        for node in ("fetchTickets", "parseDocs", "parsePdfs", "searchContext", "synthesis")
    ]
    answer = compiled(ticket_record(*nodes))
    assert "nothing was found" in answer.summary
    assert (answer.sections, answer.evidence, len(answer.missing)) == ((), (), 5)
    assert findings_in_answer(answer) == ()


def test_a_node_that_was_not_reached_is_skipped_and_nothing_is_missing_for_it() -> None:
    answer = compiled(ticket_record(skipped=["parsePdfs"]))
    states = {line.node: line.state for line in answer.nodes}
    assert states["parsePdfs"] is NodeState.SKIPPED
    assert not any("failed" in line for line in answer.missing)


def test_the_last_synthesis_of_a_cycle_counts_and_its_rounds_add_up() -> None:
    first = outcome("synthesis", synthesis("The first."), in_round=1)
    second = outcome("synthesis", synthesis("The second."), in_round=2)
    answer = compiled(ticket_record(first, second))
    line = answer.nodes[-1]
    assert (answer.summary, line.rounds, line.seconds) == ("The second.", 2, 1.0)


def test_content_beyond_the_bound_is_not_carried_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(carried_evidence, "LARGEST_CONTENT", 410)
    answer = compiled(ticket_record())
    without = [result for result in answer.evidence if result.content is None]
    assert "parsePdfs/get_pdf" in [result.evidence_id for result in without]
    assert all(result.content_hash is not None for result in without)
    assert any("too large" in line for line in answer.missing)
    assert any("not carried" in finding.words for finding in findings_in_answer(answer))


def test_the_same_record_gives_the_same_answer() -> None:
    assert compiled(ticket_record()) == compiled(ticket_record())


def test_references_in_what_is_missing_are_printed_too() -> None:
    made = synthesis("Nothing more.", missing=["why it is [[q1]]"])
    assert (
        "why it is “In Progress” (DESK-101, status)"
        in compiled(ticket_record(synthesised(made), documents_read(), web_searched())).missing
    )
