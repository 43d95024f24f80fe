"""Which tool answers which question, and how tools have done."""
