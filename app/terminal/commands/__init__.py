"""One file for each verb of the command line. They import what they need when they run, so that
`zhaifei --help` reads all of them quickly."""
