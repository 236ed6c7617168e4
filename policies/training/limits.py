"""The largest numbers that the command line or a file may ask of a run.

This module imports nothing, since the command line reads it at its start.
"""

MOST_SEED = 2**31 - 1
"""The largest seed; OpenSpiel takes hardly more."""
MOST_THREADS = 256
