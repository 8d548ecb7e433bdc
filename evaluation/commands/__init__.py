"""One file for each command of `python -m evaluation`, named like the command."""
