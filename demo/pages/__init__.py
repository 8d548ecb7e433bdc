"""Holds the pages beside the first one, one file each: its address, its components, and what fills them."""
