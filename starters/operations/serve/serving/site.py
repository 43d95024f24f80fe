"""What all pages share: the settings, the desk, the templates."""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Final

from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from desk.contracts.findings.document import PublishedFiles
from desk.documents.rendering.pages import page_environment
from desk.documents.rendering.words.wording import printable
from desk.platform.settings import Settings
from starters.operations.serve.serving.guard import Admission
from starters.operations.serve.serving.hosting import DeskKeeper
from starters.runs.server_runs import ui_address
from starters.session import Desk

PACKAGE: Final = "starters.operations.serve"
REPORTS: Final = "/reports"
STARTS: Final = ("/ask", "/swarm", "/stock", "/week")
"""The forms that start a run."""


@dataclass(frozen=True)
class Site:
    """The pages of one `desk serve`."""

    settings: Settings
    keeper: DeskKeeper
    access: Admission
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    @property
    def desk(self) -> Desk:
        """The current desk.

        Raises:
            DeskUnavailable: there is none at the moment.
        """
        return self.keeper.desk

    def page(
        self, request: Request, template: str, status: int = 200, **names: object
    ) -> HTMLResponse:
        """Renders a page, or a part of one. Third-party text is escaped."""
        text = (
            page_environment(PACKAGE)
            .get_template(template)
            .render(
                path=request.url.path,
                starts=STARTS,
                ui=self.keeper.ui_url or self.settings.ui_url,
                visitor=self.access.named(request),
                may_leave=self.access.token is not None,
                spoken=spoken,
                **names,
            )
        )
        return HTMLResponse(printable(text), status)

    def sealed(self, words: str) -> dict[str, str]:
        """Signs a note for the page that a visitor is redirected to, as its query. Nobody else can
        make a page show a note."""
        return {"note": words, "seal": self._seal(words)}

    def unsealed(self, query: Mapping[str, str]) -> str | None:
        """Returns the note of a query that this site has signed, or None for any other."""
        words = query.get("note", "")
        is_own = hmac.compare_digest(query.get("seal", "").encode(), self._seal(words).encode())
        return words if words and is_own else None

    def _seal(self, words: str) -> str:
        return hmac.new(self._key, words.encode(), "sha256").hexdigest()

    def ui_of(self, desk: Desk, workflow_id: str, run_id: str | None) -> str | None:
        """Returns the address of a run in the Temporal UI."""
        return ui_address(desk.settings.ui_url, desk.client.namespace, workflow_id, run_id)

    def link_to(self, path: str) -> str | None:
        """Returns the address of a published file, or None if it is on another machine."""
        here, folder = Path(path).resolve(), self.settings.reports_dir.resolve()
        if not here.is_relative_to(folder) or not here.is_file():
            return None
        return f"{REPORTS}/{here.relative_to(folder).as_posix()}"

    def links_of(self, published: PublishedFiles | None) -> dict[str, str]:
        """Returns the addresses of a document's forms that exist here, by their names."""
        if published is None:
            return {}
        forms = {
            "page": published.html,
            "Markdown": published.markdown,
            "JSON": published.json_file,
        }
        found = {name: self.link_to(path) for name, path in forms.items()}
        return {name: address for name, address in found.items() if address}


def spoken(words: str) -> Markup:
    """Renders a command's sentence as HTML, with the text between backticks as code."""
    parts = words.split("`")
    if len(parts) % 2 == 0:
        return escape(words)
    marked = (
        Markup("<code>{}</code>").format(p) if n % 2 else escape(p) for n, p in enumerate(parts)
    )
    return Markup("").join(marked)


def site_of(request: Request) -> Site:
    """Returns the site of a request."""
    site: Site = request.app.state.site
    return site


def style_sheet() -> str:
    """The style of the published documents, and the additions for the desk's own pages."""
    shared = files("desk.documents.rendering") / "templates" / "page.css"
    own = files(PACKAGE) / "assets" / "serve.css"
    return shared.read_text(encoding="utf-8") + own.read_text(encoding="utf-8")
