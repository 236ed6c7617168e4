"""The user interface: command line, printed results and report. Only this package and `cli` use
click and rich."""
