"""What needs a person: conflicts to decide, tasks that failed with every agent, markets to redo."""

import asyncio
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, NamedTuple
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from temporalio.client import Client

from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.escalations import EscalationAnswer, EscalationListing, EscalationState
from desk.contracts.findings.results import AgentError, Position
from desk.runs.escalations import claims_at, evidence_at
from starters.operations.dead_letters import (
    FoundLetter,
    error_words,
    letters_at,
    retry_options,
)
from starters.operations.escalations import (
    LONGEST_NAME,
    LONGEST_NOTE,
    NobodyAnswers,
    all_cases,
    answer_to,
    claim_words,
    decide_case,
    evidence_words,
    leave_answer,
    login_name,
    one_case,
    standing_words,
    weight_words,
)
from starters.operations.serve.pages.runs import redirect_to_run
from starters.operations.serve.serving.site import Site, site_of
from starters.terminal.exit_status import CommandError, UsageError
from starters.weeks.rerun import RerunOptions, rerun_of

DECIDE: Final = "/decide"
MOST_SHOWN: Final = 4_000
"""The most characters of a tool's answer; the report's evidence has all of it."""
MOST_LETTERS: Final = 60
LONGEST_REASON: Final = 800
DECIDING_SECONDS: Final = 1.5
"""How long a page waits for a worker. A running one takes a tenth of it. Without one, the answer is
left with the server."""

MOST_UNFOLDED: Final = 600
"""The most characters of a tool's answer that are shown unfolded."""

LEFT: Final = (
    "The answer is with the server. No worker is up that could take it: as soon as one is, the case"
    " is decided with it, and this page says so."
)

_OPTIONS: Final = {"--by": "“Who decides”", "--note": "“Why”", "--choose": "What you choose"}


class ShownEvidence(NamedTuple):
    """A tool call, and its answer."""

    asked: str
    content: str

    @property
    def short(self) -> bool:
        """Whether all of it can be shown unfolded."""
        return len(self.content) <= MOST_UNFOLDED


class ConflictSide(NamedTuple):
    """A position of a conflict with its claims and evidence."""

    number: int
    position: Position
    weight: str
    claims: tuple[str, ...]
    evidence: tuple[ShownEvidence, ...]


class ListedLetter(NamedTuple):
    """A dead letter; `cannot` is why it cannot be retried from here."""

    found: FoundLetter
    cannot: str | None

    @property
    def error(self) -> AgentError | None:
        """Its last error."""
        errors = self.found.letter.errors
        return errors[-1] if errors else None

    @property
    def open(self) -> bool:
        """Whether it can be retried, and has not been redone since."""
        return self.cannot is None and not self.found.redone


class LetterGroup(NamedTuple):
    """The dead letters of one cause, the newest first."""

    letters: tuple[ListedLetter, ...]

    @property
    def cause(self) -> str:
        """Their cause, as the newest letter states it."""
        error = self.letters[0].error
        return error_words(error) if error else "not told"

    @property
    def tool(self) -> str | None:
        """The tool that failed, if it was a tool."""
        error = self.letters[0].error
        return error.tool if error else None

    @property
    def redone(self) -> bool:
        """Whether all of them have been redone since."""
        return all(each.found.redone for each in self.letters)

    @property
    def to_retry(self) -> tuple[str, ...]:
        """The ids of those that can be retried: one for each task that is redone together."""
        again = {
            (each.found.run_of, each.found.letter.market or each.found.letter.assignment.task_id): (
                each.found.workflow_id
            )
            for each in self.letters
            if each.open
        }
        return tuple(again.values())


def grouped_by_cause(letters: Iterable[ListedLetter]) -> list[LetterGroup]:
    """Groups letters by their cause: the kind of failure and the tool that failed, or the same
    message if it was not a tool. Groups with a letter that can be retried come first."""
    groups: dict[tuple[str, str], list[ListedLetter]] = {}
    for each in letters:
        error = each.error
        cause = (error.error_type, error.tool or error.error_message) if error else ("", "")
        groups.setdefault(cause, []).append(each)
    found = [LetterGroup(tuple(group)) for group in groups.values()]
    return sorted(found, key=lambda group: not group.to_retry)


async def list_waiting(request: Request) -> Response:
    """Shows the open conflicts, the decided ones, and the dead letters."""
    site = site_of(request)
    desk = site.desk
    every = "all" in request.query_params
    (cases, silent), letters = await asyncio.gather(
        all_cases(desk.client, every=every), letters_at(desk)
    )
    now = datetime.now(UTC)
    told = [(case, standing_words(case.status, now)) for case in cases]
    return site.page(
        request,
        "decide.html.j2",
        open_cases=[each for each in told if each[0].status.state is EscalationState.OPEN],
        closed_cases=[each for each in told if each[0].status.state is not EscalationState.OPEN],
        every=every,
        silent=silent,
        groups=grouped_by_cause(_letter(letter) for letter in letters[:MOST_LETTERS]),
        more_letters=max(len(letters) - MOST_LETTERS, 0),
    )


