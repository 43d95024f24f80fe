"""Retries dead letters: each by itself, with a page of the results unless all were started."""

from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Final, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from temporalio.service import RPCError

from desk.documents.rendering.words.wording import named_together
from starters.operations.dead_letters import chosen_letter, letters_at, retried_at
from starters.operations.serve.pages.decide import MOST_LETTERS
from starters.operations.serve.pages.run_snapshots import RunSnapshots
from starters.operations.serve.pages.runs import redirect_to_run
from starters.operations.serve.serving.site import site_of
from starters.terminal.exit_status import CommandError

SILENT: Final = "the Temporal server did not answer, so that it may have begun all the same"
UNASKED: Final = "it was not asked for, because the Temporal server did not answer before"
TOO_MANY: Final = f"it was not asked for: at most {MOST_LETTERS} are tried again at once"

Again = Callable[[str], Awaitable[str]]
"""Retries a letter, and returns the id of the run that does it."""


class TriedLetter(NamedTuple):
    """A letter to retry: the run that does it, or why there is none."""

    letter: str
    run: str | None = None
    wrong: str | None = None


async def retry_each(letters: Sequence[str], again: Again) -> tuple[TriedLetter, ...]:
    """Retries each letter, even if others fail, and reports on every one. Letters after a server
    failure, and those beyond the limit, are not tried.

    Raises:
        CommandError, RPCError: the only letter could not be retried.
    """
    if len(letters) == 1:
        return (TriedLetter(letters[0], await again(letters[0])),)
    tried: list[TriedLetter] = []
    for letter in letters[:MOST_LETTERS]:
        try:
            tried.append(TriedLetter(letter, await again(letter)))
        except CommandError as error:
            tried.append(TriedLetter(letter, wrong=str(error)))
        except RPCError:
            tried.append(TriedLetter(letter, wrong=SILENT))
            break
    behind = letters[len(tried) : MOST_LETTERS]
    return (
        *tried,
        *(TriedLetter(letter, wrong=UNASKED) for letter in behind),
        *(TriedLetter(letter, wrong=TOO_MANY) for letter in letters[MOST_LETTERS:]),
    )


async def retry(request: Request) -> Response:
    """Retries dead letters, and redirects to the run of the last of them. If some could not be
    retried, shows a page that says which."""
    desk = site_of(request).desk
    sent = await request.form()
    found = await letters_at(desk)

    async def again(letter: str) -> str:
        return (await retried_at(desk, chosen_letter(found, letter))).workflow_id

    asked = [str(letter) for letter in sent.getlist("letter")] or [""]
    return _page_after_retry(request, await retry_each(asked, again))


def _page_after_retry(request: Request, tried: Sequence[TriedLetter]) -> Response:
    begun = [each for each in tried if each.run is not None]
    looks: RunSnapshots = request.app.state.looks
    for each in begun:
        looks.forget(str(each.run))
    if len(begun) == len(tried):
        return redirect_to_run(request, str(begun[-1].run), _other_runs_note(request, begun))
    refused = [each for each in tried if each.run is None]
    status = HTTPStatus.CONFLICT
    return site_of(request).page(request, "retried.html.j2", status, begun=begun, refused=refused)


def _other_runs_note(request: Request, begun: Sequence[TriedLetter]) -> str:
    """The note for the last run's page about the other runs, as a query."""
    runs = list(dict.fromkeys(str(each.run) for each in begun))
    if len(runs) == 1:
        return ""
    others = named_together(f"`{run}`" for run in runs[:-1])
    words = f"{len(begun)} tasks are tried again: in this run, and in {others}"
    return "?" + urlencode(site_of(request).sealed(words))
