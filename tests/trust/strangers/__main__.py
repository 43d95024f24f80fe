"""Writes damaged copies of published reports: `python -m tests.trust.strangers --out DIR DIR…`."""

import argparse
import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from tests.trust.strangers import damaged_copies


def main() -> None:
    """Write the copies and `index.json`, which says of each what was changed; print their counts.

    Nothing is audited.
    """
    parser = argparse.ArgumentParser(description="Damage published reports and answers.")
    parser.add_argument("--out", type=Path, required=True, help="where the copies are written")
    parser.add_argument("--seed", type=int, default=1, help="draws the damages")
    parser.add_argument("--each", type=int, default=20, help="copies of each class")
    parser.add_argument("reports", type=Path, nargs="+", help="directories of published files")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    index = []
    for copy in damaged_copies(options.reports, options.out, options.seed, options.each):
        counts[copy.kind] += 1
        index.append(asdict(copy))
    text = json.dumps(index, ensure_ascii=False, indent=1, default=str)
    (options.out / "index.json").write_text(f"{text}\n", "utf-8")
    for kind, count in counts.items():
        print(f"{count:4} {kind}")


if __name__ == "__main__":
    main()
