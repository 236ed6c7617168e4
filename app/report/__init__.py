"""RESULTS.md and its charts."""
