"""Whether a page that stands beside a report says what the report says."""
