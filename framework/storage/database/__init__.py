"""Puts the store on one of two databases: SQLite below the state directory, or PostgreSQL."""
