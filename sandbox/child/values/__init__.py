"""Carries values by value: between the two processes of a split run, and as one canonical text."""
