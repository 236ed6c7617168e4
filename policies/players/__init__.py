"""Everything that takes decisions."""
