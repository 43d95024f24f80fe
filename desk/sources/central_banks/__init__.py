"""The server `central_banks`: decisions, calendars, policy rates."""
