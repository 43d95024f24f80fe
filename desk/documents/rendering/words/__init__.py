"""How values, verdicts and the prose of answers are worded, in whichever form they are printed."""
