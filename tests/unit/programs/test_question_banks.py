"""What is told of a central bank that a question names."""

from datetime import date

from desk.contracts.agents.tasks import TaskType
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import StateEntry
from desk.programs.question.builtin.banks import bank_standing
from desk.programs.question.builtin.synthesis import take_turn
from desk.trust.prose.synthesis_review import review_synthesis
from tests.knowledge.asking import asked
from tests.support.builders import calendar, decisions, rate_market
from tests.unit.programs.test_rates_analyst import HIKE, WEEK, research

JAPAN = rate_market("JP")
KNOWN_AT = date(2024, 8, 5)


def test_the_next_day_of_a_banks_calendar_goes_first_then_its_rate_and_its_last_decision() -> None:
    scheduled = calendar(WEEK, ("JP", "2024-09-20"), ("JP", "2024-10-31"), ("US", "2024-09-18"))
    result = research(JAPAN, decided=decisions(WEEK, HIKE), scheduled=scheduled)
    told = bank_standing((result,), KNOWN_AT)
    assert told.startswith(
        "By its calendar the Bank of Japan decides next on 20 Sep 2024. Its policy rate was"
        " [[JP:policy_rate]], as far as is known up to"
    )
    assert "It decided last, as far as is known, on 31 Jul 2024: The Bank of JP raised" in told


def test_a_meeting_whose_outcome_is_not_known_is_told_with_its_day() -> None:
    covered = decisions(WEEK, covered_until="2024-07-30")
    result = research(JAPAN, decided=covered, scheduled=calendar(WEEK, ("JP", "2024-07-31")))
    told = bank_standing((result,), KNOWN_AT)
    assert told.startswith("No later decision day of the Bank of Japan is known here.")
    assert "31 Jul 2024: The Bank of JP was scheduled to decide" in told


def test_a_bank_without_any_event_is_told_of_rather_than_what_sounds_like_it() -> None:
    entry = StateEntry(key="rates", node="researchRates", result=research(JAPAN))
    request = asked(TaskType.SYNTHESISE, "when does the boj meet?", state=(entry,), papers="first")
    made = take_turn(request).result
    assert isinstance(made, Synthesis)
    assert made.summary.startswith("No later decision day of the Bank of Japan is known here.")
    assert made.summary.endswith("Nothing written fits the question.") and not made.answered
    assert review_synthesis(made, (entry,)) == ()
