"""How strategies are found and measured: recall, MCCFR, exact CFR+, best responses, checkpoints."""
