"""Measurements of players and policies: exploitability, advice, comparisons, ratings and arenas."""
