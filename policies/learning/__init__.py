"""Players who remember how the others at the table have played."""
