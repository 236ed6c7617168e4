"""What people see: the command line, printed pages, the report. Nothing below it knows click or
rich."""
