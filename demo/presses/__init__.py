"""Holds what happens when a person presses something on the page."""
