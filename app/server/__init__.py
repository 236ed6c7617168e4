"""What the page asks of a server: matches of several people."""
