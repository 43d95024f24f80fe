"""An objective, researched by a leader and its specialists."""
