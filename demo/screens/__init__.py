"""The two screens: their components, and the values that these get."""
