"""What runs are started with, turn by turn and task by task, and what they answer and return.

This package may import every other one of the contracts; none of them imports it.
"""
