"""A research desk for currency and rate markets, on Temporal."""
