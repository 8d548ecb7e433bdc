"""The command line: its commands, and what a person at a terminal sees."""
