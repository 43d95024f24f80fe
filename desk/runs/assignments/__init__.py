"""What an agent is given to do, until when, and who takes over."""
