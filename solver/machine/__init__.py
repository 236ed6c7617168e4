"""What depends on the machine: compiled kernels, memory, threads, and the user's directories."""
