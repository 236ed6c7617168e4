"""Reviews of recorded matches: the cost of each decision, luck and skill, and drills."""
