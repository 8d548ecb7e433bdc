"""Reads promises of whole programs: what is given to a run, what it prints, and how it ends."""
