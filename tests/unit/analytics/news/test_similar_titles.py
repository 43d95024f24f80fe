"""Which titles count as one story."""

from desk.analytics.news.similar_titles import grouped

TITLES = (
    "Yen slides to two-month low after BoJ holds rates",
    "Dollar gains as Fed's Powell signals caution on cuts",
    "Japan's yen slides to two-month low after BOJ holds rates, Reuters reports",
    "YEN SLIDES TO TWO-MONTH LOW AFTER BOJ HOLDS RATES!",
    "Dollar slips as Fed's Powell signals openness to cuts",
)


def test_a_story_in_nearly_the_same_words_is_one_group() -> None:
    assert grouped(TITLES) == ((0, 2, 3), (1,), (4,))


def test_titles_that_differ_in_the_word_that_matters_stay_apart() -> None:
    apart = ("Bank of Canada cuts rate to 2.25%", "Bank of Canada holds rate at 2.25%")
    assert grouped(apart) == ((0,), (1,))


def test_without_titles_there_are_no_groups() -> None:
    assert grouped(()) == ()
