"""Builds what a run hands back: the evidence, its words, the report and the bundle."""
