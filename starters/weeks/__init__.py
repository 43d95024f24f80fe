"""Commands that research weeks: `desk run`, `rerun`, `backfill`, `schedule` and `tape`."""
