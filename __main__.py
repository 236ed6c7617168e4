"""`python -m zhaifei` runs the command line."""

from zhaifei.cli import main

main()
