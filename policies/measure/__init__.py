"""How strong players and policies are."""
