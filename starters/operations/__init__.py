"""Commands for operators: `desk up`, `doctor`, `cleanup`, escalations, dead letters and more."""