async def show_case(request: Request) -> Response:
    """Shows a case: both sides with their evidence, and the form that decides it."""
    listed = await one_case(site_of(request).desk.client, request.path_params["workflow_id"])
    if "hx-request" not in request.headers:
        return _case(request, listed, {"by": _who(request), "note": "", "choose": ""})
    stands = standing_words(listed.status, datetime.now(UTC))
    page = site_of(request).page(request, "case_live.html.j2", listed=listed, stands=stands)
    if listed.status.state is not EscalationState.OPEN:
        # It was decided meanwhile: the form is removed.
        page.headers["HX-Refresh"] = "true"
    return page


async def decide(request: Request) -> Response:
    """Decides a case, and shows how it ended. If no worker is up, leaves the answer with the
    server."""
    site = site_of(request)
    client = site.desk.client
    listed = await one_case(client, request.path_params["workflow_id"])
    sent = await request.form()
    given = {name: str(sent.get(name, "")).strip() for name in ("choose", "by", "note")}
    # A visitor whom a proxy names cannot decide under another name.
    given["by"] = site.access.named(request) or given["by"]
    try:
        answer = answer_to(listed, given["choose"], given["by"], given["note"] or None)
        left = await _decide_or_leave(client, listed, answer)
    except CommandError as wrong:
        status = 422 if isinstance(wrong, UsageError) else 409
        return _case(request, listed, given, status, _with_form_labels(str(wrong)))
    noted = f"?{urlencode(site.sealed(LEFT))}" if left else ""
    return RedirectResponse(f"{DECIDE}/{quote(listed.workflow_id)}{noted}", status_code=303)


async def _decide_or_leave(
    client: Client, listed: EscalationListing, answer: EscalationAnswer
) -> bool:
    """Decides a case. Returns whether the answer could only be left with the server."""
    try:
        await decide_case(client, listed, answer, DECIDING_SECONDS)
    except NobodyAnswers:
        await leave_answer(client, listed, answer)
        return True
    return False


async def rerun(request: Request) -> Response:
    """Requests a rerun of a market, and returns to the week's page."""
    site = site_of(request)
    sent = await request.form()
    options = RerunOptions(
        market=str(sent.get("market", "")),
        reason=str(sent.get("reason", ""))[:LONGEST_REASON],
        week=str(sent.get("week", "")),
        wait=False,
        workflow_id=str(sent.get("run", "")),
    )
    run = await rerun_of(site.settings, options).ask(site.desk)
    return redirect_to_run(request, run.workflow_id)


def _case(
    request: Request,
    listed: EscalationListing,
    given: dict[str, str],
    status: int = 200,
    wrong: str | None = None,
) -> Response:
    asked = listed.status.request
    return site_of(request).page(
        request,
        "case.html.j2",
        status,
        listed=listed,
        asked=asked,
        stands=standing_words(listed.status, datetime.now(UTC)),
        sides=tuple(
            _side(listed, number, position)
            for number, position in enumerate(asked.conflict.positions, start=1)
        ),
        is_open=listed.status.state is EscalationState.OPEN,
        noted=site_of(request).unsealed(request.query_params),
        temporal=site_of(request).ui_of(site_of(request).desk, listed.workflow_id, None),
        decision=listed.status.decision,
        given=given,
        wrong=wrong,
        longest_name=LONGEST_NAME,
        longest_note=LONGEST_NOTE,
    )


def _side(listed: EscalationListing, number: int, position: Position) -> ConflictSide:
    asked = listed.status.request
    return ConflictSide(
        number,
        position,
        weight_words(position),
        tuple(claim_words(claim) for claim in claims_at(asked, position)),
        tuple(_evidence(result) for result in evidence_at(asked, position)),
    )


def _evidence(result: ToolResult) -> ShownEvidence:
    content = json.dumps(result.content, ensure_ascii=False, indent=1) if result.content else ""
    shown = content if len(content) <= MOST_SHOWN else f"{content[:MOST_SHOWN]}\n…"
    return ShownEvidence(evidence_words(result), shown or result.error or "nothing")


def _letter(found: FoundLetter) -> ListedLetter:
    try:
        retry_options(found, wait=False)
    except UsageError as cannot:
        return ListedLetter(found, str(cannot))
    return ListedLetter(found, None)


def _who(request: Request) -> str:
    site: Site = site_of(request)
    named = site.access.named(request)
    if named is not None:
        return named
    try:
        return login_name() if site.access.is_open else ""
    except UsageError:
        return ""


def _with_form_labels(wrong: str) -> str:
    for option, words in _OPTIONS.items():
        wrong = wrong.replace(option, words)
    return wrong
