"""Reviews of matches that were played: what each decision cost, luck and skill, and drills."""
