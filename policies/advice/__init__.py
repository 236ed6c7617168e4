"""Advice on decisions: what the others may hold, and the value of every action against them."""
