"""The `desk` command."""

import sys
from typing import NoReturn

import typer
from typer.exceptions import Abort, TyperException

from desk.documents.publishing.files import make_private
from starters.learning.episodes.command import episodes
from starters.learning.hypotheses.command import hypotheses
from starters.learning.learn.command import EXAMPLE as LEARN_EXAMPLE
from starters.learning.learn.command import learn
from starters.learning.memory.command import memory
from starters.learning.scorecard.command import EXAMPLE as SCORECARD_EXAMPLE
from starters.learning.scorecard.command import scorecard
from starters.monitoring.agents.command import EXAMPLE as AGENTS_EXAMPLE
from starters.monitoring.agents.command import agents
from starters.monitoring.messages.command import EXAMPLE as MESSAGES_EXAMPLE
from starters.monitoring.messages.command import messages
from starters.monitoring.status.command import EXAMPLE as STATUS_EXAMPLE
from starters.monitoring.status.command import status
from starters.monitoring.tools.command import tools
from starters.monitoring.watch.command import EXAMPLE as WATCH_EXAMPLE
from starters.monitoring.watch.command import watch
from starters.operations.cleanup.command import EXAMPLE as CLEANUP_EXAMPLE
from starters.operations.cleanup.command import cleanup
from starters.operations.dead_letters.command import dead_letters
from starters.operations.doctor.command import EXAMPLE as DOCTOR_EXAMPLE
from starters.operations.doctor.command import doctor
from starters.operations.escalations.command import escalations
from starters.operations.up.command import UP_EXAMPLE, WORKER_EXAMPLE, up, worker
from starters.published.archive.command import EXAMPLE as ARCHIVE_EXAMPLE
from starters.published.archive.command import archive
from starters.published.audit.command import EXAMPLE as AUDIT_EXAMPLE
from starters.published.audit.command import audit
from starters.published.report.command import EXAMPLE as REPORT_EXAMPLE
from starters.published.report.command import report
from starters.questions.ask.command import EXAMPLE as ASK_EXAMPLE
from starters.questions.ask.command import ask
from starters.questions.graph.command import graph
from starters.questions.stock.command import EXAMPLE as STOCK_EXAMPLE
from starters.questions.stock.command import stock
from starters.questions.swarm.command import EXAMPLE as SWARM_EXAMPLE
from starters.questions.swarm.command import swarm
from starters.terminal.exit_status import ExitStatus, complain, exit_now
from starters.weeks.backfill.command import EXAMPLE as BACKFILL_EXAMPLE
from starters.weeks.backfill.command import backfill
from starters.weeks.rerun.command import EXAMPLE as RERUN_EXAMPLE
from starters.weeks.rerun.command import rerun
from starters.weeks.run.command import EXAMPLE as RUN_EXAMPLE
from starters.weeks.run.command import run
from starters.weeks.schedule.command import schedule
from starters.weeks.tape.command import tape

app = typer.Typer(
    name="desk",
    help="A research desk for currency and interest-rate markets, on Temporal.",
    epilog="Example: desk run. DESK_DEBUG=1 shows the traceback of an error.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.command(epilog=RUN_EXAMPLE)(run)
app.command(epilog=ASK_EXAMPLE)(ask)
app.command(epilog=SWARM_EXAMPLE)(swarm)
app.command(epilog=STOCK_EXAMPLE)(stock)
app.command(epilog=UP_EXAMPLE)(up)
app.command(epilog=WORKER_EXAMPLE)(worker)
app.command(epilog=RERUN_EXAMPLE)(rerun)
app.add_typer(schedule, name="schedule")
app.command(epilog=BACKFILL_EXAMPLE)(backfill)
app.command(epilog=STATUS_EXAMPLE)(status)
app.command(epilog=WATCH_EXAMPLE)(watch)
app.command(epilog=AGENTS_EXAMPLE)(agents)
app.command(epilog=MESSAGES_EXAMPLE)(messages)
app.command(epilog=LEARN_EXAMPLE)(learn)
app.command(epilog=SCORECARD_EXAMPLE)(scorecard)
app.add_typer(hypotheses, name="hypotheses")
app.add_typer(episodes, name="episodes")
app.add_typer(graph, name="graph")
app.add_typer(dead_letters, name="dead-letters")
app.add_typer(escalations, name="escalations")
app.add_typer(tape, name="tape")
app.add_typer(tools, name="tools")
app.add_typer(memory, name="memory")
app.command(epilog=REPORT_EXAMPLE)(report)
app.command(epilog=ARCHIVE_EXAMPLE)(archive)
app.command(epilog=AUDIT_EXAMPLE)(audit)
app.command(epilog=CLEANUP_EXAMPLE)(cleanup)
app.command(epilog=DOCTOR_EXAMPLE)(doctor)


def execute(arguments: list[str]) -> int:
    """Run a command line; its exit status. Errors are told in one line on standard error."""
    try:
        ended = app(arguments, standalone_mode=False)
    except TyperException as wrong:
        return _misused(wrong)
    except (Abort, KeyboardInterrupt):
        sys.stderr.write("desk: stopped\n")
        return ExitStatus.INTERRUPTED
    except Exception as error:
        return complain(error)
    return int(ended) if isinstance(ended, int) else ExitStatus.COMPLETE


def _misused(wrong: TyperException) -> ExitStatus:
    """What Typer found wrong with the arguments; nothing where it has shown the help instead."""
    told = getattr(wrong, "format_message", wrong.__str__)().removeprefix("Value error, ")
    if told:
        sys.stderr.write(f"desk: {told} (`--help` shows an example)\n")
    return ExitStatus.USAGE


def main() -> NoReturn:
    """The console entry point."""
    make_private()
    exit_now(execute(sys.argv[1:]))
