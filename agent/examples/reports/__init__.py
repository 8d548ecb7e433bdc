"""Reads what a text tells of given code. Running the code decides what of that is a fault."""
