"""Values by value: how they travel between the two processes of a split run, and as one canonical text."""
