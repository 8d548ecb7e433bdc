"""Reads a suite and runs it."""
