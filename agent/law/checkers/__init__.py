"""One file per kind of clause, or per family of them."""
