"""Who plays: the Policy interface, solved policies and their files, advice, training runs."""
