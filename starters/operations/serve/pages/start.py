"""Starting a question, an objective, a stock or a week from a form, and redirecting to its run."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from desk.contracts.agents.config import RunConfig
from desk.contracts.names import STOCK_RUN, Queue
from desk.contracts.swarm.plan import Complexity
from desk.platform.settings import shipped_graphs
from desk.programs.swarm.objectives import FORMS
from starters.operations.serve.pages.runs import redirect_to_run
from starters.operations.serve.serving.site import Site, site_of
from starters.questions.answer_run import AnswerRequest, AnswerRun
from starters.questions.ask import question_start
from starters.questions.choice import AskOptions
from starters.questions.stock.choice import StockOptions, episode_start
from starters.questions.stock.published import published_so_far
from starters.questions.swarm.choice import AUTO, ROUNDS, WITHIN, SwarmOptions, objective_start
from starters.runs.models import has_models, model_words, with_budget
from starters.runs.progress import CollectedNotes
from starters.runs.server_runs import RunStart, ServerRun
from starters.session import Desk, require_workers
from starters.terminal.exit_status import CommandError, UsageError
from starters.terminal.options import USUAL_COST, USUAL_WEEKS
from starters.weeks.run import RunOptions, week_run

BEGINNING_SECONDS: Final = 60.0
"""How long starting a run may take: the data's coverage may have to be queried first."""

WORKER_SECONDS: Final = 5.0
LONGEST: Final = 4_000
MOST_TOKENS: Final = 10**11


class FormField(NamedTuple):
    """A field of a form. `option` is its name on the command line, `choices` are its values, each
    with its label. `lines` makes it multi-line."""

    name: str
    label: str
    option: str
    hint: str
    value: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    lines: bool = False
    required: bool = False
    number: tuple[int, int] | None = None


Values = Mapping[str, str]
Begin = Callable[[Site, Desk, Values, CollectedNotes], Awaitable[ServerRun[Any]]]


@dataclass(frozen=True)
class StartForm:
    """One of the forms. `main` fields come first, `more` fields are optional."""

    path: str
    tab: str
    title: str
    facts: str
    verb: str
    main: Callable[[Site], tuple[FormField, ...]]
    more: Callable[[Site], tuple[FormField, ...]]
    begin: Begin

    def fields(self, site: Site) -> tuple[FormField, ...]:
        """All its fields."""
        return (*self.main(site), *self.more(site))


async def show_form(request: Request) -> Response:
    """Shows a form, with what its run may cost at most."""
    site, form = site_of(request), FORM_AT[request.url.path]
    values = {"again": "", **{field.name: field.value for field in form.fields(site)}}
    return _page(request, form, values)


async def take_form(request: Request) -> Response:
    """Starts what a form requests, and redirects to its run; or says what is wrong with the
    form."""
    site, form = site_of(request), FORM_AT[request.url.path]
    sent = await request.form()
    values = {
        field.name: str(sent.get(field.name, "")).strip()[: LONGEST + 1]
        for field in form.fields(site)
    }
    values["again"] = str(sent.get("again", ""))
    told = CollectedNotes()
    try:
        async with asyncio.timeout(BEGINNING_SECONDS):
            run = await form.begin(site, site.desk, values, told)
    except UsageError as wrong:
        return _page(request, form, values, 422, _with_form_labels(str(wrong), form, site))
    except CommandError as failed:
        return _page(request, form, values, 409, str(failed))
    except TimeoutError:
        words = "Nothing came of it within a minute: no worker may be up. `desk doctor` says more."
        return _page(request, form, values, 409, words)
    words = " ".join(_sentence(_with_form_labels(note, form, site)) for note in told.notes)
    noted = f"?{urlencode(site.sealed(words))}" if words else ""
    return redirect_to_run(request, run.workflow_id, noted)


def _page(
    request: Request, form: StartForm, values: Values, status: int = 200, wrong: str | None = None
) -> Response:
    site = site_of(request)
    config = site.settings.config
    return site.page(
        request,
        "start.html.j2",
        status,
        form=form,
        forms=FORM_AT.values(),
        main=form.main(site),
        more=form.more(site),
        values=values,
        wrong=wrong,
        models=model_words(config) if has_models(config) else None,
    )


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].removesuffix('.')}."


