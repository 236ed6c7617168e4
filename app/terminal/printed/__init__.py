"""Results of the commands: on screen, as JSON and as CSV."""
