"""Daily fixings and rates, and the measures computed from them."""
