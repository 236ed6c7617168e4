"""What replicates published work or compares with it. The solver, its advice and its players do not
need this package, and do not import it."""
