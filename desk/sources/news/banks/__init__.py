"""The server `bank_feeds`: press releases of central banks."""
