"""What `desk ask` does."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from desk.contracts.config import RunConfig
from desk.contracts.question.graph import GraphResult
from desk.platform.settings import Settings
from starters.questions.choice import chosen
from starters.questions.graph.runs import ask_run_id, graph_start
from starters.questions.wanted import Wanted, answer_wanted
from starters.runs.server_runs import RunStart
from starters.session import say
from starters.terminal.exit_status import ExitStatus


@dataclass(frozen=True)
class AskOptions:
    """What `desk ask` asks."""

    question: str
    graph: str | None = None
    parameters: Sequence[str] = ()
    as_of: str | None = None


def ask_question(options: AskOptions, wanted: Wanted) -> ExitStatus:
    """Have a question answered, or print the answer that there is.

    Raises:
        UsageError, CommandError: with what to do next.
    """

    def start(settings: Settings, config: RunConfig) -> RunStart[GraphResult]:
        choice = chosen(
            options.question,
            settings,
            config,
            graph=options.graph,
            parameters=options.parameters,
            as_of=options.as_of,
            now=datetime.now(UTC),
        )
        if choice.remark:
            say(f"desk: {choice.remark}")
        request = choice.request
        return graph_start(ask_run_id(request.graph, request.query, request.as_of), request)

    return answer_wanted(wanted, _command(options), start)


def _command(options: AskOptions) -> list[str]:
    words = ["desk", "ask", options.question]
    words += ["--graph", options.graph] if options.graph else []
    for parameter in options.parameters:
        words += ["--param", parameter]
    words += ["--as-of", options.as_of] if options.as_of else []
    return words
