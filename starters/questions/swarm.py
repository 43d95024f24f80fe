"""`desk swarm`; `starters.questions.wanted` has what it shares with `desk ask`."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

import typer
from pydantic import JsonValue

from desk.analytics.names.nearest import meant, nearest
from desk.analytics.names.periods import objective_window, span_given
from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.tasks import Query
from desk.contracts.names import SWARM_RUN, WorkflowType
from desk.contracts.runs.swarm import SwarmRequest, SwarmResult
from desk.contracts.swarm.plan import Complexity
from desk.platform.memory.sentence_encoder import let_go, meaning_of_the_desk
from desk.platform.settings import Settings
from desk.platform.settings.desk_toml import span
from desk.programs.swarm.objectives import (
    ABOUT,
    AS_OF,
    FORMS,
    OVER_SPAN,
    TAKEN,
    ObjectiveForm,
    matched,
)
from desk.trust.seals import content_hash
from starters.questions.choice import LONGEST_QUESTION, checked_words, read_as_of
from starters.questions.graph_runs import ID_DIGITS
from starters.questions.printing import swarm_lines
from starters.questions.wanted import Wanted, answer_wanted
from starters.runs.server_runs import RunStart
from starters.terminal.exit_status import ExitStatus, UsageError
from starters.terminal.options import (
    AsOf,
    BudgetTokens,
    BudgetUsd,
    NoMemory,
    NoWait,
    ReportAsJson,
    ReportCopied,
    ResearchedAnew,
)

EXAMPLE = 'Example: desk swarm "Is the yen carry trade unwinding?" --effort moderate'

AUTO: Final = "auto"
LONGEST_WAIT: Final = timedelta(days=60)
_EXAMPLE: Final = 'such as desk swarm "Is the yen carry trade unwinding?"'
_SHORT_SPAN: Final = re.compile(r"(\d+(?:\.\d+)?) ?([dhm])")
_UNITS: Final = {"d": "days", "h": "hours", "m": "minutes"}


def forms_beginning(incomplete: str) -> list[tuple[str, str]]:
    """The forms that begin as what was typed, with what each decides."""
    from desk.programs.swarm.objectives import FORMS

    return [(name, form.line) for name, form in FORMS.items() if name.startswith(incomplete)]


Objective = Annotated[
    str,
    typer.Argument(
        metavar="OBJECTIVE", help="What is to be found out, in quotes; it names the markets."
    ),
]

Effort = Annotated[
    str,
    typer.Option(
        "--effort",
        metavar="auto|simple|moderate|complex",
        help="One or two specialists, three or four, or five and more; auto: the leader says.",
    ),
]

About = Annotated[
    str | None,
    typer.Option(
        "--about",
        metavar="FORM",
        help="What the objective asks, such as overbought, carry or peg-holds; without it the"
        " nearest in meaning is taken, and said.",
        autocompletion=forms_beginning,
        show_default=False,
    ),
]

Over = Annotated[
    str | None,
    typer.Option(
        "--over",
        metavar="SPAN",
        help="How far its form looks back, such as 1y, 6m or 90d; without it the length that the"
        " objective names, or the form's own.",
        show_default=False,
    ),
]

Rounds = Annotated[
    int,
    typer.Option("--rounds", metavar="N", min=1, max=5, help="How many rounds there are at most."),
]

AnswerWithin = Annotated[
    str,
    typer.Option(
        "--answer-within",
        metavar="SPAN",
        help="How long a person may take to decide a conflict, such as 3d or 12 hours.",
    ),
]


def swarm(
    objective: Objective,
    about: About = None,
    over: Over = None,
    effort: Effort = "auto",
    as_of: AsOf = None,
    rounds: Rounds = 2,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    answer_within: AnswerWithin = "3d",
    no_memory: NoMemory = False,
    out: ReportCopied = None,
    as_json: ReportAsJson = False,
    again: ResearchedAnew = False,
    no_wait: NoWait = False,
) -> ExitStatus:
    """Have a leader and its specialists research an objective, and say what is likely.

    What the objective asks is one of the forms of `--about`: then code decides it, and the first
    sentence answers. Another takes a model; without one the report says what was measured.
    Progress goes to standard error, the report to standard output. The same objective, form,
    effort, instant and rounds are one run. Exit status: 0 complete, 3 some specialist failed, 1
    failed, 2 wrong usage. Ctrl-C detaches; the same command comes back to the run.
    """
    return research_objective(
        SwarmOptions(
            objective,
            about=about,
            over=over,
            effort=effort,
            as_of=as_of,
            rounds=rounds,
            answer_within=answer_within,
            memory=not no_memory,
        ),
        Wanted(budget_usd, out, as_json, again, wait=not no_wait, budget_tokens=budget_tokens),
    )


def chosen_swarm(
    objective: str,
    config: RunConfig,
    *,
    about: str | None = None,
    over: str | None = None,
    effort: str,
    as_of: str | None,
    rounds: int,
    answer_within: str,
    memory: bool,
    now: datetime,
) -> SwarmRequest:
    """The request of an objective, with the named form or else the nearest one.

    Raises:
        UsageError: something of it cannot be asked; the message says what to do.
    """
    words = checked_words(objective, "the objective", longest=LONGEST_QUESTION, example=_EXAMPLE)
    zone = config.schedule.time_zone
    known_at = read_as_of(as_of, zone, now) if as_of else None
    return SwarmRequest(
        query=Query(question=words, parameters=_form_parameters(words, about, as_of, over)),
        policy=config.policy,
        complexity=read_effort(effort),
        markets=config.markets,
        as_of=known_at,
        window=objective_window(words, known_at or now, zone),
        time_zone=zone,
        most_rounds=rounds,
        answer_within=read_answer_within(answer_within),
        memory=memory,
        learn=memory,
    )


def swarm_start(request: SwarmRequest) -> RunStart[SwarmResult]:
    """What the run of an objective is started with."""
    return RunStart(
        WorkflowType.RESEARCH_SWARM,
        swarm_run_id(request),
        request,
        SwarmResult,
        request.query.question,
    )


def swarm_run_id(request: SwarmRequest) -> str:
    """The workflow id of an objective. The same objective, named form and span, effort, instant,
    rounds and use of memory have the same id."""
    wanted: JsonValue = {
        "objective": request.query.question,
        "effort": request.complexity or AUTO,
        "as_of": request.as_of.isoformat() if request.as_of else None,
        "rounds": request.most_rounds,
        "memory": request.memory,
        **_named_form(request),
    }
    return f"{SWARM_RUN}{content_hash(wanted)[:ID_DIGITS]}"


def _named_form(request: SwarmRequest) -> dict[str, JsonValue]:
    parameters = request.query.parameters
    named = () if TAKEN in parameters else (ABOUT,)
    return {name: parameters[name] for name in (*named, OVER_SPAN) if name in parameters}


def _form_parameters(
    objective: str, about: str | None, as_of: str | None, over: str | None
) -> dict[str, str]:
    """The parameters that tell every agent the form of the objective, and its span.

    Raises:
        UsageError: there is no such form, or it looks back over no other span.
    """
    if about is not None:
        return {ABOUT: read_form(about), **_span_parameters(FORMS[read_form(about)], over)}
    found = matched(objective, meaning_of_the_desk)
    asked_as_of = {AS_OF: as_of} if as_of and found.form is None else {}
    return {**found.parameters, **asked_as_of, **_span_parameters(found.form, over)}


def _span_parameters(form: ObjectiveForm | None, over: str | None) -> dict[str, str]:
    if over is None:
        return {}
    try:
        words = span_given(over).words
    except ValueError as error:
        raise UsageError(f"--over: {error}") from error
    if form is None or form.looks_back is None or not form.spans:
        able = ", ".join(f.name for f in FORMS.values() if f.looks_back is not None and f.spans)
        what = f"--about {form.name}" if form is not None else "an objective without a form"
        raise UsageError(f"{what} takes no --over; these forms do: {able}")
    return {OVER_SPAN: words}


def read_form(written: str) -> str:
    """The name of a form.

    Raises:
        UsageError: there is none.
    """
    word = written.strip().lower()
    if word not in FORMS:
        raise UsageError(
            f"--about is {written!r}; there are {', '.join(FORMS)}{meant(word, FORMS)}"
        )
    return word


def read_effort(written: str) -> Complexity | None:
    """The named effort; None if the leader is to choose.

    Raises:
        UsageError: there is no such effort.
    """
    word = written.strip().lower()
    known = [AUTO, *Complexity]
    if word not in known:
        near = nearest(word, known)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"--effort is {written!r}; there are {', '.join(known)}{hint}")
    return None if word == AUTO else Complexity(word)


def read_answer_within(written: str) -> timedelta:
    """The length of time of `--answer-within`, such as `3d`, `12h` or `90 minutes`.

    Raises:
        UsageError: it is none, nothing, or longer than Temporal keeps what waits for it.
    """
    short = _SHORT_SPAN.fullmatch(written.strip().lower())
    length = timedelta(**{_UNITS[short[2]]: float(short[1])}) if short else span(written)
    if not isinstance(length, timedelta):
        raise UsageError(
            f"--answer-within {written!r} is no length of time; write 3d, 12h or 90 minutes"
        )
    if not timedelta(0) < length <= LONGEST_WAIT:
        raise UsageError(
            f"--answer-within {written}: more than nothing and at most {LONGEST_WAIT.days}d"
        )
    return length


ROUNDS = 2
WITHIN = "3d"


@dataclass(frozen=True)
class SwarmOptions:
    """What `desk swarm` asks."""

    objective: str
    about: str | None = None
    over: str | None = None
    effort: str = AUTO
    as_of: str | None = None
    rounds: int = ROUNDS
    answer_within: str = WITHIN
    memory: bool = True


def research_objective(options: SwarmOptions, wanted: Wanted) -> ExitStatus:
    """Researches an objective, or prints the existing report.

    Raises:
        UsageError, CommandError: with what to do next.
    """

    def start(_: Settings, config: RunConfig) -> RunStart[SwarmResult]:
        started = objective_start(options, config)
        # What matched the objective is not asked again, and the run's workers are to come.
        let_go()
        return started

    return answer_wanted(wanted, _command(options), start, besides=swarm_lines)


def objective_start(options: SwarmOptions, config: RunConfig) -> RunStart[SwarmResult]:
    """What the run of an objective is started with.

    Raises:
        UsageError: something of it cannot be asked; the message says what to do.
    """
    request = chosen_swarm(
        options.objective,
        config,
        about=options.about,
        over=options.over,
        effort=options.effort,
        as_of=options.as_of,
        rounds=options.rounds,
        answer_within=options.answer_within,
        memory=options.memory,
        now=datetime.now(UTC),
    )
    return swarm_start(request)


def _command(options: SwarmOptions) -> list[str]:
    words = ["desk", "swarm", options.objective]
    words += ["--about", options.about] if options.about else []
    words += ["--over", options.over] if options.over else []
    words += ["--effort", options.effort] if options.effort != AUTO else []
    words += ["--as-of", options.as_of] if options.as_of else []
    words += ["--rounds", str(options.rounds)] if options.rounds != ROUNDS else []
    words += [] if options.memory else ["--no-memory"]
    return words
