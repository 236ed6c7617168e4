"""Players: everything that makes decisions at a table."""
