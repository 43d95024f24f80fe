"""The logic of the engine, without Temporal: assignments, boards, graphs, messages, schedules,
tapes."""
