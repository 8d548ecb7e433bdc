"""Cuts tests into checks, runs candidates against them, and writes the tests that are handed over."""
