"""Holds one file for each panel of the screen. Each turns a view into escaped HTML."""
