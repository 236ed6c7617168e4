"""Find players and policies by name, rules and file."""
