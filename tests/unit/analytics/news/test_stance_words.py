"""The list of words for the stance of a central bank's text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.news.stance_words import LONGEST_READ, MOST_CONFIDENCE, NO_LEANING, stance_of
from desk.contracts.findings.results import Leaning

MIRRORED = (
    ("raise interest rates", "lower interest rates"),
    (
        "increased the target range for the federal funds rate",
        "reduced the target range for the federal funds rate",
    ),
    ("rate hikes", "rate cuts"),
    ("tighten monetary policy", "ease monetary policy"),
    ("remain restrictive", "remain accommodative"),
    ("less accommodative", "less restrictive"),
    ("withdraw policy accommodation", "provide further accommodation"),
    ("inflation remains too high", "inflation remains too low"),
    ("upside risks to inflation", "downside risks to inflation"),
    ("price pressures have intensified", "price pressures have eased"),
    ("labour market is tight", "labor market has weakened"),
    ("slow the pace of bond purchases", "expand the pace of bond purchases"),
    ("overheating", "spare capacity"),
    ("higher for longer", "lower for longer"),
    ("hawkish", "dovish"),
)
OPPOSITE = {Leaning.UP: Leaning.DOWN, Leaning.DOWN: Leaning.UP}
FRAMES = (
    "The Board expects to {}",
    "The Board no longer sees reason for {}",
    "it may {} next year",
    "members did not rule out {}",
    "{} is unlikely",
    "{}",
)
FILLER = ("The Board met in Tokyo", "the chair spoke", "trade grew", "a new banknote was shown")

sentences = st.lists(
    st.tuples(st.sampled_from(FRAMES), st.sampled_from(MIRRORED), st.booleans()),
    min_size=1,
    max_size=6,
)


def text_of(parts: list[tuple[str, tuple[str, str], bool]], *, mirrored: bool = False) -> str:
    return ". ".join(frame.format(pair[dovish is not mirrored]) for frame, pair, dovish in parts)


@pytest.mark.parametrize(
    ("text", "leaning"),
    [
        ("The Bank decided to raise its policy interest rate.", Leaning.UP),
        ("The Committee lowered the target range for the federal funds rate.", Leaning.DOWN),
        ("The Board left the cash rate unchanged.", Leaning.NEUTRAL),
        ("Policy will stay data-dependent.", Leaning.NEUTRAL),
        ("The Board left the cash rate unchanged and sees further tightening ahead.", Leaning.UP),
        ("Rate cuts are premature.", Leaning.UP),
        ("It is too early to cut interest rates.", Leaning.UP),
        ("The Bank will not raise its policy rate further.", Leaning.DOWN),
        ("The Committee is no longer considering rate hikes.", Leaning.DOWN),
        ("We do not rule out further rate hikes.", Leaning.UP),
        ("The Bank not only raised rates.", Leaning.UP),
        ("Inflation remains too high, but the labour market has weakened.", Leaning.NEUTRAL),
        ("Statement on Monetary Policy", Leaning.ABSTAINS),
        ("Consultation on the design of banknotes", Leaning.ABSTAINS),
        ("", Leaning.ABSTAINS),
    ],
)
def test_a_text_is_judged_by_its_phrases(text: str, leaning: Leaning) -> None:
    assert stance_of(text).leaning is leaning


@pytest.mark.parametrize(("up", "down"), MIRRORED)
def test_each_pair_has_two_sides_of_one_weight(up: str, down: str) -> None:
    assert stance_of(up).leaning is Leaning.UP
    assert stance_of(down).leaning is Leaning.DOWN
    assert stance_of(up).confidence == stance_of(down).confidence


def test_what_is_hedged_or_negated_counts_for_less() -> None:
    plain = stance_of("The Bank will raise interest rates").confidence
    assert stance_of("The Bank may raise interest rates").confidence < plain
    assert stance_of("The Bank will not lower interest rates").confidence < plain


def test_a_negation_reaches_no_further_than_its_clause() -> None:
    told = stance_of("Growth did not slow, and the Bank will raise interest rates")
    assert told == stance_of("the Bank will raise interest rates")


def test_saying_a_thing_twice_makes_it_no_surer() -> None:
    once = "The Bank will raise interest rates. Inflation remains too high"
    assert stance_of(f"{once}. {once}. {once}") == stance_of(once)


def test_only_the_beginning_of_a_very_long_text_is_read() -> None:
    assert stance_of("x " * LONGEST_READ + "hawkish") == NO_LEANING


@given(st.text())
def test_any_text_has_a_judgement_of_low_confidence(text: str) -> None:
    leaning, confidence = stance_of(text)
    assert 0 <= confidence <= MOST_CONFIDENCE
    assert (confidence == 0) is (leaning is Leaning.ABSTAINS)


@given(st.text(st.characters(categories=["Cs", "Cf", "Co", "Mn", "So"])))
def test_what_no_reader_sees_does_not_stop_it(text: str) -> None:
    assert stance_of(f"{text}. hawkish").leaning in (Leaning.UP, Leaning.ABSTAINS)


@given(sentences)
def test_a_mirrored_text_gets_the_opposite_judgement(
    parts: list[tuple[str, tuple[str, str], bool]],
) -> None:
    told, turned = stance_of(text_of(parts)), stance_of(text_of(parts, mirrored=True))
    assert turned.leaning is OPPOSITE.get(told.leaning, told.leaning)
    assert turned.confidence == told.confidence


@given(sentences, st.lists(st.sampled_from(FILLER), max_size=4), st.booleans())
def test_text_that_says_nothing_of_rates_changes_nothing(
    parts: list[tuple[str, tuple[str, str], bool]], filler: list[str], before: bool
) -> None:
    text = text_of(parts)
    more = [*filler, text] if before else [text, *filler]
    assert stance_of(". ".join(more)) == stance_of(text)


@given(sentences, st.sampled_from([" ", "\n", "\t", "\u00a0", "  \r\n "]), st.booleans())
def test_case_and_blanks_do_not_matter(
    parts: list[tuple[str, tuple[str, str], bool]], blank: str, upper: bool
) -> None:
    text = text_of(parts)
    written = (text.upper() if upper else text.title()).replace(" ", blank)
    assert stance_of(written) == stance_of(text)


@pytest.mark.parametrize(
    "text",
    ["raise " * 900, "not " * 1_200 + "raise rates", "eas of the its " * 400, "\ufdfa" * 6_000],
)
def test_a_text_made_to_be_slow_is_read_at_once(text: str) -> None:
    assert stance_of(text).confidence <= MOST_CONFIDENCE
