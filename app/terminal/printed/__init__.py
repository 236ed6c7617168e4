"""What each command prints: on screen, as JSON, as CSV."""
