"""Writes the generated documents of a seed as a folder that the server `knowledge` reads.

A PDF file has plain text, line by line, and the same bytes each time.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

import yaml
from pypdf import PdfWriter
from pypdf.generic import ContentStream, DecodedStreamObject, DictionaryObject, NameObject

from desk.evaluation.ask.phrases import FILLERS, Holder
from desk.evaluation.ask.world import YEARS, CostTable, Entity, Fact, RuleVersions, WebPaper, World
from desk.evaluation.draws import SeededDraws

WIDTH, HEIGHT = 595, 842
"""A4, in points."""

COLUMNS: Final = 84
LINE: Final = 16
MARGIN: Final = 70
SIZE: Final = 11


def write_pdf(path: Path, pages: Sequence[Sequence[str]]) -> None:
    """Writes pages of paragraphs in Helvetica; characters outside Latin-1 are replaced."""
    writer = PdfWriter()
    for paragraphs in pages:
        page = writer.add_blank_page(WIDTH, HEIGHT)
        page[NameObject("/Resources")] = _fonts()
        stream = DecodedStreamObject()
        stream.set_data(_drawing_operators(paragraphs))
        page.replace_contents(ContentStream(stream, writer))
    writer.write(path)


def _fonts() -> DictionaryObject:
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
            NameObject("/Encoding"): NameObject("/WinAnsiEncoding"),
        }
    )
    return DictionaryObject({NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})})


def _drawing_operators(paragraphs: Sequence[str]) -> bytes:
    """Returns the operators that draw the text, starting at the top margin (ISO 32000-1, 9.4)."""
    lines = [line for paragraph in paragraphs for line in (*wrap(paragraph, COLUMNS), "")]
    shown = "".join(f"({_escaped(line)}) Tj T*\n" for line in lines)
    start = f"BT /F1 {SIZE} Tf {LINE} TL {MARGIN} {HEIGHT - MARGIN} Td\n"
    return f"{start}{shown}ET".encode("latin-1", "replace")


def _escaped(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


PUBLISHED: Final = datetime(2025, 1, 2, 9, tzinfo=UTC)
"""The publication instant of handbooks, agreements and budgets."""

FACTS_A_PAGE: Final = 3
"""Of a PDF file."""


def write_corpus(world: World, folder: Path) -> None:
    """Writes tickets, documents, PDF files and web pages into a folder."""
    for name in ("documents", "web", "pdfs"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    writer = _Writer(world, folder)
    writer.tickets()
    writer.documents()
    writer.pdfs()
    writer.pages()


class _Writer:
    def __init__(self, world: World, folder: Path) -> None:
        self._world = world
        self._folder = folder
        self._draws = SeededDraws(world.seed, "files")

    def tickets(self) -> None:
        """Writes all tickets, each with its previous state."""
        written = [
            {
                "id": ticket.ticket_id,
                "status": ticket.status,
                "assignee": ticket.assignee,
                "summary": ticket.summary,
                "updated_at": _stamp(ticket.changed),
                "history": [
                    {
                        "at": _stamp(ticket.opened),
                        "status": ticket.before[0],
                        "assignee": ticket.before[1],
                    }
                ],
            }
            for ticket in self._world.tickets
        ]
        _write_yaml(self._folder / "tickets.yaml", written)

    def documents(self) -> None:
        """Writes the handbooks, both versions of the rules, and the budgets."""
        for system in self._world.holders(Holder.SYSTEM):
            title = f"Handbook of {system.name}"
            body = self._sections(system, self._facts(system, Holder.SYSTEM))
            self._document(system.slug, system.slug, title, PUBLISHED, body)
        for rule in self._world.rules:
            versions = ((1, rule.before, rule.published), (2, rule.now, rule.changed))
            for version, value, since in versions:
                name = f"{rule.slug}-v{version}"
                self._document(name, rule.slug, rule.title, since, _rule_text(rule, value, version))
        for budget in self._world.budgets:
            self._document(budget.slug, budget.slug, budget.title, PUBLISHED, _table(budget))

    def pdfs(self) -> None:
        """Writes the agreements and their index."""
        index = []
        for vendor in self._world.holders(Holder.AGREEMENT):
            title = f"Agreement with {vendor.name}"
            facts = self._facts(vendor, Holder.AGREEMENT)
            parts = [facts[at : at + FACTS_A_PAGE] for at in range(0, len(facts), FACTS_A_PAGE)]
            pages = [
                [
                    title,
                    *(words for fact in part for words in (fact.relation.heading, fact.statement)),
                ]
                for part in parts
            ]
            write_pdf(self._folder / "pdfs" / f"{vendor.slug}.pdf", pages)
            index.append(
                {
                    "url": facts[0].url,
                    "title": title,
                    "published_at": _stamp(PUBLISHED),
                    "file": f"{vendor.slug}.pdf",
                }
            )
        _write_yaml(self._folder / "pdfs" / "index.yaml", index)

    def pages(self) -> None:
        """Writes the web pages."""
        for page in self._world.pages:
            matter = {"url": page.url, "title": page.title, "published_at": _stamp(page.published)}
            body = "\n\n".join((*page.paragraphs, self._filler(page)))
            _write_text(self._folder / "web" / f"{page.slug}.md", matter, body)

    def _document(self, name: str, slug: str, title: str, since: datetime, body: str) -> None:
        matter = {"doc_id": slug, "title": title, "published_at": _stamp(since)}
        _write_text(self._folder / "documents" / f"{name}.md", matter, f"# {title}\n\n{body}")

    def _facts(self, entity: Entity, holder: Holder) -> list[Fact]:
        own = [fact for fact in self._world.of(entity) if fact.relation.holder is holder]
        return self._draws.order(f"facts of {entity.slug}", own)

    def _sections(self, entity: Entity, facts: Iterable[Fact]) -> str:
        parts = [self._draws.one(f"filler of {entity.slug}", FILLERS)]
        parts += [f"## {fact.relation.heading}\n\n{fact.statement}" for fact in facts]
        return "\n\n".join(parts)

    def _filler(self, page: WebPaper) -> str:
        return self._draws.one(f"filler of {page.slug}", FILLERS)


def _rule_text(rule: RuleVersions, value: str, version: int) -> str:
    statement = rule.relation.statements[0].format(v=value)
    return f"Version {version}.\n\n## {rule.relation.heading}\n\n{statement}"


def _table(budget: CostTable) -> str:
    head = f"All sums of {budget.holder} are in euros."
    rows = [
        f"| Item | {YEARS[0]} | {YEARS[1]} |",
        "| --- | ---: | ---: |",
        *(f"| {item} | {sums[0]:,} | {sums[1]:,} |" for item, sums in budget.rows),
    ]
    return "\n".join((head, "", *rows))


def _write_text(path: Path, matter: dict[str, str], body: str) -> None:
    front = yaml.safe_dump(matter, sort_keys=False, allow_unicode=True, width=1_000)
    path.write_text(f"---\n{front}---\n\n{body}\n", encoding="utf-8")


def _write_yaml(path: Path, content: Sequence[dict[str, Any]]) -> None:
    words = yaml.safe_dump(list(content), sort_keys=False, allow_unicode=True, width=1_000)
    path.write_text(words, encoding="utf-8")


def _stamp(instant: datetime) -> str:
    return instant.isoformat()
