"""Which currencies a text speaks of: of two names at one place the longer counts."""

import pytest

from desk.analytics.names.mentions import (
    bank_mentions,
    currency_mentions,
    mention_parameters,
    mention_sentences,
    names_mentioned,
)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("has the peso or the real been steadier since august?", ["PHP", "BRL"]),
        ("did the Mexican peso fall?", ["MXN"]),
        ("is the argentine peso cheap", ["ARS"]),
        ("is the Danish krone or the Egyptian pound cheap", ["DKK", "EGP"]),
        ("what does the real rate say of the won", ["KRW"]),
        ("Mexico's peso vs the yen", ["MXN", "JPY"]),
        ("Hong Kong dollars and euros", ["HKD", "EUR"]),
        ("cable, the loonie and CHF", ["GBP", "CAD", "CHF"]),
        ("the Canadian, the Australian and the New Zealand dollar", ["CAD", "AUD", "NZD"]),
        ("Hong Kong or Singapore dollars", ["HKD", "SGD"]),
        ("the Bank of Canada and the Australian dollar", ["AUD"]),
        ("Indonesia and the Australian dollar", ["AUD"]),
        ("who won the race", []),
        ("where is dollar won", ["USD", "KRW"]),
        ("the dollar won ground", ["USD"]),
        ("usd/vnd, how much did it move", ["USD", "VND"]),
        ("the top of all", []),
    ],
)
def test_the_longest_name_of_a_currency_counts(text: str, codes: list[str]) -> None:
    assert [mention.code for mention in currency_mentions(text)] == codes


@pytest.mark.parametrize(
    ("text", "asked", "printed"),
    [
        ("The Egyptian pound fell", "EGP", "EGP"),
        ("payments for won, not against won", "KRW", "KRW"),
        ("what the us dollar did", "USD", "USD"),
        ("The US  dollar fell", "USD", "USD"),
        ("where did Dollar Sing close", "USD SGD", "USD SGD"),
        ("does china matter to us", "CNY", ""),
        ("China and Taiwan", "CNY TWD", "CNY TWD"),
        ("what USD/TWD does", "USD TWD", "USD TWD"),
        ("gilts and the Old Lady", "GBP GBP", "GBP GBP"),
        ("where is sterling won, or euro real", "GBP KRW EUR BRL", "GBP EUR"),
        ("has the peso or the real fallen", "PHP BRL", "PHP"),
        (
            "dollar-won, USD/real and euro–real",
            "USD KRW USD BRL EUR BRL",
            "USD KRW USD BRL EUR BRL",
        ),
        ("the baht than the **won**", "THB KRW", "THB KRW"),
    ],
)
def test_print_and_questions_are_read_by_one_table_and_print_needs_capitals(
    text: str, asked: str, printed: str
) -> None:
    for in_print, codes in ((False, asked), (True, printed)):
        found = names_mentioned(text, in_print=in_print)
        assert [code for each in found for code in each.meaning.codes] == codes.split()


def test_a_name_that_several_have_is_told_and_the_dollars_is_not() -> None:
    assert [m.others for m in currency_mentions("the peso, the krone, the dollar")] == [
        ("MXN",), ("DKK",), (),
    ]  # fmt: skip


def test_what_has_no_market_and_what_was_taken_are_told() -> None:
    told = mention_parameters(currency_mentions("the peso or the real"), {"PHP", "USD"})
    assert mention_sentences(told) == (
        "The desk has no market for the Brazilian real: nothing was measured of it.",
        "By peso the Philippine peso is taken to be meant; the Mexican peso is called so too.",
    )
    assert mention_parameters(currency_mentions("the yen"), {"JPY"}) == {}


@pytest.mark.parametrize(
    ("text", "areas"),
    [
        ("when does the riksbank meet next?", ("SE",)),
        ("what did the ecb do", ("XM",)),
        ("when is the mas meeting", ("SG",)),
        ("the Fed and the Bank of Canada", ("US", "CA")),
        ("a bot is fed up", ()),
    ],
)
def test_banks_are_known_by_the_names_that_the_desk_has(text: str, areas: tuple[str, ...]) -> None:
    assert tuple(mention.area for mention in bank_mentions(text)) == areas
