"""The largest numbers that a run may be asked for, by the command line or by a file.

Nothing is imported here, since the command line reads this at its start.
"""

MOST_SEED = 2**31 - 1
"""OpenSpiel takes hardly more."""
MOST_THREADS = 256
