"""Reads, searches, compares and changes program text. Nothing here runs a program or knows of a run."""
