"""One store, two databases: SQLite below the state directory, or PostgreSQL; each with one file of its own SQL."""
