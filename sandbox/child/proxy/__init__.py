"""The two sides of a split run: the tests' (`judge`, `tests_side`) and the solution's (`solution_side`)."""
