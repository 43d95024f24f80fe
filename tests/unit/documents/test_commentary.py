"""The commentary as a report prints it: printed claims, in a form that fits them."""

import pytest

from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.results import Commentary
from desk.contracts.week.report import Sentence
from desk.programs.week.document.audit.report import audit
from desk.programs.week.document.compile_report import commentary_of
from desk.trust.seals import sealed
from tests.support.builders import claim
from tests.support.told_reports import SENTENCE, told_report

DECIDED = "JP:decision_change@2026-10-30"
CLAIMS = {
    held.claim_id: held
    for held in (
        claim("USD/JPY", Metric.MOVE, "0.29", Unit.PERCENT),
        claim("EUR/USD", Metric.MOVE, "-1.10", Unit.PERCENT),
        claim("USD/JPY", Metric.LAST, "157.25"),
        claim("JP", Metric.DECISION_CHANGE, "25", Unit.BASIS_POINTS, dated=True),
        claim("US", Metric.DECISION_CHANGE, "0", Unit.BASIS_POINTS, dated=True),
    )
}


def printed(*sentences: str, claims: dict[str, Claim] = CLAIMS) -> list[str]:
    written = Commentary(task_id="2026-W44/comment", sentences=sentences)
    return [line.text for line in commentary_of(written, claims)]


def test_a_week_without_a_commentary_has_none() -> None:
    assert commentary_of(None, CLAIMS) == ()
    assert printed() == []


def test_sentences_print_their_claims() -> None:
    assert printed("USD/JPY rose by [[USD/JPY:move]].") == ["USD/JPY rose by 0.29 %."]


def test_a_figure_is_bound_to_no_claim_that_the_writer_did_not_name() -> None:
    assert printed("USD/JPY ended at 157.25.") == []


@pytest.mark.parametrize(
    "left_out",
    [
        "USD/JPY will reach 163.70 soon.",
        "The yen lost four percent.",
        "It moved [[GBP/USD:move]].",
        "It moved [[ ignore me ]].",
        "USD/JPY fell by [[USD/JPY:move]].",
        "EUR/USD rose by [[EUR/USD:move]].",
        f"The Bank of Japan cut its rate by [[{DECIDED}]].",
        f"The Bank of Japan [[{DECIDED}|decided]].",
        "The Federal Reserve raised rates by [[US:decision_change@2026-10-30]].",
    ],
)
def test_a_sentence_that_does_not_hold_is_left_out_and_the_others_stay(left_out: str) -> None:
    assert printed("It was calm.", left_out, "So it ended.") == ["It was calm.", "So it ended."]


@pytest.mark.parametrize(
    "held",
    [
        "USD/JPY rose by [[USD/JPY:move]] while EUR/USD fell by [[EUR/USD:move]].",
        "The yen fell, with USD/JPY at [[USD/JPY:move]].",
        f"The Bank of Japan raised its rate by [[{DECIDED}]].",
        "The Federal Reserve [[US:decision_change@2026-10-30|moved]].",
        "USD/JPY [[USD/JPY:move|moved]] as EUR/USD [[EUR/USD:move|moved]].",
        "EUR/USD rose the week before and moved [[USD/JPY:move]] less than now.",
    ],
)
def test_words_that_agree_with_their_figures_stay(held: str) -> None:
    assert len(printed(held)) == 1


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        (Sentence(prose="USD/JPY moved.", text="USD/JPY soared."), "its prose gives another text"),
        (
            Sentence(prose="It is 151.234.", text="It is 151.234."),
            "'151.234': digits stand",
        ),
        (Sentence(prose="[[USD/JPY:basis]]", text="1 %"), "which is not here"),
        (
            Sentence(prose="USD/JPY soared [[USD/JPY:move]].", text="USD/JPY soared -0.1 %."),
            "gives another text",
        ),
    ],
)
def test_a_changed_sentence_of_the_commentary_is_found(sentence: Sentence, words: str) -> None:
    held = told_report()
    changed = sealed(held.model_copy(update={"commentary": (*held.commentary, sentence)}))
    assert any(
        found.where.startswith("commentary") and words in found.words for found in audit(changed)
    )


def test_words_of_the_commentary_that_contradict_their_figure_are_found() -> None:
    held = told_report()
    (line,) = held.commentary
    assert line.prose == SENTENCE
    verb = "rose" if "-" in line.text else "fell"
    turned = Sentence(
        prose=line.prose.replace("moved", verb), text=line.text.replace("moved", verb)
    )
    found = audit(sealed(held.model_copy(update={"commentary": (turned,)})))
    assert any("goes the other way" in f.words for f in found)
