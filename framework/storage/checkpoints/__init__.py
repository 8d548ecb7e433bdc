"""Adapts LangGraph's savers to the store's connection, one file for each database."""
