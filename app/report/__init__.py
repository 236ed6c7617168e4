"""The results page, RESULTS.md, and its charts."""
