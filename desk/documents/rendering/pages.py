"""Renders every page as one self-contained HTML file, light and dark, printable.

All pages extend the template `page.html.j2`: head, first lines, sections, foot. A program provides
its own templates in the folder `templates` of a package.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemBytecodeCache,
    PackageLoader,
    StrictUndefined,
)
from jinja2.bccache import Bucket

from desk.analytics.figures import print_day, print_full_day, print_known_day, print_weekday
from desk.analytics.links import web_link
from desk.contracts.findings.verdicts import ClaimStatus
from desk.documents.rendering.figures.links import FigureLinks, anchor, tier_words
from desk.documents.rendering.rendering_version import rendering_mark
from desk.documents.rendering.words import trust, wording


def render_page(
    template: str, packages: tuple[str, ...], figures: FigureLinks, names: Mapping[str, object]
) -> str:
    """Renders the page of a document from the template of its kind. The same document always gives
    the same page.

    Text of the document is data: it is escaped, and only http and https addresses become links.
    Every figure of a claim opens the claim's trace, of which there is one.

    Args:
        template: The template, of one of the packages or of the desk's own.
        packages: The packages that provide templates.
        figures: The document's figures, and the traces that they open.
        names: The variables of the template.
    """
    return wording.printable(
        page_environment(*packages)
        .get_template(template)
        .render(
            names,
            figures=figures,
            mark=rendering_mark(),
            statuses=ClaimStatus,
            trust=trust,
            words=wording,
        )
    )


@cache
def page_environment(*packages: str) -> Environment:
    """Returns the environment for templates of the desk and of the packages. It escapes text, and
    an undefined name is an error."""
    loaders = [PackageLoader(package) for package in ("desk.documents.rendering", *packages)]
    environment = Environment(
        loader=ChoiceLoader(loaders),
        bytecode_cache=_template_cache(),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {
        "anchor": anchor,
        "analysts": wording.analysts_words,
        "arguments": wording.arguments_words,
        "date": print_day,
        "day": print_full_day,
        "fact_check": trust.fact_check_words,
        "human": wording.human,
        "instant": wording.instant,
        "link": web_link,
        "share": wording.share_words,
        "span": wording.span_words,
        "stated": trust.stated_words,
        "tier": tier_words,
        "known_day": print_known_day,
        "weekday": print_weekday,
        "type": wording.typographic,
    }
    environment.filters.update(filters)
    return environment


class _TemplateCache(FileSystemBytecodeCache):
    """A cache of compiled templates, in a folder for temporary files that only this user may write.
    Compiling them takes half of the time of a process's first page."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        """See base class. On a full disk nothing is cached."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


def _template_cache() -> _TemplateCache | None:
    """Returns the cache, or None if there is no such folder."""
    try:
        return _TemplateCache()
    except (OSError, RuntimeError):
        return None