def _with_form_labels(wrong: str, form: StartForm, site: Site) -> str:
    """Replaces the command line's option names in a message by the form's labels."""
    for field in sorted(form.fields(site), key=lambda each: -len(each.option)):
        wrong = wrong.replace(field.option, f"“{field.label}”")
    return wrong


async def _answer(
    desk: Desk, values: Values, told: CollectedNotes, start: RunStart[Any], config: RunConfig
) -> ServerRun[Any]:
    asking: AnswerRequest[Any] = AnswerRequest(
        start=start,
        config=config,
        again=bool(values.get("again")),
        wait=False,
        published=published_so_far if start.workflow_id.startswith(STOCK_RUN) else None,
    )
    run, already = await AnswerRun(asking).begun(desk, told)
    if already is not None:
        told.note("This was asked before, and here is its answer. The form can ask it anew.")
    return run


async def _ask(site: Site, desk: Desk, values: Values, told: CollectedNotes) -> ServerRun[Any]:
    config = _config(site, values)
    options = AskOptions(
        values["question"],
        values["graph"] or None,
        tuple(line for line in values["parameters"].splitlines() if line.strip()),
        values["as_of"] or None,
    )
    start, remark = await asyncio.to_thread(question_start, options, site.settings, config)
    if remark:
        told.note(remark)
    return await _answer(desk, values, told, start, config)


async def _swarm(site: Site, desk: Desk, values: Values, told: CollectedNotes) -> ServerRun[Any]:
    config = _config(site, values)
    options = SwarmOptions(
        values["objective"],
        about=values["about"] or None,
        over=values["over"] or None,
        effort=values["effort"] or AUTO,
        as_of=values["as_of"] or None,
        rounds=_number(values["rounds"], "--rounds", 1, 5),
        answer_within=values["answer_within"] or WITHIN,
        memory=not values["no_memory"],
    )
    start = await asyncio.to_thread(objective_start, options, config)
    return await _answer(desk, values, told, start, config)


async def _stock(site: Site, desk: Desk, values: Values, told: CollectedNotes) -> ServerRun[Any]:
    config = _config(site, values)
    options = StockOptions(
        values["symbol"],
        as_of=values["as_of"] or None,
        steps=values["steps"] or None,
        weeks=_number(values["weeks"], "--weeks", 1, 52),
        cost=values["cost"] or USUAL_COST,
    )
    start = await asyncio.to_thread(episode_start, options, site.settings, config)
    return await _answer(desk, values, told, start, config)


async def _week(site: Site, desk: Desk, values: Values, told: CollectedNotes) -> ServerRun[Any]:
    options = RunOptions(
        week=values["week"] or None,
        markets=values["markets"] or None,
        again=bool(values.get("again")),
        budget_usd=_dollars(values["budget"]),
        budget_tokens=_tokens(values["tokens"]),
    )
    if not desk.hosting:
        # The data's coverage is queried from a source, which takes a worker.
        await require_workers(desk, Queue.DESK, WORKER_SECONDS)
    run, already = await week_run(site.settings, options).begun(desk, told)
    if already is not None:
        told.note("This week is published already. The form can research it anew.")
    return run


def _config(site: Site, values: Values) -> RunConfig:
    dollars, tokens = _dollars(values["budget"]), _tokens(values["tokens"])
    return with_budget(site.settings.config, dollars, tokens)


def _dollars(written: str) -> float | None:
    if not written:
        return None
    try:
        dollars = Decimal(written.removeprefix("$"))
    except InvalidOperation:
        dollars = Decimal(-1)
    if not (dollars.is_finite() and 0 <= dollars <= 1_000_000):
        raise UsageError(f"--budget-usd is {written[:40]!r}; write dollars, such as 5")
    return float(dollars)


def _tokens(written: str) -> int | None:
    plain = written.replace(",", "")
    return _number(plain, "--budget-tokens", 0, MOST_TOKENS) if plain else None


def _number(written: str, option: str, least: int, most: int) -> int:
    if not (written.isascii() and written.isdigit() and least <= int(written[:12]) <= most):
        raise UsageError(f"{option} is {written[:40]!r}; a number from {least} to {most}")
    return int(written)


def _graphs(site: Site) -> tuple[tuple[str, str], ...]:
    names = [Path(graph).stem for graph in shipped_graphs(site.settings.project_dir)]
    return (("", "by what the question names"), *((name, name) for name in names))


