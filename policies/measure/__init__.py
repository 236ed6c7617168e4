"""Measurements of players and policies: exploitability, comparisons, ratings and arenas."""
