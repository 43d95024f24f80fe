"""The `desk` command with every effect written down: `python -m tests.support.counted_desk WORDS`.

The command as it is, with the notes of `tests.support.counted_worker` around each turn and each
tool call that its workers make.
"""

from starters.main import main
from tests.support.counted_worker import count_effects

if __name__ == "__main__":
    count_effects()
    main()
