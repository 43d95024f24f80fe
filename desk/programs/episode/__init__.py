"""A stock, researched step by step and held against what came."""
