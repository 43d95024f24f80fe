"""Daily fixings and rates, and what is measured of them."""
