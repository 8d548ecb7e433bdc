"""Tasks whose answer is what a script puts out: its figures, its pictures, its files, and the data it reads."""
