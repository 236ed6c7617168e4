"""Strategies as arrays: recall, storage, sampling, and answers of policies that are queried."""
