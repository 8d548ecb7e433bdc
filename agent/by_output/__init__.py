"""Handles tasks whose answer is what a script puts out: figures, pictures and files, and the data that it reads."""
