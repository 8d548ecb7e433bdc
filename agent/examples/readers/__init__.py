"""Reads promises of single calls, one file for each form in which people write them."""
