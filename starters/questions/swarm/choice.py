"""Builds what the research of an objective is started with from the user's options."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from pydantic import JsonValue

from desk.analytics.names.nearest import nearest, suggestion
from desk.analytics.names.periods import objective_window, span_given
from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.tasks import Query
from desk.contracts.names import SWARM_RUN, WorkflowType
from desk.contracts.runs.swarm import SwarmRequest, SwarmResult
from desk.contracts.swarm.plan import Complexity
from desk.platform.memory.sentence_encoder import desk_embedding_model
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
from starters.runs.server_runs import RunStart
from starters.terminal.exit_status import UsageError

AUTO: Final = "auto"
ROUNDS: Final = 2
WITHIN: Final = "3d"
LONGEST_WAIT: Final = timedelta(days=60)
_EXAMPLE: Final = 'such as desk swarm "Is the yen carry trade unwinding?"'
_SHORT_SPAN: Final = re.compile(r"(\d+(?:\.\d+)?) ?([dhm])")
_UNITS: Final = {"d": "days", "h": "hours", "m": "minutes"}


@dataclass(frozen=True)
class SwarmOptions:
    """The options of `desk swarm` that make up the request."""

    objective: str
    about: str | None = None
    over: str | None = None
    effort: str = AUTO
    as_of: str | None = None
    rounds: int = ROUNDS
    answer_within: str = WITHIN
    memory: bool = True


def objective_start(options: SwarmOptions, config: RunConfig) -> RunStart[SwarmResult]:
    """Builds what the run of an objective is started with.

    Raises:
        UsageError: a part of it cannot be asked; the message says what to do.
    """
    return swarm_start(chosen_swarm(options, config, datetime.now(UTC)))


def chosen_swarm(options: SwarmOptions, config: RunConfig, now: datetime) -> SwarmRequest:
    """Builds the request of an objective, with the named form or else the nearest one.

    Raises:
        UsageError: a part of it cannot be asked; the message says what to do.
    """
    words = checked_words(
        options.objective, "the objective", longest=LONGEST_QUESTION, example=_EXAMPLE
    )
    zone = config.schedule.time_zone
    known_at = read_as_of(options.as_of, zone, now) if options.as_of else None
    return SwarmRequest(
        query=Query(question=words, parameters=_form_parameters(words, options)),
        policy=config.policy,
        complexity=read_effort(options.effort),
        markets=config.markets,
        as_of=known_at,
        window=objective_window(words, known_at or now, zone),
        time_zone=zone,
        most_rounds=options.rounds,
        answer_within=read_answer_within(options.answer_within),
        memory=options.memory,
        learn=options.memory,
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
    """Returns the workflow id of an objective. The same objective, named form and span, effort,
    instant, rounds and use of memory have the same id."""
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


def _form_parameters(objective: str, options: SwarmOptions) -> dict[str, str]:
    """Returns the parameters that give every agent the form of the objective, and its span.

    Raises:
        UsageError: there is no such form, or it has no other spans.
    """
    about, over, as_of = options.about, options.over, options.as_of
    if about is not None:
        return {ABOUT: read_form(about), **_span_parameters(FORMS[read_form(about)], over)}
    found = matched(objective, desk_embedding_model)
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
    """Parses the name of a form.

    Raises:
        UsageError: there is no such form.
    """
    word = written.strip().lower()
    if word not in FORMS:
        raise UsageError(
            f"--about is {written!r}; there are {', '.join(FORMS)}{suggestion(word, FORMS)}"
        )
    return word


def read_effort(written: str) -> Complexity | None:
    """Parses the named effort. Returns None if the leader chooses.

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
    """Parses the length of time of `--answer-within`, such as `3d`, `12h` or `90 minutes`.

    Raises:
        UsageError: it is not a length of time, is zero, or exceeds `LONGEST_WAIT`.
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
