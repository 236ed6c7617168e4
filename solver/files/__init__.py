"""Files: written atomically, and checked when they are read."""
