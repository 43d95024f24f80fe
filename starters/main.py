"""The `desk` command."""

import sys
from typing import NoReturn

import typer
from typer.exceptions import Abort, TyperException

from desk.documents.publishing.published_modes import make_private
from starters.agents import EXAMPLE as AGENTS_EXAMPLE
from starters.agents import agents
from starters.archive import EXAMPLE as ARCHIVE_EXAMPLE
from starters.archive import archive
from starters.ask import EXAMPLE as ASK_EXAMPLE
from starters.ask import ask
from starters.audit import EXAMPLE as AUDIT_EXAMPLE
from starters.audit import audit
from starters.backfill import EXAMPLE as BACKFILL_EXAMPLE
from starters.backfill import backfill
from starters.cleanup import EXAMPLE as CLEANUP_EXAMPLE
from starters.cleanup import cleanup
from starters.dead_letters import dead_letters
from starters.doctor import EXAMPLE as DOCTOR_EXAMPLE
from starters.doctor import doctor
from starters.endings import ExitStatus, complain, exit_now
from starters.episodes import episodes
from starters.escalations import escalations
from starters.graph import graph
from starters.hypotheses import hypotheses
from starters.learn import EXAMPLE as LEARN_EXAMPLE
from starters.learn import learn
from starters.memory import memory
from starters.messages import EXAMPLE as MESSAGES_EXAMPLE
from starters.messages import messages
from starters.report import EXAMPLE as REPORT_EXAMPLE
from starters.report import report
from starters.rerun import EXAMPLE as RERUN_EXAMPLE
from starters.rerun import rerun
from starters.run import EXAMPLE as RUN_EXAMPLE
from starters.run import run
from starters.schedule import schedule
from starters.scorecard import EXAMPLE as SCORECARD_EXAMPLE
from starters.scorecard import scorecard
from starters.status import EXAMPLE as STATUS_EXAMPLE
from starters.status import status
from starters.stock import EXAMPLE as STOCK_EXAMPLE
from starters.stock import stock
from starters.swarm import EXAMPLE as SWARM_EXAMPLE
from starters.swarm import swarm
from starters.tape import tape
from starters.tools import tools
from starters.up import UP_EXAMPLE, WORKER_EXAMPLE, up, worker
from starters.watch import EXAMPLE as WATCH_EXAMPLE
from starters.watch import watch

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
