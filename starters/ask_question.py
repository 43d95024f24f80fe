"""What `desk ask` does."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from infra.settings import load_settings
from starters.ask_choice import chosen
from starters.ask_print import print_answer
from starters.ask_run import Asking, asked
from starters.desk_logs import log_to_file
from starters.desk_session import say
from starters.endings import ExitStatus
from starters.graph_runs import ask_run_id, graph_start
from starters.models import with_budget
from starters.published_files import check_target


@dataclass(frozen=True)
class AskOptions:
    """The options of `desk ask`."""

    question: str
    graph: str | None = None
    parameters: Sequence[str] = ()
    as_of: str | None = None
    budget_usd: float | None = None
    out: Path | None = None
    as_json: bool = False
    again: bool = False


def ask_question(options: AskOptions) -> ExitStatus:
    """Have a question answered, or print the answer that there is.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    settings = load_settings()
    config = settings.config
    if options.budget_usd is not None:
        config = with_budget(config, options.budget_usd)
    choice = chosen(
        options.question,
        settings,
        config,
        graph=options.graph,
        parameters=options.parameters,
        as_of=options.as_of,
        now=datetime.now(UTC),
    )
    check_target(options.out)
    log_to_file(settings)
    if choice.remark:
        say(f"desk: {choice.remark}")
    request = choice.request
    workflow_id = ask_run_id(request.graph, request.query, request.as_of)
    return asked(
        settings,
        Asking(
            start=graph_start(workflow_id, request),
            config=config,
            command=_command(options),
            show=partial(print_answer, as_json=options.as_json),
            out=options.out,
            again=options.again,
        ),
    )


def _command(options: AskOptions) -> list[str]:
    words = ["desk", "ask", options.question]
    words += ["--graph", options.graph] if options.graph else []
    for parameter in options.parameters:
        words += ["--param", parameter]
    words += ["--as-of", options.as_of] if options.as_of else []
    return words
