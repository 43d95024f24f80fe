"""What the report of a week tells, section by section."""
