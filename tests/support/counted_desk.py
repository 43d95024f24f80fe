"""The `desk` command with every effect written down: `python -m tests.support.counted_desk WORDS`.

The command as it is, with the notes of `tests.support.counted_worker` around each turn and each
tool call that its workers make.
"""

import starters.main
from tests.support.counted_worker import count_effects


def main() -> None:
    """Run the command line that the process was given."""
    count_effects()
    starters.main.main()


if __name__ == "__main__":
    main()
