"""Holds the two screens: their components, and the values that the components get."""
