"""A workflow that answers queries at any length."""

from temporalio import workflow

STAGES = "stage " * 1_000


@workflow.defn
class Wordy:
    """Waits, and answers with as many words as it is asked for."""

    @workflow.run
    async def run(self) -> None:
        """Until it is cancelled."""
        workflow.set_current_details(STAGES)
        await workflow.wait_condition(lambda: False)

    @workflow.query(description="As many words as are asked for")
    def words(self, count: int) -> list[str]:
        """One more or less tells answers apart."""
        return [f"word {number:,}" for number in range(count)]
