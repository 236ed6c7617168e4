"""Strategy files of users, each run in a process of its own."""
