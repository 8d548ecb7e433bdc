"""Reading a suite, and running it."""
