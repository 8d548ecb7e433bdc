"""Drives and keeps runs of any engine: journal, store, workers, settings and tracing. It knows nothing of agents."""
