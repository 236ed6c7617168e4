"""One module per verb of the command line. Each imports what it needs when it runs, so that
`zhaifei --help` loads all of them quickly."""
