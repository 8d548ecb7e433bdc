"""LangGraph's own savers over the store's connection, one file for each database."""
