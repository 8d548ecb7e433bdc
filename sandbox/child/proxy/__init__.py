"""Holds the two sides of a split run: the tests' (`examiner`, `tests_side`) and the solution's (`solution_side`)."""
