"""One store, two databases: SQLite below the state directory, or PostgreSQL; what differs in their SQL is one file."""
