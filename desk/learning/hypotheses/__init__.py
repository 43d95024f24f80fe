"""What swarms take to be likely, and what came of it."""
