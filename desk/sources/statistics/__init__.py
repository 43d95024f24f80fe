"""The server `official_statistics`: month averages and month ends."""
