"""Texts in passages, and which of them answers a question."""

from desk.analytics.names.subjects import subjects_asked
from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.contracts.question.tickets import ticket_ids
from desk.contracts.runs.turns import StateEntry
from desk.platform.memory.sentence_encoder import desk_embedding_model
from desk.programs.question.builtin.synthesis.written.passages import (
    SourcePassage,
    passages_in,
    split_markdown,
    split_page,
)
from desk.programs.question.builtin.synthesis.written.ranking import distinct_fits, fits
from tests.knowledge.asking import documents_state, web_state

LIMITS = """# Limits

Version of 3 March 2025.

## Intraday limits

The limit of the Asia book is 40 million
dollars. The limit of the Europe book is 55 million dollars.

| Bank | Limit |
| --- | --- |
| Halvorsen | 25 million |
| Pellworm | 35 million |

1. Tell the desk.
2. Note the time of 2026. Then stop.
"""


def texts(markdown: str) -> list[str]:
    return [span.text for span in split_markdown(markdown)]


def best(question: str, *state: StateEntry) -> SourcePassage | None:
    return next((fit.passage for fit in fits(question, passages_in(state)) if fit.found), None)


def test_paragraphs_items_and_rows_are_passages_as_they_are_written() -> None:
    assert texts(LIMITS) == [
        "Version of 3 March 2025.",
        "The limit of the Asia book is 40 million dollars."
        " The limit of the Europe book is 55 million dollars.",
        "Halvorsen | 25 million",
        "Pellworm | 35 million",
        "Tell the desk.",
        "Note the time of 2026. Then stop.",
    ]


def test_a_row_knows_its_heading_and_its_columns() -> None:
    span = next(span for span in split_markdown(LIMITS) if span.row)
    assert span.heading == "Intraday limits"
    assert span.row == (("Bank", "Limit"), ("Halvorsen", "25 million"))


def test_a_long_paragraph_is_several_passages_of_whole_sentences() -> None:
    sentence = "The limit of the Asia book is 40 million dollars. "
    assert texts(sentence * 12) == [(sentence * 8).strip(), (sentence * 4).strip()]


def test_a_page_is_put_together_from_its_lines() -> None:
    page = (
        "Term\nThe licence runs for two years from 1 February 2025. It ends on 31 January 2027\n"
        "unless it is renewed.\nThe outages\nDay           Minutes\n3 May 2026    25\n"
    )
    spans = list(split_page(page))
    assert [span.text for span in spans] == [
        "The licence runs for two years from 1 February 2025."
        " It ends on 31 January 2027 unless it is renewed.",
        "3 May 2026    25",
    ]
    assert [span.heading for span in spans] == ["Term", "The outages"]


def test_tickets_are_known_by_their_ids_whatever_their_case() -> None:
    assert ticket_ids("desk-101, DATA-2 and cut-off, 2026-10 and DESK-101") == (
        "DESK-101",
        "DATA-2",
    )


def test_the_passage_about_the_thing_that_is_named_is_chosen() -> None:
    passage = best("What is the limit of the Europe book?", documents_state(limits=LIMITS))
    assert passage is not None
    assert passage.text.endswith("The limit of the Europe book is 55 million dollars.")
    assert passage.place == "section 'Intraday limits'"


def test_a_thing_of_another_name_answers_nothing() -> None:
    assert best("What is the limit of the Africa book?", documents_state(limits=LIMITS)) is None


def test_one_word_that_names_nothing_is_not_near() -> None:
    passages = passages_in((documents_state(minutes="# Minutes\n\nThe minutes record it.\n"),))
    assert [fit.near for fit in fits("Is the Swissie at a record?", passages)] == [False]
    assert any(fit.near for fit in fits("Do the minutes say what they record?", passages))


def test_another_currency_answers_nothing() -> None:
    state = documents_state(fees="# Fees\n\nThe fee for a late payment in yen is 18,000 yen.\n")
    assert best("What is the fee for a late payment in yen?", state) is not None
    assert best("What is the fee for a late payment in won?", state) is None


def test_another_kind_of_committee_answers_nothing() -> None:
    state = documents_state(who="# Who\n\nThe chair of the risk committee is Oskar Thorne.\n")
    assert best("Who chairs the risk committee?", state) is not None
    assert best("Who chairs the audit committee?", state) is None


def test_a_document_that_was_read_is_not_quoted_from_a_search() -> None:
    hit = (
        "Limits",
        "The limit of the Asia book is 40 million dollars.",
        "corpus://documents/limits",
    )
    passages = passages_in([documents_state(limits=LIMITS), web_state(hit)])
    assert {passage.evidence_id for passage in passages} == {"read_documents/limits"}


