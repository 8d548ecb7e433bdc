"""What every reader stands on: the uniform text and its sentences, calls and values that are written in it, what the
words between them say, where that ends, and what takes it back."""
