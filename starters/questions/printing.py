"""Prints an answer, with its files and the outcome of its run."""

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from desk.contracts.agents.extras import Extra, extras_named, install_words
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.question.answers import AnswerReport
from desk.contracts.runs.swarm import SwarmResult
from desk.contracts.swarm.record import TokenRecord
from desk.documents.rendering.words.wording import cost_words, instant
from starters.questions.follow import AnsweredRun, Published
from starters.runs.server_runs import ServerRun, ui_address
from starters.session import Desk, say
from starters.terminal.exit_status import CommandError, ExitStatus

Besides = Callable[[Published, AnswerReport | None], Iterable[str]]
"""Further lines that a command prints with an answer."""


def print_answer(
    desk: Desk,
    answered: AnsweredRun[Published],
    *,
    as_json: bool,
    besides: Besides[Published] | None = None,
) -> ExitStatus:
    """Prints the answer and returns the exit status, which says whether a node failed.

    Raises:
        CommandError: it is to be printed as JSON and its file cannot be read from here.
    """
    from desk.documents.answer.publishing import read_answer_file
    from desk.documents.rendering.rendering_version import other_version, rendering_mark

    result = answered.result
    answer = read_answer_file(Path(result.files.json_file))
    page = Path(result.files.html)
    if answered.before and page.is_file():
        other = other_version(page.read_text(encoding="utf-8"))
        if other is not None:
            say(f"answered by {other}, and this is {rendering_mark()}; `--again` asks this one")
    if as_json:
        if answer is None:
            raise CommandError(
                f"{result.files.json_file} cannot be read from here; the answer was published"
                " on the machine of its worker"
            )
        from desk.documents.answer.json_form import answer_to_json

        sys.stdout.write(answer_to_json(answer))
    else:
        _show(answer, result)
        lines = _where(desk, answered, answer, besides(result, answer) if besides else ())
        sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
    if desk.hosting and not as_json:
        say("The server stops with this command; `desk up` keeps it, and the run, open.")
    return ExitStatus.COMPLETE if result.outcome is Outcome.COMPLETE else ExitStatus.INCOMPLETE


def _show(answer: AnswerReport | None, result: Published) -> None:
    from desk.documents.answer.markdown import answer_alone

    text = answer_alone(answer) if answer else f"{result.summary}\n"
    if not sys.stdout.isatty():
        sys.stdout.write(f"{text}\n")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text, hyperlinks=False))
    sys.stdout.write("\n")


def _where(
    desk: Desk,
    answered: AnsweredRun[Published],
    answer: AnswerReport | None,
    besides: Iterable[str],
) -> Iterator[str]:
    run, result = answered.run, answered.result
    yield f"{str(result.outcome).capitalize()}{outcome_of(answer)}"
    yield from besides
    yield from figures_line(answer)
    yield f"Report    {result.files.html}"
    settings = desk.settings
    address = ui_address(settings.ui_url, desk.client.namespace, run.workflow_id, run.run_id)
    yield f"Temporal  {address or f'workflow {run.workflow_id}'}"
    if answered.before:
        yield _before(run, answer)
    else:
        spent = f", {cost_words(answer.usage)}" if answer and answer.usage.asked else ""
        yield f"Took {result.seconds:.1f} s{spent}."


def figures_line(answer: AnswerReport | None) -> Iterator[str]:
    """How many figures the answer has, and where each can be followed to its source."""
    if answer is not None and answer.claims:
        from desk.documents.answer.words import figures_used

        used, known = len(figures_used(answer)), len(answer.claims)
        besides = f", and {known - used} looked at besides" if used < known else ""
        yield f"Figures   {used}{besides}: the report shows the source of each, `--json` prints all"


def outcome_of(answer: AnswerReport | None) -> str:
    """The end of a run's outcome line: whether there is no sure answer or no recommendation, and
    which steps and tools failed."""
    if answer is None:
        return ""
    from desk.documents.answer.words import lost_tools_of, lost_words

    failed = [line.node for line in answer.nodes if line.state == "failed"]
    silent = ", no recommendation" if answer.stock else ", no sure answer"
    told = ", found" if answer.found else "" if answer.answered else silent
    lost = [f"{', '.join(failed[:5])} failed"] if failed else []
    lost += [lost_words(answer)] if lost_tools_of(answer) else []
    return f"{told}{': ' if lost else ''}{'; '.join(lost)}"


def _before(run: ServerRun[Published], answer: AnswerReport | None) -> str:
    """Says when it was answered, and what asking again would end."""
    if not run.open:
        when = instant(run.closed_at) if run.closed_at else "before"
        return f"Answered {when}; `--again` asks it anew."
    when = f"{instant(answer.finished_at)} as of {instant(answer.as_of)}" if answer else "before"
    return (
        f"Answered {when}, and waits for its horizon. `--again` ends that wait and asks anew;"
        " `--as-of INSTANT` asks another beside it."
    )


def swarm_lines(result: SwarmResult, answer: AnswerReport | None) -> Iterator[str]:
    """A swarm's rounds, the tokens if a model was used, its open hypotheses, and the missing
    packages."""
    specialists = _specialists(answer)
    yield f"Rounds    {result.rounds}{specialists}"
    if result.tokens.used:
        yield f"Tokens    {token_words(result.tokens)}"
    if result.hypotheses:
        waiting = len(result.hypotheses)
        wait = "hypotheses wait" if waiting > 1 else "hypothesis waits"
        yield f"Waiting   {waiting} {wait} to be scored: `desk hypotheses list`"
    yield from lacking_lines(answer)


def token_words(tokens: TokenRecord) -> str:
    """Formats token counts: `12,000 read from tools; one agent alone would have read 38,400 (3.2
    times as many); ...`."""
    read = f"{tokens.read:,} read from tools"
    if tokens.read and tokens.alone:
        read += (
            f"; one agent alone would have read {tokens.alone:,}"
            f" ({tokens.alone / tokens.read:.1f} times as many)"
        )
    shown = f"the leader saw {tokens.leader:,} of {tokens.raw:,}"
    used = f"; models used {tokens.used:,}" if tokens.used else ""
    return f"{read}; {shown}{used} (estimates at four characters each)"


def _specialists(answer: AnswerReport | None) -> str:
    if answer is None or answer.swarm is None:
        return ""
    plans = [each.plan for each in answer.swarm.rounds]
    count = sum(len(plan.subagents) for plan in plans)
    noun = "specialist" if count == 1 else "specialists"
    return f", {count} {noun}, a {plans[0].complexity} objective"


def lacking_lines(answer: AnswerReport | None) -> Iterator[str]:
    """Says how to install the packages that an answer lacked."""
    for extra in extras_lacking(answer):
        yield f"Missing   a package that some tools need: run {install_words(extra)}"


def extras_lacking(answer: AnswerReport | None) -> tuple[Extra, ...]:
    """The extras that an answer lacked."""
    if answer is None:
        return ()
    return extras_named((*answer.missing, *(line.error or "" for line in answer.nodes)))
