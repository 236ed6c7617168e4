"""What the command line asks and prints."""