_AS_OF: Final = FormField(
    "as_of", "As of", "--as-of", "What was known then, such as 2026-10-30. Empty: now."
)
_BUDGET: Final = FormField(
    "budget", "Budget, in US dollars", "--budget-usd", "Models cost no more. Empty: as configured."
)
_TOKENS: Final = FormField(
    "tokens",
    "Budget, in tokens",
    "--budget-tokens",
    "Read and written, for models whose price nobody knows.",
)
_BUDGETS: Final = (_BUDGET, _TOKENS)

_QUESTION: Final = StartForm(
    "/ask",
    "A question",
    "Ask a question",
    "A graph of agents answers it, with the source of everything it says.",
    "Ask",
    lambda site: (
        FormField(
            "question",
            "Your question",
            "the question",
            "Such as: What holds up DESK-101? Or: How did USD/JPY do last week?",
            lines=True,
            required=True,
        ),
    ),
    lambda site: (
        FormField("graph", "Graph", "--graph", "Which agents work on it.", choices=_graphs(site)),
        FormField(
            "parameters", "Parameters", "--param", "One a line: ticket=DESK-101.", lines=True
        ),
        _AS_OF,
        *_BUDGETS,
    ),
    _ask,
)
_OBJECTIVE: Final = StartForm(
    "/swarm",
    "An objective",
    "Have an objective researched",
    "A leader and its specialists research it, and say what is likely.",
    "Research it",
    lambda site: (
        FormField(
            "objective",
            "Your objective",
            "the objective",
            "It names the markets, such as: Is the yen carry trade unwinding?",
            lines=True,
            required=True,
        ),
    ),
    lambda site: (
        FormField(
            "about",
            "What it asks",
            "--about",
            "The form that decides it.",
            choices=(
                ("", "the nearest in meaning"),
                *((name, f"{name}: {form.line}") for name, form in FORMS.items()),
            ),
        ),
        FormField(
            "over",
            "How far back",
            "--over",
            "Such as 1y or 90d. Empty: what the objective names, or the form's own.",
        ),
        FormField(
            "effort",
            "Effort",
            "--effort",
            "How many specialists work on it.",
            AUTO,
            choices=((AUTO, "as the leader says"), *((each, each) for each in Complexity)),
        ),
        FormField("rounds", "Rounds", "--rounds", "At most, 1 to 5.", str(ROUNDS), number=(1, 5)),
        FormField(
            "answer_within",
            "Time to decide a conflict",
            "--answer-within",
            "What a person has, such as 3d.",
            WITHIN,
        ),
        FormField(
            "no_memory",
            "Memory",
            "--no-memory",
            "Whether earlier research is recalled, and this remembered.",
            choices=(("", "recall and remember"), ("no", "neither")),
        ),
        _AS_OF,
        *_BUDGETS,
    ),
    _swarm,
)
_EPISODE: Final = StartForm(
    "/stock",
    "A stock",
    "Have a stock researched",
    "Step by step, to what to do; that is held against what came.",
    "Research it",
    lambda site: (
        FormField("symbol", "Symbol", "--symbol", "As Yahoo Finance has it: NVDA.", required=True),
        _AS_OF,
    ),
    lambda site: (
        FormField(
            "weeks",
            "Weeks ahead",
            "--weeks",
            "How long the recommendation is for, 1 to 52.",
            str(USUAL_WEEKS),
            number=(1, 52),
        ),
        FormField("cost", "Cost, in percent", "--cost", "Of entering and of leaving.", USUAL_COST),
        FormField("steps", "Steps", "--steps", "Exactly these, with commas. Empty: as it goes."),
        *_BUDGETS,
    ),
    _stock,
)
_WEEKLY: Final = StartForm(
    "/week",
    "A week",
    "Research a week",
    "All markets, side by side, to a report of which every figure opens its source.",
    "Research it",
    lambda site: (
        FormField(
            "week", "Week", "--week", "Such as 2026-W44. Empty: the latest that the data cover."
        ),
    ),
    lambda site: (
        FormField("markets", "Markets", "--markets", "Such as USD/JPY,JP. Empty: all."),
        *_BUDGETS,
    ),
    _week,
)

FORM_AT: Final = {form.path: form for form in (_QUESTION, _OBJECTIVE, _EPISODE, _WEEKLY)}
"""The forms by their address, in the order in which they are offered."""
