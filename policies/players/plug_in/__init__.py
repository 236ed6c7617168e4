"""Strategy files of users; each runs in a process of its own."""
