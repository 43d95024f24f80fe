"""The printable part of a commentary, and the report's lead built from it. A rule-based text
replaces each of the commentator's texts that cannot be printed."""

from collections.abc import Iterable, Mapping, Sequence

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import Commentary, Reported, WrittenTheme
from desk.contracts.week.report import Lead, MarketReport, Sentence, Theme
from desk.trust.prose import commentary_texts, references, sentence, without_any_rejected

LEAST_THEMES = 3
"""The fewest themes in a lead, if the desk has as many. If the commentator has fewer, or some are
left out, the desk's own are added."""


def commentary_of(written: Commentary | None, claims: Mapping[str, Claim]) -> Commentary | None:
    """Removes from the commentary the sentences whose figures are not all printed claims in a
    fitting form."""
    if written is None:
        return None
    kept = without_any_rejected(written, claims)
    if not isinstance(kept, Commentary):
        raise TypeError(f"the review of a commentary gave a {kept.kind}")
    return kept


def sentences_of(kept: Commentary | None, claims: Mapping[str, Claim]) -> tuple[Sentence, ...]:
    """The sentences of earlier versions, which had no headline and themes."""
    return tuple(sentence(prose, claims) for prose in kept.sentences) if kept else ()


def lead_with(
    kept: Commentary | None,
    own: Lead,
    claims: Mapping[str, Claim],
    sections: Sequence[MarketReport],
) -> Lead:
    """Returns the desk's own lead, with the commentator's texts in place of the desk's."""
    if kept is None or not (kept.headline or kept.themes):
        return own
    themes = tuple(_theme(theme, claims, sections) for theme in kept.themes)
    spare = _not_told(own.themes, kept)[: max(0, LEAST_THEMES - len(themes))]
    return Lead(
        headline=_said(kept.headline, claims) or own.headline,
        standfirst=_said(kept.standfirst, claims) if kept.headline else own.standfirst,
        themes=(*themes, *spare),
        written=True,
        edition=own.edition,
    )


def left_out_words(written: Commentary | None, kept: Commentary | None) -> str | None:
    """Counts the texts of a commentary that are not printed as written. Returns None if all are."""
    before = [text.prose for text in commentary_texts(written)] if written else []
    after = {text.prose for text in commentary_texts(kept)} if kept else set[str]()
    changed = sum(prose not in after for prose in before)
    return f"{changed} of {len(before)} texts failed a check and were left out" if changed else None


def _theme(
    theme: WrittenTheme, claims: Mapping[str, Claim], sections: Iterable[MarketReport]
) -> Theme:
    return Theme(
        title=theme.title,
        markets=theme.markets,
        moved=sentence(theme.moved, claims),
        why=_said(theme.why, claims),
        story=_story(theme.reported, sections),
        ahead=_said(theme.ahead, claims),
        written=True,
    )


def _story(event_id: str | None, sections: Iterable[MarketReport]) -> Reported | None:
    """Returns the story of a news event, as a section prints it."""
    for section in sections:
        for event in section.events:
            if event.event_id == event_id:
                told = (s for s in section.reported if s.evidence_id in event.evidence)
                return next((s for s in told if s.url == event.source_url), None)
    return None


def _not_told(own: Iterable[Theme], kept: Commentary) -> list[Theme]:
    """Returns the desk's themes that the commentator does not cover, neither by their markets nor
    by their figures."""
    markets = {market for theme in kept.themes for market in theme.markets}
    named = {name for text in commentary_texts(kept) for name in references(text.prose)}
    return [
        theme
        for theme in own
        if not markets & set(theme.markets) and not named & set(references(theme.moved.prose))
    ]


def _said(prose: str | None, claims: Mapping[str, Claim]) -> Sentence | None:
    return sentence(prose, claims) if prose else None
