"""Represents in one process what is no plain value and stays in the other process."""
