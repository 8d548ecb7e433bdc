"""Handles code that a person hands in: its symptoms, its behaviour, its interface and its wording."""