def test_a_name_has_to_stand_in_the_answer_however_often_it_is_named_elsewhere() -> None:
    elsewhere = "\n\n".join(
        f"The Europe desk was {how}." for how in ["quiet", "busy", "late", "early"]
    )
    limit = "The committee granted the Asia book an intraday exposure limit of 40 million dollars."
    state = documents_state(minutes=f"# Minutes\n\n{limit}\n\n{elsewhere}\n")
    question = "How large is the intraday exposure limit that the committee granted to the {} book?"
    assert best(question.format("Asia"), state) is not None
    assert best(question.format("Europe"), state) is None


NEWS = (
    "News of Ostan Data",
    "Ostan Data moves its head office to Yarby. It lasted an hour.",
    "https://www.ostan.example/news",
)
OSTAN = "# Agreement with Ostan Data\n\nA notice of 44 days ends the agreement.\n"
KALO = "# Agreement with Kalo Research\n\nA notice of 92 days ends the agreement.\n"


def test_a_thing_is_found_by_what_is_told_of_it_elsewhere() -> None:
    state = (web_state(NEWS), documents_state(ostan=OSTAN, kalo=KALO))
    question = "What notice ends the agreement of the vendor whose head office moves to Yarby?"
    first = fits(question, passages_in(state))[0]
    assert (first.passage.source, first.found, first.answers) == (
        "Agreement with Ostan Data",
        True,
        True,
    )


def test_what_another_report_of_a_series_says_of_a_bank_is_not_said_by_this_one() -> None:
    state = documents_state(
        weekly_w38="# Weekly report w38, Asia\n\nThe Bank of Japan raised to 1.25 %.\n",
        weekly_w42="# Weekly report w42, Asia\n\nNo news since 28 November.\n",
    )
    asked = "What did the weekly report say about the Bank of Japan?"
    found = [fit for fit in fits(asked, passages_in([state]), subjects_asked(asked)) if fit.found]
    assert [fit.passage.thing for fit in found] == ["weekly-w38"]


def test_what_is_said_word_for_word_in_two_reports_is_told_once_and_of_the_newest() -> None:
    said = "The fee is 18,000 yen."
    state = documents_state(w38=f"# W38\n\n{said}\n", w42=f"# W42\n\n{said} Twice.\n\n{said}\n")
    ranked = fits("What is the fee in yen?", passages_in([state]))
    assert [fit.passage.thing for fit in distinct_fits(ranked) if fit.passage.text == said] == [
        "w42"
    ]


def test_two_rows_of_a_table_that_are_asked_for_together_are_both_found() -> None:
    state = documents_state(limits=LIMITS.partition("1. Tell")[0].replace("# L", "# Asia l"))
    question = "What are the limits of Halvorsen and Pellworm together in Asia?"
    found = [fit for fit in fits(question, passages_in((state,))) if fit.found]
    assert {fit.passage.text for fit in found[:2]} == {
        "Halvorsen | 25 million",
        "Pellworm | 35 million",
    }


def test_what_speaks_of_a_thing_without_a_value_of_it_is_no_answer() -> None:
    told = "# Handbook of the Korva router\n\nThe cost of the Korva router is not listed apart.\n"
    first = fits("What is the cost of the Korva router?", passages_in((documents_state(h=told),)))[
        0
    ]
    assert first.found and not first.answers


HANDBOOK = documents_state(
    relay_handbook="""# Handbook of the Korvane relay

The Korvane relay is looked over in spring.

Odile Marsh is the caretaker of the Korvane relay.

The Korvane relay was commissioned on 14 March 2021.

The Korvane relay is hosted in the machine hall of Selmoor.
"""
)
OTHERWISE = "In which town do the boxes of Korvane physically stand?"
"""In none of the words of its answer but the name."""


def nearest(question: str, *state: StateEntry) -> list[str]:
    return [fit.passage.text for fit in fits(question, passages_in(state)) if fit.near]


def test_what_says_a_value_is_nearer_than_what_says_none() -> None:
    assert nearest(OTHERWISE, HANDBOOK)[-1] == "The Korvane relay is looked over in spring."


def test_the_desks_own_model_of_meaning_orders_what_words_leave_open(with_meaning: None) -> None:
    held = WORKER_EMBEDDING_MODEL.set(desk_embedding_model)
    try:
        first = nearest(OTHERWISE, HANDBOOK)[0]
    finally:
        WORKER_EMBEDDING_MODEL.reset(held)
    assert first == "The Korvane relay is hosted in the machine hall of Selmoor."
    assert nearest(OTHERWISE, HANDBOOK)[0] != first, "words alone do not know"
