"""Commands for whoever runs the desk: `desk up`, `doctor`, `cleanup`, escalations, dead letters."""
