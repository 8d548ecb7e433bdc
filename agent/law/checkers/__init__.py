"""The checkers of clauses: one file per kind of clause, or per family of kinds."""
