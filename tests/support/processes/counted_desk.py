"""The `desk` command with every effect written down.

`python -m tests.support.processes.counted_desk WORDS` is the command as it is, with the notes of
`tests.support.processes.counted_worker` around each turn and each tool call that its workers make.
"""

import starters.main
from tests.support.processes.counted_worker import count_effects


def main() -> None:
    """Run the command line that the process was given."""
    count_effects()
    starters.main.main()


if __name__ == "__main__":
    main()
