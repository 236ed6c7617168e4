"""Training runs that make policies: solvers and learners, their checkpoints and results."""
