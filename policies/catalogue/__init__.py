"""Which players and policies there are, by name, rules and file."""
