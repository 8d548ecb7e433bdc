"""Holds what the page looks like: how HTML is written, theme, head and styles."""
