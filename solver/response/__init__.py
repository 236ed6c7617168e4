"""Best responses: what they earn, and where."""
