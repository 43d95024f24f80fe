"""A share of the seeded errors: all are caught, and nothing else is."""

from tests.trust.corruptions import ErrorClass
from tests.trust.seeded_errors import Place, missed, run, table

WEEK = "2022-W43"
EVERY = 9


def test_errors_seeded_into_a_real_week_are_all_caught() -> None:
    weeks = run([WEEK], every=EVERY, workers=1)
    trials = [trial for week in weeks for trial in week.trials]
    assert missed(weeks) == []
    assert [line for week in weeks for line in week.false_rejections] == []
    assert len(trials) > 100
    assert {trial.place for trial in trials} == set(Place)
    assert {trial.error for trial in trials} == set(ErrorClass)
    assert all(f"\n| {error} | " in table(weeks) for error in ErrorClass)
