"""Keeps runs: what happened in each, who may drive it, and the state in which it stands."""
