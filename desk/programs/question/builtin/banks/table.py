"""The table of banks' decisions, newest first."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from desk.analytics.figures import print_known_day
from desk.contracts.agents.tasks import DaysAsked
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import EventType, MarketEvent, ResearchResult
from desk.programs.question.builtin.banks.decisions import missing_outcome_words
from desk.programs.question.builtin.banks.known import KnownBank, known_bank
from desk.programs.question.builtin.banks.topics import figure

SHOWN: Final = 6
"""The number of decisions of a bank that are shown if a question does not ask for those of some
days."""

_COLUMNS: Final = ("Day", "Bank", "Decision", "Rate")
_RULE: Final = ("---", "---", "---", "---:")
_BANK: Final = 1
"""The place of the column that a table of one bank does without."""

_NONE: Final = "–"
_DUE: Final = "Due today. The outcome is not in the source yet."


class _ListedBank(NamedTuple):
    """A bank, and at most how many of its decisions are shown; None shows all."""

    bank: KnownBank
    most: int | None

    @property
    def shown(self) -> Sequence[MarketEvent]:
        bank, most = self
        decided = bank.within if most is None else bank.within[-most:]
        due = (bank.due,) if bank.due is not None and bank.is_asked(bank.due) else ()
        return (*decided, *bank.silent, *due)


class _DecisionRow(NamedTuple):
    bank: KnownBank
    event: MarketEvent


class DecisionsTable(NamedTuple):
    """A table in Markdown. Its title names the bank if all rows are of one."""

    title: str
    content: str


def decisions_table(
    results: Sequence[ResearchResult], window: DaysAsked, days: DaysAsked | None
) -> DecisionsTable | None:
    """Returns the table of the banks' decisions in the `days` that are asked about; without such
    days that of each bank's newest decisions, with the number that were looked at. For the banks of
    a pair it contains the newest decisions in the `window` of its move. None without any."""
    banks = [*_banks_in(results, window, days)]
    rows = sorted(
        (_DecisionRow(listed.bank, event) for listed in banks for event in listed.shown),
        key=lambda row: row.event.event_date,
        reverse=True,
    )
    if not rows:
        return None
    lines: list[tuple[str, ...]] = [_COLUMNS, _RULE, *(_cells(*row) for row in rows)]
    whose = {row.bank.name for row in rows}
    if len(whose) == 1:
        lines = [(*cells[:_BANK], *cells[_BANK + 1 :]) for cells in lines]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    left = " ".join(_left_out(banks))
    title = f"Decisions of {whose.pop() if len(whose) == 1 else 'the central banks'}, newest first"
    return DecisionsTable(title, f"{table}\n\n{left}" if left else table)


def _banks_in(
    results: Sequence[ResearchResult], window: DaysAsked, days: DaysAsked | None
) -> Iterator[_ListedBank]:
    asked = {result.market for result in results}
    decided = (e.area for r in results for e in r.events if e.event_type is not EventType.NEWS)
    for area in dict.fromkeys(filter(None, decided)):
        bank = known_bank(area, results, window[1], days if area in asked else window)
        yield _ListedBank(bank, None if days and area in asked else SHOWN)


def _left_out(banks: Sequence[_ListedBank]) -> Iterator[str]:
    for bank, most in banks:
        if most is None or len(bank.within) <= most:
            continue
        first, last = (_day(event) for event in (bank.within[0], bank.within[-1]))
        count = bank.in_all(Metric.DECISIONS_WITHIN)
        known = figure(count) if count is not None else "the decisions"
        yield f"Shown are the newest of {known} of {bank.name} from {first} to {last}."


def _day(event: MarketEvent) -> str:
    return print_known_day(event.event_date, event.precision)


def _cells(bank: KnownBank, event: MarketEvent) -> tuple[str, ...]:
    day, change = _day(event), bank.change_claim(event)
    if event == bank.due:
        return (day, bank.full_name, _DUE, _NONE)
    if change is None:
        return (day, bank.full_name, missing_outcome_words(event), _NONE)
    after = bank.rate_after(event)
    rate = figure(after) if after else _NONE
    return (day, bank.full_name, _decided(change), rate)


def _decided(change: Claim) -> str:
    """Returns `raised by 25 bp` or `held`. That a hold changed nothing needs no figure."""
    if not change.value:
        return "held"
    return f"{'raised' if change.value > 0 else 'cut'} by {figure(change)}"
