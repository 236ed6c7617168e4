"""Rounds and matches between players."""
