"""Checks and what runs them: tests taken apart, candidates executed, and the tests that are handed over."""
