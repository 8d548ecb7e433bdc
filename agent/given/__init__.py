"""What is particular to code that the person hands in: its symptoms, its behaviour, its interface and its words."""
