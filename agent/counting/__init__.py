"""Counts, from the state of a run, the facts that the policy may know, and finds the calls by which programs are
compared and the doubts that a program's text raises."""
