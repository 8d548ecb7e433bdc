"""Composes what models are told of a run. What is not told here stays hidden from them, such as held-out checks."""
