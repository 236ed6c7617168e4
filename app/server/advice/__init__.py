"""What a phone cannot compute: the value of each action, and reviews of rounds."""
