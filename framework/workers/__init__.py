"""Connects the processes that submit and show runs with those that drive them, through Redis."""
